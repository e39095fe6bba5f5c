"""Intervals of the AUC of several classes: one against the rest, and one against one."""

from itertools import combinations

import numpy as np

from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.delong import row_parts
from zerone._uncertainty.intervals import CONFIDENCE, UNKNOWN, Interval, share_interval


def one_vs_rest_interval(
    truth: AnyArray,
    scores: FloatArray,
    weights: FloatArray | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Return the interval of the mean AUC of each class against the rest, weighted by their rows.

    Parameters
    ----------
    truth : ndarray of shape (n_rows,)
        Positions of classes, all of which occur.
    scores : ndarray of shape (n_rows, n_classes)
    weights : ndarray of shape (n_rows,), optional
        Counts of rows.
    """
    counts = np.ones(len(truth)) if weights is None else weights
    sizes = np.bincount(truth, counts)
    found, value = np.zeros(len(truth)), 0.0
    for label, size in enumerate(sizes):
        own, share = truth == label, size / sizes.sum()
        above, below = row_parts(own, scores[:, label], counts)
        value += share * float(np.average(above, weights=counts[own]))
        found[own] += share * above
        # Of the negatives, a class has its share.
        found[~own] += share * below * (sizes / (sizes.sum() - size))[truth[~own]]
    return _interval(value, found, truth, counts, sizes, confidence)


def one_vs_one_interval(
    truth: AnyArray, scores: FloatArray, confidence: float = CONFIDENCE
) -> Interval:
    """Return the interval of the mean AUC of all pairs of classes, each by both of its scores."""
    counts = np.ones(len(truth))
    sizes = np.bincount(truth)
    pairs = list(combinations(range(len(sizes)), 2))
    found, value = np.zeros(len(truth)), 0.0
    for pair in pairs:
        chosen = np.flatnonzero(np.isin(truth, pair))
        for label in pair:
            own = truth[chosen] == label
            above, below = row_parts(own, scores[chosen, label], counts[chosen])
            found[chosen[own]] += above / (2 * len(pairs))
            found[chosen[~own]] += below / (2 * len(pairs))
            value += float(above.mean()) / (2 * len(pairs))
    return _interval(value, found, truth, counts, sizes, confidence)


def _interval(
    value: float,
    parts: FloatArray,
    truth: AnyArray,
    counts: FloatArray,
    sizes: AnyArray,
    confidence: float,
) -> Interval:
    """Return the interval of a sum of the means of what the rows of each class add."""
    if min(sizes) <= 1:
        return UNKNOWN
    variance = 0.0
    for label, size in enumerate(sizes):
        own = truth == label
        mean = np.average(parts[own], weights=counts[own])
        variance += float(counts[own] @ (parts[own] - mean) ** 2) / (size * (size - 1))
    return share_interval(value, variance, float(min(sizes)), confidence)
