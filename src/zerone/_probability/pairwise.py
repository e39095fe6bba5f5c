"""Pairwise rules: how their scores become predicted classes and probabilities."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zerone._moments.pair import class_pairs
from zerone._probability.coupling import coupled_probabilities
from zerone._probability.curves import LogOddsCurve
from zerone._typing import FloatArray


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
        sums = np.zeros((len(scores), self.n_classes))
        for column, (negative, positive), curve in self._rules():
            probabilities = curve.probabilities(scores[:, column])
            sums[:, negative] += probabilities[:, 0]
            sums[:, positive] += probabilities[:, 1]
        return sums

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
