"""Rates, a metric and rows per thousand at every threshold of a score, with their intervals."""

from dataclasses import dataclass

import numpy as np

from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.intervals import wilson_interval
from zerone._uncertainty.rates import rate_interval
from zerone.metrics import ChosenMetric, PrecisionLoss, RateLoss

# Finer steps cannot be seen, and each metric's interval takes a tenth of a millisecond.
_MOST_THRESHOLDS = 400


@dataclass(frozen=True, eq=False)
class ThresholdFigures:
    """What is measured at each threshold: rows with a higher score are predicted positive.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
    recall, false_positive_rate : ndarray of shape (n_thresholds,)
    recall_ends, false_positive_ends : pair of ndarray of shape (n_thresholds,)
        Low and high ends of Wilson's intervals.
    metric : ndarray of shape (n_thresholds,)
        As it is reported; NaN for a precision where no row is predicted positive.
    metric_ends : pair of ndarray of shape (n_thresholds,)
        Of its interval by the delta method.
    counts : tuple of float
        Number of rows of the positive and the negative class.
    """

    thresholds: FloatArray
    recall: FloatArray
    recall_ends: tuple[FloatArray, FloatArray]
    false_positive_rate: FloatArray
    false_positive_ends: tuple[FloatArray, FloatArray]
    metric: FloatArray
    metric_ends: tuple[FloatArray, FloatArray]
    counts: tuple[float, float]

    @property
    def per_thousand(self) -> dict[str, FloatArray]:
        """Rows per thousand that are right and wrong, by the names of a confusion matrix."""
        positive, negative = (1000 * own / sum(self.counts) for own in self.counts)
        return {
            "true positives": positive * self.recall,
            "false negatives": positive * (1 - self.recall),
            "false positives": negative * self.false_positive_rate,
            "true negatives": negative * (1 - self.false_positive_rate),
        }


def thresholds_between(scores: FloatArray) -> FloatArray:
    """Return thresholds between the scores and beyond both ends, in rising order.

    All of them, or, where there are many, at equal numbers of scores.
    """
    distinct = np.unique(scores)
    margin = max(0.02 * float(np.ptp(distinct)), 1e-3)
    inner = (distinct[:-1] + distinct[1:]) / 2
    if len(inner) > _MOST_THRESHOLDS:
        inner = inner[np.linspace(0, len(inner) - 1, _MOST_THRESHOLDS).astype(int)]
    return np.concatenate([[distinct[0] - margin], inner, [distinct[-1] + margin]])


def figures_at(
    is_positive: AnyArray, scores: FloatArray, thresholds: FloatArray, metric: ChosenMetric
) -> ThresholdFigures:
    """Return what labelled rows measure at thresholds.

    Parameters
    ----------
    is_positive : ndarray of bool of shape (n_rows,)
    scores : ndarray of shape (n_rows,)
    thresholds : ndarray of shape (n_thresholds,)
    metric : ChosenMetric
        One of the rates; metrics of the order of rows do not depend on a threshold.
    """
    counts = float(is_positive.sum()), float((~is_positive).sum())
    priors = counts[0] / sum(counts), counts[1] / sum(counts)
    loss = metric.loss(priors)
    if not isinstance(loss, RateLoss):
        raise ArgumentError(
            "metric",
            f"{metric.name!r} is about the order of the rows, not about a threshold",
            "use one of predictions, such as error, f1 or cost",
        )
    missed = _share_at_most(scores[is_positive], thresholds)
    wrong = 1 - _share_at_most(scores[~is_positive], thresholds)
    pairs = zip(missed.tolist(), wrong.tolist(), strict=True)
    intervals = [rate_interval(metric, rates, counts) for rates in pairs]
    value = np.asarray(loss.reported(loss.losses(missed, wrong)))
    ends = np.array(intervals)
    if isinstance(loss, PrecisionLoss):
        # Where no row is predicted positive, there is nothing to be a share of.
        is_empty = (missed == 1) & (wrong == 0)
        value, ends[is_empty] = np.where(is_empty, np.nan, value), np.nan
    return ThresholdFigures(
        thresholds,
        1 - missed,
        wilson_interval(1 - missed, np.array(counts[0])),
        wrong,
        wilson_interval(wrong, np.array(counts[1])),
        value,
        (ends[:, 0], ends[:, 1]),
        counts,
    )


def _share_at_most(scores: FloatArray, thresholds: FloatArray) -> FloatArray:
    found: FloatArray = np.searchsorted(np.sort(scores), thresholds, "right") / len(scores)
    return found
