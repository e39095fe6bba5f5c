"""Candidates from rows: the frontier of every split, and polished directions."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._data.batch import ListedGroups, read_batch
from zerone._data.sample import shared_rows
from zerone._kernels.batch_moments import batch_moments
from zerone._kernels.dense import dense_moments
from zerone._moments.class_moments import ClassMoments
from zerone._moments.implicit import ImplicitCovariance
from zerone._moments.pair import TwoClassMoments
from zerone._moments.shrinkage import total_mean, total_variances
from zerone._refine.candidates import Candidates
from zerone._refine.folds import Folds
from zerone._refine.held_out import HeldOutRows
from zerone._refine.models import (
    SHARES,
    TotalSpread,
    frontier_directions,
    shrinkage_amounts,
)
from zerone._refine.polish import Whitened, polish_error, polish_ranking
from zerone._refine.standard import StandardRows
from zerone._refine.wide import wide_candidates
from zerone._typing import FitMetric, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PairRows:
    """The rows of two classes.

    Attributes
    ----------
    rows : ndarray or csr array of shape (n_rows, n_features)
        May include rows of other classes.
    positive, negative : ndarray of int
        Positions of the rows of each class, without rows of weight zero.
    weights : ndarray of shape (n_rows,) or None
    folds : Folds
        Of all rows.
    moments : TwoClassMoments
        Of both classes.
    cells : sequence of (ClassMoments, ClassMoments), or None
        Moments of the positive and the negative class in each cell of the folds. None if rows are
        read again for each split: if there are fewer rows than features, if rows are wide and
        sparse, or if splits overlap so much that there are many cells.
    """

    rows: Any
    positive: IntArray
    negative: IntArray
    weights: FloatArray | None
    folds: Folds
    moments: TwoClassMoments
    cells: Sequence[tuple[ClassMoments, ClassMoments]] | None

    @property
    def members(self) -> IntArray:
        """Positions of the rows of both classes, positive rows first."""
        return np.concatenate([self.positive, self.negative])

    @property
    def signs(self) -> FloatArray:
        """+1 and -1 for the members."""
        return np.repeat([1.0, -1.0], [len(self.positive), len(self.negative)])

    @property
    def row_weights(self) -> FloatArray | None:
        """Weights of the members; None if all are one."""
        return None if self.weights is None else self.weights[self.members]

    @property
    def weights_of_members(self) -> FloatArray:
        """Weights of the members."""
        weights = self.row_weights
        return np.ones(len(self.positive) + len(self.negative)) if weights is None else weights

    @property
    def is_wide(self) -> bool:
        """Whether the rows are wide and sparse, so that only projections are used."""
        classes = (self.moments.positive, self.moments.negative)
        return any(isinstance(m.covariance, ImplicitCovariance) for m in classes)

    @property
    def has_spread(self) -> bool:
        """Whether any feature is not constant."""
        return bool(total_variances([self.moments.positive, self.moments.negative]).any())

    def units(self, factors: tuple[float, float]) -> tuple[float, float]:
        """Return factors of the class weights that keep the total weight."""
        positive, negative = self.moments.positive.weight, self.moments.negative.weight
        scale = (positive + negative) / (positive * factors[0] + negative * factors[1])
        return factors[0] * scale, factors[1] * scale


# Most rows to polish on: more rows gain almost nothing (evidence/polish_rows.py). And most values,
# to limit memory.
MAX_POLISH_ROWS = 100_000
MAX_POLISH_VALUES = 2**26


class _Split:
    """What both kinds of search need: which rows are held out when, and their weights."""

    def __init__(
        self, pair: PairRows, folds: Folds, factors: tuple[float, float], shrinkage: Any
    ) -> None:
        self._pair, self._folds, self._shrinkage = pair, folds, shrinkage
        self._members, signs = pair.members, pair.signs
        units = pair.units(factors)
        self._weights = pair.weights_of_members * np.where(signs > 0, *units)
        self._tests = [folds.rows_in(cells) for cells in folds.test]
        order = np.concatenate(self._tests)
        splits = np.repeat(np.arange(len(self._tests)), [len(test) for test in self._tests])
        self._held_out = HeldOutRows(splits, signs[order], self._weights[order], units)


class WideSearch(_Split):
    """Search for wide sparse rows: the frontier in a small space per split, no polish."""

    def frontier(self) -> Candidates:
        """Return the candidates on the frontier."""
        pair = self._pair
        return wide_candidates(
            pair.rows,
            self._members,
            pair.signs,
            pair.row_weights,
            self._folds,
            self._held_out,
            self._shrinkage,
        )


class RowSearch(_Split):
    """Search for other rows, standardised: the frontier of each split, then polish."""

    def __init__(
        self, pair: PairRows, folds: Folds, factors: tuple[float, float], shrinkage: Any
    ) -> None:
        super().__init__(pair, folds, factors, shrinkage)
        classes = [pair.moments.positive, pair.moments.negative]
        mean, variance = total_mean(classes), total_variances(classes)
        self._standard = StandardRows.of(pair.rows, self._members, mean, variance)
        self._spread = self._total_spread()

    def frontier(self) -> Candidates:
        """Return the candidates on the frontier."""
        n_varying = self._standard.n_varying
        self._frontier = [
            self._spread.scaled(frontier_directions(positive, negative, n_varying, self._shrinkage))
            for positive, negative in self._training_moments()
        ]
        return self._candidates(self._frontier)

    def polished(
        self, best: int, scores: FloatArray, metric: FitMetric, random: np.random.RandomState
    ) -> Candidates:
        """Return the polished directions after each bandwidth.

        Parameters
        ----------
        best : int
            The candidate to start from.
        scores : ndarray of shape (n_held_out_rows,)
            Its scores.
        """
        pair = self._pair
        n_positive = len(pair.positive)
        most = min(MAX_POLISH_ROWS, MAX_POLISH_VALUES // self._standard.n_coordinates)
        sample, stands_for = _polish_sample(n_positive, len(pair.negative), most, random)
        weights = self._weights[sample] * stands_for
        training = np.array(
            [
                np.where(np.isin(self._folds.cells[sample], cells), weights, 0.0)
                for cells in self._folds.train
            ]
        )
        amount = shrinkage_amounts(self._shrinkage)[best // len(SHARES)]
        block = self._standard.block(self._members[sample])
        whitened = Whitened(block, self._spread.whitener(amount))
        start = np.array([directions[best] for directions in self._frontier])
        if metric == "auc":
            n_sampled = int(np.searchsorted(sample, n_positive))
            states = polish_ranking(n_sampled, training, whitened, start)
        else:
            training /= training.sum(axis=1, keepdims=True)
            thresholds = self._held_out.count(scores[None]).split_thresholds()[0]
            thresholds = np.clip(thresholds, -3.0, 3.0)
            states = polish_error(pair.signs[sample], training, whitened, start, thresholds)
        by_model = np.array(states).transpose(1, 0, 2)
        return self._candidates([self._spread.scaled(directions) for directions in by_model])

    def _candidates(self, directions: list[FloatArray]) -> Candidates:
        """Return candidates from the directions of every model."""
        standard = self._standard
        scores = [
            standard.scores(of_model, self._members[test])
            for of_model, test in zip(directions, self._tests, strict=True)
        ]
        return Candidates(
            self._held_out, np.hstack(scores), np.mean(directions, axis=0), standard.for_features
        )

    def _total_spread(self) -> TotalSpread:
        """Return the covariance of all rows."""
        standard, pair = self._standard, self._pair
        if standard.basis is None:
            both = [standard.moments(m) for m in (pair.moments.positive, pair.moments.negative)]
            everything = both[0].merge(both[1])
        else:
            all_members = ListedGroups([np.sort(self._members)])
            [everything] = dense_moments(standard.rows, all_members, pair.weights)
        covariance = everything.covariance.toarray()
        return TotalSpread(everything.weight, covariance, standard.n_varying)

    def _training_moments(self) -> list[tuple[ClassMoments, ClassMoments]]:
        """Return the moments of both classes for every split."""
        standard, pair = self._standard, self._pair
        if pair.cells is None or standard.basis is not None:
            return [self._directly(cells) for cells in self._folds.train]
        positive, negative = (
            [standard.moments(of_class[side]) for of_class in pair.cells] for side in (0, 1)
        )
        return [(_merged(positive, cells), _merged(negative, cells)) for cells in self._folds.train]

    def _directly(self, cells: tuple[int, ...]) -> tuple[ClassMoments, ClassMoments]:
        """Return the moments of the training rows of one split, read for this split only."""
        standard, pair = self._standard, self._pair
        trained = self._folds.rows_in(cells)
        weights = None if pair.row_weights is None else pair.row_weights[trained]
        batch = read_batch(standard.rows[self._members[trained]], pair.signs[trained], weights)
        moments = batch_moments(batch, "explicit")
        return standard.moments(moments[1.0]), standard.moments(moments[-1.0])


def _merged(parts: Sequence[ClassMoments], cells: tuple[int, ...]) -> ClassMoments:
    return functools.reduce(ClassMoments.merge, (parts[cell] for cell in cells))


def _polish_sample(
    n_positive: int, n_negative: int, most: int, random: np.random.RandomState
) -> tuple[IntArray, FloatArray]:
    """Return positions of at most ``most`` members, in order, and how many rows each stands for.

    As many rows of the rarer class as possible are kept.
    """
    sizes = (n_positive, n_negative)
    if sum(sizes) <= most:
        return np.arange(sum(sizes)), np.ones(sum(sizes))
    wanted = shared_rows(sizes, most)
    parts = [
        start + np.sort(random.choice(size, number, replace=False))
        for start, size, number in zip((0, n_positive), sizes, wanted, strict=True)
    ]
    stands_for = [size / number for size, number in zip(sizes, wanted, strict=True)]
    return np.concatenate(parts), np.repeat(stands_for, wanted)
