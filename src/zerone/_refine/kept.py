"""Held-out scores in the form in which a fitted classifier keeps them for `retarget`: few bins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from zerone._refine.candidates import MeasuredScores
from zerone._typing import AnyArray, FloatArray, IntArray, Label
from zerone.rules._direction import ScoredDirection, ScoreStatistics, factor_between

# Bins of one direction: with 128, neighbouring thresholds differ by less than the standard error
# of a rate among 1,600 rows. All directions together have fewer bins than the last number, unless
# even the least bins are more.
_MOST_BINS = 128
_LEAST_BINS = 6
_BINS_OF_ALL = 40_000
# With more pairs only the refined direction is kept, not those of the frontier.
MOST_PAIRS_WITH_ALTERNATIVES = 10


@dataclass(frozen=True, eq=False)
class KeptScores:
    """The held-out scores of all pairs along the directions that `retarget` may choose.

    Scores are in single precision, rows are counted. The first direction of each pair is that of
    its rule.

    Attributes
    ----------
    first : ndarray of shape (n_pairs, n_features)
        Coefficients of the rules.
    others : ndarray of shape (n_pairs · (n_directions − 1), n_features)
    n_directions : int
        Per pair.
    offsets : ndarray of shape (n_pairs · n_directions,)
    statistics : ndarray of shape (n_pairs · n_directions, 8)
        Mean of the negative scores, gap, and both standard deviations: of the held-out rows, and
        of the moments.
    weights : ndarray of shape (n_pairs, 2)
        Of the positive and the negative class.
    ends : ndarray of int, shape (n_pairs · n_directions,)
        Where the bins of each direction end; a pair without held-out scores has none.
    values, positive, negative : ndarray of shape (n_bins,)
        Score and weight of each bin.
    thresholds : ndarray of shape (n_bins,)
        The upper end of each bin.
    """

    first: FloatArray
    others: FloatArray
    n_directions: int
    offsets: FloatArray
    statistics: AnyArray
    weights: FloatArray
    ends: AnyArray
    values: AnyArray
    thresholds: AnyArray
    positive: AnyArray
    negative: AnyArray

    @classmethod
    def of(
        cls,
        pairs: Sequence[tuple[MeasuredScores, ...] | None],
        thresholds: Sequence[float],
        coef: FloatArray,
    ) -> "KeptScores":
        """Return what is kept of measured scores.

        Parameters
        ----------
        pairs : sequence of tuples of MeasuredScores, or None
            The refined direction of each pair, then the alternatives.
        thresholds : sequence of float
            Of the rules along the first direction; kept as they are.
        coef : ndarray of shape (n_pairs, n_features)
            Coefficients of the rules, parallel to the first directions.
        """
        given = next(own for own in pairs if own is not None)
        n_directions = len(given) if len(pairs) <= MOST_PAIRS_WITH_ALTERNATIVES else 1
        n_curves = n_directions * len(pairs)
        most = min(max(_BINS_OF_ALL // n_curves, _LEAST_BINS), _MOST_BINS)
        offsets, statistics = np.zeros(n_curves), np.zeros((n_curves, 8), dtype=np.float32)
        weights, sizes = np.ones((len(pairs), 2)), np.zeros(n_curves, dtype=np.int32)
        others = np.zeros((len(pairs), n_directions - 1, coef.shape[1]))
        parts: list[MeasuredScores] = []
        for pair, columns in enumerate(pairs):
            if columns is None:
                continue
            weights[pair] = columns[0].scored.weights
            for column, own in enumerate(columns[:n_directions]):
                curve = pair * n_directions + column
                factor = 1.0 if column else factor_between(coef[pair], own.scored.coef)
                kept = coarse(own, most, 0.0 if column else thresholds[pair]).scaled(factor)
                offsets[curve], sizes[curve] = kept.offset, len(kept.values)
                statistics[curve] = _numbers(kept)
                parts.append(kept)
                if column:
                    others[pair, column - 1] = own.scored.coef
        counts = [
            np.concatenate([weight * share for weight, share in masses])
            for masses in (
                [(own.counts[0], own.positive) for own in parts],
                [(own.counts[1], own.negative) for own in parts],
            )
        ]
        return cls(
            first=coef,
            others=others.reshape(-1, coef.shape[1]),
            n_directions=n_directions,
            offsets=offsets,
            statistics=statistics,
            weights=weights,
            ends=np.cumsum(sizes, dtype=np.int32),
            values=np.concatenate([own.values for own in parts]).astype(np.float32),
            thresholds=np.concatenate([own.thresholds[1:] for own in parts]).astype(np.float32),
            positive=_short(counts[0]),
            negative=_short(counts[1]),
        )

    def columns(self, pair: int, labels: tuple[Label, Label]) -> tuple[MeasuredScores, ...] | None:
        """Return the measured scores of a pair, given its positive and negative label.

        The refined direction comes first; None if no rows were held out.
        """
        first = pair * self.n_directions
        curves = range(first, first + self.n_directions)
        if self.ends[first] == (self.ends[first - 1] if first else 0):
            return None
        return tuple(self._column(pair, curve, labels) for curve in curves)

    def _column(self, pair: int, curve: int, labels: tuple[Label, Label]) -> MeasuredScores:
        bins = slice(int(self.ends[curve - 1]) if curve else 0, int(self.ends[curve]))
        alternative = curve - pair * self.n_directions - 1
        row = pair * (self.n_directions - 1) + alternative
        coef = self.first[pair] if alternative < 0 else self.others[row]
        offset = float(self.offsets[curve])
        weights = float(self.weights[pair, 0]), float(self.weights[pair, 1])
        numbers = self.statistics[curve].astype(np.float64).tolist()
        scored, predicted = (
            ScoredDirection(coef, own[0] - offset, ScoreStatistics(*own[1:]), weights, labels)
            for own in (numbers[:4], numbers[4:])
        )
        positive, negative = (own[bins].astype(float) for own in (self.positive, self.negative))
        return MeasuredScores(
            scored=scored,
            offset=offset,
            values=self.values[bins].astype(np.float64),
            positive=positive / positive.sum(),
            negative=negative / negative.sum(),
            thresholds=np.append(-np.inf, self.thresholds[bins].astype(np.float64)),
            predicted=predicted,
            counts=(float(positive.sum()), float(negative.sum())),
        )


def coarse(measured: MeasuredScores, most: int, threshold: float = 0.0) -> MeasuredScores:
    """Return the same scores in fewer bins.

    The bin edges that matter are kept if they are few enough: neighbouring bins that are merged
    then have rows of one class only, and every metric's best loss stays as it is. Of more, those
    are kept that spread both rates evenly, in units of their standard errors, at the best of
    nearby points of the ROC curve.

    Parameters
    ----------
    measured : MeasuredScores
    most : int
        Bins.
    threshold : float
        Its edge is kept.
    """
    positive, negative = measured.positive, measured.negative
    if len(positive) <= most:
        return measured
    is_pure_positive, is_pure_negative = negative == 0, positive == 0
    changes = ~(
        (is_pure_positive[:-1] & is_pure_positive[1:])
        | (is_pure_negative[:-1] & is_pure_negative[1:])
    )
    missed, wrong = (
        np.arcsin(np.sqrt(np.clip(rates[1:-1], 0.0, 1.0)))
        for rates in (measured.false_negative_rates, measured.false_positive_rates)
    )
    kept = np.zeros(len(changes), dtype=bool)
    # The edge of the rule's own threshold.
    own = int(np.searchsorted(measured.thresholds[1:-1], threshold))
    kept[min(own, len(kept) - 1)] = True
    room = most - 2
    if np.count_nonzero(changes) <= room:
        kept |= changes
        room = most - 1 - int(np.count_nonzero(kept))
    if room > 0:
        kept[_spread(missed - wrong, missed + wrong, room)] = True
    starts = np.append(0, np.flatnonzero(kept) + 1)
    # Both classes count the same, as everywhere where one value stands for a bin.
    shares = positive + negative
    masses = np.add.reduceat(shares, starts)
    plain = np.add.reduceat(np.ones(len(shares)), starts)
    sums = np.where(
        masses > 0,
        np.add.reduceat(shares * measured.values, starts) / np.where(masses > 0, masses, 1.0),
        np.add.reduceat(measured.values, starts) / plain,
    )
    return replace(
        measured,
        values=sums,
        positive=np.add.reduceat(positive, starts),
        negative=np.add.reduceat(negative, starts),
        thresholds=measured.thresholds[np.append(starts, len(shares))],
    )


def _spread(place: FloatArray, loss: FloatArray, most: int) -> IntArray:
    """Return the points of least loss in cells of equal width, at most so many."""
    width = float(np.ptp(place)) / most
    cells = np.minimum((place - place[0]) / (width or 1.0), most - 1).astype(np.intp)
    order = np.lexsort((loss, cells))
    is_first = np.append(True, np.diff(cells[order]) > 0)
    return np.asarray(order[is_first])


def _numbers(measured: MeasuredScores) -> list[float]:
    found = []
    for own in (measured.scored, measured.predicted):
        statistics = own.statistics
        found += [own.negative_score + measured.offset, statistics.gap]
        found += [statistics.sd_positive, statistics.sd_negative]
    return found


def _short(counts: FloatArray) -> AnyArray:
    """Return counts as the shortest integers that hold them; other weights in single precision."""
    whole = np.round(counts)
    # Counts far below one are not zero.
    rounding = 1e-6 * np.minimum(counts, 1.0)
    if counts.size and whole.max() < 2**32 and (np.abs(counts - whole) <= rounding).all():
        return whole.astype(np.min_scalar_type(int(whole.max())))
    # Weights beyond its range are kept as they are.
    single = np.finfo(np.float32)
    seen = counts[counts > 0]
    fits = seen.size and seen.min() > single.tiny and seen.max() < single.max
    return counts.astype(np.float32) if fits else counts
