"""Pairwise rules: how their scores become predicted classes and probabilities."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zerone._moments.pair import class_pairs
from zerone._probability.coupling import coupled_probabilities
from zerone._probability.curves import Curve, Lines
from zerone._probability.many_pairs import ManyPairs
from zerone._typing import FloatArray, IntArray

# From so many pairs on, their curves are evaluated together.
_MANY_PAIRS = 10


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
    curves : tuple of Curve or None
        One per pair, in the order of `class_pairs`; None if a class has no rows yet.
    """

    n_classes: int
    curves: tuple[Curve | None, ...]

    def sums(self, scores: FloatArray) -> FloatArray:
        """Return for each row and class the sum of its probabilities against the other classes.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_pairs), or (n_rows,) for a single pair
        """
        scores = scores[:, None] if scores.ndim == 1 else scores
        if self.has_many_pairs:
            return self._many.sums_of_scores(scores)
        sums = np.zeros((len(scores), self.n_classes))
        for column, (negative, positive), curve in self._rules():
            probabilities = curve.probabilities(scores[:, column])
            sums[:, negative] += probabilities[:, 0]
            sums[:, positive] += probabilities[:, 1]
        return sums

    def sums_of_rows(self, rows: FloatArray, coef: FloatArray, intercept: FloatArray) -> FloatArray:
        """Return the same for rows, given the coefficients of all pairs."""
        return self._many.sums(rows, coef, intercept)

    def best_classes(self, rows: FloatArray, coef: FloatArray, intercept: FloatArray) -> IntArray:
        """Return for each row the class with the largest sum."""
        return self._many.best(rows, coef, intercept)

    @property
    def has_many_pairs(self) -> bool:
        """Whether pairs are evaluated together."""
        return len(self.curves) >= _MANY_PAIRS

    @cached_property
    def _many(self) -> ManyPairs:
        return ManyPairs.of(self.n_classes, self.curves)

    def __getstate__(self) -> dict[str, Any]:
        # Thousands of curves are much shorter as arrays.
        lines = [own if isinstance(own, Lines) else None for own in self.curves]
        found = [own for own in lines if own is not None]
        return {
            "n_classes": self.n_classes,
            "others": [own for own in self.curves if not isinstance(own, Lines)],
            "sizes": np.array([0 if own is None else len(own.knots) for own in lines], np.uint8),
            "knots": _short([knot for own in found for knot in own.knots]),
            "values": _short([value for own in found for value in own.values]),
            "slopes": _short([(own.below, own.above) for own in found]).reshape(-1, 2),
            "follows": np.array([own.follows_threshold for own in found], dtype=bool),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        others, curves = iter(state["others"]), []
        rows = zip(state["slopes"].tolist(), state["follows"].tolist(), strict=True)
        knots, values = state["knots"].tolist(), state["values"].tolist()
        first = 0
        for size in state["sizes"].tolist():
            if size == 0:
                curves.append(next(others))
                continue
            own, ((below, above), follows) = slice(first, first + size), next(rows)
            curves.append(Lines(tuple(knots[own]), tuple(values[own]), below, above, follows))
            first += size
        vars(self).update(n_classes=state["n_classes"], curves=tuple(curves))

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of the classes; zero for a class that has no rows yet."""
        sums = self.sums(scores)
        return sums if self.n_classes == 2 else self.coupled(sums)

    def coupled(self, sums: FloatArray) -> FloatArray:
        """Return the probabilities of several classes from their sums."""
        present = sorted({label for _, pair, _ in self._rules() for label in pair})
        probabilities = np.zeros((len(sums), self.n_classes))
        probabilities[:, present] = coupled_probabilities(sums[:, present])
        return probabilities

    def log_probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the logarithm of the probabilities, precise near zero for a single rule."""
        curve = self.curves[0]
        if self.n_classes == 2 and curve is not None:
            return curve.log_probabilities(scores)
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(scores))

    def _rules(self) -> Iterator[tuple[int, tuple[int, int], Curve]]:
        """Yield column, pair and curve of every pair that has a rule."""
        pairs = class_pairs(self.n_classes)
        for column, (pair, curve) in enumerate(zip(pairs, self.curves, strict=True)):
            if curve is not None:
                yield column, pair, curve


def _short(values: list[Any]) -> FloatArray:
    """Return an array in single precision if that changes nothing."""
    found = np.array(values, dtype=np.float64)
    short: Any = found.astype(np.float32)
    return short if (short == found).all() else found
