"""One contestant on one split: fitted to the training rows, measured on the held-out rows."""

import time
import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score

from zerone._typing import AnyArray, FloatArray, Label
from zerone.comparison._contestants import Contestant
from zerone.comparison._measure import measured_metric
from zerone.metrics import ChosenMetric

Measured: TypeAlias = dict[str, float]
"""Metrics on the held-out rows by name, and ``seconds``, the time of the fit."""

DECIDING = {"error": "accuracy", "AUC": "AUC", "balanced error": "balanced error"}
"""Metrics that are measured in any case, by the title of the metric that decides."""


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """The rows of a comparison.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
    weights : ndarray of shape (n_rows,) or None
        How many rows each row of a sample stands for; None if there is no sample.
    """

    X: FloatArray
    y: AnyArray
    weights: FloatArray | None = None

    def __getitem__(self, chosen: AnyArray) -> "ComparedRows":
        weights = None if self.weights is None else self.weights[chosen]
        return ComparedRows(self.X[chosen], self.y[chosen], weights)

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True, eq=False)
class Trials:
    """What is the same in all trials of a comparison.

    Attributes
    ----------
    rows : ComparedRows
    metric : ChosenMetric
    positive : label or None
        The positive class of the metric, if it has one.
    """

    rows: ComparedRows
    metric: ChosenMetric
    positive: Label | None

    def run(self, contestant: Contestant, is_held_out: AnyArray) -> Measured | str:
        """Return what was measured, or why the contestant could not be fitted.

        Parameters
        ----------
        contestant : Contestant
        is_held_out : bool ndarray of shape (n_rows,)
        """
        try:
            return self._measured(contestant, self.rows[~is_held_out], self.rows[is_held_out])
        except (ValueError, np.linalg.LinAlgError, MemoryError) as error:
            return str(error).partition("\n")[0] or type(error).__name__

    def _measured(
        self, contestant: Contestant, train: ComparedRows, test: ComparedRows
    ) -> Measured:
        with warnings.catch_warnings():
            # Rivals warn if they reach their iteration limit, or a class is too rare for tuning.
            warnings.simplefilter("ignore")
            began = time.perf_counter()
            estimator = contestant.fitted(train.X, train.y, train.weights)
            seconds = time.perf_counter() - began
            answers = estimator.predict(test.X)
            chosen, others = self._of_predictions(estimator, answers, test)
        others["balanced error"] = 1 - float(balanced_accuracy_score(test.y, answers))
        return {**chosen, **others, "seconds": seconds}

    def _of_predictions(
        self, estimator: Any, answers: AnyArray, test: ComparedRows
    ) -> tuple[Measured, Measured]:
        """Return the metric that decides, unless it is always measured, and those that are."""
        metric, weights, classes = self.metric, test.weights, estimator.classes_
        chosen: Measured = {}
        always = {"accuracy": float(np.average(answers == test.y, weights=weights))}
        if len(classes) == 2:
            scores = estimator.decision_function(test.X)
            always["AUC"] = float(
                roc_auc_score(test.y == classes[1], scores, sample_weight=weights)
            )
            if metric.title not in DECIDING:
                sign = -1.0 if self.positive == classes[0] else 1.0
                is_positive, predicted = test.y == self.positive, answers == self.positive
                chosen = measured_metric(metric, is_positive, sign * scores, predicted, weights)
        elif metric.name == "f1":
            average = f1_score(test.y, answers, average="macro", sample_weight=weights)
            chosen = {metric.title: float(average)}
        elif metric.cost_matrix is not None:
            costs = np.array(metric.cost_matrix)
            true, predicted = (np.searchsorted(classes, own) for own in (test.y, answers))
            chosen = {metric.title: float(np.average(costs[true, predicted], weights=weights))}
        return chosen, always
