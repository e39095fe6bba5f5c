"""From a score to a probability, as held-out rows measured it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_expit

from zerone._typing import FloatArray
from zerone.refine import MeasuredScores
from zerone.rules import LinearRule

# The smallest log-odds whose probability differs from one half in float64.
_JUST_POSITIVE = 1e-15
# Log-odds rise by at least and at most so much per unit of score (one within-class deviation).
_SLOPES = (1e-3, 1e4)


@dataclass(frozen=True)
class MeasuredModel:
    """Log-odds of the positive class given a score: two straight lines that meet at zero.

    Fitted by maximum likelihood to held-out scores, with Platt's correction for few rows [1]_.

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
        loss = _likelihood(scores, measured, prior_weights)
        if follows_threshold and not rule.is_constant:
            below = _fitted_slope(lambda slope: loss(slope * scores, scores < 0))
            above = _fitted_slope(lambda slope: loss(slope * scores, scores >= 0))
            return cls(below, above, 0.0, follows_threshold)
        slope, at_zero = _fitted_line(scores, lambda odds: loss(odds, np.ones(len(odds), bool)))
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
    scores: FloatArray, measured: MeasuredScores, prior_weights: tuple[float, float]
) -> Callable[[FloatArray, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]], float]:
    """Return the negative log-likelihood as a function of log-odds and of which places count."""
    n_positive, n_negative = prior_weights
    # Instead of one and zero: certainty is not learnt from few rows.
    hit = (n_positive + 1) / (n_positive + 2)
    false_hit = 1 / (n_negative + 2)
    positive = n_positive * measured.positive
    negative = n_negative * measured.negative
    towards = positive * hit + negative * false_hit
    away = positive * (1 - hit) + negative * (1 - false_hit)

    def loss(odds: FloatArray, places: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
        likelihood = towards * log_expit(odds) + away * log_expit(-odds)
        return -float(likelihood[places].sum())

    return loss


def _fitted_slope(loss: Callable[[float], float]) -> float:
    low, high = np.log(_SLOPES)
    found = minimize_scalar(lambda logarithm: loss(np.exp(logarithm)), bounds=(low, high))
    return float(np.exp(found.x))


def _fitted_line(scores: FloatArray, loss: Callable[[FloatArray], float]) -> tuple[float, float]:
    """Return slope and value at zero of the best line."""
    centre, spread = float(np.median(scores)), float(np.ptp(scores)) or 1.0
    unit = (scores - centre) / spread
    found = minimize(
        lambda line: loss(np.exp(line[0]) * unit + line[1]),
        np.array([1.0, 0.0]),
        method="Nelder-Mead",
        options={"xatol": 1e-4, "fatol": 1e-8},
    )
    slope = float(np.clip(np.exp(found.x[0]) / spread, *_SLOPES))
    return slope, float(found.x[1]) - slope * centre
