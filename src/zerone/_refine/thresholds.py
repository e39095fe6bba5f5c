"""Thresholds of least smoothed loss along held-out scores.

Few rows of the rarer class make the count of held-out errors noisy. So a row counts as an error
smoothly, σ(−1.7 y z/h), with a bandwidth h that falls with the weight of the rarer class.
"""

import functools
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from zerone._refine.held_out import TIE, HeldOutRows
from zerone._typing import FloatArray, IntArray
from zerone.metrics import RateLoss
from zerone.objectives._smoothed_error import STEEPNESS

# Bandwidth in spreads of the score, for a rarer class of weight one.
_BANDWIDTH = 0.7
MEDIAN_OF_NORMAL = 0.6745
# A narrower bandwidth would not change a threshold.
_MOST_WEIGHT = 1e6
# Steps of a bandwidth in which thresholds are searched, and how far, in standard deviations.
STEPS = 8
REACH = 8.0
# Thresholds for a rate may lie far out.
_FARTHEST = 40.0
# Bandwidths beyond which a row's error is zero or one.
TAIL = 6
# Rates that exceed a limit by no more than this keep it.
_ROUNDING = 1e-9


def bandwidth(rows: HeldOutRows, most: float = np.inf) -> float:
    """Return h, for scores of size one.

    Parameters
    ----------
    rows : HeldOutRows
    most : float, optional
        Weight of the rows near the threshold, if it is less than that of the rarer class.
    """
    positive, negative = rows.counts
    rarer = np.clip(min(positive, negative, most) / rows.repeats, 1.0, _MOST_WEIGHT)
    return float(_BANDWIDTH * rarer ** (-1 / 3))


class ThresholdGrid:
    """Thresholds of least smoothed error for scores of one scale.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Set centre and scale of the grid.
    weights : ndarray of shape (n_rows,)
    h : float
        Bandwidth, for scores of size one.
    reach : float, optional
        How far the grid goes, in standard deviations.
    """

    def __init__(
        self, scores: FloatArray, weights: FloatArray, h: float, reach: float = REACH
    ) -> None:
        self._centre = median(scores, weights)
        step = h / STEPS
        self._step = size_of(scores - self._centre, weights) * step
        self._middle = int(np.ceil(reach / step))

    @property
    def thresholds(self) -> FloatArray:
        """The points of the grid."""
        middle = self._middle
        return np.asarray(self._centre + self._step * np.arange(-middle, middle + 1))

    def threshold(self, scores: FloatArray, signed_weights: FloatArray) -> float:
        """Return the threshold of least smoothed error.

        Parameters
        ----------
        scores : ndarray of shape (n_rows,)
        signed_weights : ndarray of shape (n_rows,)
            Positive for rows of the positive class.
        """
        smooth = self.smoothed_below(scores, signed_weights)
        return self.lowest(smooth, 1e-9 * float(np.abs(signed_weights).sum()))

    def thresholds_by_split(
        self, scores: FloatArray, signed_weights: FloatArray, splits: IntArray
    ) -> FloatArray:
        """Return for every split the threshold of the rows of all others; last that of all rows."""
        n_splits, n_points = int(splits.max()) + 1, 2 * self._middle + 1
        below, upper = self._shared(scores, signed_weights)
        first = below + n_points * splits
        size = n_splits * n_points
        mass = _counted(first, signed_weights - upper, size)
        mass += _counted(first + 1, upper, size)
        by_split = mass.reshape(n_splits, n_points)
        total = by_split.sum(axis=0)
        tolerance = 1e-9 * float(np.abs(signed_weights).sum())
        return np.array(
            [self.lowest(self._smoothed(total - own), tolerance) for own in by_split]
            + [self.lowest(self._smoothed(total), tolerance)]
        )

    def lowest(self, smooth: FloatArray, tolerance: float) -> float:
        """Return the threshold where a function on the grid is lowest."""
        middle = self._middle
        # Among equals the middle of those around the one nearest to the centre, and the centre
        # between two that are equally near: that does not depend on which class is positive.
        tied = smooth <= smooth.min() + tolerance
        distances = np.abs(np.flatnonzero(tied) - middle)
        nearest = int(distances.min())
        if nearest > 0 and np.count_nonzero(distances == nearest) == 2:
            return self._centre
        lowest = middle + nearest if tied[middle + nearest] else middle - nearest
        first, last = lowest, lowest
        while first > 0 and tied[first - 1]:
            first -= 1
        while last < 2 * middle and tied[last + 1]:
            last += 1
        place = (first + last) / 2
        if 0 < first == last < 2 * middle:
            left, centre, right = smooth[first - 1 : first + 2].tolist()
            curvature = left - 2 * centre + right
            if curvature > 0:
                place += min(max((left - right) / (2 * curvature), -0.5), 0.5)
        return self._centre + self._step * (place - middle)

    def smoothed_below(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the smoothed weight below each point of the grid.

        With positive weights for one class and negative ones for the other this is the smoothed
        error of a threshold, up to a constant.
        """
        n_points = 2 * self._middle + 1
        below, upper = self._shared(scores, weights)
        mass = _counted(below, weights - upper, n_points)
        mass[1:] += _counted(below, upper, n_points - 1)
        return self._smoothed(mass)

    def _shared(self, scores: FloatArray, weights: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the point of the grid below each row, and the part of its weight for the next.

        Each row is shared by the two nearest points of the grid: nothing depends on the direction.
        Whatever is farther out than the reach counts at its ends.
        """
        middle = self._middle
        position = scores - self._centre
        position /= self._step
        np.clip(position, -middle, middle, out=position)
        position += middle
        below = np.minimum(position.astype(np.intp), 2 * middle - 1)
        position -= below
        position *= weights
        return below, position

    def _smoothed(self, mass: FloatArray) -> FloatArray:
        """Return the smoothed weight below each point, given that at each point."""
        hard = np.cumsum(mass) - mass / 2
        around = np.zeros(TAIL * STEPS)
        padded = np.concatenate([around, hard, around + mass.sum()])
        return np.convolve(padded, smoothing_kernel(), mode="valid")


def error_threshold(scores: FloatArray, rows: HeldOutRows) -> float:
    """Return the threshold of least smoothed error."""
    grid = ThresholdGrid(scores, rows.weights, bandwidth(rows))
    return grid.threshold(scores, rows.weights * rows.signs)


@functools.cache
def smoothing_kernel() -> FloatArray:
    """Return the weights by which a smoothed count is made of counts around a point of a grid."""
    steps = np.arange(-TAIL * STEPS - 1, TAIL * STEPS + 1)
    kernel = np.diff(expit(STEEPNESS * (steps + 0.5) / STEPS))
    return np.asarray(kernel / kernel.sum())


def _counted(points: IntArray, weights: FloatArray, n_points: int) -> FloatArray:
    return np.asarray(np.bincount(points, weights, n_points), dtype=np.float64)


@dataclass(frozen=True)
class Cut:
    """A threshold along smoothed scores, and how much each rate counts near it.

    Attributes
    ----------
    threshold : float
    width : float
        Bandwidth in the units of the scores.
    loss : float
    weights : tuple of float
        Derivatives of the loss by the false-negative and the false-positive rate.
    """

    threshold: float
    width: float
    loss: float
    weights: tuple[float, float]


def smoothed_cut(scores: FloatArray, rows: HeldOutRows, loss: RateLoss, h: float) -> Cut:
    """Return the threshold of least smoothed loss.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
    rows : HeldOutRows
    loss : RateLoss
    h : float
        Bandwidth, for scores of size one.
    """
    positive = rows.signs > 0
    weights = rows.weights
    size = size_of(scores - median(scores, weights), weights)
    reach = min(max(float(np.ptp(scores)) / size, REACH), _FARTHEST)
    grid = ThresholdGrid(scores, weights, h, reach)
    missed = grid.smoothed_below(scores[positive], weights[positive] / rows.positive)
    below = grid.smoothed_below(scores[~positive], weights[~positive] / rows.negative)
    fnr, fpr = np.clip(missed, 0.0, 1.0), np.clip(1 - below, 0.0, 1.0)
    points = grid.thresholds
    if loss.limit is None:
        threshold = grid.lowest(loss.losses(fnr, fpr), 1e-9)
    else:
        threshold = _at_limit(loss, points, fnr, fpr)
    at = [float(np.interp(threshold, points, own)) for own in (fnr, fpr)]
    rates = [np.array([own]) for own in at]
    densities = [
        np.interp([threshold], points, np.maximum(np.gradient(own, points), 0.0))
        for own in (fnr, -fpr)
    ]
    counted = loss.weights_at(rates[0], rates[1], densities[0], densities[1])
    return Cut(
        threshold,
        h * size,
        float(loss.losses(rates[0], rates[1])[0]),
        (float(counted[0][0]), float(counted[1][0])),
    )


def _at_limit(loss: RateLoss, thresholds: FloatArray, fnr: FloatArray, fpr: FloatArray) -> float:
    """Return the threshold of lowest loss that keeps the limit; nearest to it if none does."""
    limit = loss.limit
    assert limit is not None, "the caller has looked"
    excess = limit.excess(fnr, fpr)
    if excess.min() > _ROUNDING:
        return float(thresholds[int(excess.argmin())])
    keeps = excess <= _ROUNDING
    losses = np.where(keeps, loss.losses(fnr, fpr), np.inf)
    # Of equal losses the one that is nearest to the limit, from whichever side it is reached.
    best = int(np.lexsort((-excess, losses.round(12)))[0])
    # The limit is reached between this point and a neighbour that exceeds it.
    for beside in (best - 1, best + 1):
        if 0 <= beside < len(excess) and not keeps[beside]:
            room = max(-float(excess[best]), 0.0)
            share = room / (room + float(excess[beside]))
            return float(thresholds[best] + share * (thresholds[beside] - thresholds[best]))
    return float(thresholds[best])


def counted_threshold(scores: FloatArray, rows: HeldOutRows, loss: RateLoss) -> float:
    """Return the threshold at a limit, by counting rows; it interpolates between scores."""
    order = np.argsort(scores)
    ordered, is_positive, weights = scores[order], rows.signs[order] > 0, rows.weights[order]
    # Equal scores are one point, so that weights equal repetition.
    first = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > TIE)
    below = []
    for chosen, total in ((is_positive, rows.positive), (~is_positive, rows.negative)):
        own = np.add.reduceat(np.where(chosen, weights, 0.0), first) / total
        # A row lies with one half on each side of a threshold at its own score.
        below.append(np.cumsum(own) - own / 2)
    return _at_limit(loss, ordered[first], below[0], 1 - below[1])


def median(values: FloatArray, weights: FloatArray) -> float:
    """Return the weighted median; the mean of two values that share the middle."""
    if weights[0] == weights[-1] and np.ptp(weights) == 0:
        return float(np.median(values))
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    tolerance = 1e-12 * below[-1]
    low = int(np.searchsorted(below, half - tolerance))
    high = int(np.searchsorted(below, half + tolerance))
    return float(values[order[low]] + values[order[min(high, len(order) - 1)]]) / 2


def size_of(values: FloatArray, weights: FloatArray) -> float:
    """Return the size of values as a standard deviation, whatever a few outliers are."""
    size = median(np.abs(values), weights) / MEDIAN_OF_NORMAL
    if size > 0:
        return size
    root = float(np.sqrt(np.average(values**2, weights=weights)))
    return root if root > 0 else 1.0
