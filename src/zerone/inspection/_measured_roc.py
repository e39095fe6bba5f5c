"""The ROC curve of labelled rows, with the interval of each point and of the AUC."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_curve

from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.delong import delong
from zerone._uncertainty.intervals import Interval, wilson_interval


@dataclass(frozen=True, eq=False)
class MeasuredRoc:
    """ROC curve of a rule on some rows.

    Attributes
    ----------
    thresholds, false_positive_rates, recalls : ndarray of shape (n_points,)
    low, high : ndarray of shape (n_points,)
        Wilson's interval of each recall, point by point.
    auc : float
    auc_interval : Interval
        By the method of DeLong.
    point : tuple of float
        False-positive rate and recall of the rule's own threshold, zero.
    """

    thresholds: FloatArray
    false_positive_rates: FloatArray
    recalls: FloatArray
    low: FloatArray
    high: FloatArray
    auc: float
    auc_interval: Interval
    point: tuple[float, float]

    @classmethod
    def of(cls, is_positive: AnyArray, scores: FloatArray) -> "MeasuredRoc":
        """Return the curve of scores that are positive where the rule predicts the class."""
        alarms, found, thresholds = roc_curve(is_positive, scores)
        low, high = wilson_interval(found, np.array(float(is_positive.sum())))
        measured = delong(is_positive, scores)
        predicted = scores > 0
        return cls(
            thresholds, alarms, found, low, high,
            float(measured.values[0]), measured.interval(),
            (float(predicted[~is_positive].mean()), float(predicted[is_positive].mean())),
        )  # fmt: skip
