"""A rival that is tuned for a metric: its penalty and its threshold, on held-out rows."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_curve
from sklearn.model_selection import StratifiedKFold

from zerone._typing import AnyArray, FloatArray
from zerone.metrics import ChosenMetric, Priors, RateLoss

TUNING_FOLDS = 3

# Weights that differ by less are the same.
_ROUNDING = 1e-9


class TunedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes with the penalty and the threshold that are best for a metric.

    Both are chosen on the decision values of rows that were held out, in three folds, as
    GridSearchCV and TunedThresholdClassifierCV would in two steps; one step is better, and half
    the work. The estimator is then fitted to all rows.

    Parameters
    ----------
    estimator : classifier with ``decision_function``
    metric : ChosenMetric
    penalties : sequence of float
        Values of C to try; empty if the estimator has none.
    positive : label, optional
        The positive class of the metric; None is the last class.

    Attributes
    ----------
    estimator_ : the fitted classifier
    threshold_ : float
        Of its decision values.
    """

    def __init__(
        self,
        estimator: Any,
        metric: ChosenMetric,
        penalties: Sequence[float] = (),
        positive: Any = None,
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.penalties = penalties
        self.positive = positive

    def fit(self, X: FloatArray, y: AnyArray, sample_weight: FloatArray | None = None) -> Self:
        """Choose penalty and threshold, and fit to all rows."""
        self.classes_ = np.unique(y)
        sign = -1.0 if self.positive is not None and self.positive == self.classes_[0] else 1.0
        is_positive = y == self.classes_[0 if sign < 0 else 1]
        candidates = list(self._candidates())
        values = np.zeros((len(candidates), len(y)))
        for train, held_out in StratifiedKFold(TUNING_FOLDS).split(X, y):
            weights = None if sample_weight is None else sample_weight[train]
            for row, candidate in enumerate(candidates):
                own = fitted(candidate, X[train], y[train], weights)
                values[row, held_out] = sign * own.decision_function(X[held_out])
        found = [best_threshold(self.metric, is_positive, own, sample_weight) for own in values]
        best = min(range(len(found)), key=lambda row: found[row][0])
        self.threshold_ = sign * found[best][1]
        self.estimator_ = fitted(clone(candidates[best]), X, y, sample_weight)
        return self

    def _candidates(self) -> Iterator[Any]:
        if not self.penalties:
            yield clone(self.estimator)
        for penalty in self.penalties:
            yield clone(self.estimator).set_params(C=penalty)

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Return decision values, positive beyond the threshold."""
        return np.asarray(self.estimator_.decision_function(X) - self.threshold_)

    def predict(self, X: FloatArray) -> AnyArray:
        """Return the predicted class of each row."""
        predicted: AnyArray = self.classes_[(self.decision_function(X) > 0).astype(np.intp)]
        return predicted


def fitted(estimator: Any, X: FloatArray, y: AnyArray, weights: FloatArray | None) -> Any:
    """Return a fitted classifier.

    LDA takes weights of classes, as its priors; it raises for rows of a class with other weights.
    """
    if weights is None:
        return estimator.fit(X, y)
    if isinstance(estimator, LinearDiscriminantAnalysis):
        of_classes = [weights[y == label] for label in np.unique(y)]
        if any(np.ptp(own) > _ROUNDING * own.max() for own in of_classes):
            raise ValueError("takes no row weights")
        shares = np.array([own.sum() for own in of_classes])
        return estimator.set_params(priors=shares / shares.sum()).fit(X, y)
    return estimator.fit(X, y, sample_weight=weights)


def measured_roc(
    is_positive: AnyArray, scores: FloatArray, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return false-negative and false-positive rates, and scores from which rows are positive.

    Thresholds rise, from "all positive" to "all negative".
    """
    wrong, found, thresholds = roc_curve(
        is_positive, scores, sample_weight=weights, drop_intermediate=False
    )
    return 1 - found[::-1], wrong[::-1], thresholds[::-1]


def priors_of(is_positive: AnyArray, weights: FloatArray | None) -> Priors:
    """Return the shares of the positive and the negative class."""
    share = float(np.average(is_positive, weights=weights))
    return share, 1 - share


def best_threshold(
    metric: ChosenMetric, is_positive: AnyArray, scores: FloatArray, weights: FloatArray | None
) -> tuple[float, float]:
    """Return the lowest loss of scores and its threshold; zero if only their order counts."""
    loss = metric.loss(priors_of(is_positive, weights))
    missed, wrong, thresholds = measured_roc(is_positive, scores, weights)
    if not isinstance(loss, RateLoss):
        return float(loss.of_roc(missed, wrong)), 0.0
    losses = loss.limited_losses(missed, wrong)
    best = int(losses.argmin())
    # Between two scores, or beyond the lowest or the highest one.
    beyond = float(thresholds[-2] - thresholds[0]) or 1.0
    ends = np.concatenate([[thresholds[0] - beyond], thresholds[:-1], [thresholds[-2] + beyond]])
    return float(losses[best]), float((ends[best] + ends[best + 1]) / 2)
