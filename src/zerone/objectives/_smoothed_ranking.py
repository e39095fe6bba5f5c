"""The smoothed ranking loss of rows, in linear time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from zerone._typing import FloatArray
from zerone.objectives._smoothed_error import STEEPNESS

# Bins per bandwidth. Compared with a sum over all pairs, the value is within 1e-4, and the slopes
# are within 1e-3 of the largest slope.
_BINS_PER_BANDWIDTH = 16
# Scores are clipped to this many units, which limits the number of bins.
_REACH = 12.0


@dataclass(frozen=True, eq=False)
class SmoothedRanking:
    r"""Smoothed weighted share of pairs in the wrong order.

    .. math::
        \sum_{i \in +} \sum_{j \in -} \omega_i \omega_j\,
        \sigma\Bigl(-1.7\, \frac{z_i - z_j}{h}\Bigr) \Big/ \sum_{i \in +} \sum_{j \in -}
        \omega_i \omega_j

    for the scores z of several models at once, each with its own weights. As the bandwidth h
    falls to zero this becomes 1 − AUC.

    No sum over pairs is computed. Each score is spread over the two nearest points of a grid. The
    sums over the other class are then convolutions on that grid, computed by FFT and interpolated
    back. Spreading and interpolating each blur like a convolution with variance δ²/12, where δ is
    the width of a bin; the kernel is corrected for that.

    Parameters
    ----------
    n_positive : int
        Number of positive rows, which come first; the others are negative.
    weights : ndarray of shape (n_models, n_rows)
        ω; zero leaves a row out.
    bandwidth : float
        h, in the units of the scores, which should be of the order of one: they are clipped to
        ±12.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone.objectives import SmoothedRanking
    >>> loss = SmoothedRanking(1, np.ones((1, 3)), bandwidth=0.01)
    >>> values, slopes = loss.value_and_slopes(np.array([[0.5, 0.2, 0.8]]))
    >>> values.round(6).tolist()
    [0.5]
    """

    n_positive: int
    weights: FloatArray
    bandwidth: float

    def value_and_slopes(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each model's loss and its derivatives with respect to the scores.

        Parameters
        ----------
        scores : ndarray of shape (n_models, n_rows)

        Returns
        -------
        values : ndarray of shape (n_models,)
        slopes : ndarray of shape (n_models, n_rows)
        """
        width = self.bandwidth / _BINS_PER_BANDWIDTH
        # Zero is a point of the grid, so that mirrored scores have the mirrored grid.
        position = np.clip(scores, -_REACH, _REACH) / width
        floor = np.floor(position)
        upper_share = position - floor
        first = float(floor.min())
        below = (floor - first).astype(np.intp)
        n_bins = int(floor.max() - first) + 2

        positives, negatives = slice(None, self.n_positive), slice(self.n_positive, None)
        mass_positive = self._spread(positives, below, upper_share, n_bins)
        mass_negative = self._spread(negatives, below, upper_share, n_bins)
        kernel, slope_kernel = self._kernels(n_bins, width)
        n_points = next_fast_len(2 * n_bins, real=True)
        spectrum_negative = rfft(mass_negative, n_points)
        lost = irfft(spectrum_negative * kernel, n_points)[:, :n_bins]
        slope_positive = irfft(spectrum_negative * slope_kernel, n_points)[:, :n_bins]
        # The slope kernel is even, so the negatives use the same one.
        slope_negative = irfft(rfft(mass_positive, n_points) * slope_kernel, n_points)[:, :n_bins]

        values = np.einsum("mb,mb->m", mass_positive, lost)
        slopes = np.empty_like(scores)
        slopes[:, positives] = _interpolated(slope_positive, below, upper_share, positives)
        slopes[:, negatives] = -_interpolated(slope_negative, below, upper_share, negatives)
        slopes *= self._shares
        slopes[np.abs(scores) > _REACH] = 0.0
        return values, slopes

    @cached_property
    def _shares(self) -> FloatArray:
        """Weights that add up to one in each class, because products of totals could overflow."""
        shares = self.weights.copy()
        for rows in (slice(None, self.n_positive), slice(self.n_positive, None)):
            shares[:, rows] /= shares[:, rows].sum(axis=1, keepdims=True)
        return shares

    def _spread(
        self, rows: slice, below: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
        upper_share: FloatArray, n_bins: int,
    ) -> FloatArray:  # fmt: skip
        """Return the weight at each grid point for each model."""
        weights = self._shares[:, rows]
        upper = weights * upper_share[:, rows]
        n_models = len(weights)
        flat = (below[:, rows] + n_bins * np.arange(n_models)[:, None]).ravel()
        mass = np.bincount(flat, (weights - upper).ravel(), n_models * n_bins)
        mass[1:] += np.bincount(flat, upper.ravel(), n_models * n_bins)[:-1]
        return np.asarray(mass.reshape(n_models, n_bins), dtype=np.float64)

    def _kernels(self, n_bins: int, width: float) -> tuple[FloatArray, FloatArray]:
        """Return the Fourier transforms of the pair kernel and of its derivative in z₊ − z₋."""
        n_points = next_fast_len(2 * n_bins, real=True)
        steps = np.arange(n_points)
        steps[n_bins:] -= n_points
        rate = STEEPNESS / (2 * self.bandwidth)
        t = np.tanh(steps * (width * rate))
        s = 1 - t * t
        # The derivatives of ½(1 − tanh(rate·x)).
        first = -0.5 * rate * s
        second = rate**2 * s * t
        third = rate**3 * s * (1 - 3 * t * t)
        blur = width**2 / 6
        kernel = 0.5 * (1 - t) - blur * second
        slope_kernel = first - blur * third
        return rfft(kernel), rfft(slope_kernel)


def _interpolated(
    values: FloatArray, below: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
    upper_share: FloatArray, rows: slice,
) -> FloatArray:  # fmt: skip
    left = np.take_along_axis(values, below[:, rows], axis=1)
    right = np.take_along_axis(values, below[:, rows] + 1, axis=1)
    return left + upper_share[:, rows] * (right - left)
