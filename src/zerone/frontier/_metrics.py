"""Metrics that improve when either error rate falls: each has its optimum on the frontier.

A metric is given the classes' standardised distances z from the threshold (miss rate
Φ(−z₊), false-alarm rate Φ(−z₋)) and works on logarithms, because rates underflow for well
separated classes.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import log_ndtr

from zerone._typing import FloatArray


class Metric(Protocol):
    """A loss to be minimised along the frontier."""

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the loss."""
        ...

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return log(∂loss/∂miss rate) − log(∂loss/∂false-alarm rate)."""
        ...


@dataclass(frozen=True)
class WeightedError:
    """miss weight · miss rate + false-alarm weight · false-alarm rate."""

    miss_weight: float
    false_alarm_weight: float

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the weighted error."""
        loss: FloatArray = np.logaddexp(
            math.log(self.miss_weight) + log_ndtr(-z_positive),
            math.log(self.false_alarm_weight) + log_ndtr(-z_negative),
        )
        return loss

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the constant log ratio of the two weights."""
        ratio = math.log(self.miss_weight) - math.log(self.false_alarm_weight)
        return np.full(len(z_positive), ratio)


@dataclass(frozen=True)
class FBetaLoss:
    """1 − F_β under given priors.

    With E = β²p₊·miss + p₋·false alarm and N = (1 + β²)p₊ − p₊·miss + p₋·false alarm the loss
    is E/N.
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
        _, excess, normaliser, log_hit = self._parts(z_positive, z_negative)
        miss_slope = np.log(self.beta**2 * normaliser + excess)
        # N − E = (1 + β²) p₊ (1 − miss), from the hit rate so that it does not cancel.
        alarm_slope = np.log((1 + self.beta**2) * self.prior_negative) + log_hit
        ratio: FloatArray = miss_slope - alarm_slope
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


def constant_losses(metric: Metric) -> tuple[float, float]:
    """Return the log losses of always positive and of always negative."""
    infinite = np.array([np.inf, -np.inf])
    with np.errstate(divide="ignore"):
        positive, negative = metric.log_loss(infinite, -infinite)
    return float(positive), float(negative)
