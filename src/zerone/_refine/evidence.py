"""One evidence for choosing: held-out losses, with standard errors of their differences.

Rules are compared in pairs on the same rows: where two of them err on the same rows, small
differences count, and where they do not, only large ones do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from zerone._refine.held_out import HeldOutRows, Mask
from zerone._refine.judges import ErrorJudge, Judge
from zerone._refine.thresholds import size_of
from zerone._typing import FloatArray

CoordinateMap: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

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

    def in_coordinates(self, mapped: "CoordinateMap") -> "HeldOutRule":
        """Return the same rule in other coordinates.

        Parameters
        ----------
        mapped : callable
            Returns directions there, and constants to add to their scores.
        """
        direction, constant = mapped(self.direction[None])
        of_splits = self.of_splits
        if of_splits is not None:
            directions, constants = mapped(of_splits[:, :-1])
            of_splits = np.column_stack([directions, of_splits[:, -1] + constants])
        intercept = self.intercept + float(constant[0])
        return HeldOutRule(direction[0], intercept, self.scores, of_splits)

    def shifted(self, by: float) -> "HeldOutRule":
        """Return the rule of all rows with a number added to all scores."""
        return HeldOutRule(self.direction, self.intercept + by, self.scores + by)


def combined(
    rules: Sequence[HeldOutRule],
    rows: HeldOutRows,
    judge: Judge,
    starting: FloatArray | None = None,
) -> tuple[HeldOutRule, FloatArray]:
    """Return the sum of rules, weighted by their held-out evidence, and the weights.

    For the error, the last weight is that of always predicting the larger class.

    Parameters
    ----------
    starting : ndarray of shape (n_rules,), optional
        What weights start with, before the evidence; by default all are one.
    """
    scaled = [rule.scaled(1 / size_of(rule.scores, rows.weights)) for rule in rules]
    scores = np.array([rule.scores for rule in scaled])
    known = [rule.of_splits for rule in scaled if rule.of_splits is not None]
    has_splits = len(known) == len(scaled)
    n_splits = len(known[0]) if has_splits else 0
    parts: list[Mask] = [np.ones(len(rows.signs), dtype=bool)]
    parts += [_elsewhere(rows, split) for split in range(n_splits)]
    first = np.ones(len(rules)) if starting is None else starting
    evidence = [
        _evidence_weights(own, scores[:, part], rows.chosen(part), judge, first)
        for own, part in zip(judge.evidence_of(scores, rows, parts), parts, strict=True)
    ]
    weights, shift = evidence[0]
    found = _sum(scaled, weights).shifted(shift)
    if has_splits:
        found = replace(found, of_splits=_sum_of_splits(np.array(known), evidence[1:]))
    return found, weights


def _evidence_weights(
    evidence: tuple[FloatArray, FloatArray],
    scores: FloatArray,
    rows: HeldOutRows,
    judge: Judge,
    starting: FloatArray,
) -> tuple[FloatArray, float]:
    """Return the weights of rules of size one, and what the constant answer adds to the score."""
    losses, errors = evidence
    if not isinstance(judge, ErrorJudge):
        return _softmax(losses, errors, judge.slope, starting), 0.0
    if abs(2 * rows.positive - rows.total) <= 1e-9 * rows.total:
        # Of two classes of equal weight neither is the larger.
        return np.append(_softmax(losses, errors, judge.slope, starting), 0.0), 0.0
    answer = 1.0 if 2 * rows.positive > rows.total else -1.0
    losses, errors = judge.with_constant(scores, rows, answer, (losses, errors))
    starting = np.append(starting, CONSTANT_WEIGHT)
    weights = _softmax(losses, errors, judge.slope, starting)
    return weights, float(weights[-1]) * answer


def _sum_of_splits(
    of_splits: FloatArray, evidence: Sequence[tuple[FloatArray, float]]
) -> FloatArray:
    """Return the sum of the rules of every split, with weights that the other splits give.

    Parameters
    ----------
    of_splits : ndarray of shape (n_rules, n_splits, n_coordinates + 1)
    evidence : sequence of (weights, shift)
        Of every split.
    """
    found: FloatArray = np.zeros(of_splits.shape[1:])
    for split, (weights, shift) in enumerate(evidence):
        found[split] = weights[: len(of_splits)] @ of_splits[:, split]
        found[split, -1] += shift
    return found


def _elsewhere(rows: HeldOutRows, split: int) -> Mask:
    """Return the rows of the other splits; all rows if those lack a class."""
    others: Mask = rows.splits != split
    has_both = (rows.signs[others] > 0).any() and (rows.signs[others] < 0).any()
    return others if has_both else np.ones(len(others), dtype=bool)


def _sum(rules: list[HeldOutRule], weights: FloatArray) -> HeldOutRule:
    """Return the weighted sum; the constant answer, which may be the last, adds nothing here."""
    pairs = list(zip(weights.tolist(), rules, strict=False))
    return HeldOutRule(
        np.sum([weight * rule.direction for weight, rule in pairs], axis=0),
        float(sum(weight * rule.intercept for weight, rule in pairs)),
        np.sum([weight * rule.scores for weight, rule in pairs], axis=0),
    )


def _softmax(
    losses: FloatArray, errors: FloatArray, slope: float, starting: FloatArray
) -> FloatArray:
    """Return weights that fall with the loss, in standard errors of its difference to the best."""
    excess = losses - losses.min()
    distance = np.divide(excess, errors, out=np.zeros_like(excess), where=errors > 0)
    weights = np.exp(-slope * distance) * starting
    return np.asarray(weights / weights.sum())
