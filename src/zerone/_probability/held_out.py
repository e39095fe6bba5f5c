"""Log-odds of a score, calibrated on held-out rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._probability.curves import Lines
from zerone._probability.line_fit import SLOPES, LineFit, fitted_together
from zerone._refine.candidates import MeasuredScores
from zerone._typing import FloatArray
from zerone.rules._direction import factor_between
from zerone.rules._rule import LinearRule

# Most log-odds at the threshold.
_LARGEST_ODDS = 5.0
# Lines meet at the reference and where these shares of each side lie nearer to it.
_SHARES = (1 / 3, 2 / 3)
# Precisions of the prior of the value at the threshold of a rule or, for a ranking, between the
# class means.
_OF_THRESHOLD = 2.0
_OF_MIDDLE = 1.0


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Held-out scores of a rule, and log-odds fitted to them: straight lines that meet.

    Fitted by maximum likelihood, like Platt's sigmoid [1]_. Slopes like that of normal scores, and
    like each other, are the prior; so are even odds at the threshold of a rule that minimises the
    error. A few rows, or rows that are all classified correctly, do not determine a line.

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
        factor = factor_between(rule.coef, measured.scored.coef)
        return cls(
            scores=factor * (measured.values - measured.offset) + rule.intercept,
            positive=prior_weights[0] * measured.positive,
            negative=prior_weights[1] * measured.negative,
            # The pooled variance of a rule's scores is one.
            expected_slope=max(factor * measured.scored.statistics.gap, SLOPES[0]),
            is_anchored=follows_threshold and not rule.is_constant,
            follows_threshold=follows_threshold,
        )

    @property
    def curve(self) -> Lines:
        """The log-odds as a function of the score."""
        return self.lines(*self.fit.solved())

    @property
    def fit(self) -> LineFit:
        """What the lines are fitted to."""
        if self.is_anchored:
            value = 0.0, _OF_THRESHOLD
        else:
            totals = self.positive.sum(), self.negative.sum()
            value = float(np.log(totals[0]) - np.log(totals[1])), _OF_MIDDLE
        return LineFit(
            scores=self.scores,
            positive=self.positive,
            negative=self.negative,
            knots=self.knots,
            reference=self.reference,
            slope=self.expected_slope,
            value=value,
        )

    def lines(self, slopes: FloatArray, middle: float) -> Lines:
        """Return the curve that has these slopes, and this value at the reference."""
        knots, reference = self.knots, self.reference
        if self.is_anchored:
            middle = min(max(middle, -_LARGEST_ODDS), _LARGEST_ODDS)
        steps = np.append(0.0, np.cumsum(slopes[1:-1] * np.diff(knots)))
        values = middle + steps - steps[np.searchsorted(knots, reference)]
        return Lines(
            tuple(knots.tolist()),
            tuple(values.tolist()),
            float(slopes[0]),
            float(slopes[-1]),
            self.follows_threshold,
        )

    @cached_property
    def reference(self) -> float:
        """The score of the value that has a prior.

        The threshold, or between the class means, where normal scores of equal variance have the
        prior odds.
        """
        if self.is_anchored:
            return 0.0
        means = (self.positive @ self.scores, self.negative @ self.scores)
        return float(means[0] / self.positive.sum() + means[1] / self.negative.sum()) / 2

    @cached_property
    def knots(self) -> FloatArray:
        """The reference and scores on both sides of it, in rising order."""
        reference = self.reference
        # Classes of equal weight: rows of the larger one are mostly far from where odds change.
        weights = self.positive / self.positive.sum() + self.negative / self.negative.sum()
        knots = [reference]
        for side in (-1.0, 1.0):
            distances = side * (self.scores - reference)
            own = np.flatnonzero(distances > 0)
            if own.size:
                own = own[np.argsort(distances[own])]
                below = np.cumsum(weights[own]) - weights[own] / 2
                share = below / weights[own].sum()
                knots += (reference + side * np.interp(_SHARES, share, distances[own])).tolist()
        # Knots that rounding alone tells apart are one; the reference stays.
        least = 1e-9 * float(np.ptp(knots))
        kept = [reference]
        for knot in sorted(knots[1:], key=lambda own: abs(own - reference)):
            if min(abs(knot - other) for other in kept) > least:
                kept.append(knot)
        return np.array(sorted(kept))


def curves_of(all_scores: Sequence[HeldOutScores]) -> list[Lines]:
    """Return the curves of several rules; their lines are fitted together."""
    if len(all_scores) == 1:
        return [all_scores[0].curve]
    fits = fitted_together([own.fit for own in all_scores])
    return [own.lines(*fit) for own, fit in zip(all_scores, fits, strict=True)]
