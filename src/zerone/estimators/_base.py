"""What both classifiers share: fitting from rows, batches or moments, and predicting."""

import warnings
from collections.abc import Iterable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from zerone._threads import one_blas_thread
from zerone._typing import AnyArray, FloatArray, Level
from zerone.estimators._elsewhere import (
    RowsElsewhere,
    dispatched_place,
    rows_elsewhere,
)
from zerone.estimators._input import checked_labels, checked_table, require_classes
from zerone.estimators._parameters import checked_level, checked_solver, class_factors
from zerone.estimators._predict import RulePredictor
from zerone.estimators._refined import FoldedRows, refine_all
from zerone.estimators._solution import Solution, retargeted, solve
from zerone.estimators._unchanged import unchanged_on_failure
from zerone.moments import Moments
from zerone.refine import Refinement, check_shrinkage
from zerone.solvers import Solver
from zerone.sources import Place, read_batch, sorted_classes

# Matrices of fewer features are factorised before other threads of BLAS have woken up.
FEW_FEATURES = 512
# How many numbers the rows that are refined on may have where they are not in memory: 64 MB.
REFINED_VALUES = 2**23


class MomentClassifier(RulePredictor):
    """A linear classifier that is a function of class moments.

    Subclasses say what is minimised and what is predicted of the result.
    """

    _target: ClassVar[Literal["error", "auc"]]
    _retargeting: tuple[str, FloatArray | None, dict[str, Any]] | None
    _is_projected: bool

    def __init__(
        self,
        *,
        solver: str = "exact",
        shrinkage: str | float | None = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        scale_penalty: float = 0.001,
        max_iter: int = 500,
        tol: float = 1e-4,
        refine: str | None = "auto",
        cv: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale_penalty = scale_penalty
        self.max_iter = max_iter
        self.tol = tol
        self.refine = refine
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- fitting -----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled rows.

        One pass gives the moments. With ``refine``, rows are then held out in turn to choose
        among rules and to polish them.

        Parameters
        ----------
        X : array-like, sparse matrix, or pandas, polars or pyarrow table
            Of shape (n_rows, n_features). Also a Dask array or data frame, or, with
            scikit-learn's array API dispatch, an array of torch, cupy and the like: these are
            summed where they are and, where they are large, refined on a sample.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weights, read as counts: 2 equals a repeated row, 0 an absent one.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            level = checked_level(self.refine, self._solver(), fit_intercept=self.fit_intercept)
            place = dispatched_place(X)
            table, labels = self._checked(X, y, reset=True)
            most = None if level is None else REFINED_VALUES
            elsewhere = rows_elsewhere(table, labels, sample_weight, most)
            if elsewhere is not None:
                return self._fit_elsewhere(elsewhere, level, place)
            batch = read_batch(table, labels, sample_weight)
            classes = batch.classes
            require_classes(classes)
            if level is None or len(classes) == 1:
                moments = self._named(Moments.from_batch(batch, n_jobs=self.n_jobs))
                solution = self._solution_for(moments, classes)
            else:
                folded = FoldedRows.read(
                    batch.with_array(), self.cv, level, self.random_state, self.n_jobs
                )
                moments = self._named(folded.moments)
                solution = self._refined_solution(folded, moments, classes, level)
            self._retargeting = None
            self._adopt(moments, classes, solution, keep_rows=False, place=place)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add labelled rows to what has been seen.

        The result equals one fit on all rows with ``refine=None``: rules come from the moments
        alone, because only `fit` has all rows at once. Every call solves anew; for very many
        small batches, add up `Moments` and call `fit_moments` once. Of wide data (more than a
        thousand features and fewer rows than that) the rows themselves are kept.

        Parameters
        ----------
        X, y : as in `fit`
            The batch may lack classes.
        classes : array-like, optional
            All labels that can occur. Required at the first call.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        if not first and self.encoding_ is not None and not self.encoding_.is_plain:
            raise ValueError(
                "partial_fit takes numbers, and this classifier was fitted to a table with "
                "categories or missing values; add moments_ and Moments.from_table(source, "
                "encoding=encoding_), and call fit_moments"
            )
        if not first and not hasattr(self, "moments_"):
            raise ValueError(
                "partial_fit goes on from the moments of training, and a model that was read from "
                "a file has none; fit_moments to a moments file first"
            )
        with unchanged_on_failure(self):
            known = self._known_classes(classes)
            place = dispatched_place(X)
            table, labels = self._checked(X, y, reset=first)
            read = Moments.from_data(
                table, labels, sample_weight=sample_weight, classes=known, n_jobs=self.n_jobs
            )
            moments = self._named(read)
            require_classes(known)
            self._warn_unrefined("partial_fit")
            if first:
                self._retargeting = None
            elif self._is_projected:
                raise ValueError(
                    "partial_fit cannot go on after fit on wide data, of which only a projection "
                    "was kept; use partial_fit from the first batch on"
                )
            else:
                moments = self.moments_ + moments
            # A stream may begin with one class; predicting has to wait for the second.
            seen = sum(m.weight > 0 for m in moments.values())
            self._solver()
            solution = self._solution_for(moments, known) if seen > 1 else None
            if solution is not None and self._retargeting is not None:
                solution = retargeted(solution, *self._retargeting)
            self._adopt(moments, known, solution, keep_rows=True, place=place)
        return self

    def fit_moments(self, moments: Moments) -> Self:
        """Fit to moments that were computed, merged or loaded elsewhere.

        The rule comes from the moments alone: ``refine`` needs rows.

        Parameters
        ----------
        moments : Moments

        Returns
        -------
        self
        """
        if not isinstance(moments, Moments):
            raise TypeError(
                f"moments: got {type(moments).__name__}, expected zerone.Moments; make one with "
                "Moments.from_data"
            )
        with unchanged_on_failure(self):
            self._warn_unrefined("fit_moments")
            return self._fit_to(moments)

    # -- state -------------------------------------------------------------------------------

    def _known_classes(self, classes: Any) -> AnyArray:
        """Return the classes of a stream, given at the first call and unchanged afterwards."""
        if not hasattr(self, "classes_"):
            if classes is None:
                raise ValueError("classes: must be given at the first call of partial_fit")
            given = sorted_classes(classes)
            if len(given) < 2:
                raise ValueError(f"classes: got {given.tolist()!r}, expected at least two classes")
            return given
        known: AnyArray = self.classes_
        if classes is not None and sorted_classes(classes).tolist() != known.tolist():
            raise ValueError(
                f"classes: got {sorted_classes(classes).tolist()!r}, but earlier calls had "
                f"{known.tolist()!r}"
            )
        return known

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, AnyArray]:
        table = checked_table(self, X, reset=reset)
        return table, checked_labels(self, X, y)

    def _named(self, moments: Moments) -> Moments:
        names = getattr(self, "feature_names_in_", None)
        if names is None or moments.feature_names is not None:
            return moments
        return Moments(moments, tuple(names))

    def _solver(self) -> Solver:
        """Return the solver; raises for any parameter that is wrong."""
        if not isinstance(self.fit_intercept, bool | np.bool_):
            raise ValueError(f"fit_intercept: got {self.fit_intercept!r}, expected True or False")
        check_shrinkage(self.shrinkage)
        return checked_solver(
            self.solver, max_iter=self.max_iter, tol=self.tol, scale_penalty=self.scale_penalty
        )

    def _solution_for(
        self,
        moments: Moments,
        classes: AnyArray,
        refinements: list[Refinement | None] | None = None,
    ) -> Solution:
        solver = self._solver()
        present = [label for label, m in moments.items() if m.weight > 0]
        if len(present) == 1:
            raise ValueError(
                f"got rows of only one class, {present[0]!r}; a classifier needs rows of at least "
                "two classes"
            )
        with one_blas_thread(moments.n_features < FEW_FEATURES):
            return solve(
                moments,
                classes,
                self._target,
                solver,
                shrinkage=self.shrinkage,
                factors=class_factors(self.class_weight, classes, moments),
                fit_intercept=bool(self.fit_intercept),
                random=None if self.fit_intercept else check_random_state(self.random_state),
                refinements=refinements,
            )

    def _refined_solution(
        self, folded: FoldedRows, moments: Moments, classes: AnyArray, level: Level
    ) -> Solution:
        refinements = refine_all(
            folded,
            self._target,
            level,
            factors=class_factors(self.class_weight, classes, moments),
            shrinkage=self.shrinkage,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return self._solution_for(moments, classes, refinements)

    def _fit_elsewhere(self, rows: RowsElsewhere, level: Level | None, place: Place | None) -> Self:
        """Fit to rows of which only sums, and a sample to refine on, are brought here."""
        moments = rows.moments()
        require_classes(moments.classes)
        if level is None or len(moments) == 1:
            return self._fit_to(moments, place=place)
        seed = check_random_state(self.random_state).randint(2**31)
        batch, is_whole = rows.sample(moments, REFINED_VALUES, seed)
        if not is_whole and isinstance(self.cv, Iterable) and not hasattr(self.cv, "split"):
            raise ValueError(
                "cv: gives positions of rows, but so many rows are refined on a sample of them; "
                "give a number of folds or a splitter"
            )
        if batch.classes.tolist() != moments.classes.tolist():
            # So many classes that a sample has no place for all.
            return self._fit_to(moments, place=place)
        folded = FoldedRows.read(batch, self.cv, level, self.random_state, self.n_jobs)
        return self._fit_to(moments, folded, level, place)

    def _fit_to(
        self,
        moments: Moments,
        folded: FoldedRows | None = None,
        level: Level | None = None,
        place: Place | None = None,
    ) -> Self:
        """Fit to moments and, where there are some, to rows that the rule is refined on."""
        present = {label: m for label, m in moments.items() if m.weight > 0}
        moments = Moments(present, moments.feature_names, moments.encoding).imputed()
        if folded is None or level is None:
            solution = self._solution_for(moments, moments.classes)
        else:
            solution = self._refined_solution(folded, moments, moments.classes, level)
        encoding = moments.encoding
        names = moments.feature_names if encoding is None else encoding.column_names
        self.n_features_in_ = moments.n_features if names is None else len(names)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._retargeting = None
        self._adopt(moments, moments.classes, solution, keep_rows=False, place=place)
        return self

    def _warn_unrefined(self, method: str) -> None:
        level = checked_level(self.refine, self._solver(), fit_intercept=self.fit_intercept)
        if self.refine != "auto" and level is not None:
            warnings.warn(
                f"refine={self.refine!r} needs all rows, which {method} does not have; the rule "
                "comes from the moments alone. Use fit, or refine='auto' or None.",
                UserWarning,
                stacklevel=3,
            )

    def _adopt(
        self,
        moments: Moments,
        classes: AnyArray,
        solution: Solution | None,
        *,
        keep_rows: bool,
        place: Place | None,
    ) -> None:
        """Set all fitted attributes; called only when everything that can fail has succeeded."""
        self.classes_ = classes
        self.moments_ = moments
        self.encoding_ = moments.encoding
        self._is_projected = False
        if solution is None:
            self._solution = None
            return
        projected = solution.reduction.unshrunk
        if projected is not None and not keep_rows:
            # Moments of wide data carry training rows; only their projection stays.
            self.moments_ = projected
            self._is_projected = True
        self._publish(solution, place)

    def _publish(self, solution: Solution, place: Place | None) -> None:
        """Set the attributes that follow from the rules, arrays where the rows are."""
        self._solution = solution
        self.coef_, self.intercept_ = solution.coefficients
        self.shrinkage_ = solution.shrinkage
        self.status_ = solution.status
        self.n_iter_ = solution.n_iter
        self.refine_ = solution.level
        setattr(self, f"held_out_{self._target}_", solution.held_out(self._target))
        setattr(self, f"expected_{self._target}_", solution.expectation(self._target))
        if place is None:
            return
        for name, value in list(vars(self).items()):
            # Labels may be text, which has no place on a device.
            if isinstance(value, np.ndarray) and name not in ("classes_", "feature_names_in_"):
                setattr(self, name, place.bring(value))
