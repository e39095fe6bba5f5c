"""One evidence for choosing: held-out losses, with standard errors of their differences.

Rules are compared in pairs on the same rows: where two of them err on the same rows, small
differences count, and where they do not, only large ones do.
"""

from dataclasses import dataclass

import numpy as np

from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import ErrorJudge, Judge
from zerone._refine.thresholds import size_of
from zerone._typing import FloatArray

# The constant answer shifts the threshold of all others, so it starts with less.
CONSTANT_WEIGHT = 0.05


@dataclass(frozen=True, eq=False)
class HeldOutRule:
    """A whole rule: fitted to all rows, and judged by the rows that its fold models held out.

    Attributes
    ----------
    direction : ndarray of shape (n_coordinates,)
        Of the model of all rows.
    intercept : float
        Added to the score along it.
    scores : ndarray of shape (n_held_out_rows,)
        Every row scored by the model that has not seen it, intercept included.
    """

    direction: FloatArray
    intercept: float
    scores: FloatArray

    def scaled(self, factor: float) -> "HeldOutRule":
        """Return the rule with scores times a factor."""
        return HeldOutRule(self.direction * factor, self.intercept * factor, self.scores * factor)


def combined(
    rules: list[HeldOutRule], rows: HeldOutRows, judge: Judge
) -> tuple[HeldOutRule, FloatArray]:
    """Return the sum of rules, weighted by their held-out evidence, and the weights.

    For the error, the last weight is that of always predicting the larger class.
    """
    scaled = [rule.scaled(1 / size_of(rule.scores, rows.weights)) for rule in rules]
    scores = np.array([rule.scores for rule in scaled])
    losses, errors = judge.evidence(scores, rows)
    if not isinstance(judge, ErrorJudge):
        weights = _softmax(losses, errors, judge.slope)
        return _sum(scaled, weights), weights
    if abs(2 * rows.positive - rows.total) <= 1e-9 * rows.total:
        # Of two classes of equal weight neither is the larger.
        weights = np.append(_softmax(losses, errors, judge.slope), 0.0)
        return _sum(scaled, weights[:-1]), weights
    answer = 1.0 if 2 * rows.positive > rows.total else -1.0
    losses, errors = judge.with_constant(scores, rows, answer, (losses, errors))
    starting = np.append(np.ones(len(rules)), CONSTANT_WEIGHT)
    weights = _softmax(losses, errors, judge.slope, starting)
    found = _sum(scaled, weights[:-1])
    shift = float(weights[-1]) * answer
    return HeldOutRule(found.direction, found.intercept + shift, found.scores + shift), weights


def _sum(rules: list[HeldOutRule], weights: FloatArray) -> HeldOutRule:
    pairs = list(zip(weights.tolist(), rules, strict=True))
    return HeldOutRule(
        np.sum([weight * rule.direction for weight, rule in pairs], axis=0),
        float(sum(weight * rule.intercept for weight, rule in pairs)),
        np.sum([weight * rule.scores for weight, rule in pairs], axis=0),
    )


def _softmax(
    losses: FloatArray, errors: FloatArray, slope: float, starting: FloatArray | None = None
) -> FloatArray:
    """Return weights that fall with the loss, in standard errors of its difference to the best."""
    excess = losses - losses.min()
    distance = np.divide(excess, errors, out=np.zeros_like(excess), where=errors > 0)
    weights = np.exp(-slope * distance) * (1.0 if starting is None else starting)
    return np.asarray(weights / weights.sum())
