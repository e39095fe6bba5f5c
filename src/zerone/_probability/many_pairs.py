"""Sums of pairwise probabilities for many pairs of classes, a block of pairs and rows at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from zerone._probability.curves import Curve, Lines, Parabola
from zerone._typing import FloatArray, IntArray

# Scores of one block: all of them stay in the cache of a core.
_BLOCK_VALUES = 2**16
_BLOCK_ROWS = 512
# Rounding of single precision, with room for the steps from a score to a sum.
_ROUNDING = 8 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True, eq=False)
class ManyPairs:
    """The curves of all pairs of classes, as arrays with a row for each pair.

    Half the log-odds of a pair are ``at_zero + below · z + Σ bends · max(z, knots)``: the sum of
    the probabilities σ(x) = ½ + ½ tanh(x/2) then needs no more than tanh. A pair without a rule
    has zeros.

    Attributes
    ----------
    n_classes : int
    at_zero, below : ndarray of shape (n_pairs, 1)
    knots, bends : ndarray of shape (n_knots, n_pairs, 1)
        Where slopes change, and by how much.
    follows : ndarray of bool, shape (n_pairs, 1)
        Whether the log-odds are never below zero where scores are positive, nor above it elsewhere.
    parabolas : Parabolas
        Curves of another form.
    rules_of_class : ndarray of shape (n_classes,)
        How many pairs with a rule each class is in.
    """

    n_classes: int
    at_zero: FloatArray
    below: FloatArray
    knots: FloatArray
    bends: FloatArray
    follows: Any
    parabolas: "Parabolas"
    rules_of_class: IntArray

    @classmethod
    def of(cls, n_classes: int, curves: Sequence[Curve | None]) -> "ManyPairs":
        """Return the arrays of some curves, in the order of `class_pairs`."""
        # Curves through zero keep the sign of the score by themselves.
        follows = [[c is not None and c.follows_threshold and not c.passes_zero] for c in curves]
        own = [curve if isinstance(curve, Lines) else None for curve in curves]
        most = max((len(curve.knots) for curve in own if curve is not None), default=0)
        at_zero, below = np.zeros((2, len(curves), 1))
        knots, bends = np.zeros((2, most, len(curves), 1))
        for row, curve in enumerate(own):
            if curve is None:
                continue
            size = len(curve.knots)
            changes = np.diff((curve.below, *curve.slopes, curve.above))
            below[row] = curve.below
            knots[:size, row, 0], bends[:size, row, 0] = curve.knots, changes
            at_zero[row] = curve.values[0] - curve.below * curve.knots[0]
            at_zero[row] -= changes @ curve.knots
        used = bends.any(axis=(1, 2))
        has_rule = np.array([curve is not None for curve in curves])
        pairs = np.array(np.triu_indices(n_classes, 1))[:, has_rule]
        return cls(
            n_classes,
            at_zero / 2,
            below / 2,
            knots[used],
            bends[used] / 2,
            np.array(follows),
            Parabolas.of(curves),
            np.asarray(np.bincount(pairs.ravel(), minlength=n_classes)),
        )

    def sums(self, rows: FloatArray, coef: FloatArray, intercept: FloatArray) -> FloatArray:
        """Return for each row and class the sum of its probabilities against the other classes.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_features)
        coef : ndarray of shape (n_pairs, n_features)
        intercept : ndarray of shape (n_pairs,)
        """
        sums = np.zeros((self.n_classes, len(rows)), dtype=rows.dtype)
        columns, constant = np.ascontiguousarray(rows.T), intercept[:, None]
        for run, classes in self._runs():
            for start in range(0, len(rows), _BLOCK_ROWS):
                block = slice(start, start + _BLOCK_ROWS)
                scores = coef[run] @ columns[:, block]
                scores += constant[run]
                self._add(sums[:, block], scores, run, classes)
        return self._completed(sums)

    def sums_of_scores(self, scores: FloatArray) -> FloatArray:
        """Return the same for scores of shape (n_rows, n_pairs)."""
        sums = np.zeros((self.n_classes, len(scores)))
        for run, classes in self._runs():
            for start in range(0, len(scores), _BLOCK_ROWS):
                block = slice(start, start + _BLOCK_ROWS)
                self._add(sums[:, block], np.array(scores[block, run].T, order="C"), run, classes)
        return self._completed(sums)

    def best(self, rows: FloatArray, coef: FloatArray, intercept: FloatArray) -> IntArray:
        """Return the class with the largest sum for each row.

        Sums are made in single precision, in half the time. Rows where its rounding might change
        the answer are summed again.
        """
        if not self.is_steady:
            return np.asarray(self.sums(rows, coef, intercept).argmax(axis=1))
        # Large means would take digits from the scores.
        centre = rows.mean(axis=0)
        centred, moved = rows - centre, coef @ centre + intercept
        short: list[Any] = [values.astype(np.float32) for values in (centred, coef, moved)]
        sums = self._short.sums(*short)
        best = np.asarray(sums.argmax(axis=1))
        top = np.partition(sums, -2, axis=1)[:, -2:]
        # How far rounding of the scores can move a sum: a probability changes by a quarter of its
        # log-odds at most.
        steepness = self._steepness / 4
        moves = np.abs(centred) @ self._by_class(steepness[:, None] * np.abs(coef)).T
        moves += self._by_class((steepness * (1 + np.abs(moved)))[:, None])[:, 0]
        error = _ROUNDING * (moves.max(axis=1) + self.n_classes)
        # Also where something is not a number.
        unsure = np.flatnonzero(~(top[:, 1] - top[:, 0] > 2 * error))
        if unsure.size:
            best[unsure] = self.sums(rows[unsure], coef, intercept).argmax(axis=1)
        return best

    @property
    def is_steady(self) -> bool:
        """Whether a small change of a score is always a small change of its probability."""
        return not (self.follows.any() or len(self.parabolas.pairs))

    @cached_property
    def _short(self) -> "ManyPairs":
        """The same in single precision."""
        arrays: dict[str, Any] = {
            name: getattr(self, name).astype(np.float32)
            for name in ("at_zero", "below", "knots", "bends")
        }
        return replace(self, **arrays)

    @property
    def _steepness(self) -> FloatArray:
        """The largest slope of the log-odds of each pair."""
        slopes = np.cumsum(np.vstack([self.below[None], self.bends]), axis=0)
        return np.asarray(2 * slopes.max(axis=0)[:, 0])

    def _by_class(self, values: FloatArray) -> FloatArray:
        """Return the sums over the pairs of each class of values with a row for each pair."""
        negative, positive = np.triu_indices(self.n_classes, 1)
        sums = np.zeros((self.n_classes, values.shape[1]))
        np.add.at(sums, negative, values)
        np.add.at(sums, positive, values)
        return sums

    def _runs(self) -> Iterator[tuple[slice, range]]:
        """Yield runs of pairs, and the earlier classes of their pairs, whose pairs are complete."""
        most = max(_BLOCK_VALUES // _BLOCK_ROWS, self.n_classes)
        first, pair, size = 0, 0, 0
        for label in range(self.n_classes - 1):
            own = self.n_classes - 1 - label
            if size and size + own > most:
                yield slice(pair, pair + size), range(first, label)
                first, pair, size = label, pair + size, 0
            size += own
        yield slice(pair, pair + size), range(first, self.n_classes - 1)

    def _add(self, sums: FloatArray, scores: FloatArray, run: slice, classes: range) -> None:
        """Add the share of some pairs to sums with a row for each class; overwrites the scores."""
        odds = self._half_odds(scores, run)
        np.tanh(odds, out=odds)
        start = 0
        for label in classes:
            own = odds[start : start + self.n_classes - 1 - label]
            sums[label + 1 :] += own
            sums[label] -= own.sum(axis=0)
            start += len(own)

    def _half_odds(self, scores: FloatArray, run: slice) -> FloatArray:
        odds = scores * self.below[run]
        odds += self.at_zero[run]
        beyond = np.empty_like(odds)
        for knot, bend in zip(self.knots[:, run], self.bends[:, run], strict=True):
            np.maximum(scores, knot, out=beyond)
            beyond *= bend
            odds += beyond
        self.parabolas.put_half_odds(odds, scores, run)
        if self.follows[run].any():
            odds *= ((odds > 0) == (scores > 0)) | ~self.follows[run]
        return odds

    def _completed(self, sums: FloatArray) -> FloatArray:
        """Return sums of probabilities, a row for each row of the data, from those of tanh."""
        sums *= 0.5
        sums += (0.5 * self.rules_of_class[:, None]).astype(sums.dtype)
        return sums.T


@dataclass(frozen=True, eq=False)
class Parabolas:
    """The curves that are parabolas, as arrays; see `Parabola`.

    Attributes
    ----------
    pairs : ndarray of int
        Numbers of their pairs, rising.
    terms : ndarray of shape (7, n_parabolas, 1)
        centre, start, shift, slope, bend, lowest and highest of
        ``start + (t + shift) · (slope + bend · (t − shift))``.
    """

    pairs: IntArray
    terms: FloatArray

    @classmethod
    def of(cls, curves: Sequence[Curve | None]) -> "Parabolas":
        """Return the parabolas among some curves."""
        own = [(row, curve) for row, curve in enumerate(curves) if isinstance(curve, Parabola)]
        terms = [
            (
                curve.centre,
                0.0 if curve.is_anchored else curve.at_centre,
                curve.centre if curve.is_anchored else 0.0,
                curve.slope,
                curve.bend,
                curve.lowest,
                curve.highest,
            )
            for _, curve in own
        ]
        rows = np.array([row for row, _ in own], dtype=np.intp)
        return cls(rows, np.array(terms).reshape(-1, 7).T[:, :, None])

    def put_half_odds(self, odds: FloatArray, scores: FloatArray, run: slice) -> None:
        """Write half the log-odds of the parabolas in a run of pairs."""
        first, last = np.searchsorted(self.pairs, (run.start, run.stop))
        if first == last:
            return
        chosen = self.pairs[first:last] - run.start
        centre, start, shift, slope, bend, lowest, highest = self.terms[:, first:last]
        distance = scores[chosen] - centre
        np.clip(distance, lowest, highest, out=distance)
        odds[chosen] = (start + (distance + shift) * (slope + bend * (distance - shift))) / 2
