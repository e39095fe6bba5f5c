"""From rows to a rule of a few columns: chosen, refined, and judged split by split."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from sklearn.utils import check_random_state

from zerone._errors import ArgumentError
from zerone._kernels.batch_moments import batch_moments
from zerone._moments.moments import Moments
from zerone._moments.pair import class_pairs
from zerone._refine.nested import NestedRules
from zerone._refine.recipe import Refinement
from zerone._rows.array_rows import ArrayRows
from zerone._subsets.choice import ColumnSearch, JudgingRows
from zerone._subsets.groups import group_names
from zerone._typing import FloatArray, IntArray
from zerone.estimators._feature_path import FeaturePath, path_sizes, point_of
from zerone.estimators._max_features import require_columns, selected
from zerone.estimators._parameters import Settings
from zerone.estimators._solution import Solution

if TYPE_CHECKING:
    from zerone.estimators._fit_rows import FoldedRows


@dataclass(frozen=True, eq=False)
class Subset:
    """The features of the best columns, and the rules that every split found for its own.

    Attributes
    ----------
    features : ndarray of int
        Positions, in rising order.
    coef : ndarray of shape (n_splits, n_pairs, n_features)
    intercepts : ndarray of shape (n_splits, n_pairs)
    """

    features: IntArray
    coef: FloatArray
    intercepts: FloatArray

    def judged(
        self,
        refinements: Sequence[Refinement | None],
        folded: "FoldedRows",
        settings: Settings,
        factors: FloatArray,
    ) -> list[Refinement | None]:
        """Return refinements of the chosen features with what the splits' own rules measured.

        Parameters
        ----------
        refinements : sequence of Refinement or None
            Of all pairs of classes.
        folded : FoldedRows
            With all features.
        settings : Settings
        factors : ndarray of shape (n_classes,)
            Of the weights of the classes.
        """
        seed = int(check_random_state(settings.random_state).randint(2**31))
        found: list[Refinement | None] = []
        pairs = class_pairs(len(folded.rows.classes))
        for number, ((negative, positive), own) in enumerate(zip(pairs, refinements, strict=True)):
            if own is not None:
                own = NestedRules(self.coef[:, number], self.intercepts[:, number]).judged(
                    own,
                    self.features,
                    folded.of_pair(positive, negative),
                    factors=(float(factors[positive]), float(factors[negative])),
                    seed=seed,
                    is_ranking=settings.metric.is_ranking,
                )
            found.append(own)
        return found


class Solve(Protocol):
    """A refined fit to rows, with all their features or a subset of them."""

    def __call__(
        self,
        folded: "FoldedRows",
        moments: Moments,
        settings: Settings,
        subset: Subset | None = None,
    ) -> tuple[Moments, Solution]:
        """Return the moments and the rules."""
        ...


def fit_columns(
    folded: "FoldedRows", moments: Moments, settings: Settings, solve: Solve
) -> tuple[Moments, Solution]:
    """Return the moments of all rows, and the rules of as many columns as ``max_features`` says.

    "auto" fits every size of a path, and takes the smallest whose loss is within one standard
    error of the best.

    Parameters
    ----------
    folded : FoldedRows
    moments : Moments
        Of all rows, with the encoding that says which features are one column.
    settings : Settings
    solve : callable
    """
    size = settings.max_features
    names = group_names(moments)
    if isinstance(size, int):
        require_columns(size, moments)
        return _Splits(folded, moments, settings, solve, size).fitted(size)
    sizes = path_sizes(len(names))
    splits = _Splits(folded, moments, settings, solve, sizes[-1])
    # Columns that do not vary are never chosen.
    possible = sorted({min(size, max(splits.n_sizes, 1)) for size in sizes})
    found = [splits.fitted(own) for own in possible]
    points = [point_of(solution, moments) for _, solution in found]
    path = FeaturePath.of(points, settings.metric)
    if path.chosen is None:
        raise ArgumentError(
            "max_features",
            "got 'auto', and these rows are too few to hold any out",
            "give a number of columns",
        )
    moments, solution = found[path.chosen]
    return moments, replace(solution, path=path)


class _Splits:
    """The best columns of all rows, and of the training rows of every split."""

    def __init__(
        self,
        folded: "FoldedRows",
        moments: Moments,
        settings: Settings,
        solve: Solve,
        most: int,
    ) -> None:
        self._folded, self._moments, self._solve = folded, moments, solve
        self._settings = replace(settings, max_features=None)
        self._factors = settings.class_factors(moments.classes, moments)
        self._most = most
        self._everything = self._search(range(folded.folds.n_cells), moments)
        self._trained = [self._training_moments(cells) for cells in folded.folds.train]
        self._searches = [
            # Splits that lack a class judge nothing.
            self._search(cells, own) if sum(m.weight > 0 for m in own.values()) > 1 else None
            for cells, own in zip(folded.folds.train, self._trained, strict=True)
        ]

    @property
    def n_sizes(self) -> int:
        """The largest number of columns that can be chosen."""
        return self._everything.n_sizes

    def fitted(self, size: int) -> tuple[Moments, Solution]:
        """Return the rules of so many columns, with what held-out rows measured."""
        n_pairs = len(list(class_pairs(len(self._moments))))
        shape = len(self._searches), n_pairs, self._moments.n_features
        coef, intercepts = np.zeros(shape), np.zeros(shape[:2])
        own = replace(self._settings, cv=None)
        for split, search in enumerate(self._searches):
            if search is None:
                continue
            chosen = search.features(size)
            rows = self._training_rows(self._folded.folds.train[split], chosen)
            with warnings.catch_warnings():
                # What is wrong with all rows is said once.
                warnings.simplefilter("ignore")
                inner = type(self._folded).read(rows, own)
                _, solution = self._solve(inner, selected(self._trained[split], chosen), own)
            coef[split][:, chosen], intercepts[split] = solution.coefficients
        subset = Subset(self._everything.features(size), coef, intercepts)
        return self._solve(self._folded, self._moments, self._settings, subset)

    def _search(self, cells: Sequence[int], moments: Moments) -> ColumnSearch:
        rows = None
        if len(moments) == 2:
            batch = self._folded.rows.batch
            rows = JudgingRows.of(batch, self._rows_in(cells), self._factors)
        return ColumnSearch(moments, self._most, self._factors, rows)

    def _training_moments(self, cells: Sequence[int]) -> Moments:
        """Return the moments of the training rows of a split, with the encoding of all rows."""
        if self._folded.cells is None:
            found = batch_moments(self._folded.rows.batch.taken(self._rows_in(cells)), "auto")
        else:
            first, *others = (self._folded.cells[cell] for cell in cells)
            found = sum(others, first)
        return Moments(found, self._moments.feature_names, self._moments.encoding)

    def _training_rows(self, cells: Sequence[int], features: IntArray) -> ArrayRows:
        batch = self._folded.rows.batch
        narrow = replace(batch, rows=batch.rows[:, features], feature_names=None)
        return replace(self._folded.rows, batch=narrow.taken(self._rows_in(cells)))

    def _rows_in(self, cells: Sequence[int]) -> IntArray:
        rows = self._folded.folds.rows_in(cells)
        return rows[self._folded.rows.batch.codes[rows] >= 0]


def restricted(folded: "FoldedRows", features: IntArray) -> "FoldedRows":
    """Return the same rows with some of their features."""
    batch, cells = folded.rows.batch, folded.cells
    narrow = replace(batch, rows=batch.rows[:, features], feature_names=None)
    return replace(
        folded,
        rows=replace(folded.rows, batch=narrow),
        moments=selected(folded.moments, features),
        cells=None if cells is None else [own.select(features) for own in cells],
        # Which parts bend is decided; straight lines have other features.
        straight=None,
    )
