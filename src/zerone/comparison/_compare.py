"""Cross-validation of every contestant on a table."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

from zerone import Moments
from zerone._data.labels import label_list, positive_position
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._errors import ArgumentError
from zerone._rows.table_rows import TableRows
from zerone._typing import AnyArray, FloatArray, Label, MissingRule
from zerone.comparison._contestants import Contestant
from zerone.comparison._contestants import contestants as contestants_for
from zerone.comparison._measure import measured_metric
from zerone.metrics import ChosenMetric, chosen_metric

# Classifiers are compared on at most this many numbers: 64 MB.
_MAX_VALUES = 2**23
# Measured in any case, by the title of the metric.
_DECIDING = {"error": "accuracy", "AUC": "AUC", "balanced error": "balanced error"}


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
class Comparison:
    """The metrics of every contestant on every split.

    Attributes
    ----------
    metrics : dict name -> dict metric -> ndarray of shape (n_splits,)
        The metric that decides, ``accuracy``, ``balanced error``, ``seconds`` and, for two classes,
        ``AUC``, without contestants that failed.
    failures : dict name -> str
        Why the others failed.
    moments : Moments
        Of all rows of the table.
    rows : ComparedRows
    is_sample : bool
        Whether the rows are a sample of the table.
    folds : int
        Number of folds.
    metric : ChosenMetric
        What decides.
    positive : label or None
        Its positive class, if it has one.
    """

    metrics: dict[str, dict[str, FloatArray]]
    failures: dict[str, str]
    moments: Moments
    rows: ComparedRows
    is_sample: bool
    folds: int
    metric: ChosenMetric = field(default_factory=lambda: chosen_metric("error"))
    positive: Label | None = None

    @property
    def deciding(self) -> str:
        """Name of the metric that decides, a key of ``metrics``."""
        return _DECIDING.get(self.metric.title, self.metric.title)

    @property
    def shown(self) -> list[str]:
        """Names of the metrics that every contestant has, in the order of the tables."""
        return list(next(iter(self.metrics.values())))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def mean(self, name: str, metric: str) -> float:
        """Return the mean of a metric over the splits."""
        return float(self.metrics[name][metric].mean())


def compare_table(
    source: Any,
    *,
    target: str | None,
    columns: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    max_categories: int = 100,
    missing: MissingRule = "error",
    null_values: Sequence[str] = (),
    folds: int = 5,
    repeats: int = 1,
    metric: str = "error",
    metric_params: Mapping[str, Any] | None = None,
    positive: Any = None,
    contestants: Sequence[Contestant] | None = None,
    random_state: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> Comparison:
    """Return cross-validated metrics of zerone and its rivals on a table.

    Parameters
    ----------
    source, target, columns, categorical, max_categories, missing, null_values
        As in `zerone.Moments.from_table`. Imputed values are learned from all rows.
    folds, repeats : int
        Of the stratified cross-validation.
    metric, metric_params, positive : as in `zerone.ZeroOneClassifier` or `zerone.AUCClassifier`
        The metric that decides. zerone trains for it, and rivals are tuned for it.
    contestants : sequence of Contestant, optional
        By default those of `zerone.comparison.contestants`.
    random_state : int, default=0
        Seed of the folds, and of the sample of rows that replaces a table with more than eight
        million numbers. The sample keeps all rows of rare classes and is reweighted.
    progress : callable, optional
        Called with the number of fits done, the number of all fits, and the name of the next one.
    """
    chosen = chosen_metric(metric, metric_params)
    options = TableOptions(
        target,
        columns,
        categorical=categorical,
        max_categories=max_categories,
        missing=missing,
        null_values=null_values,
    )
    rows = TableRows.opened(source, options, ScanOptions())
    if not rows.can_be_sampled:
        raise ArgumentError(
            "source",
            "can be read only once, and a comparison reads it twice",
            "write it to Parquet first",
        )
    moments = rows.moments()
    _require_rows(moments, target, folds)
    label = _positive_label(chosen, positive, moments)
    chosen = chosen.for_classes(len(moments)).for_weight(moments.weight)
    if contestants is None:
        contestants = contestants_for(
            metric, chosen.metric_params, positive=label, n_classes=len(moments)
        )
    sample = rows.sample(_MAX_VALUES, np.random.RandomState(random_state)).in_memory()
    batch = sample.batch.with_array()
    data = ComparedRows(batch.rows, batch.classes[batch.codes], batch.weights)
    competing = [c for c in contestants if len(moments) == 2 or not c.needs_two_classes]
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    found: dict[str, list[dict[str, float]]] = {c.name: [] for c in competing}
    failures: dict[str, str] = {}
    total, done = folds * repeats * len(competing), 0
    for train, test in splitter.split(data.X, data.y):
        for contestant in competing:
            if progress is not None:
                progress(done, total, contestant.name)
            done += 1
            if contestant.name in failures:
                continue
            try:
                measured = _measured(contestant, data[train], data[test], chosen, label)
                found[contestant.name].append(measured)
            except (ValueError, np.linalg.LinAlgError) as error:
                failures[contestant.name] = str(error).partition("\n")[0]
    metrics = {
        name: {metric: np.array([own[metric] for own in splits]) for metric in splits[0]}
        for name, splits in found.items()
        if name not in failures
    }
    return Comparison(metrics, failures, moments, data, sample.is_sample, folds, chosen, label)


def _positive_label(metric: ChosenMetric, positive: Any, moments: Moments) -> Label | None:
    """Return the positive class of a metric that has one; raises if there is none."""
    labels = label_list(moments.classes)
    if len(labels) > 2 and metric.is_ranking:
        raise ArgumentError(
            "metric",
            f"{metric.name!r} compares the order of two classes, but there are {len(labels)}",
            "use error, balanced_error or f1",
        )
    position = positive_position(positive, labels)
    return labels[position] if metric.needs_positive and len(labels) == 2 else None


def _require_rows(moments: Moments, target: str | None, folds: int) -> None:
    """Raise unless every class has rows for every fold."""
    if len(moments) < 2:
        raise ArgumentError(
            "target",
            f"column {target!r} has only one class, {next(iter(moments))!r}",
            "name a column with at least two classes",
        )
    rarest = min(own.weight for own in moments.values())
    if rarest < folds:
        label = next(label for label, own in moments.items() if own.weight == rarest)
        raise ArgumentError(
            "target",
            f"class {label!r} has {rarest:g} rows, too few for {folds} folds",
            "use fewer folds, or leave the class out",
        )


def _measured(
    contestant: Contestant,
    train: ComparedRows,
    test: ComparedRows,
    metric: ChosenMetric,
    positive: Label | None,
) -> dict[str, float]:
    with warnings.catch_warnings():
        # Rivals warn when they reach their iteration limit, or if a class is too rare for tuning.
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        estimator = contestant.fitted(train.X, train.y, train.weights)
        seconds = time.perf_counter() - began
        answers, weights = estimator.predict(test.X), test.weights
        metrics: dict[str, float] = {}
        others = {"accuracy": float(np.average(answers == test.y, weights=weights))}
        if len(estimator.classes_) == 2:
            scores = estimator.decision_function(test.X)
            is_second = test.y == estimator.classes_[1]
            others["AUC"] = float(roc_auc_score(is_second, scores, sample_weight=weights))
            if metric.title not in _DECIDING:
                sign = -1.0 if positive == estimator.classes_[0] else 1.0
                is_positive, predicted = test.y == positive, answers == positive
                metrics = measured_metric(metric, is_positive, sign * scores, predicted, weights)
        elif metric.name == "f1":
            average = f1_score(test.y, answers, average="macro", sample_weight=weights)
            metrics = {metric.title: float(average)}
        elif metric.cost_matrix is not None:
            costs = np.array(metric.cost_matrix)
            places = [np.searchsorted(estimator.classes_, own) for own in (test.y, answers)]
            found = np.average(costs[places[0], places[1]], weights=weights)
            metrics = {metric.title: float(found)}
        others["balanced error"] = 1 - float(balanced_accuracy_score(test.y, answers))
    return {**metrics, **others, "seconds": seconds}
