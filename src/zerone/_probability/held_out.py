"""Log-odds of a score, calibrated on held-out rows."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_expit

from zerone._probability.curves import Lines
from zerone._refine.candidates import MeasuredScores
from zerone._typing import FloatArray
from zerone.rules._rule import LinearRule

Mask: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

# Least and largest slope of the log-odds per unit of score (one within-class deviation).
_SLOPES = (1e-3, 1e4)


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Held-out scores of a rule, and log-odds fitted to them: two lines that meet at zero.

    Fitted by maximum likelihood, like Platt's sigmoid [1]_, with the slope of normal scores as
    prior: a few rows, or rows that are all classified correctly, do not determine a slope.

    Attributes
    ----------
    scores : ndarray of shape (n_bins,)
        Held-out scores of the rule.
    positive, negative : ndarray of shape (n_bins,)
        Weight of each class in each bin.
    expected_slope : float
        Slope of normal scores of equal variance.
    is_anchored : bool
        Whether the log-odds are zero at a score of zero, the threshold of a rule that minimises
        the error.
    follows_threshold : bool
        Whether the probability is above one half exactly where the score is positive.

    References
    ----------
    .. [1] J. Platt, "Probabilistic outputs for support vector machines", 1999.
    """

    scores: FloatArray
    positive: FloatArray
    negative: FloatArray
    expected_slope: float
    is_anchored: bool
    follows_threshold: bool

    @classmethod
    def of_rule(
        cls,
        measured: MeasuredScores,
        rule: LinearRule,
        prior_weights: tuple[float, float],
        *,
        follows_threshold: bool,
    ) -> "HeldOutScores":
        """Return the model of a rule's scores.

        Parameters
        ----------
        measured : MeasuredScores
            Along the rule's direction.
        rule : LinearRule
        prior_weights : tuple of float
            Total weights of the positive and the negative class.
        follows_threshold : bool
            False for rules retargeted to another metric, which have another threshold.
        """
        factor = _ratio(rule.coef, measured.scored.coef)
        return cls(
            scores=factor * (measured.values - measured.offset) + rule.intercept,
            positive=prior_weights[0] * measured.positive,
            negative=prior_weights[1] * measured.negative,
            # The pooled variance of a rule's scores is one.
            expected_slope=max(factor * measured.scored.statistics.gap, _SLOPES[0]),
            is_anchored=follows_threshold and not rule.is_constant,
            follows_threshold=follows_threshold,
        )

    @property
    def curve(self) -> Lines:
        """The log-odds as a function of the score."""
        if self.is_anchored:
            sides = (self.scores < 0, self.scores >= 0)
            below, above = (self._fitted_slope(side) for side in sides)
            return Lines(0.0, 0.0, below, above, self.follows_threshold)
        slope, at_zero = self._fitted_line()
        return Lines(0.0, at_zero, slope, slope, self.follows_threshold)

    def _fitted_slope(self, side: Mask) -> float:
        """Return the most likely slope on one side."""
        scores, positive, negative = self.scores[side], self.positive[side], self.negative[side]

        def loss(logarithm: float) -> float:
            odds = np.exp(logarithm) * scores
            likelihood = positive @ log_expit(odds) + negative @ log_expit(-odds)
            return self._penalty(logarithm) - float(likelihood)

        low, high = np.log(_SLOPES)
        return float(np.exp(minimize_scalar(loss, bounds=(low, high)).x))

    def _fitted_line(self) -> tuple[float, float]:
        """Return the slope and the value at zero of the most likely line."""
        centre = float(np.median(self.scores))
        distance = self.scores - centre

        def loss(line: FloatArray) -> tuple[float, FloatArray]:
            steepness = float(np.exp(line[0]))
            odds = steepness * distance + line[1]
            likelihood = self.positive @ log_expit(odds) + self.negative @ log_expit(-odds)
            by_odds = self.negative * expit(odds) - self.positive * expit(-odds)
            away = 2 * (line[0] - np.log(self.expected_slope))
            gradient = np.array([steepness * (by_odds @ distance) + away, by_odds.sum()])
            return self._penalty(line[0]) - float(likelihood), gradient

        bounds = [tuple(np.log(_SLOPES)), (None, None)]
        start = np.array([np.log(self.expected_slope), 0.0])
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
        slope = float(np.exp(found.x[0]))
        return slope, float(found.x[1]) - slope * centre

    def _penalty(self, logarithm: float) -> float:
        """Return the penalty of a slope that is not the expected one, as heavy as a few rows."""
        return float((logarithm - np.log(self.expected_slope)) ** 2)


def _ratio(coef: FloatArray, reference: FloatArray) -> float:
    """Return the factor between two parallel directions."""
    largest = int(np.argmax(np.abs(reference)))
    return float(coef[largest] / reference[largest]) if reference[largest] else 1.0
