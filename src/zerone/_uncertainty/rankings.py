"""Intervals of the metrics of the order of scores: AUC, partial AUC, average precision."""

import numpy as np

from zerone._typing import FloatArray
from zerone._uncertainty.intervals import CONFIDENCE, UNKNOWN, Interval, share_interval
from zerone.metrics import RankingLoss


def ranking_interval(
    loss: RankingLoss,
    value: float,
    positive: FloatArray,
    negative: FloatArray,
    counts: tuple[float, float],
    confidence: float = CONFIDENCE,
) -> Interval:
    """Return the interval of a ranking metric, as it is reported, from scores in bins.

    What each row adds to the loss (`RankingLoss.lost_parts`) has a variance in each class; that of
    the loss is the sum of both, each divided by the weight of the class minus one. For the AUC this
    is DeLong's variance.

    Parameters
    ----------
    loss : RankingLoss
    value : float
        The loss.
    positive, negative : ndarray of shape (n_bins,)
        Shares of the classes in bins of rising scores; rows with the same score share a bin.
    counts : tuple of float
        Weight of the rows of each class.
    confidence : float, optional
    """
    if min(counts) <= 1:
        return UNKNOWN
    variance = 0.0
    parts = loss.lost_parts(positive, negative)
    for part, shares, count in zip(parts, (positive, negative), counts, strict=True):
        variance += float(shares @ (part - shares @ part) ** 2) / (count - 1)
    ends = share_interval(value, variance, min(counts), confidence)
    reported = sorted(float(np.asarray(loss.reported(np.array(own)))) for own in ends)
    return Interval(*reported)


def score_bins(
    is_positive: np.ndarray, scores: FloatArray, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the shares of positives and negatives with each distinct score, in rising order."""
    _, bins = np.unique(scores, return_inverse=True)
    counts = np.ones(len(bins)) if weights is None else weights
    n_bins = int(bins.max()) + 1
    sides = (
        np.bincount(bins[own], counts[own], n_bins) / counts[own].sum()
        for own in (is_positive, ~is_positive)
    )
    positive, negative = sides
    return positive, negative
