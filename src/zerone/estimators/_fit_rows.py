"""From rows to rules, for every kind of rows: moments, folds, refinement, solution."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from zerone._data.batch import Batch
from zerone._data.labels import label_list
from zerone._data.reencoding import reencoding
from zerone._errors import AdviceError, ArgumentError
from zerone._moments.bending import bent_where_it_pays, straight_lines
from zerone._moments.encoded import imputed
from zerone._moments.moments import Moments
from zerone._moments.pair import class_pairs
from zerone._refine.folds import Folds, make_folds
from zerone._refine.kept import MOST_PAIRS_WITH_ALTERNATIVES
from zerone._refine.models import CellMoments
from zerone._refine.pair_rows import PairRows
from zerone._refine.recipe import (
    LEAST_ODDS,
    MOST_ODDS,
    Refinement,
    Straight,
    refinement_steps,
)
from zerone._refine.row_order import ordered_groups
from zerone._refine.search import MOST_CELLS_PER_SPLIT
from zerone._refine.together import Steps, run_alone, run_together
from zerone._rows.array_rows import ArrayRows
from zerone._rows.bent_rows import BentRows
from zerone._rows.rows import Rows
from zerone._threads import one_blas_thread
from zerone._typing import AnyArray, FloatArray, IntArray, Level
from zerone._warnings import warn
from zerone.estimators._confusion import (
    FEW_PAIRS,
    LEAST_LOST,
    MANY_PAIRS,
    pairs_to_refine,
)
from zerone.estimators._fit_subset import Subset, fit_columns, restricted
from zerone.estimators._max_features import features_of_moments, selected
from zerone.estimators._parameters import Settings
from zerone.estimators._solution import PairProblems, Solution, search_replicates

# Rows outside memory are refined on at most this many numbers: 64 MB.
REFINED_VALUES = 2**23
# Pairs of several classes are refined together: so many, as long as they need so many numbers.
_PAIRS_OF_WAVE = 32
_VALUES_OF_WAVE = 2**23
# Fewer numbers of columns that bend are read in double precision: time is no matter then.
_FEW_VALUES = 2**18
# Numbers that a row needs besides its features, weights, scores and slopes for the models, and
# matrices that a pair needs: two classes of six models, before and after shrinkage.
_VALUES_OF_ROW = 30
_MATRICES_OF_PAIR = 24
# Moments of cells are kept for all pairs of their class as long as they are so many numbers.
_SHARED_VALUES = 2**22
# With fewer features a factorisation ends before other BLAS threads have started.
FEW_FEATURES = 512


def with_bends(rows: Rows, settings: Settings) -> tuple[Rows, Settings]:
    """Return rows whose columns bend as the settings say, and settings that are possible for them.

    Sparse rows stay straight: a bend would fill them.
    """
    if settings.shapes is None:
        return rows, settings
    if not isinstance(rows, ArrayRows):
        from zerone._rows.bent_elsewhere import bent_elsewhere

        return bent_elsewhere(rows), settings
    if settings.shapes == "auto" and rows.batch.is_sparse:
        return rows, replace(settings, shapes=None)
    return BentRows.of(rows), settings


def fit_rows(rows: Rows, settings: Settings) -> tuple[Moments, Solution]:
    """Return the moments of rows and the rules for all pairs of their classes."""
    classes = rows.classes
    require_classes(classes)
    settings.goal(classes)
    if settings.level is None or len(classes) == 1:
        return fit_moments(rows.moments(), settings, classes=classes)
    if not rows.can_be_sampled:
        moments = rows.moments()
        warn(
            "a stream that can be read only once is not refined: the rule uses the moments only; "
            "write the stream to Parquet first, or pass refine=None"
        )
        return fit_moments(moments, settings, classes=classes)
    sample = rows.sample(REFINED_VALUES, check_random_state(settings.random_state))
    if sample.is_sample and _gives_positions(settings.cv):
        raise ArgumentError(
            "cv",
            "gives positions of rows, but this many rows are refined on a sample",
            "give a number of folds or another splitter",
        )
    if sample.classes.tolist() != classes.tolist():
        # There are too many classes for a sample.
        return fit_moments(rows.moments(), settings, classes=classes)
    has_many_pairs = len(classes) * (len(classes) - 1) // 2 > FEW_PAIRS
    is_simple = _is_number_of_folds(settings.cv) and not has_many_pairs
    is_simple = is_simple and settings.max_features is None
    if sample.batch.n_rows < sample.batch.n_features or not is_simple:
        sample = sample.in_memory()
    lines = None if settings.shapes is None else straight_lines(rows.encoding)
    folded = FoldedRows.read(sample, settings, lines)
    # Rows in memory were summed fold by fold: no second pass.
    if isinstance(rows, ArrayRows | BentRows) and not sample.is_sample:
        moments = rows.described(folded.moments)
    else:
        moments = rows.moments()
    if sample.is_sample and moments.encoding is None:
        folded = replace(folded, moments=moments)
    if settings.shapes == "auto":
        moments, folded = _bent_where_it_pays(moments, folded)
    if settings.max_features is not None:
        with one_blas_thread(moments.n_features < FEW_FEATURES):
            return fit_columns(folded, moments, settings, _fit_folded)
    return _fit_folded(folded, moments, settings)


def _fit_folded(
    folded: "FoldedRows", moments: Moments, settings: Settings, subset: Subset | None = None
) -> tuple[Moments, Solution]:
    """Return the moments, ready for use, and the refined rules.

    Parameters
    ----------
    folded : FoldedRows
    moments : Moments
        Of these rows, or of all that they were drawn from.
    settings : Settings
    subset : Subset, optional
        The features of the rules, and the rules that judge them.
    """
    classes = folded.rows.classes
    factors = settings.class_factors(moments.classes, moments)
    features = None if subset is None else subset.features
    moments, problems = _problems(moments, settings, classes, features)
    own = folded if features is None else restricted(folded, features)
    with one_blas_thread(own.moments.n_features < FEW_FEATURES):
        chosen = None
        if len(classes) * (len(classes) - 1) // 2 > FEW_PAIRS:
            first = problems.solution()
            coef, intercept = first.coefficients
            coef = coef if features is None else coef[:, features]
            chosen = pairs_to_refine(first.votes.decision, own.rows.batch, coef, intercept)
        refined = own.refined(settings, factors, chosen)
        if subset is not None:
            refined = subset.judged(refined, folded, settings, factors)
        return moments, problems.solution(refined)


def _bent_where_it_pays(moments: Moments, folded: "FoldedRows") -> tuple[Moments, "FoldedRows"]:
    """Return moments and rows in which only those columns bend that are worth it."""
    whole = moments.encoding
    assert whole is not None, "columns that bend have an encoding"
    chosen = bent_where_it_pays(moments)
    assert chosen.encoding is not None, "it is that of the columns"
    found = reencoding(whole, chosen.encoding)
    if found is not None:
        moments, folded = chosen, folded.mapped(found[0])
    lines = straight_lines(chosen.encoding)
    if lines is None:
        return moments, replace(folded, has_bends=False)
    n_bent = len(chosen.encoding.bent_columns)
    odds = n_bent / max(len(whole.bent_columns) - n_bent, 1)
    both = Straight(lines, min(max(odds, LEAST_ODDS), MOST_ODDS))
    return moments, replace(folded, straight=both)


def fit_moments(
    moments: Moments,
    settings: Settings,
    classes: AnyArray | None = None,
    features: IntArray | None = None,
) -> tuple[Moments, Solution]:
    """Return moments, without classes that have no rows, and the rules for their classes.

    Parameters
    ----------
    classes : ndarray, optional
        Classes that get rules, with or without rows; by default those with rows.
    features : ndarray of int, optional
        The features of the rules; by default all, or those that the moments choose.
    """
    if settings.shapes == "auto" and features is None:
        moments = bent_where_it_pays(moments)
    moments, problems = _problems(moments, settings, classes, features)
    with one_blas_thread(moments.n_features < FEW_FEATURES):
        return moments, problems.solution()


def fit_replicates(
    whole: Moments, replicates: Sequence[Moments], settings: Settings
) -> list[Solution]:
    """Return the rules of moments of two classes that differ little from those of all rows."""
    first, *problems = (_problems(own, settings, None)[1] for own in (whole, *replicates))
    with one_blas_thread(whole.n_features < FEW_FEATURES):
        search_replicates(first, problems)
        return [own.solution() for own in problems]


def _problems(
    moments: Moments,
    settings: Settings,
    classes: AnyArray | None,
    features: IntArray | None = None,
) -> tuple[Moments, PairProblems]:
    """Return moments that are ready, and the problems of their pairs.

    Parameters
    ----------
    features : ndarray of int, optional
        The features of the rules. By default all, or those that the moments choose.
    """
    if classes is None:
        present = {label: m for label, m in moments.items() if m.weight > 0}
        if len(present) < len(moments):
            moments = Moments(present, moments.feature_names, moments.encoding)
        classes = moments.classes
    if moments.encoding is not None:
        moments = imputed(moments)
    seen = [label for label, m in moments.items() if m.weight > 0]
    if len(seen) == 1:
        raise AdviceError(
            f"got rows of only one class, {seen[0]!r}", "add rows of at least one other class"
        )
    random = None if settings.fit_intercept else check_random_state(settings.random_state)
    if settings.max_features is not None and features is None:
        factors = settings.class_factors(moments.classes, moments)
        features = features_of_moments(moments, settings.max_features, factors)
    own, basis = moments, None
    if features is not None:
        own, basis = selected(moments, features), np.zeros((moments.n_features, len(features)))
        basis[features, np.arange(len(features))] = 1.0
    with one_blas_thread(own.n_features < FEW_FEATURES):
        hides_rows = basis is not None and moments.carries_rows
        problems = PairProblems(own, classes, settings, random, basis, hides_rows=hides_rows)
        return moments, problems


def warn_if_constant(solution: Solution, settings: Settings) -> None:
    """Warn if the same class is predicted for every row; a ranking has a use all the same."""
    if settings.metric.is_ranking or not solution.is_constant:
        return
    advice = " If the other class matters more, train for another metric than the error"
    warn(
        f"the same class is predicted for every row. {solution.status}"
        f"{advice if settings.metric.name == 'error' else ''}"
    )


def require_classes(classes: AnyArray) -> None:
    """Raise if the labels are those of a regression."""
    if classes.dtype.kind not in "fO":
        return
    fractions = [
        label
        for label in classes.tolist()
        if isinstance(label, float) and not label.is_integer()  # infinity is none, too
    ]
    if fractions:
        raise ArgumentError(
            "y",
            f"Unknown label type: continuous. Classes are integers or strings, got {fractions[0]}",
            "use a regressor, or round or bin the labels",
        )


def _is_number_of_folds(cv: Any) -> bool:
    return cv is None or isinstance(cv, Integral)


def _gives_positions(cv: Any) -> bool:
    """Whether splits are positions of rows, which are wrong in a sample."""
    if hasattr(cv, "split"):
        from sklearn.model_selection import PredefinedSplit

        return isinstance(cv, PredefinedSplit)
    return isinstance(cv, Iterable)


def _added_up(batch: Batch, lines: FloatArray) -> Batch:
    """Return rows with the parts of each column added up, each row by itself.

    A product of matrices may round rows that repeat differently.
    """
    starts = (lines > 0.5).argmax(axis=1)
    return replace(batch, rows=np.add.reduceat(batch.rows, starts, axis=1))


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """Rows in memory, with their moments and folds.

    Attributes
    ----------
    rows : ArrayRows
    moments : Moments
        Of all rows; where these are only a sample, of all that it was drawn from.
    folds : Folds
    cells : list of Moments or None
        Of each cell of the folds; None if matrices would be too large or too many.
    straight : Straight or None
        Turns columns that may bend into straight ones, which are refined beside them.
    has_bends : bool
        Whether columns bend.
    """

    rows: ArrayRows
    moments: Moments
    folds: Folds
    cells: list[Moments] | None
    straight: Straight | None = None
    has_bends: bool = False

    def mapped(self, matrix: FloatArray) -> "FoldedRows":
        """Return the same rows with other features, ``matrix @ x``."""
        batch = self.rows.batch
        return replace(
            self,
            rows=replace(self.rows, batch=replace(batch, rows=batch.rows @ matrix.T)),
            moments=self.moments.affine(matrix),
            cells=None if self.cells is None else [own.affine(matrix) for own in self.cells],
        )

    @classmethod
    def read(
        cls, rows: ArrayRows, settings: Settings, lines: FloatArray | None = None
    ) -> "FoldedRows":
        """Sum the rows of every class and cell in one pass.

        ``lines`` adds up the parts of columns that bend: folds belong to the columns.
        """
        batch = rows.batch
        codes, weights = batch.codes, batch.weights
        # A sample has no order that would belong to the rows.
        groups = None
        if not rows.is_sample:
            groups = ordered_groups(batch if lines is None else _added_up(batch, lines))
        folds = make_folds(settings.cv, codes, weights, settings.random_state, groups)
        if groups is not None:
            # In an order of their own all sums are the same, however the rows were given.
            # Rows that are held out together are neighbours.
            keys = (groups, folds.cells, codes)
            order = np.lexsort(keys if weights is None else (weights, *keys))
            order = order[np.count_nonzero(codes < 0) :]
            folds, rows = folds.of_rows(order), replace(rows, batch=batch.taken(order))
        is_simple = folds.n_cells <= MOST_CELLS_PER_SPLIT * folds.n_splits
        cells = rows.moments_by_cell(folds.cells, folds.n_cells) if is_simple else None
        moments = rows.moments() if cells is None else sum(cells[1:], cells[0])
        return cls(rows, moments, folds, cells, has_bends=lines is not None)

    def refined(
        self, settings: Settings, factors: FloatArray, chosen: Sequence[bool] | None = None
    ) -> list[Refinement | None]:
        """Refine every pair of classes, or those that are chosen; None for too few rows.

        Pairs are in the order of `class_pairs`.
        """
        assert settings.level is not None, "the caller has looked"
        level: Level = settings.level
        seed = int(check_random_state(settings.random_state).randint(2**31))

        goal = settings.goal(self.rows.classes)
        pairs = list(class_pairs(len(self.rows.classes)))

        def steps(negative: int, positive: int) -> Steps[Refinement | None]:
            metric = goal.of_pair(negative, positive).for_weight(self.moments.weight)
            if goal.is_turned:
                negative, positive = positive, negative
            found = yield from refinement_steps(
                self.of_pair(positive, negative),
                metric,
                level,
                factors=(float(factors[positive]), float(factors[negative])),
                shrinkage=settings.shrinkage,
                seed=seed,
                has_alternatives=len(pairs) <= MOST_PAIRS_WITH_ALTERNATIVES,
                is_one_of_many=len(pairs) > 1,
                least_lost=0.0 if len(pairs) <= MANY_PAIRS else LEAST_LOST,
                straight=self.straight,
            )
            return found.turned() if found is not None and goal.is_turned else found

        if len(pairs) == 1:
            return [run_alone(steps(*pairs[0]))]
        wanted = [pair for number, pair in enumerate(pairs) if chosen is None or chosen[number]]
        waves = self._waves(wanted)
        found = Parallel(n_jobs=settings.n_jobs, prefer="threads")(
            delayed(run_together)([steps(*pair) for pair in wave]) for wave in waves
        )
        by_pair = dict(zip(chain(*waves), chain(*found), strict=True))
        return [by_pair.get(pair) for pair in pairs]

    def _waves(self, pairs: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
        """Return pairs that are solved together: of like sizes, and with room in memory."""
        batch = self.rows.batch
        sizes = [sum(len(batch.members[label]) for label in pair) for pair in pairs]
        waves: list[list[tuple[int, int]]] = []
        room = 0
        for place in np.argsort(sizes, kind="stable").tolist():
            needed = sizes[place] * (batch.n_features + _VALUES_OF_ROW)
            needed += _MATRICES_OF_PAIR * batch.n_features**2
            if not waves or needed > room or len(waves[-1]) == _PAIRS_OF_WAVE:
                waves.append([])
                room = _VALUES_OF_WAVE
            waves[-1].append(pairs[place])
            room -= needed
        return waves

    def of_pair(self, positive: int, negative: int) -> PairRows:
        """Return the rows of two classes, given by their positions in ``classes``."""
        batch = self.rows.batch
        labels = label_list(batch.classes)
        chosen = labels[positive], labels[negative]
        return PairRows(
            rows=batch.rows,
            positive=batch.members[positive],
            negative=batch.members[negative],
            weights=batch.weights,
            folds=self.folds,
            moments=self.moments.pair(*chosen),
            cells=None
            if self.cells is None
            else (self._of_cells(positive), self._of_cells(negative)),
            is_sample=self.rows.is_sample,
            is_single=self.has_bends and batch.rows.size > _FEW_VALUES,
        )

    def _of_cells(self, label: int) -> CellMoments:
        """Return the moments of a class in all cells, which its pairs share if they are small."""
        assert self.cells is not None, "the caller has looked"
        known = self._known_cells.get(label)
        if known is None:
            name = label_list(self.rows.classes)[label]
            known = CellMoments.of([cell[name] for cell in self.cells])
            if known.covariances.size * len(self.rows.classes) <= _SHARED_VALUES:
                self._known_cells[label] = known
        return known

    @cached_property
    def _known_cells(self) -> dict[int, CellMoments]:
        return {}
