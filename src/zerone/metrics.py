"""The metrics: one table, which the frontier, refinement, `retarget` and the command line read.

A metric is a loss of the two error rates that falls when either of them falls, so that its best
rule lies on the frontier. To add one, add an entry to `METRICS`: its parameters, its loss as a
function of the rates, and its form on the frontier. Rates come with the shares (priors) of the
positive and the negative class. All metrics of a table are tested alike: the two forms have to
agree, and the frontier's optimum has to be that of direct minimisation.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy.special import log_ndtr

from zerone._errors import ArgumentError
from zerone._typing import FloatArray

Priors: TypeAlias = tuple[float, float]
"""Shares of the positive and the negative class."""


class LogLoss(Protocol):
    """A loss to be minimised along the frontier.

    It is given the classes' standardised distances z from the threshold (false-negative rate
    Φ(−z₊), false-positive rate Φ(−z₋)) and works on logarithms, because rates underflow for well
    separated classes.
    """

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the loss."""
        ...

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of ∂loss/∂(false-negative rate) : ∂loss/∂(false-positive rate)."""
        ...


@dataclass(frozen=True)
class WeightedError:
    """A weighted sum of false-negative and false-positive rate."""

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
        """Return the constant log ratio of the two weights."""
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
        # N − E = (1 + β²) p₊ (1 − m), from the recall so that it does not cancel.
        false_positive_slope = np.log((1 + self.beta**2) * self.prior_negative) + log_recall
        ratio: FloatArray = false_negative_slope - false_positive_slope
        return ratio

    def _parts(
        self, z_positive: FloatArray, z_negative: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        log_miss, log_alarm = log_ndtr(-z_positive), log_ndtr(-z_negative)
        log_excess = np.logaddexp(
            np.log(self.beta**2 * self.prior_positive) + log_miss,
            np.log(self.prior_negative) + log_alarm,
        )
        normaliser = self.prior_positive * (
            1 + self.beta**2 - np.exp(log_miss)
        ) + self.prior_negative * np.exp(log_alarm)
        return log_excess, np.exp(log_excess), normaliser, log_ndtr(z_positive)


@dataclass(frozen=True)
class FixedRate:
    """One of the two rates is given, and the other is as good as the frontier allows.

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
    """The order of the scores counts; the threshold is that of the least error."""


FrontierForm: TypeAlias = LogLoss | FixedRate | Ranking


@dataclass(frozen=True)
class Metric:
    """An entry of the table.

    Attributes
    ----------
    name, description : str
    losses : callable (false_negative_rate, false_positive_rate, priors, **parameters) -> ndarray
        The loss at every threshold.
    on_frontier : callable (priors, **parameters) -> LogLoss, FixedRate or Ranking
    parameters : mapping name -> default, None where there is none
    has_several_classes : bool
        Whether it makes sense for each pair of several classes.
    """

    name: str
    description: str
    losses: Callable[..., FloatArray]
    on_frontier: Callable[..., FrontierForm]
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    has_several_classes: bool = False


@dataclass(frozen=True)
class ChosenMetric:
    """A metric with its parameters, checked."""

    metric: Metric
    parameters: Mapping[str, float]

    @property
    def is_ranking(self) -> bool:
        """Whether the order of the scores counts, and no threshold."""
        return isinstance(self.on_frontier((0.5, 0.5)), Ranking)

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray, priors: Priors
    ) -> FloatArray:
        """Return the loss for given rates."""
        return self.metric.losses(
            false_negative_rate, false_positive_rate, priors, **self.parameters
        )

    def on_frontier(self, priors: Priors) -> FrontierForm:
        """Return what is minimised along the frontier."""
        return self.metric.on_frontier(priors, **self.parameters)


def chosen_metric(name: Any, parameters: Mapping[str, Any] | None = None) -> ChosenMetric:
    """Return a metric of the table with its parameters; raises for any that is wrong.

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
        takes = ", ".join(expected) or "none"
        raise TypeError(
            f"metric {name!r} takes no parameter {unknown[0]!r}; its parameters are: {takes}"
        )
    values = {**expected, **given}
    missing = [own for own in expected if values[own] is None and own not in given]
    if missing:
        raise TypeError(f"metric {name!r} needs the parameter {missing[0]!r}")
    try:
        numbers = {own: float(values[own]) for own in expected}
    except (TypeError, ValueError):
        raise ValueError(f"metric {name!r}: got {values!r}, expected numbers") from None
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


# -- the forms of the entries below ----------------------------------------------------------------


def _error(miss: FloatArray, alarm: FloatArray, priors: Priors) -> FloatArray:
    return priors[0] * miss + priors[1] * alarm


def _balanced_error(miss: FloatArray, alarm: FloatArray, priors: Priors) -> FloatArray:
    return (miss + alarm) / 2


def _f_loss(miss: FloatArray, alarm: FloatArray, priors: Priors, beta: float) -> FloatArray:
    wrong = beta**2 * priors[0] * miss + priors[1] * alarm
    loss: FloatArray = wrong / ((1 + beta**2) * priors[0] * (1 - miss) + wrong)
    return loss


def _cost(
    miss: FloatArray,
    alarm: FloatArray,
    priors: Priors,
    false_negative_cost: float,
    false_positive_cost: float,
) -> FloatArray:
    return priors[0] * false_negative_cost * miss + priors[1] * false_positive_cost * alarm


def _true_positive_rate(
    miss: FloatArray, alarm: FloatArray, priors: Priors, max_false_positive_rate: float
) -> FloatArray:
    # Beyond the rate the loss is above that of every rule that keeps to it.
    return np.where(alarm <= max_false_positive_rate + 1e-12, miss, 1.0 + alarm)


def _false_positive_rate(
    miss: FloatArray, alarm: FloatArray, priors: Priors, min_true_positive_rate: float
) -> FloatArray:
    return np.where(1 - miss >= min_true_positive_rate - 1e-12, alarm, 1.0 + miss)


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
        Metric("f1", "F-score", _f_loss, lambda p, beta: FBetaLoss(beta, *p), {"beta": 1.0}),
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
