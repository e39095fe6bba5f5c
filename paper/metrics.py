"""Training for a metric: what is measured, on which rows, and zerone's own classifiers."""

import functools
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from paper.datasets.registry import DATA_SETS
from paper.plan import Task
from paper.rivals import rival_rows
from zerone import AUCClassifier, ZeroOneClassifier
from zerone._typing import AnyArray, FloatArray

METRICS = "metrics"
"""Kind of zerone's tasks; those of the rivals are of another kind, so that they are kept when
zerone's are computed anew."""

METRIC_RIVALS = "metric-rivals"
"""Kind of the rivals' tasks."""

OURS, RETARGETED, DEFAULT = "ours", "retarget", "default"

# Rows for training are sampled, stratified.
_MOST_TRAINING_ROWS = 20_000
# A false-positive rate of 1 % is at least five rows of a test part.
_LEAST_NEGATIVES = 500
_REPEATS, _FOLDS = 2, 5
_COSTS = {"false_negative_cost": 10.0, "false_positive_cost": 1.0}

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Measure:
    """A metric that is trained for and measured.

    Attributes
    ----------
    name : str
        Key of its records, and stem of its table.
    metric : str
        What zerone calls it.
    title : str
    parameters : mapping name -> value
        Of zerone's metric.
    is_loss : bool
        Whether lower is better.
    of_counts : callable (true positives, false positives, positives, negatives) -> value, optional
        For a metric of predictions; all others need the decision values.
    """

    name: str
    metric: str
    title: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    is_loss: bool = False
    of_counts: Callable[[Any, Any, int, int], Any] | None = None

    @property
    def limit(self) -> float | None:
        """The false-positive rate at which the true-positive rate is measured."""
        return self.parameters.get("max_false_positive_rate")

    @property
    def is_ranking(self) -> bool:
        """Whether only the order of the scores counts."""
        return self.of_counts is None and self.limit is None

    def value(self, positive: BoolArray, decision: FloatArray, predicted: BoolArray) -> float:
        """Return the metric of some rows, as people report it."""
        if self.of_counts is not None:
            true, false = (predicted & positive).sum(), (predicted & ~positive).sum()
            return float(self.of_counts(true, false, positive.sum(), (~positive).sum()))
        if self.limit is not None:
            false_rate, true_rate, _ = roc_curve(positive, decision, drop_intermediate=False)
            return float(np.interp(self.limit, false_rate, true_rate))
        if self.metric == "partial_auc":
            return float(roc_auc_score(positive, decision, **self.parameters))
        return float(average_precision_score(positive, decision))

    def goodness(self, value: Any) -> Any:
        """Return values such that higher is better."""
        return -value if self.is_loss else value

    def record(
        self, positive: BoolArray, decision: FloatArray, predicted: BoolArray
    ) -> dict[str, float]:
        """Return what is stored: the value, and the false-positive rate of the threshold."""
        found = {"value": self.value(positive, decision, predicted)}
        if self.limit is not None:
            found["false_positive_rate"] = float(predicted[~positive].mean())
        return found


def _f1(true: Any, false: Any, positives: int, negatives: int) -> Any:
    return 2 * true / np.maximum(true + false + positives, 1)


def _balanced_error(true: Any, false: Any, positives: int, negatives: int) -> Any:
    return (1 - true / positives + false / negatives) / 2


def _cost(true: Any, false: Any, positives: int, negatives: int) -> Any:
    missed = _COSTS["false_negative_cost"] * (positives - true)
    return (missed + _COSTS["false_positive_cost"] * false) / (positives + negatives)


MEASURES = (
    Measure("f1", "f1", "F1", of_counts=_f1),
    Measure(
        "balanced_error", "balanced_error", "balanced error", is_loss=True,
        of_counts=_balanced_error,
    ),
    Measure(
        "cost", "cost", "cost per row, false negatives to false positives as 10 to 1", _COSTS,
        is_loss=True, of_counts=_cost,
    ),
    Measure(
        "tpr1", "true_positive_rate", "true-positive rate at a false-positive rate of 1 %",
        {"max_false_positive_rate": 0.01},
    ),
    Measure(
        "tpr5", "true_positive_rate", "true-positive rate at a false-positive rate of 5 %",
        {"max_false_positive_rate": 0.05},
    ),
    Measure(
        "partial_auc", "partial_auc", "partial AUC up to a false-positive rate of 5 %",
        {"max_fpr": 0.05},
    ),
    Measure("average_precision", "average_precision", "average precision"),
)  # fmt: skip


@dataclass(frozen=True)
class Fold:
    """Rows for training and for testing, and what is measured on them."""

    X: Any
    y: AnyArray
    X_test: Any
    positive_test: BoolArray
    measures: tuple[Measure, ...]
    size: Mapping[str, int]


def metric_tasks(kind: str, sets: Iterable[str] | None, *, quick: bool) -> Iterator[Task]:
    """Yield a task of a kind for every fold of every set, small sets first.

    Parameters
    ----------
    kind : str
        `METRICS` or `METRIC_RIVALS`.
    sets : iterable of str, optional
        Restricts the sets.
    """
    wanted = None if sets is None else set(sets)
    for data_set in sorted(DATA_SETS.values(), key=lambda s: s.n_rows * min(s.n_features, 200)):
        if wanted is not None and data_set.name not in wanted:
            continue
        for repeat in range(1 if quick else _REPEATS):
            for fold in range(_FOLDS):
                yield Task(kind, data_set.name, f"fold{fold}", repeat)


def fold_of(task: Task, data_dir: str | None) -> Fold:
    """Return the rows of a task; tasks of both kinds get the same."""
    X, y = _rows(task.name, data_dir)
    splitter = StratifiedKFold(n_splits=_FOLDS, shuffle=True, random_state=task.repeat)
    train, test = list(splitter.split(np.zeros(len(y)), y))[int(task.method[4:])]
    if len(train) > _MOST_TRAINING_ROWS:
        sampler = StratifiedShuffleSplit(1, train_size=_MOST_TRAINING_ROWS, random_state=0)
        chosen = next(sampler.split(np.zeros(len(train)), y[train]))[0]
        train = train[np.sort(chosen)]
    positive = y == np.unique(y)[-1]
    # From the whole set, so that all of its folds have the same measures.
    has_rates = (~positive).sum() // _FOLDS >= _LEAST_NEGATIVES
    measures = tuple(own for own in MEASURES if own.limit is None or has_rates)
    size = {"rows": len(y), "features": int(X.shape[1])}
    return Fold(X[train], y[train], X[test], positive[test], measures, size)


@functools.lru_cache(maxsize=1)
def _rows(name: str, data_dir: str | None) -> tuple[Any, AnyArray]:
    return rival_rows(name, data_dir, None)


def tiny_fold() -> Fold:
    """Return made-up rows, on which everything is trained once before times are taken."""
    y = np.arange(90) % 2
    X = np.random.default_rng(0).standard_normal((90, 2)) + y[:, None]
    return Fold(X, y, X, y == 1, MEASURES, {})


def run_metric_task(task: Task, data_dir: str | None) -> dict[str, Any]:
    """Return values and seconds of zerone's classifiers on one fold, for every metric."""
    _warm_up()
    fold = fold_of(task, data_dir)
    return {"methods": _classifiers(fold), **fold.size}


@functools.cache
def _warm_up() -> None:
    _classifiers(tiny_fold())


def _classifiers(fold: Fold) -> dict[str, Any]:
    """Return the records of the classifiers trained for a metric, and of retargeted defaults."""
    defaults = {make: _trained(make(), fold) for make in (ZeroOneClassifier, AUCClassifier)}
    ours, retargeted = {}, {}
    for measure in fold.measures:
        make: Any = AUCClassifier if measure.is_ranking else ZeroOneClassifier
        parameters = dict(measure.parameters)
        trained, seconds = _trained(
            make(metric=measure.metric, metric_params=parameters or None), fold
        )
        ours[measure.name] = {**_tested(trained, measure, fold), "seconds": seconds}
        default, seconds = defaults[make]
        began = time.perf_counter()
        moved = default.retarget(measure.metric, **parameters)
        seconds += time.perf_counter() - began
        retargeted[measure.name] = {**_tested(moved, measure, fold), "seconds": seconds}
    default_seconds = {"seconds": defaults[ZeroOneClassifier][1]}
    return {OURS: ours, RETARGETED: retargeted, DEFAULT: default_seconds}


def _trained(estimator: Any, fold: Fold) -> tuple[Any, float]:
    with warnings.catch_warnings():
        # The default warns where the least error is that of one class for every row.
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        estimator.fit(fold.X, fold.y)
        return estimator, time.perf_counter() - began


def _tested(estimator: Any, measure: Measure, fold: Fold) -> dict[str, float]:
    decision = np.asarray(estimator.decision_function(fold.X_test), dtype=np.float64)
    predicted = np.asarray(estimator.predict(fold.X_test) == estimator.classes_[-1])
    return measure.record(fold.positive_test, decision, predicted)
