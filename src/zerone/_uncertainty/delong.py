"""The AUC with its standard error, and those of differences of AUCs, by the method of DeLong."""

from dataclasses import dataclass

import numpy as np

from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.intervals import (
    CONFIDENCE,
    UNKNOWN,
    Interval,
    difference_interval,
    share_interval,
)


@dataclass(frozen=True, eq=False)
class MeasuredAUC:
    """AUCs of several scores of the same rows.

    Attributes
    ----------
    values : ndarray of shape (n_scores,)
    covariance : ndarray of shape (n_scores, n_scores)
        Of the estimates.
    counts : tuple of float
        Weight of the positive and the negative rows.
    """

    values: FloatArray
    covariance: FloatArray
    counts: tuple[float, float]

    def interval(self, score: int = 0, confidence: float = CONFIDENCE) -> Interval:
        """Return the interval of one of the AUCs."""
        if min(self.counts) <= 1:
            return UNKNOWN
        variance = float(self.covariance[score, score])
        return share_interval(float(self.values[score]), variance, min(self.counts), confidence)

    def difference_interval(
        self, first: int = 0, second: int = 1, confidence: float = CONFIDENCE
    ) -> Interval:
        """Return the interval of the difference of two AUCs, first minus second."""
        if min(self.counts) <= 1:
            return UNKNOWN
        own = self.covariance
        variance = float(own[first, first] + own[second, second] - 2 * own[first, second])
        difference = float(self.values[first] - self.values[second])
        return difference_interval(difference, max(variance, 0.0), confidence)


def delong(
    is_positive: AnyArray, scores: FloatArray, weights: FloatArray | None = None
) -> MeasuredAUC:
    r"""Return AUCs with their covariance [1]_, from ranks, in time O(n log n) [2]_.

    A positive row's part V is the share of the negatives that score lower (ties count half), a
    negative row's the share of the positives that score higher. The AUC is the mean of either, and

    .. math::
        \mathrm{cov} = \frac{S_+}{n_+} + \frac{S_-}{n_-}

    with S the covariances of the parts over the rows of a class (divided by n − 1).

    Parameters
    ----------
    is_positive : ndarray of bool of shape (n_rows,)
    scores : ndarray of shape (n_rows,) or (n_scores, n_rows)
        Several scores of the same rows, such as those of several models, are compared in pairs.
    weights : ndarray of shape (n_rows,), optional
        Counts of rows: 2 equals a repeated row.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, "Comparing the areas under two or more
       correlated receiver operating characteristic curves", Biometrics 44, 1988.
    .. [2] X. Sun, W. Xu, "Fast implementation of DeLong's algorithm", IEEE Signal Processing
       Letters 21, 2014.
    """
    is_positive = np.asarray(is_positive, dtype=bool)
    columns = np.atleast_2d(scores)
    counts = np.ones(columns.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    positive, negative = counts[is_positive], counts[~is_positive]
    totals = float(positive.sum()), float(negative.sum())
    if min(totals) <= 0:
        empty = np.full(len(columns), np.nan)
        return MeasuredAUC(empty, np.full((len(columns),) * 2, np.nan), totals)
    parts = [row_parts(is_positive, own, counts) for own in columns]
    of_positive, of_negative = (np.array(side) for side in zip(*parts, strict=True))
    values = of_positive @ positive / totals[0]
    covariance = _covariance(of_positive, positive) + _covariance(of_negative, negative)
    return MeasuredAUC(values, covariance, totals)


def row_parts(
    is_positive: AnyArray, scores: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return for every positive row the share of negatives below, for negatives that above."""
    positive, negative = scores[is_positive], scores[~is_positive]
    below = _share_below(positive, negative, weights[~is_positive])
    return below, 1 - _share_below(negative, positive, weights[is_positive])


def _share_below(at: FloatArray, scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the share of the weight of scores below each point; ties count half."""
    order = np.argsort(scores, kind="stable")
    cumulative = np.append(0.0, np.cumsum(weights[order]))
    ordered = scores[order]
    sides = [cumulative[np.searchsorted(ordered, at, side)] for side in ("left", "right")]
    return np.asarray((sides[0] + sides[1]) / (2 * cumulative[-1]))


def _covariance(parts: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the covariance of the weighted means of parts over the rows of a class."""
    total = float(weights.sum())
    centred = parts - (parts @ weights / total)[:, None]
    spread: FloatArray = (centred * weights) @ centred.T
    return spread / (total * (total - 1)) if total > 1 else np.full_like(spread, np.nan)
