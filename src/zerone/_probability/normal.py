"""Log-odds of normal scores, made monotone."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, log_ndtr

from zerone._moments.pair import TwoClassMoments
from zerone._probability.curves import Curve, Lines, Parabola
from zerone.rules._direction import ScoreStatistics
from zerone.rules._rule import LinearRule


@dataclass(frozen=True)
class NormalScores:
    r"""Log-odds of the positive class given a score z, under normal scores.

    .. math::
        L(z) = \log\frac{p_+}{s_+} - \frac{(z - m_+)^2}{2 s_+^2}
             - \log\frac{p_-}{s_-} + \frac{(z - m_-)^2}{2 s_-^2}

    is a parabola that rises through both means and turns beyond the mean of the narrower class.
    To keep the probability monotone, L is constant from a knee before the vertex on: there the
    probability equals the share of positives among all scores beyond the knee. This is the
    isotonic regression of the model on its own distribution, so probabilities stay calibrated.

    L is expanded around the mean of the narrower class, where nothing cancels: the threshold of
    a constant rule is very many standard deviations of that class away.

    Attributes
    ----------
    statistics : ScoreStatistics
    mean_negative : float
        Mean score of the negative class, intercept included.
    log_prior_ratio : float
        log(p₊/p₋).
    is_constant : bool
        Whether the rule always predicts one class: its threshold lies beyond every row.
    follows_threshold : bool
        Whether the probability must be one half at z = 0. True for rules that minimise the error:
        L(z) − L(0) is used, because L(0) is not zero if the solver stopped early. False for rules
        retargeted to another metric, which have another threshold.
    """

    statistics: ScoreStatistics
    mean_negative: float
    log_prior_ratio: float
    is_constant: bool
    follows_threshold: bool

    @classmethod
    def of_rule(
        cls,
        pair: TwoClassMoments,
        rule: LinearRule,
        priors: tuple[float, float],
        *,
        follows_threshold: bool,
    ) -> "NormalScores":
        """Return the model of a rule's scores under given (positive, negative) priors."""
        mean_negative = float(rule.coef @ pair.negative.mean) + rule.intercept
        mean_negative += float(rule.coef @ pair.negative.mean_correction)
        return cls(
            statistics=ScoreStatistics.of_direction(pair, rule.coef),
            mean_negative=mean_negative,
            log_prior_ratio=float(np.log(priors[0]) - np.log(priors[1])),
            is_constant=rule.is_constant,
            follows_threshold=follows_threshold,
        )

    @cached_property
    def curve(self) -> Curve:
        """The log-odds as a function of the score."""
        has_spread = self.statistics.sd_positive > 0
        return self._parabola() if has_spread and self._rises else self._logistic()

    @property
    def _is_anchored(self) -> bool:
        return self.follows_threshold and not self.is_constant

    @property
    def _rises(self) -> bool:
        """Whether the parabola rises where the rule needs it to."""
        if self._is_anchored:
            return self._slope - 2 * self._bend * self._centre > 0
        return self.statistics.gap > 0

    # -- the parabola, around the mean of the narrower class -----------------------------------

    @cached_property
    def _side(self) -> float:
        """+1 if the positive class is the narrower one, -1 if the negative class is."""
        return 1.0 if self.statistics.sd_positive < self.statistics.sd_negative else -1.0

    @cached_property
    def _centre(self) -> float:
        return self.mean_negative + (self.statistics.gap if self._side > 0 else 0.0)

    @cached_property
    def _bend(self) -> float:
        narrow = 1 / self.statistics.sd_positive
        wide = 1 / self.statistics.sd_negative
        return 0.5 * (wide - narrow) * (wide + narrow)

    @cached_property
    def _slope(self) -> float:
        """Slope of L at the centre."""
        return self.statistics.gap / self._wide_sd**2

    @property
    def _wide_sd(self) -> float:
        return max(self.statistics.sd_positive, self.statistics.sd_negative)

    @cached_property
    def _at_centre(self) -> float:
        spread = np.log(self.statistics.sd_negative) - np.log(self.statistics.sd_positive)
        square = (self.statistics.gap / self._wide_sd) ** 2 / 2
        return self.log_prior_ratio + float(spread) + self._side * square

    def _parabola(self) -> Parabola:
        knee = self._knee if self._bend else 0.0
        return Parabola(
            centre=self._centre,
            at_centre=self._at_centre,
            slope=self._slope,
            bend=self._bend,
            lowest=knee if self._bend > 0 else -np.inf,
            highest=knee if self._bend < 0 else np.inf,
            is_anchored=self._is_anchored,
            follows_threshold=self.follows_threshold,
        )

    @cached_property
    def _knee(self) -> float:
        """Distance from the centre where L equals the log-odds of all scores beyond."""
        # A narrow positive class bends L down on the right; a narrow negative one up on the left.
        beyond = self._side
        vertex = -self._slope / (2 * self._bend)
        gap, s_pos, s_neg = (
            self.statistics.gap,
            self.statistics.sd_positive,
            self.statistics.sd_negative,
        )
        to_positive, to_negative = (0.0, gap) if self._side > 0 else (-gap, 0.0)

        def excess(back: float) -> float:
            """Return the signed difference of L and the log-odds beyond, a step from the vertex."""
            distance = vertex - beyond * back
            share = (
                self.log_prior_ratio
                + log_ndtr(-beyond * (distance + to_positive) / s_pos)
                - log_ndtr(-beyond * (distance + to_negative) / s_neg)
            )
            odds = self._at_centre + (self._bend * distance + self._slope) * distance
            return -beyond * float(share - odds)

        knee = vertex
        # With nearly equal variances the vertex is so far away that only rounding is left there.
        if excess(0.0) > 0:
            reach = self._wide_sd
            while excess(reach) > 0 and np.isfinite(reach):
                reach *= 2
            least = np.finfo(float).eps * reach
            knee = vertex - beyond * float(brentq(excess, 0.0, reach, xtol=least, rtol=1e-14))
        if self._is_anchored:
            # The probability is one half at zero, even if the solver stopped early.
            knee = max(knee, -self._centre) if beyond > 0 else min(knee, -self._centre)
        return knee

    def _logistic(self) -> Lines:
        """Return log-odds linear in the score, with the pooled variance."""
        pooled = self.statistics.pooled_sd(float(expit(self.log_prior_ratio)))
        gap = self.statistics.gap
        # Without any spread the curve is a step: steep enough to be one in float64.
        slope = max(gap, 0.0) / max(pooled**2, 1e-12 * gap**2, float(np.finfo(float).tiny))
        middle = self.mean_negative + gap / 2
        return Lines(
            knots=(0.0 if self._is_anchored else middle,),
            values=(0.0 if self._is_anchored else self.log_prior_ratio,),
            below=slope,
            above=slope,
            follows_threshold=self.follows_threshold,
        )
