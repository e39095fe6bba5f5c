"""One contestant on one split: fitted to the training rows, measured on the held-out rows."""

import time
import warnings
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score

from zerone._data.encoding import Encoding
from zerone._typing import AnyArray, FloatArray, Label
from zerone._uncertainty.estimates import Estimate
from zerone.comparison._contestants import Contestant
from zerone.comparison._estimates import PredictedRows, split_estimates
from zerone.comparison._measure import measured_metric
from zerone.comparison._rows import ComparedRows, Part, Split
from zerone.comparison._tuned import measured_roc
from zerone.metrics import ChosenMetric

Figures: TypeAlias = dict[str, float]
"""Metrics on the held-out rows by name, and ``seconds``, the time of the fit."""

ROC_GRID: FloatArray = np.linspace(0.0, 1.0, 101) ** 2
"""False-positive rates at which the ROC curves of all splits are read, more of them near zero."""

DECIDING = {"error": "accuracy", "AUC": "AUC", "balanced error": "balanced error"}
"""Metrics that are measured in any case, by the title of the metric that decides."""

# What can go wrong with a contestant on some rows.
_FAILURES = (ValueError, np.linalg.LinAlgError, MemoryError)


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured of a contestant on a split.

    Attributes
    ----------
    figures : dict name -> number
    recalls : ndarray or None
        Of two classes the recall of the positive one, by default the last, at the false-positive
        rates ``ROC_GRID``.
    estimates : dict name -> Estimate
        The figures whose variance the held-out rows tell.
    """

    figures: Figures
    recalls: FloatArray | None = None
    estimates: dict[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Trials:
    """What is the same in all trials of a comparison.

    Attributes
    ----------
    rows : ComparedRows
    metric : ChosenMetric
    positive : label or None
        The positive class of the metric, if it has one.
    is_sample : bool
        Whether the rows are a sample of the table.
    """

    rows: ComparedRows
    metric: ChosenMetric
    positive: Label | None
    is_sample: bool = False

    def on(self, is_held_out: AnyArray) -> "SplitTrials":
        """Return the trials of a split, whose features all contestants share.

        Parameters
        ----------
        is_held_out : bool ndarray of shape (n_rows,)
        """
        try:
            return SplitTrials(self, self.rows.split(is_held_out))
        except _FAILURES as error:
            return SplitTrials(self, _why(error))


@dataclass(frozen=True, eq=False)
class SplitTrials:
    """The trials of one split.

    Attributes
    ----------
    trials : Trials
    split : Split or str
        Its rows, or why they cannot be encoded.
    """

    trials: Trials
    split: Split | str

    def run(self, contestant: Contestant) -> Measured | str:
        """Return what was measured, or why the contestant could not be fitted."""
        if isinstance(self.split, str):
            return self.split
        try:
            # As arrays also where columns are hashed: `fit_table` refines so few rows as an array.
            train, test = self.split.train.as_array, self.split.test.as_array
            return self._measured(contestant, train, test, self.split.bends)
        except _FAILURES as error:
            return _why(error)

    def _measured(
        self, contestant: Contestant, train: Part, test: Part, bends: Encoding | None
    ) -> Measured:
        with warnings.catch_warnings():
            # Rivals warn if they reach their iteration limit, or a class is too rare for tuning.
            warnings.simplefilter("ignore")
            began = time.perf_counter()
            estimator = contestant.fitted(train.X, train.y, train.weights, bends)
            seconds = time.perf_counter() - began
            answers = estimator.predict(test.X)
            scores = estimator.decision_function(test.X) if len(estimator.classes_) == 2 else None
            chosen, others = self._of_predictions(estimator, answers, scores, test)
            balanced = balanced_accuracy_score(test.y, answers, sample_weight=test.weights)
        others["balanced error"] = 1 - float(balanced)
        recalls = None
        if scores is not None:
            recalls = self._recalls(estimator.classes_, scores, test)
        rows = PredictedRows(
            estimator.classes_,
            np.searchsorted(estimator.classes_, test.y),
            np.searchsorted(estimator.classes_, answers),
            scores,
            test.weights,
            self.trials.is_sample,
        )
        figures = {**chosen, **others}
        estimates = split_estimates(rows, self.trials.metric, self.trials.positive, figures)
        return Measured({**figures, "seconds": seconds}, recalls, estimates)

    def _recalls(self, classes: AnyArray, scores: FloatArray, test: Part) -> FloatArray:
        """Return the recall of the positive class at the false-positive rates ``ROC_GRID``."""
        positive = classes[1] if self.trials.positive is None else self.trials.positive
        sign = 1.0 if positive == classes[1] else -1.0
        missed, alarms = measured_roc(test.y == positive, sign * scores, test.weights)[:2]
        order = np.lexsort((-missed, alarms))
        return np.interp(ROC_GRID, alarms[order], 1 - missed[order])

    def _of_predictions(
        self, estimator: Any, answers: AnyArray, scores: FloatArray | None, test: Part
    ) -> tuple[Figures, Figures]:
        """Return the metric that decides, unless it is always measured, and those that are."""
        metric, weights, classes = self.trials.metric, test.weights, estimator.classes_
        positive = self.trials.positive
        chosen: Figures = {}
        always: Figures = {"accuracy": float(np.average(answers == test.y, weights=weights))}
        if scores is not None:
            always["AUC"] = float(
                roc_auc_score(test.y == classes[1], scores, sample_weight=weights)
            )
            if metric.title not in DECIDING:
                sign = -1.0 if positive == classes[0] else 1.0
                is_positive, predicted = test.y == positive, answers == positive
                chosen = measured_metric(metric, is_positive, sign * scores, predicted, weights)
        elif metric.name == "f1":
            average = f1_score(test.y, answers, average="macro", sample_weight=weights)
            chosen = {metric.title: float(average)}
        elif metric.cost_matrix is not None:
            costs = np.array(metric.cost_matrix)
            true, predicted = (np.searchsorted(classes, own) for own in (test.y, answers))
            chosen = {metric.title: float(np.average(costs[true, predicted], weights=weights))}
        return chosen, always


def _why(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
