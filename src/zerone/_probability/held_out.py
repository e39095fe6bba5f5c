"""Log-odds of a score, calibrated on held-out rows."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from zerone._probability.curves import Lines
from zerone._refine.candidates import MeasuredScores
from zerone._typing import FloatArray
from zerone.rules._rule import LinearRule

# Least and largest slope of the log-odds per unit of score (one within-class deviation).
_SLOPES = (1e-3, 1e4)
# Most log-odds at the threshold.
_LARGEST_ODDS = 5.0


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Held-out scores of a rule, and log-odds fitted to them: two lines that meet at zero.

    Fitted by maximum likelihood, like Platt's sigmoid [1]_, with the slope of normal scores and
    even odds at zero as prior: a few rows, or rows that are all classified correctly, do not
    determine a line.

    Attributes
    ----------
    scores : ndarray of shape (n_bins,)
        Held-out scores of the rule.
    positive, negative : ndarray of shape (n_bins,)
        Weight of each class in each bin.
    expected_slope : float
        Slope of normal scores of equal variance.
    is_anchored : bool
        Whether a score of zero is the threshold of a rule that minimises the error, so that even
        odds are expected there.
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
            below, above, at_zero = self._fitted_bend()
        else:
            below, at_zero = self._fitted_line()
            above = below
        return Lines(0.0, at_zero, below, above, self.follows_threshold)

    def _fitted_bend(self) -> tuple[float, float, float]:
        """Return the most likely slopes below and above zero, and the value there."""
        is_below = self.scores < 0

        def loss(bend: FloatArray) -> tuple[float, FloatArray]:
            by_slope = self.scores * np.exp(np.where(is_below, bend[0], bend[1]))
            odds = bend[2] + by_slope
            likelihood = self.positive @ log_expit(odds) + self.negative @ log_expit(-odds)
            by_odds = self.negative * expit(odds) - self.positive * expit(-odds)
            steeper = by_odds * by_slope
            away = bend - centre
            gradient = np.array([steeper[is_below].sum(), steeper[~is_below].sum(), by_odds.sum()])
            return float(away @ away - likelihood), gradient + 2 * away

        expected = float(np.log(self.expected_slope))
        centre = np.array([expected, expected, 0.0])
        low, high = np.log(_SLOPES)
        bounds = [(low, high), (low, high), (-_LARGEST_ODDS, _LARGEST_ODDS)]
        found = minimize(loss, centre, jac=True, method="L-BFGS-B", bounds=bounds).x
        return float(np.exp(found[0])), float(np.exp(found[1])), float(found[2])

    def _fitted_line(self) -> tuple[float, float]:
        """Return the slope and the value at zero of the most likely line."""
        centre = float(np.median(self.scores))
        distance = self.scores - centre

        def loss(line: FloatArray) -> tuple[float, FloatArray]:
            steepness = float(np.exp(line[0]))
            odds = steepness * distance + line[1]
            likelihood = self.positive @ log_expit(odds) + self.negative @ log_expit(-odds)
            by_odds = self.negative * expit(odds) - self.positive * expit(-odds)
            away = float(line[0] - np.log(self.expected_slope))
            gradient = np.array([steepness * (by_odds @ distance) + 2 * away, by_odds.sum()])
            return away**2 - float(likelihood), gradient

        bounds = [tuple(np.log(_SLOPES)), (None, None)]
        start = np.array([np.log(self.expected_slope), 0.0])
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
        slope = float(np.exp(found.x[0]))
        return slope, float(found.x[1]) - slope * centre


def _ratio(coef: FloatArray, reference: FloatArray) -> float:
    """Return the factor between two parallel directions."""
    largest = int(np.argmax(np.abs(reference)))
    return float(coef[largest] / reference[largest]) if reference[largest] else 1.0
