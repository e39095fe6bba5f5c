"""At most five bins of a column of numbers, where they tell the classes apart."""

import math

import numpy as np

from zerone._typing import AnyArray, FloatArray

MOST_BINS = 5
# Bins are made of so many parts of about equal weight; values that many rows have are parts of
# their own.
_PARTS = 50
# A bin has at least this share of the weight, and this weight.
_LEAST_SHARE, _LEAST_WEIGHT = 0.02, 10.0


def cuts_of(values: FloatArray, is_positive: AnyArray, weights: FloatArray) -> tuple[float, ...]:
    """Return where the bins of a column end: a value belongs to the first cut not below it.

    Of all ways to cut, the one with the highest likelihood of the classes, where each further bin
    has to gain the logarithm of the number of rows (the criterion of Schwarz: a cut and a share are
    two parameters). Cuts are the shortest decimal numbers that cut alike.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
    is_positive : ndarray of bool, shape (n_rows,)
    weights : ndarray of shape (n_rows,)
    """
    order = np.argsort(values, kind="stable")
    values, own = values[order], weights[order]
    positive = own * is_positive[order]
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    reached = np.cumsum(own)[last]
    total = float(reached[-1])
    # The last distinct value of every part; of a value with much weight also the one before it.
    parts = np.minimum((reached / total * _PARTS * (1 - 1e-12)).astype(np.intp), _PARTS)
    ends = np.flatnonzero(np.append(parts[1:] != parts[:-1], True))
    heavy = np.flatnonzero(np.diff(reached, prepend=0.0) > total / _PARTS)
    ends = np.unique(np.concatenate([ends, heavy, heavy[heavy > 0] - 1]))
    counts = np.diff(np.cumsum(own)[last][ends], prepend=0.0)
    found = np.diff(np.cumsum(positive)[last][ends], prepend=0.0)
    chosen = _best_cuts(found, counts)
    upper, lower = values[last][ends], values[last]
    return tuple(
        shortest_between(float(upper[end]), float(lower[int(ends[end]) + 1])) for end in chosen
    )


def _best_cuts(positive: FloatArray, counts: FloatArray) -> list[int]:
    """Return the parts after which the best bins end, by dynamic programming."""
    n = len(counts)
    totals = np.concatenate([[0.0], np.cumsum(counts)])
    ones = np.concatenate([[0.0], np.cumsum(positive)])
    size = totals[None, :] - totals[:, None]
    own = ones[None, :] - ones[:, None]
    least = max(_LEAST_SHARE * totals[-1], _LEAST_WEIGHT)
    # Of the bin from part i up to part j.
    values = np.where(size >= least, _log_likelihood(own, size), -np.inf)
    penalty = math.log(max(totals[-1], 2.0))
    best = values[0].copy()
    choices: list[AnyArray] = []
    found: tuple[float, list[int]] = (float(best[n]), [])
    for n_bins in range(2, MOST_BINS + 1):
        with np.errstate(invalid="ignore"):
            extended = best[:, None] + values
        previous = np.argmax(extended, axis=0)
        best = extended[previous, np.arange(n + 1)]
        choices.append(previous)
        value = float(best[n]) - penalty * (n_bins - 1)
        if value > found[0] + 1e-9:
            ends, end = [], n
            for previous in reversed(choices):
                end = int(previous[end])
                ends.append(end - 1)
            found = value, ends[::-1]
    return found[1]


def _log_likelihood(positive: FloatArray, size: FloatArray) -> FloatArray:
    negative = size - positive
    share = np.clip(positive / np.where(size > 0, size, 1.0), 1e-12, 1 - 1e-12)
    return np.asarray(positive * np.log(share) + negative * np.log1p(-share))


def shortest_between(low: float, high: float) -> float:
    """Return the number with the fewest digits that is at least ``low`` and below ``high``."""
    for digits in range(-15, 18):
        scale = 10.0**digits
        if not math.isfinite(low * scale):
            break
        found = math.ceil(low * scale) / scale
        if low <= found < high:
            return float(repr(found) if digits < 0 else f"{found:.{digits}f}")
    return low
