"""From a score to a probability, as held-out rows measured it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_expit

from zerone._typing import FloatArray
from zerone.refine import MeasuredScores
from zerone.rules import LinearRule

Mask: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

# The smallest log-odds whose probability differs from one half in float64.
_JUST_POSITIVE = 1e-15
# Log-odds rise by at least and at most so much per unit of score (one within-class deviation).
_SLOPES = (1e-3, 1e4)


@dataclass(frozen=True)
class MeasuredModel:
    """Log-odds of the positive class given a score: two straight lines that meet at zero.

    Fitted by maximum likelihood to held-out scores as Platt's sigmoid is [1]_, with the slopes
    of normal scores as the prior: few rows, or rows that are all right, determine none.

    Attributes
    ----------
    slope_below, slope_above : float
        Per unit of score, below and above zero. Positive.
    at_zero : float
        Log-odds at a score of zero. Zero for a rule that minimises the error, whose threshold
        that is.
    follows_threshold : bool
        Whether the probability is on the same side of one half as the score of zero.

    References
    ----------
    .. [1] J. Platt, "Probabilistic outputs for support vector machines", 1999.
    """

    slope_below: float
    slope_above: float
    at_zero: float
    follows_threshold: bool

    @classmethod
    def of_rule(
        cls,
        measured: MeasuredScores,
        rule: LinearRule,
        prior_weights: tuple[float, float],
        *,
        follows_threshold: bool,
    ) -> "MeasuredModel":
        """Fit the model of a rule's scores.

        Parameters
        ----------
        measured : MeasuredScores
            Along the rule's direction.
        rule : LinearRule
        prior_weights : tuple of float
            Total weights of the positive and the negative class.
        follows_threshold : bool
            False for rules retargeted to another metric, whose threshold is elsewhere.
        """
        factor = _ratio(rule.coef, measured.scored.coef)
        scores = factor * (measured.values - measured.offset) + rule.intercept
        # Under equal variances, which is what scores scaled to a pooled variance of one suggest.
        expected = max(factor * measured.scored.statistics.gap, _SLOPES[0])
        loss = _likelihood(measured, prior_weights)
        if follows_threshold and not rule.is_constant:
            below = _fitted_slope(lambda slope: loss(slope * scores, scores < 0), expected)
            above = _fitted_slope(lambda slope: loss(slope * scores, scores >= 0), expected)
            return cls(below, above, 0.0, follows_threshold)
        slope, at_zero = _fitted_line(
            scores, lambda odds: loss(odds, np.ones(len(odds), bool)), expected
        )
        return cls(slope, slope, at_zero, follows_threshold)

    def log_odds(self, score: FloatArray) -> FloatArray:
        """Return the log-odds of the positive class, monotone in the score."""
        odds = self.at_zero + score * np.where(score > 0, self.slope_above, self.slope_below)
        if not self.follows_threshold:
            return odds
        return np.where(score > 0, np.maximum(odds, _JUST_POSITIVE), np.minimum(odds, 0.0))

    def probabilities(self, score: FloatArray) -> FloatArray:
        """Return the probabilities of the negative and the positive class, in columns."""
        odds = self.log_odds(score)
        return np.column_stack([expit(-odds), expit(odds)])

    def log_probabilities(self, score: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities, precise where they are near zero."""
        odds = self.log_odds(score)
        return np.column_stack([log_expit(-odds), log_expit(odds)])


def _ratio(coef: FloatArray, reference: FloatArray) -> float:
    """Return by what a direction was multiplied."""
    largest = int(np.argmax(np.abs(reference)))
    return float(coef[largest] / reference[largest]) if reference[largest] else 1.0


def _likelihood(
    measured: MeasuredScores, prior_weights: tuple[float, float]
) -> Callable[[FloatArray, Mask], float]:
    """Return the negative log-likelihood as a function of log-odds and of which places count."""
    positive = prior_weights[0] * measured.positive
    negative = prior_weights[1] * measured.negative

    def loss(odds: FloatArray, places: Mask) -> float:
        likelihood = positive * log_expit(odds) + negative * log_expit(-odds)
        return -float(likelihood[places].sum())

    return loss


def _fitted_slope(loss: Callable[[float], float], expected: float) -> float:
    """Return the most likely slope, drawn towards what is expected."""
    low, high = np.log(_SLOPES)

    def penalised(logarithm: float) -> float:
        return loss(np.exp(logarithm)) + _penalty(logarithm, expected)

    return float(np.exp(minimize_scalar(penalised, bounds=(low, high)).x))


def _fitted_line(
    scores: FloatArray, loss: Callable[[FloatArray], float], expected: float
) -> tuple[float, float]:
    """Return slope and value at zero of the most likely line, its slope drawn as above."""
    centre = float(np.median(scores))

    def penalised(line: FloatArray) -> float:
        odds = np.exp(line[0]) * (scores - centre) + line[1]
        return loss(odds) + _penalty(line[0], expected)

    start = np.array([np.log(expected), 0.0])
    found = minimize(penalised, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-6})
    slope = float(np.clip(np.exp(found.x[0]), *_SLOPES))
    return slope, float(found.x[1]) - slope * centre


def _penalty(logarithm: float, expected: float) -> float:
    """Return the weight of the expectation: that of a few rows."""
    return float((logarithm - np.log(expected)) ** 2)
