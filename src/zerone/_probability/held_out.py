"""Log-odds of a score, calibrated on held-out rows."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from zerone._probability.curves import Lines
from zerone._refine.candidates import MeasuredScores
from zerone._typing import FloatArray
from zerone.rules._direction import factor_between
from zerone.rules._rule import LinearRule

# Least and largest slope of the log-odds per unit of score (one within-class deviation).
_SLOPES = (1e-3, 1e4)
# Most log-odds at the threshold.
_LARGEST_ODDS = 5.0
# Lines meet at the reference and where these shares of each side lie nearer to it.
_SHARES = (1 / 3, 2 / 3)
# Precisions of the prior: of the mean logarithm of the slopes, of its change from one line to the
# next, and of the value at the threshold of a rule or, for a ranking, between the class means.
_OF_LEVEL = 24.0
_OF_CHANGE = 3.0
_OF_THRESHOLD = 2.0
_OF_MIDDLE = 1.0
# Of the search: most steps, longest step, least share of a step, and the gain that ends it.
_STEPS = 100
_LONGEST_STEP = 4.0
_SHORTEST_SHARE = 1e-6
_PROMISED = 1e-10


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
            expected_slope=max(factor * measured.scored.statistics.gap, _SLOPES[0]),
            is_anchored=follows_threshold and not rule.is_constant,
            follows_threshold=follows_threshold,
        )

    @property
    def curve(self) -> Lines:
        """The log-odds as a function of the score."""
        totals = self.positive.sum(), self.negative.sum()
        if self.is_anchored:
            reference, expected, precision = 0.0, 0.0, _OF_THRESHOLD
        else:
            # Between the class means, where normal scores of equal variance have the prior odds.
            means = (self.positive @ self.scores, self.negative @ self.scores)
            reference = float(means[0] / totals[0] + means[1] / totals[1]) / 2
            expected, precision = float(np.log(totals[0]) - np.log(totals[1])), _OF_MIDDLE
        knots = self._knots(reference)
        # How far a score has gone on every line, counted from the reference.
        ends = np.concatenate([[-np.inf], knots, [np.inf]])
        runs = np.clip(self.scores[:, None], ends[:-1], ends[1:])
        runs -= np.clip(reference, ends[:-1], ends[1:])
        slopes, middle = self._fitted(runs, expected, precision)
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

    def _knots(self, reference: float) -> FloatArray:
        """Return the reference and scores on both sides of it, in rising order."""
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

    def _fitted(
        self,
        runs: FloatArray,
        expected: float,
        precision: float,
    ) -> tuple[FloatArray, float]:
        """Return the most likely slopes and the value at the reference.

        Parameters
        ----------
        runs : ndarray of shape (n_bins, n_lines)
            How far each score has gone on every line.
        expected, precision : float
            Mean and precision of the prior of the value.
        """
        n_lines, level = runs.shape[1], float(np.log(self.expected_slope))
        both = self.positive + self.negative
        # The prior is a quadratic form of the logarithms of the slopes and of the value.
        changes = np.diff(np.eye(n_lines), axis=0)
        prior = np.zeros((n_lines + 1, n_lines + 1))
        prior[:-1, :-1] = _OF_LEVEL / n_lines**2 + _OF_CHANGE * (changes.T @ changes)
        prior[-1, -1] = precision
        centre = np.append(np.full(n_lines, level), expected)

        def loss(point: FloatArray) -> tuple[float, FloatArray]:
            odds = runs @ np.exp(point[:-1]) + point[-1]
            away = point - centre
            likelihood = self.positive @ odds + both @ log_expit(-odds)
            return float(away @ prior @ away / 2 - likelihood), odds

        point = centre
        value, odds = loss(point)
        for _ in range(_STEPS):
            chance = expit(odds)
            by_point = np.column_stack([runs * np.exp(point[:-1]), np.ones(len(odds))])
            by_odds = by_point.T @ (both * chance - self.positive)
            gradient = by_odds + prior @ (point - centre)
            expected_curvature = (by_point.T * (both * chance * (1 - chance))) @ by_point + prior
            # Slopes are exponentials, which bend the loss once more.
            bend = np.append(by_odds[:-1], 0.0)
            step = -_solved(expected_curvature, bend, gradient)
            promised = -float(gradient @ step)
            share = min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _LONGEST_STEP))
            # The curvature that is used is positive, so a step that is short helps.
            while share > _SHORTEST_SHARE:
                trial, trial_odds = loss(point + share * step)
                if trial <= value - 1e-4 * share * promised:
                    break
                share /= 2
            point, value, odds = point + share * step, trial, trial_odds
            if promised <= _PROMISED or share <= _SHORTEST_SHARE:
                break
        slopes = np.clip(np.exp(point[:-1]), *_SLOPES)
        return slopes, float(point[-1])


def _solved(expected: FloatArray, bend: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return a Newton step, or where the curvature is not positive, one of Fisher scoring."""
    try:
        factor = np.linalg.cholesky(expected + np.diag(bend))
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(expected)
    # For so few unknowns NumPy is faster than SciPy, which checks its input.
    return np.asarray(np.linalg.solve(factor.T, np.linalg.solve(factor, gradient)))
