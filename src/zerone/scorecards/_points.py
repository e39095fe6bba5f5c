"""Integer points for bins: the logistic rule of the bins, rounded as a whole.

Rounding every weight by itself moves the score by up to half a point per column, in any direction.
So weights are scaled in several ways, rounded, and then moved by one point, a bin or all bins
above a cut at a time, as long as the deviance of the rows falls. It is that of the total: log-odds
a·total + b, with a and b fitted anew for every move. Only the weight of each class at every total
matters, so that all moves are judged at once.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from zerone._typing import AnyArray, FloatArray, IntArray

_RIDGE = 1.0
# The widest range of the weights of a column, in points, relative to the points that are allowed.
_SCALES = (0.25, 0.35, 0.5, 0.65, 0.8, 1.0, 1.3)
_MOST_MOVES = 300
_LEAST_GAIN = 1e-6
_FARTHEST = 30.0


@dataclass(frozen=True, eq=False)
class Patterns:
    """Rows that have the same bins in all columns, together.

    Attributes
    ----------
    bins : ndarray of shape (n_patterns, n_columns)
        Numbered over all columns.
    positive, negative : ndarray of shape (n_patterns,)
        Weight of each class.
    ends : ndarray of shape (n_columns,)
        Where the bins of each column end.
    """

    bins: IntArray
    positive: FloatArray
    negative: FloatArray
    ends: IntArray

    @classmethod
    def of(
        cls, bins: list[IntArray], sizes: list[int], is_positive: AnyArray, weights: FloatArray
    ) -> "Patterns":
        """Return the patterns of rows.

        Parameters
        ----------
        bins : list of ndarray
            The bin of each row, for each column.
        sizes : list of int
            Number of bins of each column.
        """
        ends = np.cumsum(sizes)
        table = np.column_stack(
            [own + end - n for own, end, n in zip(bins, ends, sizes, strict=True)]
        )
        found, places = np.unique(table, axis=0, return_inverse=True)
        places = places.ravel()
        positive, negative = (
            np.asarray(np.bincount(places, weights * own, len(found)), dtype=np.float64)
            for own in (is_positive, ~is_positive)
        )
        return cls(found, positive, negative, ends)

    @property
    def columns(self) -> list[slice]:
        """Where the bins of each column are."""
        starts = np.concatenate([[0], self.ends[:-1]])
        return [slice(*own) for own in zip(starts.tolist(), self.ends.tolist(), strict=True)]

    def totals(self, points: IntArray) -> IntArray:
        """Return the total points of each pattern."""
        return np.asarray(points[self.bins].sum(axis=1))


def bin_weights(patterns: Patterns) -> FloatArray:
    """Return the weight of each bin in ridge logistic regression, centred in each column."""
    n, k = patterns.bins.shape
    n_bins = int(patterns.ends[-1])
    rows = np.repeat(np.arange(n), k)
    ones = sp.csr_array((np.ones(n * k), (rows, patterns.bins.ravel())), shape=(n, n_bins))
    size, sums = patterns.positive + patterns.negative, patterns.positive
    used = np.asarray(ones.T @ size)
    total = size.sum()
    share = min(max(sums.sum() / total, 1e-9), 1 - 1e-9)
    point, intercept = np.zeros(n_bins), float(np.log(share / (1 - share)))
    for _ in range(15):
        odds = np.clip(ones @ point + intercept, -_FARTHEST, _FARTHEST)
        chance = 1 / (1 + np.exp(-odds))
        spread = size * chance * (1 - chance)
        gradient = np.append(
            ones.T @ (sums - size * chance) - _RIDGE * point, (sums - size * chance).sum()
        )
        curvature = np.zeros((n_bins + 1, n_bins + 1))
        curvature[:-1, :-1] = (ones.T @ (ones * spread[:, None])).toarray()
        curvature[:-1, -1] = curvature[-1, :-1] = ones.T @ spread
        curvature[-1, -1] = spread.sum() + 1e-9
        curvature[np.arange(n_bins), np.arange(n_bins)] += _RIDGE
        step = np.linalg.solve(curvature, gradient)
        step *= min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-12))
        point, intercept = point + step[:-1], intercept + float(step[-1])
        if np.abs(step).max() < 1e-6:
            break
    for own in patterns.columns:
        weights = used[own]
        if weights.sum() > 0:
            point[own] -= weights @ point[own] / weights.sum()
    # A bin without rows is worth what its column is on average.
    return np.asarray(np.where(used > 0, point, 0.0))


def integer_points(patterns: Patterns, weights: FloatArray, most: int) -> IntArray:
    """Return the points of each bin, from 0 to ``most`` in each column.

    Parameters
    ----------
    patterns : Patterns
    weights : ndarray of shape (n_bins,)
        See `bin_weights`.
    most : int
    """
    columns = patterns.columns
    widest = max(float(np.ptp(weights[own])) for own in columns)
    if widest <= 0:
        return np.zeros(len(weights), dtype=np.intp)
    best: tuple[float, IntArray] | None = None
    tried = set()
    for scale in _SCALES:
        scaled = weights * (scale * most / widest)
        points = np.zeros(len(weights), dtype=np.intp)
        for own in columns:
            middle = (scaled[own].max() + scaled[own].min()) / 2
            clipped = np.clip(scaled[own], middle - most / 2, middle + most / 2)
            points[own] = np.rint(clipped - clipped.min())
        if points.tobytes() in tried:
            continue
        tried.add(points.tobytes())
        value, points = _descended(patterns, points, most)
        if best is None or value < best[0] - _LEAST_GAIN:
            best = value, points
    assert best is not None, "there is a scale"
    points = best[1]
    for own in columns:
        points[own] -= points[own].min()
    return points


def _descended(patterns: Patterns, points: IntArray, most: int) -> tuple[float, IntArray]:
    """Return the deviance and the points after the best moves, one by one."""
    groups = _moves(patterns)
    points = points.copy()
    value = np.inf
    for _ in range(_MOST_MOVES):
        totals = patterns.totals(points)
        low = int(totals.min()) - 1
        n_levels = int(totals.max()) - low + 2
        levels = totals - low
        both = np.array([patterns.positive, patterns.negative])
        now = np.array([np.bincount(levels, own, n_levels) for own in both])
        n_bins = len(points)
        keys = patterns.bins * n_levels + levels[:, None]
        by_bin = np.array(
            [
                np.bincount(keys.ravel(), np.repeat(own, keys.shape[1]), n_bins * n_levels).reshape(
                    n_bins, n_levels
                )
                for own in both
            ]
        )
        by_group = np.tensordot(by_bin, groups, axes=(1, 1)).transpose(0, 2, 1)
        up, down = np.roll(by_group, 1, axis=2), np.roll(by_group, -1, axis=2)
        counts = np.concatenate(
            [now[:, None], now[:, None] - by_group + up, now[:, None] - by_group + down], axis=1
        )
        values = deviances(counts[0], counts[1])
        value = float(values[0])
        moved = [points[None] + groups, points[None] - groups]
        allowed = np.concatenate([_fits(own, patterns, most) for own in moved])
        values[1:][~allowed] = np.inf
        chosen = int(np.argmin(values))
        if values[chosen] >= value - _LEAST_GAIN:
            break
        points = np.concatenate(moved)[chosen - 1]
        value = float(values[chosen])
    return value, points


def _moves(patterns: Patterns) -> IntArray:
    """Return which bins move together: each alone, and all of a column from one on."""
    n_bins = int(patterns.ends[-1])
    found = [np.eye(n_bins, dtype=np.intp)]
    for own in patterns.columns:
        for start in range(own.start + 1, own.stop - 1):
            move = np.zeros((1, n_bins), dtype=np.intp)
            move[0, start : own.stop] = 1
            found.append(move)
    return np.concatenate(found)


def _fits(points: IntArray, patterns: Patterns, most: int) -> AnyArray:
    """Return which of several cards give at most so many points in each column."""
    ranges = [np.ptp(points[:, own], axis=1) for own in patterns.columns]
    return np.asarray(np.max(ranges, axis=0) <= most)


def deviances(positive: FloatArray, negative: FloatArray) -> FloatArray:
    """Return the deviance of log-odds that are linear in the total.

    Parameters
    ----------
    positive, negative : ndarray of shape (n_cards, n_totals)
        Weight of each class at every total.
    """
    odds = linear_odds(positive, negative)[2]
    return np.asarray(
        2 * (positive * np.logaddexp(0, -odds) + negative * np.logaddexp(0, odds)).sum(axis=1)
    )


def linear_odds(
    positive: FloatArray, negative: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return slopes, intercepts (at total 0) and the log-odds at every total, for each card."""
    size = positive + negative
    levels = np.arange(positive.shape[1], dtype=np.float64)
    weight = size.sum(axis=1, keepdims=True)
    middle = (size @ levels)[:, None] / weight
    spread = np.sqrt(
        np.maximum((size * (levels - middle) ** 2).sum(axis=1, keepdims=True) / weight, 1e-12)
    )
    # Standardised, with the ridge of one row.
    x = (levels - middle) / spread
    share = np.clip(positive.sum(axis=1, keepdims=True) / weight, 1e-9, 1 - 1e-9)
    slope, intercept = np.zeros_like(share), np.log(share / (1 - share))
    for _ in range(12):
        chance = 1 / (1 + np.exp(-np.clip(slope * x + intercept, -_FARTHEST, _FARTHEST)))
        rest, curve = positive - size * chance, size * chance * (1 - chance)
        g = (rest * x).sum(axis=1, keepdims=True) - 0.1 * slope, rest.sum(axis=1, keepdims=True)
        a = (curve * x * x).sum(axis=1, keepdims=True) + 0.1
        b = (curve * x).sum(axis=1, keepdims=True)
        c = curve.sum(axis=1, keepdims=True) + 1e-9
        determinant = a * c - b * b
        steps = (c * g[0] - b * g[1]) / determinant, (a * g[1] - b * g[0]) / determinant
        slope = slope + np.clip(steps[0], -2, 2)
        intercept = intercept + np.clip(steps[1], -2, 2)
        # The deviance is then right to the square of this.
        if max(np.abs(steps[0]).max(), np.abs(steps[1]).max()) < 1e-4:
            break
    own = slope / spread
    at_zero = intercept - own * middle
    return own[:, 0], at_zero[:, 0], own * levels + at_zero
