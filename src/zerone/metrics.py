"""All metrics in one table, for the frontier, refinement, `retarget` and the command line.

A metric is a loss that depends on the two error rates and on the shares (priors) of the two
classes. It falls when either rate falls, so that its best rule lies on the frontier. To add a
metric, add an entry to `METRICS`: its parameters, its loss as a function of the rates, and its form
on the frontier. The tests check every entry: both forms must agree, and the optimum on the frontier
must be that of direct minimisation.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy.special import log_ndtr

from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import FloatArray

Priors: TypeAlias = tuple[float, float]
"""Shares of the positive and the negative class."""


class LogLoss(Protocol):
    """A loss to be minimised along the frontier.

    Its arguments are the standardised distances z of the classes from the threshold: the
    false-negative rate is Φ(−z₊), the false-positive rate Φ(−z₋). It works on logarithms, because
    rates underflow for well separated classes.
    """

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the loss."""
        ...

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of ∂loss/∂(false-negative rate) : ∂loss/∂(false-positive rate)."""
        ...


@dataclass(frozen=True)
class WeightedError:
    """A weighted sum of the false-negative and the false-positive rate."""

    false_negative_weight: float
    false_positive_weight: float

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the weighted error."""
        loss: FloatArray = np.logaddexp(
            math.log(self.false_negative_weight) + log_ndtr(-z_positive),
            math.log(self.false_positive_weight) + log_ndtr(-z_negative),
        )
        return loss

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the ratio of the two weights, a constant."""
        ratio = math.log(self.false_negative_weight) - math.log(self.false_positive_weight)
        return np.full(len(z_positive), ratio)


@dataclass(frozen=True)
class FBetaLoss:
    """1 − F_β under given priors.

    With the false-negative rate m and the false-positive rate a, E = β²p₊m + p₋a and
    N = (1 + β²)p₊ − p₊m + p₋a, the loss is E/N.
    """

    beta: float
    prior_positive: float
    prior_negative: float

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of 1 − F_β."""
        log_excess, _, normaliser, _ = self._parts(z_positive, z_negative)
        return log_excess - np.log(normaliser)

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return log((β²p₊N + p₊E)/(p₋(N − E))); the common 1/N² drops out."""
        _, excess, normaliser, log_recall = self._parts(z_positive, z_negative)
        false_negative_slope = np.log(self.beta**2 * normaliser + excess)
        # N − E = (1 + β²) p₊ (1 − m): from the recall, so that no digits cancel.
        false_positive_slope = np.log((1 + self.beta**2) * self.prior_negative) + log_recall
        ratio: FloatArray = false_negative_slope - false_positive_slope
        return ratio

    def _parts(
        self, z_positive: FloatArray, z_negative: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        log_fnr, log_fpr = log_ndtr(-z_positive), log_ndtr(-z_negative)
        log_excess = np.logaddexp(
            np.log(self.beta**2 * self.prior_positive) + log_fnr,
            np.log(self.prior_negative) + log_fpr,
        )
        normaliser = self.prior_positive * (
            1 + self.beta**2 - np.exp(log_fnr)
        ) + self.prior_negative * np.exp(log_fpr)
        return log_excess, np.exp(log_excess), normaliser, log_ndtr(z_positive)


@dataclass(frozen=True)
class FixedRate:
    """One of the two rates is given; the other is the best that the frontier allows.

    Attributes
    ----------
    rate : float
        The true-positive rate if ``of_positive``, else the false-positive rate.
    of_positive : bool
    """

    rate: float
    of_positive: bool


@dataclass(frozen=True)
class Ranking:
    """Only the order of the scores counts; the threshold minimises the error."""


FrontierForm: TypeAlias = LogLoss | FixedRate | Ranking


@dataclass(frozen=True)
class Metric:
    """An entry of `METRICS`.

    Attributes
    ----------
    name, description : str
    losses : callable (false_negative_rate, false_positive_rate, priors, **parameters) -> ndarray
        The loss at every threshold.
    on_frontier : callable (priors, **parameters) -> LogLoss, FixedRate or Ranking
    parameters : mapping name -> default
        None where there is no default.
    has_several_classes : bool
        Whether it can be used for each pair of several classes.
    """

    name: str
    description: str
    losses: Callable[..., FloatArray]
    on_frontier: Callable[..., FrontierForm]
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    has_several_classes: bool = False


@dataclass(frozen=True)
class ChosenMetric:
    """A metric with checked parameters."""

    metric: Metric
    parameters: Mapping[str, float]

    @property
    def is_ranking(self) -> bool:
        """Whether only the order of the scores counts."""
        return isinstance(self.on_frontier((0.5, 0.5)), Ranking)

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray, priors: Priors
    ) -> FloatArray:
        """Return the loss at given rates."""
        return self.metric.losses(
            false_negative_rate, false_positive_rate, priors, **self.parameters
        )

    def on_frontier(self, priors: Priors) -> FrontierForm:
        """Return what is minimised along the frontier."""
        return self.metric.on_frontier(priors, **self.parameters)


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
    >>> cost = chosen_metric("cost", {"false_negative_cost": 10, "false_positive_cost": 1})
    >>> cost.losses(np.array([0.1]), np.array([0.2]), (0.5, 0.5)).tolist()
    [0.6]
    """
    given = {} if parameters is None else parameters
    if not isinstance(name, str) or name not in METRICS:
        raise ArgumentError("metric", f"got {name!r}, expected one of {list(METRICS)}")
    metric = METRICS[name]
    expected = metric.parameters
    unknown = sorted(set(given) - set(expected))
    if unknown:
        raise ArgumentTypeError(
            "metric",
            f"{name!r} takes no parameter {unknown[0]!r}",
            f"its parameters are: {', '.join(expected) or 'none'}",
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
        _check(own, value)
    return ChosenMetric(metric, numbers)


def _check(name: str, value: float) -> None:
    if name == "beta" and not 1e-4 <= value <= 1e4:
        raise ArgumentError("beta", f"got {value!r}, expected a number from 0.0001 to 10000")
    if name.endswith("_cost") and not (np.isfinite(value) and value > 0):
        raise ArgumentError(name, f"got {value!r}, expected a positive finite number")
    if name.endswith("_rate") and not 0 < value < 1:
        raise ArgumentError(name, f"got {value!r}, expected a rate between 0 and 1, exclusive")


# -- losses of the entries below: fnr and fpr are the false-negative and the false-positive rate ---


def _error(fnr: FloatArray, fpr: FloatArray, priors: Priors) -> FloatArray:
    return priors[0] * fnr + priors[1] * fpr


def _balanced_error(fnr: FloatArray, fpr: FloatArray, priors: Priors) -> FloatArray:
    return (fnr + fpr) / 2


def _f_loss(fnr: FloatArray, fpr: FloatArray, priors: Priors, beta: float) -> FloatArray:
    wrong = beta**2 * priors[0] * fnr + priors[1] * fpr
    loss: FloatArray = wrong / ((1 + beta**2) * priors[0] * (1 - fnr) + wrong)
    return loss


def _cost(
    fnr: FloatArray,
    fpr: FloatArray,
    priors: Priors,
    false_negative_cost: float,
    false_positive_cost: float,
) -> FloatArray:
    return priors[0] * false_negative_cost * fnr + priors[1] * false_positive_cost * fpr


def _true_positive_rate(
    fnr: FloatArray, fpr: FloatArray, priors: Priors, max_false_positive_rate: float
) -> FloatArray:
    # A rule above the limit has a larger loss than every rule within it.
    return np.where(fpr <= max_false_positive_rate + 1e-12, fnr, 1.0 + fpr)


def _false_positive_rate(
    fnr: FloatArray, fpr: FloatArray, priors: Priors, min_true_positive_rate: float
) -> FloatArray:
    return np.where(1 - fnr >= min_true_positive_rate - 1e-12, fpr, 1.0 + fnr)


def _weighted_cost(
    priors: Priors, false_negative_cost: float, false_positive_cost: float
) -> LogLoss:
    return WeightedError(priors[0] * false_negative_cost, priors[1] * false_positive_cost)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "error",
            "zero-one error",
            _error,
            lambda priors: WeightedError(*priors),
            has_several_classes=True,
        ),
        Metric(
            "balanced_error",
            "mean of the two error rates (the rule of Youden's J)",
            _balanced_error,
            lambda priors: WeightedError(0.5, 0.5),
            has_several_classes=True,
        ),
        Metric(
            "auc",
            "area under the ROC curve; the threshold minimises the error along that direction",
            _error,
            lambda priors: Ranking(),
            has_several_classes=True,
        ),
        Metric("f1", "F-score", partial(_f_loss, beta=1.0), lambda priors: FBetaLoss(1.0, *priors)),
        Metric(
            "fbeta",
            "F-score in which beta weighs recall",
            _f_loss,
            lambda priors, beta: FBetaLoss(beta, *priors),
            {"beta": None},
        ),
        Metric(
            "cost",
            "expected cost of the errors",
            _cost,
            _weighted_cost,
            {"false_negative_cost": None, "false_positive_cost": None},
        ),
        Metric(
            "true_positive_rate",
            "highest true-positive rate at a false-positive rate",
            _true_positive_rate,
            lambda priors, max_false_positive_rate: FixedRate(max_false_positive_rate, False),
            {"max_false_positive_rate": None},
        ),
        Metric(
            "false_positive_rate",
            "lowest false-positive rate at a true-positive rate",
            _false_positive_rate,
            lambda priors, min_true_positive_rate: FixedRate(min_true_positive_rate, True),
            {"min_true_positive_rate": None},
        ),
    )
}
"""All metrics, by name."""
