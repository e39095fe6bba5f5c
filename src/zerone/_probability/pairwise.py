"""Pairwise rules: how their scores become predicted classes and probabilities."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zerone._moments.pair import class_pairs
from zerone._probability.coupling import coupled_probabilities
from zerone._probability.curves import Lines, LinesOfPairs, LogOddsCurve
from zerone._typing import FloatArray

# From so many pairs on, their curves are evaluated together, for so many values at once.
_MANY_PAIRS = 10
_BLOCK_VALUES = 2**15


@dataclass(frozen=True)
class Votes:
    """What prediction needs besides scores.

    Attributes
    ----------
    decision, posterior : PairwiseVote
        How scores choose among several classes, and how they become probabilities.
    """

    decision: "PairwiseVote"
    posterior: "PairwiseVote"


@dataclass(frozen=True)
class PairwiseVote:
    """Summed pairwise probabilities.

    Attributes
    ----------
    n_classes : int
    curves : tuple of LogOddsCurve or None
        One per pair, in the order of `class_pairs`; None if a class has no rows yet.
    """

    n_classes: int
    curves: tuple[LogOddsCurve | None, ...]

    def sums(self, scores: FloatArray) -> FloatArray:
        """Return for each row and class the sum of its probabilities against the other classes.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_pairs), or (n_rows,) for a single pair
        """
        scores = scores[:, None] if scores.ndim == 1 else scores
        if len(self.curves) >= _MANY_PAIRS:
            return self._sums_of_many(scores)
        sums = np.zeros((len(scores), self.n_classes))
        for column, (negative, positive), curve in self._rules():
            probabilities = curve.probabilities(scores[:, column])
            sums[:, negative] += probabilities[:, 0]
            sums[:, positive] += probabilities[:, 1]
        return sums

    def _sums_of_many(self, scores: FloatArray) -> FloatArray:
        """Return the sums of all pairs at once, a few rows at a time."""
        columns: list[int] = []
        curves: list[Lines] = []
        # σ(x) = ½ + ½ tanh(x/2).
        members = np.zeros((len(self.curves), self.n_classes))
        others = np.zeros((len(scores), self.n_classes))
        for column, (negative, positive), curve in self._rules():
            if isinstance(curve, Lines):
                members[column, [negative, positive]] = -0.5, 0.5
                columns.append(column)
                curves.append(curve)
            else:
                probabilities = curve.probabilities(scores[:, column])
                others[:, [negative, positive]] += probabilities
        members, lines = members[columns], LinesOfPairs.of(curves)
        chosen = (
            slice(None) if len(columns) == len(self.curves) else np.array(columns, dtype=np.intp)
        )
        sums = np.empty_like(others)
        step = max(1, _BLOCK_VALUES // max(len(columns), 1))
        for start in range(0, len(scores), step):
            odds = lines.log_odds(scores[start : start + step, chosen])
            odds *= 0.5
            np.tanh(odds, out=odds)
            np.matmul(odds, members, out=sums[start : start + step])
        sums += np.abs(members).sum(axis=0)
        return sums + others

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of the classes; zero for a class that has no rows yet."""
        if self.n_classes == 2:
            return self.sums(scores)
        present = sorted({label for _, pair, _ in self._rules() for label in pair})
        probabilities = np.zeros((len(scores), self.n_classes))
        probabilities[:, present] = coupled_probabilities(self.sums(scores)[:, present])
        return probabilities

    def log_probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the logarithm of the probabilities, precise near zero for a single rule."""
        curve = self.curves[0]
        if self.n_classes == 2 and curve is not None:
            return curve.log_probabilities(scores)
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(scores))

    def _rules(self) -> Iterator[tuple[int, tuple[int, int], LogOddsCurve]]:
        """Yield column, pair and curve of every pair that has a rule."""
        pairs = class_pairs(self.n_classes)
        for column, (pair, curve) in enumerate(zip(pairs, self.curves, strict=True)):
            if curve is not None:
                yield column, pair, curve
