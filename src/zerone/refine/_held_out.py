"""What held-out rows say about scores: errors with thresholds fitted elsewhere, and AUC."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._typing import FloatArray, IntArray

# Up to this total weight scores are sorted, which is exact; above they are counted in bins.
_SORTED = 2_000.0
_BINS = 1_024
# Bins cover this many standard deviations on each side; what lies beyond is at the ends.
_REACH = 6.0
# Scores closer than this (they are in standard deviations) are ties: no threshold fits between.
_TIE = 1e-9
# Standard errors by which a rule must beat always answering a class that is never wrong.
_EVIDENCE = 3.0


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Rows that some model has not seen.

    Attributes
    ----------
    splits : ndarray of shape (n_rows,)
        By which split each row is held out.
    signs : ndarray of shape (n_rows,)
        +1 or -1.
    weights : ndarray of shape (n_rows,)
        Weights in the error: those of the rows times those of the classes.
    """

    splits: IntArray
    signs: FloatArray
    weights: FloatArray

    @property
    def total(self) -> float:
        """Total weight."""
        return float(self.weights.sum())

    @property
    def constant_error(self) -> float:
        """Error of always giving the better one of the two answers."""
        positive = float(self.weights[self.signs > 0].sum())
        return min(positive, self.total - positive) / self.total

    @property
    def constant_threshold(self) -> float:
        """Threshold of always giving the better one of the two answers: infinite."""
        return -np.inf if 2 * float(self.weights[self.signs > 0].sum()) > self.total else np.inf

    def threshold(self, scores: FloatArray) -> float:
        """Return the threshold of least error for the scores of one candidate, by one sort."""
        order = np.argsort(scores)
        ordered = scores[order]
        below = np.concatenate([[0.0], np.cumsum((self.weights * self.signs)[order])])
        gaps = np.concatenate([[np.inf], np.diff(ordered), [np.inf]])
        between = np.concatenate([[-np.inf], (ordered[1:] + ordered[:-1]) / 2, [np.inf]])
        # No threshold fits between ties.
        losses = np.where(gaps > _TIE, below, np.inf)
        return float(between[best_cuts(losses[None], gaps[None], between[None])[0]])

    def count(self, scores: FloatArray) -> "Counts":
        """Return how much weight of each class and split lies where.

        Parameters
        ----------
        scores : ndarray of shape (n_columns, n_rows)
        """
        places = _ranked(scores) if self.total <= _SORTED else _binned(scores)
        n_splits, n_places = int(self.splits.max()) + 1, places.lower.shape[1]
        # Positives and negatives of every split have places of their own.
        first = n_places * (self.splits + n_splits * (self.signs < 0))
        counted = np.array(
            [np.bincount(own + first, self.weights, 2 * n_splits * n_places)
             for own in places.of_rows]
        )  # fmt: skip
        positive, negative = counted.reshape(-1, 2, n_splits, n_places).transpose(1, 0, 2, 3)
        return Counts(positive, negative, places.lower, places.upper)


@dataclass(frozen=True, eq=False)
class Counts:
    """Weights of positives and negatives in rising places of the score axis.

    Attributes
    ----------
    positive, negative : ndarray of shape (n_columns, n_splits, n_places)
    lower, upper : ndarray of shape (n_columns, n_places)
        Least and largest score of each place; infinite where a column has fewer places.
    """

    positive: FloatArray
    negative: FloatArray
    lower: FloatArray
    upper: FloatArray

    def crossfit_errors(self) -> FloatArray:
        """Return the error of each column, every split with the threshold of the others."""
        # The loss of a cut is the weight of positives below it minus that of negatives below,
        # plus all negatives.
        below = np.take_along_axis(self._losses_below, self._crossfit_cuts[..., None], axis=2)
        wrong = float(self.negative[0].sum()) + below.sum(axis=(1, 2))
        errors: FloatArray = np.maximum(wrong, 0.0) / self._total
        return errors

    def improve_on_one_answer(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Return for each column whether it is better than always giving one answer.

        With thresholds fitted on the other splits it has to win more rows than it loses by some
        standard errors of that difference, because many candidates were compared: by more of
        them the rarer the rarer class is, up to three. Or to halve the error, which a handful of
        rows may do without being significant.
        """
        positive = float(self.positive[0].sum())
        negative = self._total - positive
        all_below = self._below(self.positive + self.negative)
        below = np.take_along_axis(all_below, self._crossfit_cuts[..., None], axis=2)
        below = below.sum(axis=(1, 2))
        answered_rarer = below if positive > negative else self._total - below
        rarer = min(positive, negative)
        gain = rarer - self._total * self.crossfit_errors()
        better: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
        error = np.sqrt(np.maximum(answered_rarer, 0.0))
        needed = _EVIDENCE * (1 - 2 * rarer / self._total) ** 2 * error
        better = (gain > needed) | (2 * gain >= rarer)
        return better

    def ranking_losses(self) -> FloatArray:
        """Return 1 − AUC of each column, over pairs that are held out together."""
        negatives_below = self._below(self.negative)
        at_or_below = (negatives_below[..., :-1] + negatives_below[..., 1:]) / 2
        lost = negatives_below[..., -1:] - at_or_below
        pairs = (self.positive.sum(axis=2) * self.negative.sum(axis=2)).sum(axis=1)
        losses: FloatArray = (self.positive * lost).sum(axis=(1, 2)) / np.maximum(
            pairs, np.finfo(float).tiny
        )
        return losses

    def split_thresholds(self) -> FloatArray:
        """Return the thresholds of least error by (column, split), from the other splits."""
        return np.take_along_axis(self._between(), self._crossfit_cuts, axis=1)

    @cached_property
    def _crossfit_cuts(self) -> IntArray:
        """The best cuts for the other splits, by (column, split)."""
        below = self._losses_below
        overall, gaps, between = below.sum(axis=1), self._gaps(), self._between()
        return np.column_stack(
            [best_cuts(overall - below[:, split], gaps, between) for split in range(below.shape[1])]
        )

    @property
    def _total(self) -> float:
        return float(self.positive[0].sum() + self.negative[0].sum())

    @cached_property
    def _losses_below(self) -> FloatArray:
        """Weight of positives minus that of negatives below each cut."""
        return self._below(self.positive - self.negative)

    @staticmethod
    def _below(mass: FloatArray) -> FloatArray:
        """Return the weight below each cut; the first cut is below all places."""
        below = np.zeros((*mass.shape[:-1], mass.shape[-1] + 1))
        np.cumsum(mass, axis=-1, out=below[..., 1:])
        return below

    def _gaps(self) -> FloatArray:
        """Return the room at each cut, without limit at the ends."""
        gaps = np.full((self.lower.shape[0], self.lower.shape[1] + 1), np.inf)
        with np.errstate(invalid="ignore"):
            gaps[:, 1:-1] = self.lower[:, 1:] - self.upper[:, :-1]
        return np.where(np.isnan(gaps), np.inf, gaps)

    def _between(self) -> FloatArray:
        """Return the threshold in the middle of each cut."""
        between = np.empty((self.lower.shape[0], self.lower.shape[1] + 1))
        between[:, 0], between[:, -1] = -np.inf, np.inf
        between[:, 1:-1] = (self.lower[:, 1:] + self.upper[:, :-1]) / 2
        return between


def best_cuts(losses: FloatArray, gaps: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return for each column the cut of least loss.

    Of equal ones that with the most room, then that nearest to the centre: neither depends on
    which class is called positive. One answer for all has unlimited room, so it is preferred to
    a threshold that is no better.

    Parameters
    ----------
    losses, gaps, thresholds : ndarray of shape (n_columns, n_cuts)
    """
    size = np.abs(losses, where=np.isfinite(losses), out=np.zeros_like(losses))
    tolerance = 1e-12 * size.max(axis=1, keepdims=True)
    tied = losses <= losses.min(axis=1, keepdims=True) + tolerance
    room = np.where(tied, gaps, -1.0)
    roomy = room >= (1 - 1e-9) * room.max(axis=1, keepdims=True)
    # The ends are infinitely far, but not as far as cuts that are out of the question.
    distance = np.minimum(np.abs(thresholds), np.finfo(float).max)
    cuts: IntArray = np.where(roomy, distance, np.inf).argmin(axis=1)
    return cuts


@dataclass(frozen=True, eq=False)
class _Places:
    of_rows: IntArray
    lower: FloatArray
    upper: FloatArray


def _ranked(scores: FloatArray) -> _Places:
    """Return a place for each distinct score."""
    n_columns, n_rows = scores.shape
    order = np.argsort(scores, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    is_new = np.ones((n_columns, n_rows), dtype=bool)
    is_new[:, 1:] = np.diff(ordered, axis=1) > _TIE
    rank = np.cumsum(is_new, axis=1) - 1
    of_rows = np.empty((n_columns, n_rows), dtype=np.intp)
    np.put_along_axis(of_rows, order, rank, axis=1)
    n_places = int(rank[:, -1].max()) + 1
    lower = np.full((n_columns, n_places), np.inf)
    upper = np.full((n_columns, n_places), np.inf)
    is_last = np.ones_like(is_new)
    is_last[:, :-1] = is_new[:, 1:]
    columns = np.broadcast_to(np.arange(n_columns)[:, None], rank.shape)
    lower[columns[is_new], rank[is_new]] = ordered[is_new]
    upper[columns[is_last], rank[is_last]] = ordered[is_last]
    return _Places(of_rows, lower, upper)


def _binned(scores: FloatArray) -> _Places:
    """Return equal bins around zero."""
    width = 2 * _REACH / _BINS
    of_rows = np.clip(np.floor(scores / width) + _BINS // 2, 0, _BINS - 1).astype(np.intp)
    edges = np.broadcast_to(width * (np.arange(_BINS + 1) - _BINS // 2), (len(scores), _BINS + 1))
    return _Places(of_rows, edges[:, :-1], edges[:, 1:])
