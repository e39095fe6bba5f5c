"""The table of metrics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import FloatArray
from zerone.metrics._rankings import (
    AUCLoss,
    AveragePrecisionLoss,
    PartialAUCLoss,
    RankingLoss,
)
from zerone.metrics._rates import (
    FBetaLoss,
    Limit,
    MacroF1Loss,
    OneRate,
    PrecisionLoss,
    RateLoss,
    WeightedError,
)

Priors: TypeAlias = tuple[float, float]
"""Shares of the positive and the negative class."""

Loss: TypeAlias = RateLoss | RankingLoss


@dataclass(frozen=True)
class Metric:
    """An entry of `METRICS`.

    Attributes
    ----------
    name, title, description : str
        Its name in code, in tables and sentences, and in words.
    loss : callable (priors, **parameters) -> RateLoss or RankingLoss
        What is minimised.
    parameters : mapping name -> default
        None where there is no default.
    is_ranking : bool
        Whether it judges the order of the rows, for `AUCClassifier`; otherwise the predicted
        classes, for `ZeroOneClassifier`.
    needs_positive : bool
        Whether it depends on which class is the positive one.
    loss_of_pairs : callable (priors, **parameters) -> RateLoss or RankingLoss, optional
        What is minimised for each pair of several classes; None if it is for two classes only.
    limited : str, optional
        Title of the rate that must be kept.
    """

    name: str
    title: str
    description: str
    loss: Callable[..., Loss]
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    is_ranking: bool = False
    needs_positive: bool = True
    loss_of_pairs: Callable[..., Loss] | None = None
    limited: str | None = None

    def __reduce__(self) -> tuple[Callable[[str], "Metric"], tuple[str]]:
        """Pickle the name: functions of an entry may have none of their own."""
        return _entry, (self.name,)


def _entry(name: str) -> Metric:
    return METRICS[name]


@dataclass(frozen=True)
class ChosenMetric:
    """A metric with checked parameters.

    Attributes
    ----------
    metric : Metric
    parameters : mapping name -> value
        Numbers; ``k`` may be a number of rows until `for_weight`.
    cost_matrix : tuple of tuples of float, or None
        Of the metric "cost": the cost of each prediction (column) for each class (row).
    is_of_pairs : bool
        Whether it is for a pair of several classes.
    """

    metric: Metric
    parameters: Mapping[str, float]
    cost_matrix: tuple[tuple[float, ...], ...] | None = None
    is_of_pairs: bool = False

    @property
    def name(self) -> str:
        """The name in `METRICS`."""
        return self.metric.name

    @property
    def title(self) -> str:
        """The name in tables and sentences."""
        return self.metric.title

    @property
    def is_ranking(self) -> bool:
        """Whether it judges the order of the rows."""
        return self.metric.is_ranking

    @property
    def lower_is_better(self) -> bool:
        """Whether what is reported is better if it is lower, as an error is."""
        if self.cost_matrix is not None:
            return True
        reported = self.loss((0.5, 0.5)).reported
        return float(reported(0.0)) < float(reported(1.0))

    @property
    def needs_positive(self) -> bool:
        """Whether it depends on which class is the positive one."""
        return self.metric.needs_positive and self.cost_matrix is None

    @property
    def has_limit(self) -> bool:
        """Whether rules must keep a limit."""
        loss = self.loss((0.5, 0.5))
        return isinstance(loss, RateLoss) and loss.limit is not None

    @property
    def metric_params(self) -> dict[str, Any]:
        """The parameters as a classifier takes them."""
        if self.cost_matrix is not None:
            return {"cost_matrix": self.cost_matrix}
        return dict(self.parameters)

    @property
    def limited(self) -> str | None:
        """Title of the rate that must be kept."""
        return self.metric.limited

    def kept(self, false_negative_rate: float, false_positive_rate: float, priors: Priors) -> float:
        """Return the rate that must be kept; NaN for a precision where nothing is found."""
        found = 1 - false_negative_rate
        if self.limited == "false-positive rate":
            return false_positive_rate
        if self.limited != "precision":
            return found
        right, wrong = priors[0] * found, priors[1] * false_positive_rate
        return right / (right + wrong) if right + wrong > 0 else float("nan")

    def loss(self, priors: Priors) -> Loss:
        """Return what is minimised, for given shares of the positive and the negative class."""
        make = self.metric.loss_of_pairs if self.is_of_pairs else self.metric.loss
        assert make is not None, "checked by for_classes"
        found: Loss = make(priors, **self.parameters)
        return found

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray, priors: Priors
    ) -> FloatArray:
        """Return the loss of thresholds with given rates; for a ranking metric the error."""
        loss = self.loss(priors)
        if not isinstance(loss, RateLoss):
            loss = WeightedError(*priors)
        return loss.limited_losses(false_negative_rate, false_positive_rate)

    def for_weight(self, total: float) -> "ChosenMetric":
        """Return the metric with k as a share of a total weight of rows."""
        rows = self.parameters.get("k")
        if rows is None or rows < 1:
            return self
        if rows >= total:
            raise ArgumentError(
                "k",
                f"got {rows:g}, but there are {total:g} rows",
                "give fewer rows, or a share between 0 and 1",
            )
        return replace(self, parameters={**self.parameters, "k": rows / total})

    def for_classes(self, n_classes: int) -> "ChosenMetric":
        """Return the metric as it is used for this many classes; raises if it cannot be."""
        if self.cost_matrix is not None and len(self.cost_matrix) != n_classes:
            raise ArgumentError(
                "cost_matrix",
                f"has {len(self.cost_matrix)} rows, but there are {n_classes} classes",
                "give one row and one column for each class, in sorted order",
            )
        if n_classes <= 2:
            return self
        if self.metric.loss_of_pairs is None or (self.name == "cost" and self.cost_matrix is None):
            several = [name for name, own in METRICS.items() if own.loss_of_pairs is not None]
            advice = f"with {n_classes} classes it must be one of {several}"
            if self.name == "cost":
                advice = f"with {n_classes} classes give it a ⟨cost_matrix⟩"
            raise ArgumentError("metric", f"{self.name!r} is for two classes", advice)
        return replace(self, is_of_pairs=True)

    def for_pair(self, negative: int, positive: int) -> "ChosenMetric":
        """Return the metric of two of the classes, given by their positions."""
        if self.cost_matrix is None:
            return self
        costs = {
            "false_negative_cost": self.cost_matrix[positive][negative],
            "false_positive_cost": self.cost_matrix[negative][positive],
        }
        return replace(self, parameters=costs, cost_matrix=None)

    def describe(self, positive: Any = None) -> str:
        """Return name and parameters in words: "fbeta (beta=2, positive class 1)".

        Parameters
        ----------
        positive : label, optional
            The positive class, for metrics that need one.
        """
        given = [f"{name}={value:g}" for name, value in self.parameters.items()]
        if self.cost_matrix is not None:
            given.append("cost_matrix")
        if positive is not None and self.needs_positive and not self.is_of_pairs:
            given.append(f"positive class {positive!r}")
        return f"{self.name} ({', '.join(given)})" if given else self.name


def chosen_metric(name: Any, parameters: Mapping[str, Any] | None = None) -> ChosenMetric:
    """Return a metric by name with its parameters; raises if one of them is wrong.

    Parameters
    ----------
    name : str
    parameters : mapping name -> value, optional

    Examples
    --------
    >>> import numpy as np
    >>> from zerone.metrics import chosen_metric
    >>> cost = chosen_metric("cost", {"false_negative_cost": 10})
    >>> cost.losses(np.array([0.1]), np.array([0.2]), (0.5, 0.5)).tolist()
    [0.6]
    """
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ArgumentTypeError(
            "metric_params",
            f"got {type(parameters).__name__}, expected a mapping from name to value",
        )
    given = {} if parameters is None else dict(parameters)
    if not isinstance(name, str) or name not in METRICS:
        raise ArgumentError("metric", f"got {name!r}, expected one of {list(METRICS)}")
    metric = METRICS[name]
    if name == "cost" and "cost_matrix" in given:
        return ChosenMetric(metric, {}, _checked_costs(given))
    expected = metric.parameters
    unknown = sorted(set(given) - set(expected))
    if unknown:
        raise ArgumentTypeError(
            "metric",
            f"{name!r} takes no parameter {unknown[0]!r}",
            f"its parameters are: {', '.join(expected) or 'none'}",
        )
    if name == "cost" and not given:
        raise ArgumentTypeError(
            "metric",
            "'cost' needs to know the costs",
            "give ⟨false_negative_cost⟩, ⟨false_positive_cost⟩ (the other one is 1) or both",
        )
    values = {**expected, **given}
    missing = [own for own in expected if values[own] is None and own not in given]
    if missing:
        needed = missing[0]
        raise ArgumentTypeError(
            "metric", f"{name!r} needs the parameter {needed!r}", f"give ⟨{needed}⟩ a value"
        )
    try:
        numbers = {own: float(values[own]) for own in expected}
    except (TypeError, ValueError):
        raise ArgumentError(
            "metric", f"{name!r} got the parameters {values!r}, expected numbers"
        ) from None
    for own, value in numbers.items():
        _check(own, value, values[own])
    return ChosenMetric(metric, numbers)


def _check(name: str, value: float, given: Any) -> None:
    if name == "beta" and not 1e-4 <= value <= 1e4:
        raise ArgumentError("beta", f"got {value!r}, expected a number from 0.0001 to 10000")
    if name.endswith("_cost") and not (np.isfinite(value) and value > 0):
        raise ArgumentError(name, f"got {value!r}, expected a positive finite number")
    is_rate = name.endswith("_rate") or name in ("max_fpr", "min_recall", "min_precision")
    if is_rate and not 0 < value < 1:
        raise ArgumentError(name, f"got {value!r}, expected a rate between 0 and 1, exclusive")
    is_count = isinstance(given, Integral) and not isinstance(given, bool) and value >= 1
    if name == "k" and not (is_count or 0 < value < 1):
        raise ArgumentError(
            "k", f"got {given!r}, expected a number of rows, or a share between 0 and 1"
        )


def _checked_costs(given: Mapping[str, Any]) -> tuple[tuple[float, ...], ...]:
    others = sorted(set(given) - {"cost_matrix"})
    if others:
        raise ArgumentTypeError(
            "metric", f"'cost' takes ⟨cost_matrix⟩ or {others[0]!r}, not both", "give one of them"
        )
    try:
        costs = np.asarray(given["cost_matrix"], dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.empty(0)
    is_square = costs.ndim == 2 and costs.shape[0] == costs.shape[1] >= 2
    if not is_square or not np.isfinite(costs).all():
        raise ArgumentError(
            "cost_matrix",
            f"got {given['cost_matrix']!r}, expected finite numbers, a row for each class and a "
            "column for each prediction",
        )
    between = ~np.eye(len(costs), dtype=bool)
    if np.diagonal(costs).any() or (costs[between] <= 0).any():
        raise ArgumentError(
            "cost_matrix",
            f"got {costs.tolist()}",
            "right predictions cost 0, all others more than 0",
        )
    return tuple(tuple(row) for row in costs.tolist())


# -- the losses of the entries below ---------------------------------------------------------------


def _error(priors: Priors) -> Loss:
    return WeightedError(*priors)


def _balanced_error(priors: Priors) -> Loss:
    return WeightedError(0.5, 0.5)


def _cost(priors: Priors, false_negative_cost: float, false_positive_cost: float) -> Loss:
    return WeightedError(priors[0] * false_negative_cost, priors[1] * false_positive_cost)


def _true_positive_rate(priors: Priors, max_false_positive_rate: float) -> Loss:
    return OneRate(True, Limit(0.0, 1.0, max_false_positive_rate))


def _false_positive_rate(priors: Priors, min_true_positive_rate: float) -> Loss:
    limit = Limit(1.0, 0.0, 1 - min_true_positive_rate)
    return OneRate(False, limit, is_reported_as_loss=True)


def _precision(priors: Priors, min_recall: float) -> Loss:
    return PrecisionLoss(*priors, Limit(1.0, 0.0, 1 - min_recall))


def _recall(priors: Priors, min_precision: float) -> Loss:
    # wrong/right ≤ (1 − precision)/precision, as a condition that is linear in the rates.
    allowed = (1 - min_precision) * priors[0]
    return OneRate(True, Limit(allowed, min_precision * priors[1], allowed))


def _precision_at_k(priors: Priors, k: float) -> Loss:
    # Of a list of given length the precision rises with the recall.
    return OneRate(True, Limit(-priors[0], priors[1], k - priors[0]), scale=priors[0] / k)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "error", "error", "zero-one error", _error, needs_positive=False, loss_of_pairs=_error
        ),
        Metric(
            "balanced_error",
            "balanced error",
            "mean of the two error rates (the rule of Youden's J)",
            _balanced_error,
            needs_positive=False,
            loss_of_pairs=_balanced_error,
        ),
        Metric(
            "f1",
            "F1",
            "F-score; with several classes the mean of the F-scores of all classes",
            lambda priors: FBetaLoss(1.0, *priors),
            loss_of_pairs=lambda priors: MacroF1Loss(*priors),
        ),
        Metric(
            "fbeta",
            "F-beta",
            "F-score in which beta weighs recall",
            lambda priors, beta: FBetaLoss(beta, *priors),
            {"beta": None},
        ),
        Metric(
            "cost",
            "cost",
            "expected cost of the errors",
            _cost,
            {"false_negative_cost": 1.0, "false_positive_cost": 1.0},
            loss_of_pairs=_cost,
        ),
        Metric(
            "true_positive_rate",
            "true-positive rate",
            "highest true-positive rate at a false-positive rate",
            _true_positive_rate,
            {"max_false_positive_rate": None},
            limited="false-positive rate",
        ),
        Metric(
            "false_positive_rate",
            "false-positive rate",
            "lowest false-positive rate at a true-positive rate",
            _false_positive_rate,
            {"min_true_positive_rate": None},
            limited="true-positive rate",
        ),
        Metric(
            "precision",
            "precision",
            "highest precision at a recall",
            _precision,
            {"min_recall": None},
            limited="recall",
        ),
        Metric(
            "recall",
            "recall",
            "highest recall at a precision",
            _recall,
            {"min_precision": None},
            limited="precision",
        ),
        Metric(
            "auc",
            "AUC",
            "area under the ROC curve",
            lambda priors: AUCLoss(),
            is_ranking=True,
            needs_positive=False,
            loss_of_pairs=lambda priors: AUCLoss(),
        ),
        Metric(
            "partial_auc",
            "partial AUC",
            "area under the ROC curve up to a false-positive rate, standardised",
            lambda priors, max_fpr: PartialAUCLoss(max_fpr),
            {"max_fpr": None},
            is_ranking=True,
        ),
        Metric(
            "average_precision",
            "average precision",
            "mean precision at the ranks of the positive rows",
            lambda priors: AveragePrecisionLoss(*priors),
            is_ranking=True,
        ),
        Metric(
            "precision_at_k",
            "precision at k",
            "precision among the first k rows; k is a number of rows or a share",
            _precision_at_k,
            {"k": None},
            is_ranking=True,
        ),
    )
}
"""All metrics, by name."""
