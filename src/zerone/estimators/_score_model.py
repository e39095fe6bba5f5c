"""From a score to a probability: two normals, made monotone."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, log_expit, log_ndtr

from zerone._typing import FloatArray
from zerone.moments import TwoClassMoments
from zerone.rules import LinearRule

# Scores are in pooled standard deviations; a class without spread gets this much of one.
_LEAST_SPREAD = 1e-6
# The smallest log-odds whose probability differs from one half in float64.
_JUST_POSITIVE = 1e-15


@dataclass(frozen=True)
class ScoreModel:
    r"""Log-odds of the positive class given a score z, under normal scores.

    .. math::
        L(z) = \log\frac{p_+}{s_+} - \frac{(z - m_+)^2}{2 s_+^2}
             - \log\frac{p_-}{s_-} + \frac{(z - m_-)^2}{2 s_-^2}

    is a parabola that rises through both means and turns back beyond the mean of the narrower
    class. So that probability never falls with the score, it is held constant from a knee
    before the vertex on: where the probability equals the share of positives among all scores
    beyond. This is the isotonic regression of the model on its own distribution, so the
    probabilities stay calibrated.

    Attributes
    ----------
    mean_positive, mean_negative, sd_positive, sd_negative : float
        Moments of the score, intercept included.
    log_prior_ratio : float
        log(p₊/p₋).
    is_constant : bool
        Whether the rule always gives one answer: its threshold lies beyond every row.
    follows_threshold : bool
        Whether the probability is to be one half at z = 0. True for rules that minimise the
        error; there L(0) = 0 already unless the solver stopped early, and L(z) − L(0) is used.
        False for rules retargeted to another metric, whose threshold is elsewhere.
    """

    mean_positive: float
    mean_negative: float
    sd_positive: float
    sd_negative: float
    log_prior_ratio: float
    is_constant: bool
    follows_threshold: bool

    @classmethod
    def of_rule(
        cls, pair: TwoClassMoments, rule: LinearRule, priors: tuple[float, float], *,
        follows_threshold: bool,
    ) -> "ScoreModel":  # fmt: skip
        """Return the model of a rule's scores under given (positive, negative) priors."""
        negative = float(rule.coef @ pair.negative.mean) + rule.intercept
        negative += float(rule.coef @ pair.negative.mean_correction)
        gap = float(rule.coef @ pair.delta)
        sd_positive, sd_negative = (
            max(float(np.sqrt(m.covariance.quad(rule.coef))), _LEAST_SPREAD)
            for m in (pair.positive, pair.negative)
        )
        return cls(
            mean_positive=negative + gap,
            mean_negative=negative,
            sd_positive=sd_positive,
            sd_negative=sd_negative,
            log_prior_ratio=float(np.log(priors[0]) - np.log(priors[1])),
            is_constant=rule.is_constant,
            follows_threshold=follows_threshold,
        )

    def log_odds(self, score: FloatArray) -> FloatArray:
        """Return the log-odds of the positive class, monotone in the score."""
        anchored = self.follows_threshold and not self.is_constant
        odds = self._logistic(score, anchored) if self._falls(anchored) else (
            self._parabola(score) + (0.0 if anchored else self._at_zero())
        )  # fmt: skip
        if not self.follows_threshold:
            return odds
        # The probability is on the same side of one half as the score of zero, always.
        return np.where(score > 0, np.maximum(odds, _JUST_POSITIVE), np.minimum(odds, 0.0))

    def probabilities(self, score: FloatArray) -> FloatArray:
        """Return the probabilities of the negative and the positive class, in columns."""
        odds = self.log_odds(score)
        return np.column_stack([expit(-odds), expit(odds)])

    def log_probabilities(self, score: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities, precise where they are near zero."""
        odds = self.log_odds(score)
        return np.column_stack([log_expit(-odds), log_expit(odds)])

    def _falls(self, anchored: bool) -> bool:
        """Whether the parabola falls where the rule needs it to rise."""
        return self._slope_at_zero <= 0 if anchored else self.mean_positive <= self.mean_negative

    def _parabola(self, score: FloatArray) -> FloatArray:
        """Return L(z) − L(0), constant beyond the knee."""
        if self._bend > 0:
            score = np.maximum(score, self._knee)
        elif self._bend < 0:
            score = np.minimum(score, self._knee)
        odds: FloatArray = self._relative_odds(score)
        return odds

    def _relative_odds(self, score: Any) -> Any:
        return (self._bend * score + self._slope_at_zero) * score

    @cached_property
    def _knee(self) -> float:
        """Where L meets the log-odds of all scores beyond, on the rising side of the vertex."""
        side = 1.0 if self._bend > 0 else -1.0
        vertex = -self._slope_at_zero / (2 * self._bend)

        def excess(distance: float) -> float:
            score = vertex + side * distance
            beyond = (
                self.log_prior_ratio
                + log_ndtr(side * (score - self.mean_positive) / self.sd_positive)
                - log_ndtr(side * (score - self.mean_negative) / self.sd_negative)
            )
            return side * float(beyond - self._at_zero() - self._relative_odds(score))

        knee = vertex
        # With nearly equal spreads the vertex is so far out that only rounding is left there.
        if excess(0.0) > 0:
            reach = max(self.sd_positive, self.sd_negative)
            while excess(reach) > 0 and np.isfinite(reach):
                reach *= 2
            knee = vertex + side * brentq(excess, 0.0, reach, xtol=1e-12)
        if self.follows_threshold and not self.is_constant:
            # One half is at zero, even if the solver stopped early and L is not.
            knee = min(knee, 0.0) if side > 0 else max(knee, 0.0)
        return float(knee)

    def _logistic(self, score: FloatArray, anchored: bool) -> FloatArray:
        """Return log-odds linear in the score, with the pooled variance."""
        share = float(expit(self.log_prior_ratio))
        variance = share * self.sd_positive**2 + (1 - share) * self.sd_negative**2
        gap = self.mean_positive - self.mean_negative
        slope = max(gap / variance, 0.0)
        if anchored:
            return slope * score
        middle = (self.mean_positive + self.mean_negative) / 2
        return slope * (score - middle) + self.log_prior_ratio

    @property
    def _bend(self) -> float:
        s_pos, s_neg = self.sd_positive, self.sd_negative
        return 0.5 * (1 / s_neg - 1 / s_pos) * (1 / s_neg + 1 / s_pos)

    @property
    def _slope_at_zero(self) -> float:
        return self.mean_positive / self.sd_positive**2 - self.mean_negative / self.sd_negative**2

    def _at_zero(self) -> float:
        z_pos = self.mean_positive / self.sd_positive
        z_neg = self.mean_negative / self.sd_negative
        scale = float(np.log(self.sd_negative) - np.log(self.sd_positive))
        return self.log_prior_ratio + scale + 0.5 * (z_neg - z_pos) * (z_neg + z_pos)
