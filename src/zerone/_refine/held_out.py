"""Losses on held-out rows: errors with thresholds from other splits, and AUC."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from zerone._typing import FloatArray, IntArray

Mask: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

# Up to this total weight scores are sorted, which is exact; above it they are counted in bins. (By
# weight, so that a weight equals repetition; very many rows of small weight are binned, too.)
_SORTED = 2_000.0
_MOST_SORTED_ROWS = 20_000
# Bins per factor of two: the width of a bin is at most 1.6 % of its scores, at every scale.
_BINS_PER_OCTAVE = 64
_OCTAVES = (-30, 30)
TIE = 1e-9
"""Scores closer than this, in standard deviations, are ties: there is no threshold between them."""


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Rows that were held out from the training of one model.

    Attributes
    ----------
    splits : ndarray of shape (n_rows,)
        The split that holds out each row.
    signs : ndarray of shape (n_rows,)
        +1 or -1.
    weights : ndarray of shape (n_rows,)
        Weights in the error: row weights times class weights.
    units : tuple of float
        Weight in the error of a row of weight one, positive and negative.
    repeats : float
        How often a row is held out, on average over those that are.
    """

    splits: IntArray
    signs: FloatArray
    weights: FloatArray
    units: tuple[float, float] = (1.0, 1.0)
    repeats: float = 1.0

    @cached_property
    def total(self) -> float:
        """Total weight."""
        return float(self.weights.sum())

    @cached_property
    def positive(self) -> float:
        """Total weight of the positive rows."""
        return float(self.weights[self.signs > 0].sum())

    @cached_property
    def negative(self) -> float:
        """Total weight of the negative rows."""
        return float(self.weights[self.signs < 0].sum())

    def chosen(self, mask: Mask) -> "HeldOutRows":
        """Return some of the rows."""
        return replace(
            self, splits=self.splits[mask], signs=self.signs[mask], weights=self.weights[mask]
        )

    @property
    def counts(self) -> tuple[float, float]:
        """Weights of the positive and the negative rows, without the factors of the error."""
        return self.positive / self.units[0], self.negative / self.units[1]

    def rates(self, scores: FloatArray, threshold: float) -> tuple[float, float]:
        """Return the false-negative and the false-positive rate of a threshold."""
        is_found, is_positive = scores > threshold, self.signs > 0
        missed = float(self.weights @ (is_positive & ~is_found)) / self.positive
        return missed, float(self.weights @ (is_found & ~is_positive)) / self.negative

    def error(self, scores: FloatArray, threshold: float) -> float:
        """Return the error of a threshold."""
        is_wrong = (scores > threshold) != (self.signs > 0)
        return float(self.weights @ is_wrong) / self.total

    def separations(self, scores: FloatArray) -> FloatArray:
        """Return each candidate's distance between class means, in standard deviations."""
        means, variances = [], []
        for chosen in (self.signs > 0, self.signs < 0):
            share = self.weights[chosen] / self.weights[chosen].sum()
            own = scores[:, chosen]
            means.append(own @ share)
            variances.append(((own - means[-1][:, None]) ** 2) @ share)
        spread = np.sqrt(np.maximum(variances[0] + variances[1], np.finfo(float).tiny))
        distance: FloatArray = (means[0] - means[1]) / spread
        return distance

    def count(self, scores: FloatArray) -> "Counts":
        """Return the weight of each class and split in each bin of the scores.

        Parameters
        ----------
        scores : ndarray of shape (n_columns, n_rows)
        """
        bins = ranked(scores) if self.is_sorted else _binned(scores)
        n_splits, n_bins = int(self.splits.max()) + 1, bins.lower.shape[1]
        # Positives and negatives of every split are counted in separate bins.
        first = n_bins * (self.splits + n_splits * (self.signs < 0))
        n_all = 2 * n_splits * n_bins
        counted = np.array([np.bincount(own + first, self.weights, n_all) for own in bins.rows])
        positive, negative = counted.reshape(-1, 2, n_splits, n_bins).transpose(1, 0, 2, 3)
        return Counts(positive, negative, bins.lower, bins.upper, self.units)

    @property
    def is_sorted(self) -> bool:
        """Whether scores are sorted, not counted in bins."""
        return self.total <= _SORTED and len(self.signs) <= _MOST_SORTED_ROWS


@dataclass(frozen=True, eq=False)
class Counts:
    """Weights of positives and negatives in bins of rising scores.

    Attributes
    ----------
    positive, negative : ndarray of shape (n_columns, n_splits, n_bins)
    lower, upper : ndarray of shape (n_columns, n_bins)
        Lowest and highest score of each bin; infinite where a column has fewer bins.
    units : tuple of float
        Weight in the error of a row of weight one, positive and negative.
    """

    positive: FloatArray
    negative: FloatArray
    lower: FloatArray
    upper: FloatArray
    units: tuple[float, float]

    def crossfit_errors(self) -> FloatArray:
        """Return the error of each column; the threshold of a split comes from the others."""
        return np.asarray(self._split_errors.sum(axis=1))

    def errors_elsewhere(self) -> FloatArray:
        """Return by (column, split) the error of `crossfit_errors` on the other splits."""
        rest = self._total - (self.positive + self.negative)[0].sum(axis=1)
        errors = self._split_errors.sum(axis=1, keepdims=True) - self._split_errors
        return np.asarray(errors * self._total / np.where(rest > 0, rest, self._total))

    @cached_property
    def _split_errors(self) -> FloatArray:
        """What each split adds to the error of each column."""
        # The loss of a cut is the weight of positives below it, minus the weight of negatives
        # below it, plus the weight of all negatives.
        cuts = self._crossfit_cuts[..., None]
        below = np.take_along_axis(self._losses_below, cuts, axis=2)[..., 0]
        wrong = self.negative.sum(axis=2) + below
        return np.asarray(np.maximum(wrong, 0.0) / self._total)

    def ranking_losses(self) -> FloatArray:
        """Return 1 − AUC of each column.

        Over pairs of rows that the same split holds out, because one model has scored both; over
        all pairs if some split has rows of one class only.
        """
        lost, pairs = self._lost_pairs
        return np.asarray(lost.sum(axis=1) / pairs.sum())

    def ranking_losses_elsewhere(self) -> FloatArray:
        """Return by (column, split) the loss of `ranking_losses` on the other splits."""
        lost, pairs = self._lost_pairs
        if lost.shape[1] == self.positive.shape[1]:
            return np.asarray((lost.sum(axis=1, keepdims=True) - lost) / (pairs.sum() - pairs))
        everything = self.ranking_losses()
        found = []
        for split in range(self.positive.shape[1]):
            rest = (np.delete(mass, split, axis=1) for mass in (self.positive, self.negative))
            own, own_pairs = _lost_pairs(*(m.sum(axis=1, keepdims=True) for m in rest))
            found.append(own[:, 0] / own_pairs[0] if own_pairs[0] > 0 else everything)
        return np.column_stack(found)

    @cached_property
    def roc(self) -> tuple[FloatArray, FloatArray]:
        """False-negative and false-positive rates of each column at each cut, all rows."""
        return _rates(self.positive.sum(axis=1), self.negative.sum(axis=1))

    @cached_property
    def roc_elsewhere(self) -> tuple[FloatArray, FloatArray]:
        """The same by (column, split) on the other splits; on all rows if those lack a class."""
        both = []
        for mass in (self.positive, self.negative):
            everything = mass.sum(axis=1, keepdims=True)
            rest = everything - mass
            has_none = rest.sum(axis=2, keepdims=True) <= 1e-12 * everything.sum(axis=2)[..., None]
            both.append(np.where(has_none, everything, rest))
        return _rates(*both)

    @cached_property
    def _lost_pairs(self) -> tuple[FloatArray, FloatArray]:
        """Weight of the pairs in the wrong order by (column, split), and of all pairs by split."""
        lost, pairs = _lost_pairs(self.positive, self.negative)
        if (pairs > 0).all():
            return lost, pairs
        return _lost_pairs(*(m.sum(axis=1, keepdims=True) for m in (self.positive, self.negative)))

    @cached_property
    def _crossfit_cuts(self) -> IntArray:
        """The best cuts by (column, split), found on the other splits."""
        return crossfit_cuts(self._losses_below, self.lower, self.upper)

    @cached_property
    def _losses_below(self) -> FloatArray:
        """Weight of positives minus that of negatives below each cut."""
        return _below(self.positive - self.negative)

    @property
    def _total(self) -> float:
        return float(self.positive[0].sum() + self.negative[0].sum())


def _lost_pairs(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weight of pairs in the wrong order by (column, split), and of all by split."""
    # Shares of the class totals, whose products could overflow.
    positive, negative = (mass / max(mass[0].sum(), 1e-300) for mass in (positive, negative))
    below = _below(negative)
    lost = below[..., -1:] - (below[..., :-1] + below[..., 1:]) / 2
    pairs = positive[0].sum(axis=1) * negative[0].sum(axis=1)
    return (positive * lost).sum(axis=2), pairs


def _rates(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rates at each cut, from the weights of both classes in bins."""
    missed, below = _below(positive), _below(negative)
    fnr = np.minimum(missed / missed[..., -1:], 1.0)
    return fnr, np.maximum(1 - below / below[..., -1:], 0.0)


def _below(mass: FloatArray) -> FloatArray:
    """Return the weight below each cut; the first cut is below all bins."""
    below = np.zeros((*mass.shape[:-1], mass.shape[-1] + 1))
    np.cumsum(mass, axis=-1, out=below[..., 1:])
    return below


def crossfit_cuts(below: FloatArray, lower: FloatArray, upper: FloatArray) -> IntArray:
    """Return the best cuts by (column, split), found on the other splits.

    Parameters
    ----------
    below : ndarray of shape (n_columns, n_splits, n_bins + 1)
        Weight of positives minus that of negatives below each cut.
    lower, upper : ndarray of shape (n_columns, n_bins)
        See `Counts`.
    """
    shape = len(lower), lower.shape[1] + 1
    gaps, between = np.full(shape, np.inf), np.full(shape, np.inf)
    with np.errstate(invalid="ignore"):
        gaps[:, 1:-1] = lower[:, 1:] - upper[:, :-1]
    gaps[np.isnan(gaps)] = np.inf
    between[:, 0] = -np.inf
    between[:, 1:-1] = (lower[:, 1:] + upper[:, :-1]) / 2
    elsewhere = below.sum(axis=1, keepdims=True) - below
    return best_cuts(elsewhere.reshape(-1, shape[1]), gaps, between).reshape(below.shape[:2])


def best_cuts(losses: FloatArray, gaps: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return for each column the cut with the lowest loss.

    Among ties the cut in the widest gap, then the one nearest to the centre: neither depends on
    which class is positive. Predicting one class for all rows has an infinite gap, so it is
    preferred to a threshold that is no better.

    Parameters
    ----------
    losses : ndarray of shape (n_columns, n_cuts)
    gaps, thresholds : ndarray of shape (n_scores, n_cuts)
        Of the scores, which may be fewer: several columns in turn have the same ones.
    """
    # Cuts that are excluded have an infinite loss.
    lowest, highest = losses.min(axis=1), losses.max(axis=1)
    if not np.isfinite(highest).all():
        highest = np.max(losses, axis=1, where=np.isfinite(losses), initial=0.0)
    tolerance = 1e-12 * np.maximum(np.abs(lowest), np.abs(highest))
    column, cut = np.nonzero(losses <= (lowest + tolerance)[:, None])
    start = np.searchsorted(column, np.arange(len(losses)))
    scores = column // (len(losses) // len(gaps))
    gap = gaps[scores, cut]
    is_widest = gap >= (1 - 1e-9) * np.maximum.reduceat(gap, start)[column]
    # The ends are infinitely far; they are made finite, because narrower cuts get inf.
    distance = np.minimum(np.abs(thresholds[scores, cut]), np.finfo(float).max)
    distance = np.where(is_widest, distance, np.inf)
    nearest = np.flatnonzero(distance == np.minimum.reduceat(distance, start)[column])
    cuts = np.empty(len(losses), dtype=np.intp)
    # Of equal ones the first, which is written last.
    cuts[column[nearest[::-1]]] = cut[nearest[::-1]]
    return cuts


@dataclass(frozen=True, eq=False)
class Bins:
    """The bin of each row, and the lowest and highest score of each bin."""

    rows: IntArray
    lower: FloatArray
    upper: FloatArray


def ranked(scores: FloatArray) -> Bins:
    """Return a bin for each distinct score."""
    n_columns, n_rows = scores.shape
    order = np.argsort(scores, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    is_new = np.ones((n_columns, n_rows), dtype=bool)
    is_new[:, 1:] = np.diff(ordered, axis=1) > TIE
    rank = np.cumsum(is_new, axis=1) - 1
    rows = np.empty((n_columns, n_rows), dtype=np.intp)
    np.put_along_axis(rows, order, rank, axis=1)
    n_bins = int(rank[:, -1].max()) + 1
    lower = np.full((n_columns, n_bins), np.inf)
    upper = np.full((n_columns, n_bins), np.inf)
    is_last = np.ones_like(is_new)
    is_last[:, :-1] = is_new[:, 1:]
    columns = np.broadcast_to(np.arange(n_columns)[:, None], rank.shape)
    lower[columns[is_new], rank[is_new]] = ordered[is_new]
    upper[columns[is_last], rank[is_last]] = ordered[is_last]
    return Bins(rows, lower, upper)


def _binned(scores: FloatArray) -> Bins:
    """Return bins whose width is relative to their scores, so that outliers do no harm.

    The bins between two powers of two have equal width. They are read from the leading bits of a
    float, which is very cheap. Empty bins are left out.
    """
    shift = 23 - int(np.log2(_BINS_PER_OCTAVE))
    lowest, highest = (int(np.float32(2.0**o).view(np.int32)) >> shift for o in _OCTAVES)
    with np.errstate(over="ignore", under="ignore"):
        bits = scores.astype(np.float32).view(np.int32)
    magnitude = (bits & np.int32(0x7FFFFFFF)) >> shift
    np.clip(magnitude, lowest, highest - 1, out=magnitude)
    magnitude -= lowest
    n_magnitudes = highest - lowest
    # Negative scores first, the largest of them in the first bin.
    rows = np.where(bits < 0, n_magnitudes - 1 - magnitude, n_magnitudes + magnitude)
    octave, part = np.divmod(np.arange(n_magnitudes + 1), _BINS_PER_OCTAVE)
    edges = 2.0 ** (_OCTAVES[0] + octave) * (1 + part / _BINS_PER_OCTAVE)
    edges[0] = 0.0
    edges = np.concatenate([-edges[:0:-1], edges])
    used = np.zeros(2 * n_magnitudes, dtype=bool)
    used[rows.ravel()] = True
    rows = (np.cumsum(used) - 1)[rows]
    shape = (len(scores), int(used.sum()))
    return Bins(
        rows, np.broadcast_to(edges[:-1][used], shape), np.broadcast_to(edges[1:][used], shape)
    )
