"""One evidence for choosing: held-out losses, with standard errors of their differences.

Rules are compared in pairs on the same rows: where two of them err on the same rows, small
differences count, and where they do not, only large ones do.
"""

from dataclasses import dataclass, replace

import numpy as np

from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import ErrorJudge, Judge
from zerone._refine.thresholds import size_of
from zerone._typing import FloatArray

# The constant answer shifts the threshold of all others, so it starts with less.
_CONSTANT_WEIGHT = 0.05


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
    of_splits : ndarray of shape (n_splits, n_coordinates + 1), optional
        Directions and, last, intercepts of the models that gave the scores; None if they have no
        common coordinates.
    """

    direction: FloatArray
    intercept: float
    scores: FloatArray
    of_splits: FloatArray | None = None

    def scaled(self, factor: float) -> "HeldOutRule":
        """Return the rule with scores times a factor."""
        return HeldOutRule(
            self.direction * factor,
            self.intercept * factor,
            self.scores * factor,
            None if self.of_splits is None else self.of_splits * factor,
        )

    def shifted(self, by: float) -> "HeldOutRule":
        """Return the rule of all rows with a number added to all scores."""
        return HeldOutRule(self.direction, self.intercept + by, self.scores + by)


def combined(
    rules: list[HeldOutRule], rows: HeldOutRows, judge: Judge
) -> tuple[HeldOutRule, FloatArray]:
    """Return the sum of rules, weighted by their held-out evidence, and the weights.

    For the error, the last weight is that of always predicting the larger class.
    """
    scaled = [rule.scaled(1 / size_of(rule.scores, rows.weights)) for rule in rules]
    scores = np.array([rule.scores for rule in scaled])
    weights, shift = _evidence_weights(scores, rows, judge)
    found = _sum(scaled, weights).shifted(shift)
    return replace(found, of_splits=_of_splits(scaled, scores, rows, judge)), weights


def _evidence_weights(
    scores: FloatArray, rows: HeldOutRows, judge: Judge
) -> tuple[FloatArray, float]:
    """Return the weights of rules of size one, and what the constant answer adds to the score."""
    losses, errors = judge.evidence(scores, rows)
    if not isinstance(judge, ErrorJudge):
        return _softmax(losses, errors, judge.slope), 0.0
    if abs(2 * rows.positive - rows.total) <= 1e-9 * rows.total:
        # Of two classes of equal weight neither is the larger.
        return np.append(_softmax(losses, errors, judge.slope), 0.0), 0.0
    answer = 1.0 if 2 * rows.positive > rows.total else -1.0
    losses, errors = judge.with_constant(scores, rows, answer, (losses, errors))
    starting = np.append(np.ones(len(scores)), _CONSTANT_WEIGHT)
    weights = _softmax(losses, errors, judge.slope, starting)
    return weights, float(weights[-1]) * answer


def _of_splits(
    rules: list[HeldOutRule], scores: FloatArray, rows: HeldOutRows, judge: Judge
) -> FloatArray | None:
    """Return the sum of the rules of every split, with weights that the other splits give."""
    known = [rule.of_splits for rule in rules if rule.of_splits is not None]
    if len(known) < len(rules):
        return None
    found = np.zeros_like(known[0])
    for split, own in enumerate(found):
        others = rows.splits != split
        rest = rows.chosen(others)
        has_both = len(rest.signs) > 0 and rest.positive > 0 and rest.negative > 0
        elsewhere = (scores[:, others], rest) if has_both else (scores, rows)
        weights, shift = _evidence_weights(*elsewhere, judge)
        own += weights[: len(rules)] @ np.array([of_splits[split] for of_splits in known])
        own[-1] += shift
    return found


def _sum(rules: list[HeldOutRule], weights: FloatArray) -> HeldOutRule:
    """Return the weighted sum; the constant answer, which may be the last, adds nothing here."""
    pairs = list(zip(weights.tolist(), rules, strict=False))
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
