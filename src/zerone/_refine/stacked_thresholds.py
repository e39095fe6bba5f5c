"""Thresholds of least smoothed error for several pairs of classes at once; see `ThresholdGrid`."""

import numpy as np

from zerone._refine.stacks import StackedRows
from zerone._refine.thresholds import MEDIAN_OF_NORMAL, REACH, STEPS, TAIL, smoothing_kernel
from zerone._typing import FloatArray, IntArray


def medians(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted median of each row; the mean of two values that share the middle."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    below = np.cumsum(np.take_along_axis(weights, order, axis=-1), axis=-1)
    total = below[..., -1:]
    ends = []
    for share in (0.5 - 1e-12, 0.5 + 1e-12):
        place = np.count_nonzero(below < share * total, axis=-1)
        place = np.minimum(place, values.shape[-1] - 1)
        ends.append(np.take_along_axis(ordered, place[..., None], axis=-1)[..., 0])
    return np.asarray((ends[0] + ends[1]) / 2)


def sizes(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the size of each row of values, as `size_of` does."""
    found = medians(np.abs(values), weights) / MEDIAN_OF_NORMAL
    if (found > 0).all():
        return found
    roots = np.sqrt(np.vecdot(weights, values**2) / weights.sum(axis=-1))
    return np.where(found > 0, found, np.where(roots > 0, roots, 1.0))


class StackedGrids:
    """Thresholds of least smoothed error, for scores of one scale in each pair.

    Parameters
    ----------
    scores : ndarray of shape (n_pairs, n_rows)
        Set centre and scale of the grids.
    rows : StackedRows
    """

    def __init__(self, scores: FloatArray, rows: StackedRows) -> None:
        self._centre = medians(scores, rows.weights)
        step = rows.bandwidths / STEPS
        self._step = sizes(scores - self._centre[:, None], rows.weights) * step
        self._middles = np.ceil(REACH / step).astype(np.intp)
        # All grids have the length of the longest.
        self._middle = int(self._middles.max())

    def by_split(self, scores: FloatArray, rows: StackedRows) -> FloatArray:
        """Return for every split the threshold of the rows of all others; last that of all rows.

        Parameters
        ----------
        scores : ndarray of shape (n_pairs, n_rows)
        """
        shape = len(scores), rows.n_splits
        mass = self._mass(scores, rows.signed, rows.splits, rows.n_splits)
        total = mass.sum(axis=1, keepdims=True)
        elsewhere = np.concatenate([total - mass, total], axis=1)
        tolerance = 1e-9 * rows.totals
        return self._lowest(
            elsewhere, np.broadcast_to(tolerance[:, None], (shape[0], shape[1] + 1))
        )

    def of_each(self, scores: FloatArray, signed: FloatArray) -> FloatArray:
        """Return the threshold of each row of scores, whose rows have weights of their own.

        Parameters
        ----------
        scores, signed : ndarray of shape (n_pairs, n_columns, n_rows)
        """
        n_pairs, n_columns = scores.shape[:2]
        columns = np.broadcast_to(np.arange(n_columns)[:, None], scores.shape)
        shape = n_pairs, -1
        mass = self._mass(
            scores.reshape(shape), signed.reshape(shape), columns.reshape(shape), n_columns
        )
        return self._lowest(mass, 1e-9 * np.abs(signed).sum(axis=-1))

    def _mass(
        self, scores: FloatArray, signed: FloatArray, groups: IntArray, n_groups: int
    ) -> FloatArray:
        """Return the signed weight at every point of the grid, for each group of rows."""
        middles, n_points = self._middles[:, None], 2 * self._middle + 1
        position = (scores - self._centre[:, None]) / self._step[:, None]
        position = np.clip(position, -middles, middles) + middles
        below = np.minimum(position.astype(np.intp), 2 * middles - 1)
        upper = (position - below) * signed
        first = below + (self._middle - middles)
        first += n_points * (groups + n_groups * np.arange(len(scores))[:, None])
        size = len(scores) * n_groups * n_points
        mass = np.bincount(first.ravel(), (signed - upper).ravel(), size)
        mass += np.bincount(first.ravel() + 1, upper.ravel(), size)[:size]
        return np.asarray(mass.reshape(len(scores), n_groups, n_points))

    def _lowest(self, mass: FloatArray, tolerance: FloatArray) -> FloatArray:
        """Return where the smoothed weight below is lowest; see `ThresholdGrid.lowest`."""
        smooth = _smoothed(mass)
        middle, n_points = self._middle, smooth.shape[-1]
        places = np.arange(n_points)
        distances = np.abs(places - middle)
        smooth[np.broadcast_to((distances > self._middles[:, None])[:, None], smooth.shape)] = (
            np.inf
        )
        tied = smooth <= smooth.min(axis=-1, keepdims=True) + tolerance[..., None]
        nearest = np.where(tied, distances, n_points).min(axis=-1)
        above, under = (
            np.take_along_axis(tied, (middle + side * nearest)[..., None], axis=-1)[..., 0]
            for side in (1, -1)
        )
        lowest = np.where(above, middle + nearest, middle - nearest)
        beyond = ~tied & (places > lowest[..., None])
        before = ~tied & (places < lowest[..., None])
        last = np.where(beyond, places, n_points).min(axis=-1) - 1
        first = np.where(before, places, -1).max(axis=-1) + 1
        place = (first + last) / 2
        inside = (first == last) & (distances[first] < self._middles[:, None])
        left, centre, right = (
            np.take_along_axis(smooth, np.clip(first + by, 0, n_points - 1)[..., None], -1)[..., 0]
            for by in (-1, 0, 1)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            curvature = left - 2 * centre + right
            parabola = np.clip((left - right) / (2 * curvature), -0.5, 0.5)
        place += np.where(inside & (curvature > 0), parabola, 0.0)
        place = np.where((nearest > 0) & above & under, middle, place)
        return np.asarray(self._centre[:, None] + self._step[:, None] * (place - middle))


def _smoothed(mass: FloatArray) -> FloatArray:
    """Return the smoothed weight below each point, given that at each point."""
    hard = np.cumsum(mass, axis=-1) - mass / 2
    around = TAIL * STEPS
    padded = np.empty((*mass.shape[:-1], mass.shape[-1] + 2 * around))
    padded[..., :around] = 0.0
    padded[..., around:-around] = hard
    padded[..., -around:] = mass.sum(axis=-1, keepdims=True)
    # One long row: what reaches from one to the next is left out.
    smooth = np.convolve(padded.ravel(), smoothing_kernel(), mode="same")
    return np.ascontiguousarray(smooth.reshape(padded.shape)[..., around:-around])
