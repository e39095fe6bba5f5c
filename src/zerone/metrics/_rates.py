"""Losses that depend on the two error rates, and limits that a rule must keep.

A loss falls when either rate falls, so that its best rule lies on the frontier. Each has its slopes
by the rates, for polish and for standard errors, and a logarithmic form for the frontier, where
rates underflow for well separated classes.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr

from zerone._typing import FloatArray

# Rates that exceed a limit by no more than this keep it.
_ROUNDING = 1e-9
# Where no rows of a class are near a threshold, the other class counts this much more.
_LARGEST_MULTIPLIER = 1e6


@dataclass(frozen=True)
class Limit:
    """What a rule must keep: positive · fnr + negative · fpr ≤ bound.

    Attributes
    ----------
    positive, negative : float
        Factors of the false-negative and the false-positive rate.
    bound : float
    """

    positive: float
    negative: float
    bound: float

    def excess(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return by how much rates exceed the limit; negative within it."""
        found: FloatArray = self.positive * false_negative_rate - self.bound
        return found + self.negative * false_positive_rate

    def log_excess(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return a quantity with the sign of the excess under normal scores, for finding roots.

        Logarithms are nearly straight lines where rates are close to zero or one, and the excess
        itself is flat there.

        Parameters
        ----------
        z_positive, z_negative : ndarray
            As in `RateLoss.log_loss`.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = np.log(self.negative) + log_ndtr(-z_negative)
            size = np.log(abs(self.positive))
            if self.positive > 0 and self.bound == self.positive:
                # Then the excess is negative · fpr − positive · tpr, zero if both are zero.
                found = wrong - size - log_ndtr(z_positive)
                return np.where(np.isnan(found), 0.0, found)
        if self.positive >= 0:
            used = np.logaddexp(wrong, size + log_ndtr(-z_positive))
            return np.asarray(used - math.log(self.bound))
        used = np.logaddexp(wrong, size + log_ndtr(z_positive))
        return np.asarray(used - math.log(self.bound - self.positive))


class RateLoss(ABC):
    """A loss of the false-negative rate m and the false-positive rate a.

    Attributes
    ----------
    limit : Limit or None
        Which rules are allowed; the best one is usually just at the limit.
    """

    limit: Limit | None = None

    @abstractmethod
    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return the loss, whether the limit is kept or not."""

    @abstractmethod
    def slopes(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives of the loss by the two rates."""

    @abstractmethod
    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the loss under normal scores.

        Parameters
        ----------
        z_positive, z_negative : ndarray
            Standardised distances of the classes from the threshold: m = Φ(−z₊), a = Φ(−z₋).
        """

    @abstractmethod
    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of ∂loss/∂m : ∂loss/∂a."""

    def reported(self, loss: FloatArray | float) -> FloatArray | float:
        """Return the metric as it is reported."""
        return loss

    def limited_losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return the loss; beyond the limit it is larger than that of any rule within it."""
        found = self.losses(false_negative_rate, false_positive_rate)
        if self.limit is None:
            return found
        excess = self.limit.excess(false_negative_rate, false_positive_rate)
        return np.asarray(np.where(excess <= _ROUNDING, found, 1.0 + excess))

    def least_on_roc(
        self, false_negative_rates: FloatArray, false_positive_rates: FloatArray
    ) -> FloatArray:
        """Return the lowest loss along the last axis; between two points rates are interpolated."""
        rates = false_negative_rates, false_positive_rates
        least = self.limited_losses(*rates).min(axis=-1)
        if self.limit is None:
            return np.asarray(least)
        excess = self.limit.excess(*rates)
        crosses = (excess[..., :-1] > 0) != (excess[..., 1:] > 0)
        rise = excess[..., 1:] - excess[..., :-1]
        share = np.divide(-excess[..., :-1], rise, out=np.zeros_like(rise), where=crosses)
        between = (own[..., :-1] + share * (own[..., 1:] - own[..., :-1]) for own in rates)
        found = np.where(crosses, self.losses(*between), np.inf).min(axis=-1)
        return np.asarray(np.minimum(least, found))

    def weights_at(
        self,
        false_negative_rate: FloatArray,
        false_positive_rate: FloatArray,
        density_positive: FloatArray,
        density_negative: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """Return how much each rate counts near a threshold: the derivatives of the loss.

        At a limit the threshold moves so that the limit is kept; how far it has to move follows
        from the densities of both classes at the threshold.
        """
        own = self.slopes(false_negative_rate, false_positive_rate)
        if self.limit is None:
            return own
        # A limit that it would pay to keep by more does not bind.
        binding = np.maximum(self.multiplier(own, density_positive, density_negative), 0.0)
        return own[0] + binding * self.limit.positive, own[1] + binding * self.limit.negative

    def multiplier(
        self,
        slopes: tuple[FloatArray, FloatArray],
        density_positive: FloatArray,
        density_negative: FloatArray,
    ) -> FloatArray:
        """Return what keeping the limit costs: −(change of the loss)/(change of the excess).

        Both changes are those that a small step of the threshold makes.
        """
        assert self.limit is not None, "the caller has looked"
        falls = self.limit.negative * density_negative - self.limit.positive * density_positive
        rises = slopes[0] * density_positive - slopes[1] * density_negative
        found = np.divide(rises, falls, out=np.zeros_like(rises), where=falls != 0)
        return np.clip(found, -_LARGEST_MULTIPLIER, _LARGEST_MULTIPLIER)


@dataclass(frozen=True)
class WeightedError(RateLoss):
    """A weighted sum of the false-negative and the false-positive rate."""

    false_negative_weight: float
    false_positive_weight: float

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return the weighted error."""
        found: FloatArray = self.false_negative_weight * false_negative_rate
        return found + self.false_positive_weight * false_positive_rate

    def slopes(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the two weights."""
        return (
            np.full_like(false_negative_rate, self.false_negative_weight),
            np.full_like(false_positive_rate, self.false_positive_weight),
        )

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
class FBetaLoss(RateLoss):
    """1 − F_β under given priors.

    With E = β²p₊m + p₋a and N = (1 + β²)p₊ − p₊m + p₋a, the loss is E/N.
    """

    beta: float
    prior_positive: float
    prior_negative: float

    def reported(self, loss: FloatArray | float) -> FloatArray | float:
        """Return the F-score."""
        return 1 - loss

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return 1 − F_β."""
        excess, right = self._parts(false_negative_rate, false_positive_rate)
        return excess / (excess + right)

    def slopes(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return (β²p₊N + p₊E)/N² and p₋(N − E)/N²."""
        excess, right = self._parts(false_negative_rate, false_positive_rate)
        total = excess + right
        by_fnr = self.prior_positive * (self.beta**2 * total + excess) / total**2
        return by_fnr, self.prior_negative * right / total**2

    def _parts(self, fnr: FloatArray, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return E and N − E."""
        excess = self.beta**2 * self.prior_positive * fnr + self.prior_negative * fpr
        return excess, (1 + self.beta**2) * self.prior_positive * (1 - fnr)

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of 1 − F_β."""
        log_excess, _, normaliser, _ = self._log_parts(z_positive, z_negative)
        return log_excess - np.log(normaliser)

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return log((β²p₊N + p₊E)/(p₋(N − E))); the common 1/N² drops out."""
        _, excess, normaliser, log_recall = self._log_parts(z_positive, z_negative)
        false_negative_slope = np.log(self.beta**2 * normaliser + excess)
        # N − E = (1 + β²) p₊ (1 − m): from the recall, so that no digits cancel.
        false_positive_slope = np.log((1 + self.beta**2) * self.prior_negative) + log_recall
        ratio: FloatArray = false_negative_slope - false_positive_slope
        return ratio

    def _log_parts(
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
class MacroF1Loss(RateLoss):
    """One minus the mean of the F1 of both classes, for pairs of several classes."""

    prior_positive: float
    prior_negative: float

    def reported(self, loss: FloatArray | float) -> FloatArray | float:
        """Return the mean F1."""
        return 1 - loss

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return the mean of both losses."""
        one, other = self._both
        found = one.losses(false_negative_rate, false_positive_rate)
        return (found + other.losses(false_positive_rate, false_negative_rate)) / 2

    def slopes(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the mean slopes of both."""
        one, other = self._both
        by_fnr, by_fpr = one.slopes(false_negative_rate, false_positive_rate)
        other_fpr, other_fnr = other.slopes(false_positive_rate, false_negative_rate)
        return (by_fnr + other_fnr) / 2, (by_fpr + other_fpr) / 2

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the mean loss."""
        one, other = self._both
        found: FloatArray = np.logaddexp(
            one.log_loss(z_positive, z_negative), other.log_loss(z_negative, z_positive)
        ) - math.log(2)
        return found

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the ratio of the mean slopes, which are never zero."""
        by_fnr, by_fpr = self.slopes(ndtr(-z_positive), ndtr(-z_negative))
        return np.asarray(np.log(by_fnr) - np.log(by_fpr))

    @property
    def _both(self) -> tuple[FBetaLoss, FBetaLoss]:
        return (
            FBetaLoss(1.0, self.prior_positive, self.prior_negative),
            FBetaLoss(1.0, self.prior_negative, self.prior_positive),
        )


@dataclass(frozen=True)
class OneRate(RateLoss):
    """One of the two rates, under a limit.

    Attributes
    ----------
    is_false_negative : bool
        Whether the false-negative rate is the loss; otherwise the false-positive rate.
    limit : Limit
    is_reported_as_loss : bool
        Otherwise ``1 − loss`` is reported.
    scale : float
        Factor of what is reported.
    """

    is_false_negative: bool
    limit: Limit
    is_reported_as_loss: bool = False
    scale: float = 1.0

    def reported(self, loss: FloatArray | float) -> FloatArray | float:
        """Return the rate, or what is left of one."""
        found = self.scale * (loss if self.is_reported_as_loss else 1 - loss)
        # Rates of few rows or of normal scores may go beyond what a scale allows.
        return np.minimum(found, 1.0)

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return the rate."""
        return false_negative_rate if self.is_false_negative else false_positive_rate

    def slopes(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return one and zero."""
        one, zero = np.ones_like(false_negative_rate), np.zeros_like(false_positive_rate)
        return (one, zero) if self.is_false_negative else (zero, one)

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of the rate."""
        return np.asarray(log_ndtr(-(z_positive if self.is_false_negative else z_negative)))

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return an infinite ratio: without its limit the rate has no optimum."""
        return np.full(len(z_positive), np.inf if self.is_false_negative else -np.inf)


@dataclass(frozen=True)
class PrecisionLoss(RateLoss):
    """One minus the precision, p₋a/(p₊(1 − m) + p₋a), under a limit; one if nothing is found."""

    prior_positive: float
    prior_negative: float
    limit: Limit

    def reported(self, loss: FloatArray | float) -> FloatArray | float:
        """Return the precision."""
        return 1 - loss

    def losses(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> FloatArray:
        """Return one minus the precision."""
        right, wrong = self._parts(false_negative_rate, false_positive_rate)
        found = right + wrong
        return np.divide(wrong, found, out=np.ones_like(found), where=found > 0)

    def slopes(
        self, false_negative_rate: FloatArray, false_positive_rate: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return p₊p₋a/N² and p₊p₋(1 − m)/N², with N the share that is found."""
        right, wrong = self._parts(false_negative_rate, false_positive_rate)
        square = np.maximum(right + wrong, np.finfo(float).tiny ** 0.5) ** 2
        return self.prior_positive * wrong / square, self.prior_negative * right / square

    def log_loss(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return the logarithm of one minus the precision."""
        log_right = math.log(self.prior_positive) + log_ndtr(z_positive)
        log_wrong = math.log(self.prior_negative) + log_ndtr(-z_negative)
        return np.asarray(log_wrong - np.logaddexp(log_right, log_wrong))

    def log_weight_ratio(self, z_positive: FloatArray, z_negative: FloatArray) -> FloatArray:
        """Return log(a/(1 − m))."""
        return np.asarray(log_ndtr(-z_negative) - log_ndtr(z_positive))

    def _parts(self, fnr: FloatArray, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the shares of true and of false positives among all rows."""
        return self.prior_positive * (1 - fnr), self.prior_negative * fpr
