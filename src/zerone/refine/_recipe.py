"""The recipe: search the frontier, polish, combine; all judged by rows held out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._typing import FloatArray, IntArray, Level, Target
from zerone.moments import ClassMoments, ImplicitCovariance, TwoClassMoments, dense_class_moments
from zerone.refine._candidates import Candidates
from zerone.refine._folds import Folds
from zerone.refine._held_out import HeldOutRows
from zerone.refine._measured import MeasuredScores
from zerone.refine._models import SHARES, merged, shrinkage_amounts, split_model
from zerone.refine._polish import Whitened, polish_error, polish_ranking
from zerone.refine._shrinkage import total_mean, total_variances
from zerone.refine._standard import StandardRows
from zerone.refine._wide import wide_candidates

# Rows that are polished on; a sample of more loses nothing (evidence/polish_rows.py).
MAX_POLISH_ROWS = 100_000
MAX_POLISH_VALUES = 2**26


@dataclass(frozen=True, eq=False)
class PairRows:
    """The rows of two classes.

    Attributes
    ----------
    rows : ndarray or csr array of shape (n_rows, n_features)
        Rows of other classes may be among them.
    positive, negative : ndarray of int
        Positions of the rows of each class, without rows of weight zero.
    weights : ndarray of shape (n_rows,) or None
    folds : Folds
        Of all rows.
    moments : TwoClassMoments
        Of all their rows.
    cells : sequence of (ClassMoments, ClassMoments), or None
        The same in each cell of the folds. Not needed where rows are fewer than features or
        wide and sparse: there the moments are taken in other coordinates.
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
        """Positions of all rows, the positive ones first."""
        return np.concatenate([self.positive, self.negative])

    @property
    def signs(self) -> FloatArray:
        """+1 and -1 for the members."""
        return np.repeat([1.0, -1.0], [len(self.positive), len(self.negative)])

    @property
    def is_wide(self) -> bool:
        """Whether the rows are wide and sparse, so that only their projections are handled."""
        classes = (self.moments.positive, self.moments.negative)
        return any(isinstance(m.covariance, ImplicitCovariance) for m in classes)

    def weights_of(self, factors: tuple[float, float]) -> FloatArray:
        """Return the members' weights times a factor for each class, the total unchanged."""
        members = self.members
        weights = np.ones(len(members)) if self.weights is None else self.weights[members]
        factored = weights * np.repeat(factors, [len(self.positive), len(self.negative)])
        scaled: FloatArray = factored * (weights.sum() / factored.sum())
        return scaled


@dataclass(frozen=True, eq=False)
class Refinement:
    """A refined direction and what held-out rows said about it.

    Attributes
    ----------
    scores : MeasuredScores
        The direction; its scores are in total standard deviations.
    threshold : float
        Infinite where always giving one answer is best.
    alternatives : tuple of MeasuredScores
        The frontier beside it, for other metrics.
    level : "frontier" or "polish"
        What was done; wide sparse rows are never polished.
    error, auc : float
        Of held-out rows; the error of each split with the threshold of the others.
    """

    scores: MeasuredScores
    threshold: float
    alternatives: tuple[MeasuredScores, ...]
    level: Level
    error: float
    auc: float


def refine_pair(
    pair: PairRows,
    target: Target,
    level: Level,
    *,
    factors: tuple[float, float],
    shrinkage: Any,
    random: np.random.RandomState,
) -> Refinement | None:
    """Return the refined rule of two classes; None if there are too few rows to hold any out.

    Parameters
    ----------
    pair : PairRows
    target : "error" or "auc"
    level : "frontier" or "polish"
    factors : tuple of float
        Factor of the weights of the positive and the negative class in the error.
    shrinkage : "auto", number or None
    random : RandomState
        For the sample that is polished on, if there are very many rows.
    """
    members, signs = pair.members, pair.signs
    weights = pair.weights_of(factors)
    row_weights = None if pair.weights is None else pair.weights[members]
    folds = pair.folds.of_rows(members).usable((signs > 0).astype(np.intp), row_weights)
    if folds is None:
        return None
    tests = [folds.rows_in(cells) for cells in folds.test]
    order = np.concatenate(tests)
    splits = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    held_out = HeldOutRows(splits, signs[order], weights[order])
    if pair.is_wide:
        frontier = wide_candidates(
            pair.rows, members, signs, row_weights, folds, held_out, shrinkage
        )
    else:
        search = _Search(pair, folds, held_out, tests, shrinkage)
        frontier = search.frontier()
    candidates, losses = frontier, frontier.losses(target)
    best = frontier.best(target)
    if pair.is_wide:
        level = "frontier"
    # Where the frontier loses no held-out row, nothing is left to gain.
    if level == "polish" and losses.min() > 0:
        polished = search.polished(best, frontier.scores[best], target, weights, random)
        candidates = frontier.joined(polished)
        losses = np.concatenate([losses, polished.losses(target)])
    combination = candidates.combined(losses, target)
    counts = combination.counts
    error, threshold = float(counts.crossfit_errors()[0]), held_out.threshold(combination.scores[0])
    if not counts.improve_on_one_answer()[0]:
        error, threshold = held_out.constant_error, held_out.constant_threshold
        if target == "error":
            # What was polished to tell the classes apart did not; rank as well as possible.
            combination = frontier.combined(frontier.losses("auc"), "auc")
    # Of the frontier the shares with the shrinkage of the best.
    first = best // len(SHARES) * len(SHARES)
    return Refinement(
        scores=combination.measured(pair.moments, [0])[0],
        threshold=threshold,
        alternatives=frontier.measured(pair.moments, list(range(first, first + len(SHARES)))),
        level=level,
        error=error,
        auc=1 - float(combination.counts.ranking_losses()[0]),
    )


class _Search:
    """The models of all splits and their candidates."""

    def __init__(
        self,
        pair: PairRows,
        folds: Folds,
        held_out: HeldOutRows,
        tests: list[IntArray],
        shrinkage: Any,
    ) -> None:
        self._pair, self._folds, self._held_out, self._tests = pair, folds, held_out, tests
        self._shrinkage = shrinkage
        members = pair.members
        self._members = members
        classes = [pair.moments.positive, pair.moments.negative]
        mean, variance = total_mean(classes), total_variances(classes)
        self._standard = StandardRows.of(pair.rows, members, mean, variance)
        self._models = [
            split_model(
                merged([positive for positive, _ in cells]),
                merged([negative for _, negative in cells]),
                self._standard.n_varying,
                shrinkage,
            )
            for cells in self._training_cells()
        ]

    def frontier(self) -> Candidates:
        """Return the candidates on the frontier."""
        return self._candidates([model.directions for model in self._models])

    def polished(
        self,
        best: int,
        scores: FloatArray,
        target: Target,
        weights: FloatArray,
        random: np.random.RandomState,
    ) -> Candidates:
        """Return what polishing makes of one of the candidates, after each bandwidth.

        Parameters
        ----------
        best : int
            The candidate to begin with.
        scores : ndarray of shape (n_held_out_rows,)
            Its scores.
        """
        pair = self._pair
        n_positive = len(pair.positive)
        most = min(MAX_POLISH_ROWS, MAX_POLISH_VALUES // self._standard.n_coordinates)
        sample, stands_for = _polish_sample(n_positive, len(pair.negative), most, random)
        sample_weights = weights[sample] * stands_for
        training = np.array(
            [
                np.where(np.isin(self._folds.cells[sample], cells), sample_weights, 0.0)
                for cells in self._folds.train
            ]
        )
        amount = shrinkage_amounts(self._shrinkage)[best // len(SHARES)]
        whitened = Whitened(
            self._standard.block(self._members[sample]),
            np.array([model.whitener(amount) for model in self._models]),
            np.array([model.centre for model in self._models]),
        )
        start = np.array([model.directions[best] for model in self._models])
        if target == "auc":
            n_sampled = int(np.searchsorted(sample, n_positive))
            states = polish_ranking(n_sampled, training, whitened, start)
        else:
            training /= training.sum(axis=1, keepdims=True)
            thresholds = self._held_out.count(scores[None]).split_thresholds()[0]
            thresholds = np.clip(thresholds, -3.0, 3.0)
            states = polish_error(pair.signs[sample], training, whitened, start, thresholds)
        by_model = np.array(states).transpose(1, 0, 2)
        return self._candidates(
            [model.scaled(own) for model, own in zip(self._models, by_model, strict=True)]
        )

    def _candidates(self, directions: list[FloatArray]) -> Candidates:
        """Return candidates from the directions of every model."""
        standard, models = self._standard, self._models
        scores = np.hstack(
            [
                standard.scores(of_model, self._members[test]) - (of_model @ model.centre)[:, None]
                for of_model, model, test in zip(directions, models, self._tests, strict=True)
            ]
        )
        offsets = -np.mean(
            [of_model @ model.centre for of_model, model in zip(directions, models, strict=True)],
            axis=0,
        )

        def for_features(chosen: FloatArray) -> tuple[FloatArray, FloatArray]:
            coef = standard.for_features(chosen)
            return coef, -coef @ standard.centre

        return Candidates(
            self._held_out, scores, np.mean(directions, axis=0), offsets, for_features
        )

    def _training_cells(self) -> list[list[tuple[Any, Any]]]:
        """Return for every split the classes' statistics in each of its training cells."""
        cells = self._pair.cells
        if cells is None or self._standard.basis is not None:
            cells = self._cells_in_coordinates()
        statistics = [tuple(self._standard.moments(m) for m in of_class) for of_class in cells]
        return [[statistics[cell] for cell in train] for train in self._folds.train]  # type: ignore[misc]

    def _cells_in_coordinates(self) -> list[tuple[ClassMoments, ClassMoments]]:
        standard, pair = self._standard, self._pair
        cells = []
        for cell in range(self._folds.n_cells):
            parts = []
            for of_class in (pair.positive, pair.negative):
                inside = of_class[pair.folds.cells[of_class] == cell]
                parts.append(
                    dense_class_moments(standard.rows, inside, pair.weights)
                    if inside.size
                    else ClassMoments.empty(standard.n_coordinates)
                )
            cells.append((parts[0], parts[1]))
        return cells


def _polish_sample(
    n_positive: int, n_negative: int, most: int, random: np.random.RandomState
) -> tuple[IntArray, FloatArray]:
    """Return positions of at most so many members, in order, and what each stands for.

    A class has at most half of the sample unless the other does not fill its half: of rare rows
    as many as possible are kept.
    """
    if n_positive + n_negative <= most:
        return np.arange(n_positive + n_negative), np.ones(n_positive + n_negative)
    sizes = (n_positive, n_negative)
    wanted = [
        min(size, max(most // 2, most - other))
        for size, other in zip(sizes, sizes[::-1], strict=True)
    ]
    parts = [
        start + np.sort(random.choice(size, number, replace=False))
        for start, size, number in zip((0, n_positive), sizes, wanted, strict=True)
    ]
    stands_for = [size / number for size, number in zip(sizes, wanted, strict=True)]
    return np.concatenate(parts), np.repeat(stands_for, wanted)
