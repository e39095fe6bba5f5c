"""Intervals of the metrics of the order of scores: AUC, partial AUC, average precision."""

import numpy as np

from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.estimates import Estimate
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
    variance = _variance(
        loss, positive, negative, positive / (counts[0] - 1), negative / (counts[1] - 1)
    )
    ends = share_interval(value, variance, min(counts), confidence)
    reported = sorted(float(np.asarray(loss.reported(np.array(own)))) for own in ends)
    return Interval(*reported)


def ranking_estimate(
    loss: RankingLoss,
    is_positive: AnyArray,
    scores: FloatArray,
    weights: FloatArray | None,
    *,
    is_sample: bool,
) -> Estimate | None:
    """Return a ranking metric of rows, as it is reported, with its variance.

    None if a class has no more than one row.

    Parameters
    ----------
    is_sample : bool
        Whether a weight says how many rows a row of a sample stands for. Otherwise it says how
        often a row occurs.
    """
    counts = np.ones(len(scores)) if weights is None else weights
    totals = float(counts[is_positive].sum()), float(counts[~is_positive].sum())
    if min(totals) <= 1:
        return None
    positive, negative = score_bins(is_positive, scores, weights)
    missed, wrong = np.append(0.0, np.cumsum(positive)), 1 - np.append(0.0, np.cumsum(negative))
    n_rows = min(totals)
    if is_sample:
        squares = counts**2
        n_rows *= float(counts.sum() / squares.sum())
        spreads = [
            own * float(squares[chosen].sum()) / total**2
            for own, chosen, total in zip(
                score_bins(is_positive, scores, squares),
                (is_positive, ~is_positive),
                totals,
                strict=True,
            )
        ]
    else:
        spreads = [positive / (totals[0] - 1), negative / (totals[1] - 1)]
    variance = _variance(loss, positive, negative, *spreads)
    # What is reported is linear in the loss.
    at_ends = [float(np.asarray(loss.reported(own))) for own in (0.0, 1.0)]
    value = float(np.asarray(loss.reported(loss.of_roc(missed, wrong))))
    return Estimate(value, variance * (at_ends[1] - at_ends[0]) ** 2, n_rows)


def _variance(
    loss: RankingLoss, positive: FloatArray, negative: FloatArray, *spreads: FloatArray
) -> float:
    """Return the variance of a loss; ``spreads`` are what a squared deviation counts."""
    parts = loss.lost_parts(positive, negative)
    return sum(
        float(spread @ (part - shares @ part) ** 2)
        for part, shares, spread in zip(parts, (positive, negative), spreads, strict=True)
    )


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
