"""Candidates from rows: the frontier of every split, and polished directions."""

import functools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._data.batch import Batch, ListedGroups, read_batch
from zerone._kernels.batch_moments import batch_moments, moments_by_cell
from zerone._kernels.dense import dense_moments
from zerone._moments.class_moments import ClassMoments
from zerone._moments.shrinkage import total_mean, total_variances
from zerone._refine.blocks import DenseBlock
from zerone._refine.candidates import Candidates
from zerone._refine.evidence import HeldOutRule
from zerone._refine.folds import Folds
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import Judge
from zerone._refine.logistic import Logistic
from zerone._refine.models import (
    AMOUNTS,
    MIDDLE,
    SHARES,
    CellMoments,
    TotalSpread,
    TrainedModels,
)
from zerone._refine.pair_rows import PairRows
from zerone._refine.polish import Polish
from zerone._refine.standard import StandardRows
from zerone._refine.training_rows import Sample, TrainingRows
from zerone._refine.wide import wide_candidates
from zerone._typing import FloatArray, IntArray
from zerone.frontier._frontier import Frontier
from zerone.frontier._mixture import mixture_of, rules_along
from zerone.frontier._together import search_together
from zerone.metrics import ChosenMetric, chosen_metric

# With more cells than this, each with its own matrices, reading rows again per split is cheaper.
MOST_CELLS_PER_SPLIT = 3
# The logistic rule needs fewer rows, and a factorisation.
MAX_LOGISTIC_WEIGHT = 20_000
MAX_LOGISTIC_VALUES = 2**24
MAX_LOGISTIC_COORDINATES = 2_000
# Held-out values that are copied, so that all splits are scored at once.
_FEW_VALUES = 2**16
# Log-odds of a class mean, at most, where the logistic rule starts.
_LARGEST_ODDS = 5.0


class SplitRows:
    """What all searches need: which rows are held out when, and their weights."""

    def __init__(
        self,
        pair: PairRows,
        folds: Folds,
        sample: Sample,
        factors: tuple[float, float],
        shrinkage: Any = None,
    ) -> None:
        self._pair, self._folds, self._shrinkage = pair, folds, shrinkage
        self._units = pair.units(factors)
        self._members, self._signs = pair.members[sample.chosen], pair.signs[sample.chosen]
        weights = pair.weights_of_members[sample.chosen]
        units = _kept_total(weights, self._signs, self._units, sample.stands_for)
        self._weights = weights * np.where(self._signs > 0, *units)
        self._own_folds = folds.of_rows(sample.chosen)
        self._tests = [self._own_folds.rows_in(cells) for cells in folds.test]
        order = np.concatenate(self._tests)
        splits = np.repeat(np.arange(len(self._tests)), [len(test) for test in self._tests])
        n_distinct = np.count_nonzero(np.bincount(order)) if order.size else 0
        repeats = len(order) / max(n_distinct, 1)
        self._held_out = HeldOutRows(
            splits, self._signs[order], self._weights[order], units, repeats
        )

    @property
    def held_out(self) -> HeldOutRows:
        """The rows that are held out by some split."""
        return self._held_out

    @property
    def members(self) -> IntArray:
        """Positions of the rows."""
        return self._members

    @property
    def tests(self) -> list[IntArray]:
        """The members that each split holds out."""
        return self._tests


class WideSearch(SplitRows):
    """Search for wide sparse rows: the frontier in a small space per split, no polish."""

    def frontier(self, judge: Judge) -> Candidates:
        """Return the candidates on the frontier."""
        weights = self._pair.weights
        return wide_candidates(
            self._pair.rows,
            self._members,
            self._signs,
            None if weights is None else weights[self._members],
            self._own_folds,
            self._held_out,
            self._shrinkage,
        )


class RowSearch(SplitRows):
    """Search for other rows, standardised: moments, logistic regression, frontier, polish."""

    def __init__(
        self,
        pair: PairRows,
        folds: Folds,
        sample: Sample,
        factors: tuple[float, float],
        shrinkage: Any,
    ) -> None:
        super().__init__(pair, folds, sample, factors, shrinkage)
        classes = [pair.moments.positive, pair.moments.negative]
        mean, variance = total_mean(classes), total_variances(classes)
        self._standard = StandardRows.of(pair.rows, pair.members, mean, variance)
        self._spread = self._total_spread()
        self._training = self._training_rows(is_single=pair.is_single or not sample.is_whole)
        self._trained = self._trained_models()
        self._shrunk = self._trained.shrunk(shrinkage)
        # Of the model of all rows.
        self._everything = self._shrunk.frontier(-1, self._units)

    def frontier(self, judge: Judge) -> Candidates:
        """Return the candidates on the frontier."""
        # The rule of the moments first: the directions then use its diagonalisation.
        found = [self._shrunk.directions(SHARES, self._everything)]
        if judge.tries_shrinkage and self._shrinkage == "auto":
            found += [self._trained.shrunk(amount).directions(MIDDLE) for amount in AMOUNTS]
        self._frontier = self._spread.scaled(np.concatenate(found, axis=1))
        return self._candidates(self._frontier)

    def best_of_moments(self, metric: ChosenMetric, judge: Judge) -> "BestOfMoments":
        """Return the search for the rule of the moments of all rows."""
        # The weights of a weighted error are those of the rows.
        own = chosen_metric("error") if judge.sets_thresholds else metric
        return BestOfMoments(self._everything, own)

    def rule_of_moments(self, metric: ChosenMetric, judge: Judge) -> HeldOutRule:
        """Return the rule of the moments, as ``refine=None`` finds it."""
        self._of_moments = self._rules_of_moments(self.best_of_moments(metric, judge).metric)
        return self._rule(*self._of_moments, judge)

    def _rules_of_moments(self, metric: ChosenMetric) -> tuple[FloatArray, FloatArray]:
        """Return the best rule of all rows, and for every split its point of the frontier."""
        rule = self._everything.best_for(metric)
        mixture = mixture_of(self._everything.pair, rule.coef)
        trained, shares = self._trained, self._trained.weights * np.array(self._units)
        shares /= shares.sum(axis=1, keepdims=True)
        moments = trained.weights, trained.means, self._shrunk.covariances
        coef, intercepts = rules_along(self._shrunk.mixed(mixture), moments, shares)
        for split in np.flatnonzero(np.isnan(intercepts)).tolist():
            own = self._shrunk.frontier(split, self._units).best_for(metric)
            coef[split], intercepts[split] = own.coef, own.intercept
        return np.vstack([coef, rule.coef]), np.append(intercepts, rule.intercept)

    def logistic(self, judge: Judge) -> Logistic | None:
        """Return ridge logistic regression, from the rules of the moments on; None if too wide."""
        n_coordinates = self._standard.n_coordinates
        if n_coordinates > MAX_LOGISTIC_COORDINATES:
            return None
        most = min(MAX_LOGISTIC_WEIGHT, MAX_LOGISTIC_VALUES // n_coordinates)
        rows = self._training.thinned(most)
        if not rows.has_both_classes():
            return None
        start = _log_odds(*self._of_moments, self._trained.deltas)
        return Logistic(rows, start, self._spread.covariance, judge.penalties)

    def logistic_rules(self, found: list[FloatArray], judge: Judge) -> list[HeldOutRule]:
        """Return the rules of `logistic`, given its solution."""
        return [self._rule(point[:, :-1], point[:, -1], judge) for point in found]

    def _rule(self, directions: FloatArray, intercepts: FloatArray, judge: Judge) -> HeldOutRule:
        """Return the rule of the last model, with held-out scores of the others.

        Where only scores are judged, intercepts are left out: those of few rows differ between
        models.
        """
        if not judge.sets_thresholds:
            intercepts = np.zeros(len(directions))
        scores = self._scores(directions[:-1, None])[0]
        scores += np.repeat(intercepts[:-1], [len(test) for test in self._tests])
        of_splits = np.column_stack([directions, intercepts])[:-1]
        return HeldOutRule(directions[-1], float(intercepts[-1]), scores, of_splits)

    def _training_rows(self, *, is_single: bool) -> TrainingRows:
        """Return the rows to train on, with weights for the models of all splits and of all rows.

        Parameters
        ----------
        is_single : bool
            Single precision.
        """
        trains = np.zeros((len(self._folds.train) + 1, self._folds.n_cells), dtype=bool)
        for own, train in zip(trains, self._folds.train, strict=False):
            own[list(train)] = True
        trains[-1] = True
        block = self._standard.block(self._members, is_single=is_single)
        return TrainingRows(block, self._signs, trains[:, self._own_folds.cells] * self._weights)

    def _scores(self, directions: FloatArray) -> FloatArray:
        """Return the scores of the rows that each split holds out, by the split's directions."""
        if self._held_out_values is not None:
            by_split = directions @ self._held_out_values
            return np.asarray(by_split.swapaxes(0, 1)[:, self._places])
        scores = np.empty((directions.shape[1], len(self._held_out.signs)))
        first = 0
        for own, runs in zip(directions, self._runs, strict=True):
            for run in runs:
                last = first + run.stop - run.start
                scores[:, first:last] = self._training.block.scores_of(own, run)
                first = last
        return scores

    @functools.cached_property
    def _held_out_values(self) -> FloatArray | None:
        """The rows that each split holds out as columns, then zeros; None if that is much."""
        block = self._training.block
        if not isinstance(block, DenseBlock) or block.values.size > _FEW_VALUES:
            return None
        sizes = [len(test) for test in self._tests]
        values = np.zeros((len(sizes), block.n_coordinates, max(sizes)))
        for own, test in zip(values, self._tests, strict=True):
            own[:, : len(test)] = block.values[:, test]
        return values

    @functools.cached_property
    def _places(self) -> Any:
        """Which columns of the held-out values have rows."""
        sizes = np.array([len(test) for test in self._tests])
        return np.arange(sizes.max()) < sizes[:, None]

    @functools.cached_property
    def _runs(self) -> list[list[slice]]:
        """Held-out rows of each split as runs of neighbours: few, where rows are in their order."""
        found = []
        for test in self._tests:
            ends = np.flatnonzero(np.diff(test) != 1) + 1
            starts = test[np.concatenate([[0], ends])]
            stops = test[np.append(ends, len(test)) - 1] + 1
            found.append([slice(*run) for run in zip(starts.tolist(), stops.tolist(), strict=True)])
        return found

    def polish(self, best: int, thresholds: FloatArray | None, judge: Judge) -> Polish:
        """Return the smoothed losses to be minimised.

        Parameters
        ----------
        best : int
            The candidate to start from.
        thresholds : ndarray of shape (n_models,) or None
            See `Judge.starting_thresholds`.
        """
        start, whitener = self._frontier[:, best], self._spread.whitener
        return judge.polish(self._training, whitener, start, self._held_out, thresholds)

    def polished(self, states: list[FloatArray]) -> Candidates:
        """Return the polished directions after each bandwidth, given the solution of `polish`."""
        return self._candidates(self._spread.scaled(np.stack(states, axis=1)))

    def _candidates(self, directions: FloatArray) -> Candidates:
        """Return candidates from directions of shape (n_models, n_candidates, n_coordinates)."""
        return Candidates(
            self._held_out,
            self._scores(directions[:-1]),
            directions[-1],
            self._standard.for_features,
            np.array(directions[:-1]),
        )

    def _total_spread(self) -> TotalSpread:
        """Return the covariance of all rows."""
        standard, pair = self._standard, self._pair
        if standard.basis is None:
            both = [standard.moments(m) for m in (pair.moments.positive, pair.moments.negative)]
            everything = both[0].merge(both[1])
        else:
            all_members = ListedGroups([np.sort(pair.members)])
            [everything] = dense_moments(standard.rows, all_members, pair.weights)
        covariance = everything.covariance.toarray()
        return TotalSpread(everything.weight, covariance, standard.n_varying)

    def _trained_models(self) -> TrainedModels:
        """Return the moments of the training rows of every split, and last of all rows."""
        everything = tuple(np.flatnonzero(np.bincount(self._folds.cells)).tolist())
        trained, n_varying = [*self._folds.train, everything], self._standard.n_varying
        if self._folds.n_cells > MOST_CELLS_PER_SPLIT * self._folds.n_splits:
            models = TrainedModels.of_pairs([self._directly(own) for own in trained], n_varying)
        else:
            used = np.zeros((len(trained), self._folds.n_cells), dtype=bool)
            for row, cells in zip(used, trained, strict=True):
                row[list(cells)] = True
            models = TrainedModels.of_cells(self._moments_of_cells(), used, n_varying)
        if self._pair.is_sample and self._standard.basis is None:
            moments = self._pair.moments
            both = moments.positive, moments.negative
            models = models.with_last([self._standard.moments(own) for own in both])
        return models

    def _moments_of_cells(self) -> list[CellMoments]:
        """Return the moments of each class in every cell."""
        standard, cells = self._standard, self._pair.cells
        if cells is None or standard.basis is not None:
            read = moments_by_cell(
                self._batch(slice(None)), self._folds.cells, self._folds.n_cells, "explicit"
            )
            cells = (
                CellMoments.of([own[1.0] for own in read]),
                CellMoments.of([own[-1.0] for own in read]),
            )
            if standard.basis is not None:
                return list(cells)
        return [own.standardised(standard.centre, standard.inverse) for own in cells]

    def _directly(self, cells: tuple[int, ...]) -> tuple[ClassMoments, ClassMoments]:
        """Return the moments of the training rows of one split, read for this split only."""
        moments = batch_moments(self._batch(self._folds.rows_in(cells)), "explicit")
        return self._standard.moments(moments[1.0]), self._standard.moments(moments[-1.0])

    def _batch(self, chosen: IntArray | slice) -> Batch:
        """Return some of the members with their signs as labels."""
        pair = self._pair
        weights = None if pair.row_weights is None else pair.row_weights[chosen]
        rows = self._standard.rows[pair.members[chosen]]
        return read_batch(rows, pair.signs[chosen], weights, classes=[-1.0, 1.0])


@dataclass(frozen=True, eq=False)
class BestOfMoments:
    """The search for the best rule of a frontier, which finds it faster afterwards.

    Attributes
    ----------
    frontier : Frontier
    metric : ChosenMetric
    """

    frontier: Frontier
    metric: ChosenMetric

    @property
    def kind(self) -> Hashable:
        """What searches have in common that can be made together."""
        return self.frontier.pair.n_features

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows, and of numbers for each of them."""
        return 1, 1

    def solved(self) -> None:
        """Leave the frontier as it is: it can search alone."""

    @classmethod
    def solved_together(cls, searches: Sequence["BestOfMoments"]) -> list[None]:
        """Search several frontiers."""
        search_together([own.frontier for own in searches], [own.metric for own in searches])
        return [None] * len(searches)


def _kept_total(
    weights: FloatArray,
    signs: FloatArray,
    units: tuple[float, float],
    stands_for: tuple[float, float],
) -> tuple[float, float]:
    """Return units that rows of a sample have in the error, so that its weight is their number."""
    if stands_for == (1.0, 1.0):
        return units
    counts = float(weights[signs > 0].sum()), float(weights[signs < 0].sum())
    own = units[0] * stands_for[0], units[1] * stands_for[1]
    scale = sum(counts) / (counts[0] * own[0] + counts[1] * own[1])
    return own[0] * scale, own[1] * scale


def _log_odds(directions: FloatArray, intercepts: FloatArray, deltas: FloatArray) -> FloatArray:
    """Return log-odds that the moments suggest, as directions and intercepts.

    With scores of pooled variance one they rise by the distance of the class means.
    """
    gaps = np.maximum(np.vecdot(directions, deltas), 1e-9)
    slopes = np.minimum(gaps, 2 * _LARGEST_ODDS / gaps)
    odds = np.clip(slopes * intercepts, -_LARGEST_ODDS, _LARGEST_ODDS)
    return np.column_stack([slopes[:, None] * directions, odds])
