"""Smoothed counts of scores on a grid, in linear time.

Each score is spread over the two nearest points of the grid. Sums over all other scores are then
convolutions on that grid, computed by FFT and interpolated back. Spreading and interpolating each
blur like a convolution with variance δ²/12, where δ is the width of a bin; kernels are corrected
for that.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from zerone._typing import FloatArray, IntArray
from zerone.objectives._smoothed_error import STEEPNESS

# Bins per bandwidth, and the widest bin. Compared with a sum over all pairs, values are within
# 1e-4, and slopes within 1e-3 of the largest slope.
_BINS_PER_BANDWIDTH = 8
_WIDEST = 1 / 32
# Scores are clipped to this many units, which limits the number of bins.
REACH = 12.0
_STEP = 256


@dataclass(frozen=True, eq=False)
class ScoreGrid:
    """Scores of several models on one grid of rising points.

    Attributes
    ----------
    below : ndarray of shape (n_models, n_rows)
        The point of the grid below each score, counted over the points of all models.
    upper_share : ndarray of shape (n_models, n_rows)
        How far the score is on the way to the next point.
    n_bins : int
    width : float
        Distance of two points.
    bandwidth : float
    """

    below: IntArray
    upper_share: FloatArray
    n_bins: int
    width: float
    bandwidth: float

    @classmethod
    def of_scores(cls, scores: FloatArray, bandwidth: float) -> "ScoreGrid":
        """Return the grid of scores, which are clipped to ±`REACH`."""
        width = min(bandwidth / _BINS_PER_BANDWIDTH, _WIDEST)
        # Zero is a point of the grid, so that mirrored scores have the mirrored grid.
        position = np.clip(scores, -REACH, REACH)
        position /= width
        floor = np.floor(position)
        position -= floor
        first = float(floor.min())
        n_bins = int(floor.max() - first) + 2
        floor += (n_bins * np.arange(len(scores)) - first)[:, None]
        return cls(floor.astype(np.intp), position, n_bins, width, bandwidth)

    def spread(self, rows: slice, weights: FloatArray) -> FloatArray:
        """Return the weight of some rows at each point for each model.

        Parameters
        ----------
        rows : slice
        weights : ndarray of shape (n_models, n_chosen_rows)
        """
        upper = weights * self.upper_share[:, rows]
        below, n_points = self.below[:, rows].ravel(), len(weights) * self.n_bins
        mass = np.bincount(below, (weights - upper).ravel(), n_points)
        mass[1:] += np.bincount(below, upper.ravel(), n_points)[:-1]
        return np.asarray(mass.reshape(-1, self.n_bins), dtype=np.float64)

    def interpolated(self, values: FloatArray, rows: slice) -> FloatArray:
        """Return values at the points for the scores of some rows."""
        below, flat = self.below[:, rows], values.ravel()
        rises = np.diff(flat, append=0.0)
        found = rises[below]
        found *= self.upper_share[:, rows]
        found += flat[below]
        return np.asarray(found)

    def transformed(self, mass: FloatArray) -> FloatArray:
        """Return the Fourier transform of values at the points."""
        return np.asarray(rfft(mass, self._n_points))

    def convolved(self, spectrum: FloatArray, kernel: FloatArray) -> FloatArray:
        """Return the convolution of two transforms at the points."""
        return np.asarray(irfft(spectrum * kernel, self._n_points)[:, : self.n_bins])

    @property
    def _n_points(self) -> int:
        # In steps, so that kernels are used again.
        return int(next_fast_len(-(-2 * self.n_bins // _STEP) * _STEP, real=True))

    def kernels(self) -> tuple[FloatArray, FloatArray]:
        """Return the transforms of σ(−1.7 x/h) and of its derivative, at x = point − other."""
        return _kernels(self._n_points, self.width, self.bandwidth)


@lru_cache(maxsize=32)
def _kernels(n_points: int, width: float, bandwidth: float) -> tuple[FloatArray, FloatArray]:
    steps = np.arange(n_points)
    steps[(n_points + 1) // 2 :] -= n_points
    rate = STEEPNESS / (2 * bandwidth)
    t = np.tanh(steps * (width * rate))
    s = 1 - t * t
    # The derivatives of ½(1 − tanh(rate·x)).
    first = -0.5 * rate * s
    second = rate**2 * s * t
    third = rate**3 * s * (1 - 3 * t * t)
    blur = width**2 / 6
    kernel = 0.5 * (1 - t) - blur * second
    slope_kernel = first - blur * third
    return np.asarray(rfft(kernel)), np.asarray(rfft(slope_kernel))


def class_shares(weights: FloatArray, n_positive: int) -> FloatArray:
    """Return weights that add up to one in each class, because products could overflow."""
    shares = weights.copy()
    for rows in (slice(None, n_positive), slice(n_positive, None)):
        shares[:, rows] /= shares[:, rows].sum(axis=1, keepdims=True)
    return shares
