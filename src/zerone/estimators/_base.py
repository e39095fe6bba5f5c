"""What both classifiers share: fitting from rows, batches or moments, and predicting."""

import copy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from zerone._typing import AnyArray, FloatArray
from zerone.estimators._parameters import checked_solver, class_factors
from zerone.estimators._solution import Solution, retargeted, solve
from zerone.frontier import projected_moments
from zerone.moments import Moments
from zerone.sources import sorted_classes

_FORMATS = ["csr", "csc", "coo"]


class MomentClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier that is a function of class moments.

    Subclasses say what is minimised and what is predicted of the result.
    """

    _target: ClassVar[Literal["error", "auc"]]

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
        random_state: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale_penalty = scale_penalty
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # -- fitting -----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled rows in one pass.

        Parameters
        ----------
        X : array-like, sparse matrix, or pandas, polars or pyarrow table
            Of shape (n_rows, n_features).
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weights, read as counts: 2 equals a repeated row, 0 an absent one.

        Returns
        -------
        self
        """
        rows, labels = self._checked_rows(X, y, reset=True)
        moments = self._moments_of(rows, labels, sample_weight)
        classes = _labels_like(labels, moments.classes)
        self._adopt(moments, classes, self._solution_for(moments, classes))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add labelled rows to what has been seen; the result equals one fit on all rows.

        Every call solves anew. For very many small batches, add up `Moments` and call
        `fit_moments` once. Of wide data (more than a thousand features and fewer rows than
        that) the rows themselves are kept.

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
        known = self._known_classes(classes)
        rows, labels = self._checked_rows(X, y, reset=first)
        moments = self._moments_of(rows, labels, sample_weight, known)
        if not first:
            if self.moments_.n_features != self.n_features_in_:
                raise ValueError(
                    "partial_fit cannot go on after fit on wide data, of which only a projection "
                    "was kept; use partial_fit from the first batch on"
                )
            moments = self.moments_ + moments
        seen = sum(m.weight > 0 for m in moments.values())
        # A stream may begin with one class; predicting has to wait for the second.
        solution = self._solution_for(moments, known) if seen > 1 else None
        self._adopt(moments, known, solution, keep_rows=True)
        return self

    def fit_moments(self, moments: Moments) -> Self:
        """Fit to moments that were computed, merged or loaded elsewhere.

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
        present = {label: m for label, m in moments.items() if m.weight > 0}
        moments = Moments(present, moments.feature_names)
        solution = self._solution_for(moments, moments.classes)
        self.n_features_in_ = moments.n_features
        if moments.feature_names is not None:
            self.feature_names_in_ = np.array(moments.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._adopt(moments, moments.classes, solution)
        return self

    def retarget(self, metric: str, *, class_weight: Any = None, **parameters: Any) -> Self:
        """Return a new fitted classifier for another metric or other class weights.

        Needs no data: direction and threshold are found on the frontier of the moments that
        were kept. Probabilities stay those under the class weights of training, so they are
        not one half at the new threshold; `predict` follows `decision_function`.

        Parameters
        ----------
        metric : str
            "error", "balanced_error", "auc", "f1", "fbeta", "cost", "true_positive_rate" or
            "false_positive_rate", as in `Frontier.best`. With more than two classes: "error",
            "balanced_error" or "auc".
        class_weight : None, "balanced", or mapping label -> weight
            In place of the class weights of training; None keeps them.
        **parameters
            What the metric needs, as in `Frontier.best`.

        Returns
        -------
        classifier
            Of the same class and with the same parameters.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from zerone import ZeroOneClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> classifier = ZeroOneClassifier().fit(X, y)
        >>> careful = classifier.retarget("true_positive_rate", max_false_positive_rate=0.01)
        >>> bool((careful.predict(X) == 1).sum() < (classifier.predict(X) == 1).sum())
        True
        """
        solution = self._fitted()
        if not self.fit_intercept:
            raise ValueError("fit_intercept: retarget moves the intercept; fit with it first")
        several = ["error", "balanced_error", "auc"]
        if len(self.classes_) > 2 and metric not in several:
            raise ValueError(
                f"metric: got {metric!r}; with {len(self.classes_)} classes it must be one of "
                f"{several}"
            )
        factors = (
            None
            if class_weight is None
            else class_factors(class_weight, self.classes_, solution.problem)
        )
        twin = copy.copy(self)
        twin._adopt(self.moments_, self.classes_, retargeted(solution, metric, factors, parameters))
        return twin

    # -- predicting --------------------------------------------------------------------------

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of rows.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            With two classes w·x + b, positive for the last class, in pooled within-class
            standard deviations. With more, the sum of each class's pairwise probabilities.
        """
        solution = self._fitted()
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else solution.decision.sums(scores)

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted class of each row.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        solution = self._fitted()
        scores = self._scores(X)
        if len(self.classes_) == 2:
            chosen = (scores[:, 0] > 0).astype(np.intp)
        else:
            chosen = solution.decision.probabilities(scores).argmax(axis=1)
        predicted: AnyArray = self.classes_[chosen]
        return predicted

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, from the normal model of the scores.

        Monotone in the score. With more than two classes, the shares of the summed pairwise
        probabilities.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._fitted().posterior.probabilities(self._scores(X))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of `predict_proba`, precise near zero for two classes.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self._fitted().posterior.log_probabilities(self._scores(X))

    def _scores(self, X: Any) -> FloatArray:
        rows = validate_data(
            self, X, reset=False, accept_sparse=_FORMATS, dtype=[np.float64, np.float32]
        )
        scores: FloatArray = rows @ self.coef_.T + self.intercept_
        return scores

    # -- state -------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _set_expectation(self, values: FloatArray | float, aucs: FloatArray | float) -> None:
        """Set what the model predicts of itself: its error, its AUC."""
        raise TypeError(f"{type(self).__name__} predicts nothing of itself")

    def _fitted(self) -> Solution:
        check_is_fitted(self, "classes_")
        solution: Solution | None = self._solution
        if solution is None:
            seen = [label for label, m in self.moments_.items() if m.weight > 0]
            raise NotFittedError(
                f"only rows of class {seen[0]!r} have been seen; a second class is needed before "
                "predicting"
            )
        return solution

    def _known_classes(self, classes: Any) -> AnyArray:
        """Return the classes of a stream, given at the first call and unchanged afterwards."""
        if not hasattr(self, "classes_"):
            if classes is None:
                raise ValueError("classes: must be given at the first call of partial_fit")
            return sorted_classes(classes)
        known: AnyArray = self.classes_
        if classes is not None and sorted_classes(classes).tolist() != known.tolist():
            raise ValueError(
                f"classes: got {sorted_classes(classes).tolist()!r}, but earlier calls had "
                f"{known.tolist()!r}"
            )
        return known

    def _checked_rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, AnyArray]:
        rows, labels = validate_data(
            self, X, y, reset=reset, accept_sparse=_FORMATS, dtype=[np.float64, np.float32]
        )
        check_classification_targets(labels)
        return rows, labels

    def _moments_of(
        self, rows: Any, labels: AnyArray, sample_weight: Any, classes: AnyArray | None = None
    ) -> Moments:
        moments = Moments.from_data(rows, labels, sample_weight=sample_weight, classes=classes)
        names = getattr(self, "feature_names_in_", None)
        return moments if names is None else Moments(moments, tuple(names))

    def _solution_for(self, moments: Moments, classes: AnyArray) -> Solution:
        solver = checked_solver(
            self.solver, max_iter=self.max_iter, tol=self.tol, scale_penalty=self.scale_penalty
        )
        present = [label for label, m in moments.items() if m.weight > 0]
        if len(present) == 1:
            raise ValueError(
                f"y: got only one class, {present[0]!r}; a classifier needs rows of at least two "
                "classes"
            )
        return solve(
            moments,
            classes,
            self._target,
            solver,
            shrinkage=self.shrinkage,
            factors=class_factors(self.class_weight, classes, moments),
            fit_intercept=bool(self.fit_intercept),
            random=check_random_state(self.random_state),
        )

    def _adopt(
        self,
        moments: Moments,
        classes: AnyArray,
        solution: Solution | None,
        *,
        keep_rows: bool = False,
    ) -> None:
        """Set all fitted attributes; called only when everything that can fail has succeeded."""
        self.classes_ = classes
        self._solution = solution
        self.moments_ = moments
        if solution is None:
            return
        basis = solution.basis
        if not keep_rows and basis is not None and moments.n_features == basis.shape[0]:
            # Moments of wide data carry training rows; only their projection stays.
            self.moments_ = projected_moments(moments, basis)
        self.coef_, self.intercept_ = solution.coefficients
        self.shrinkage_ = solution.shrinkage
        self.status_ = solution.status
        self.n_iter_ = solution.n_iter
        rules = [rule for rule in solution.rules if rule is not None]
        errors = np.array([rule.error for rule in rules])
        aucs = np.array([rule.auc for rule in rules])
        single = len(classes) == 2
        self._set_expectation(
            float(errors[0]) if single else errors, float(aucs[0]) if single else aucs
        )


def _labels_like(labels: AnyArray, classes: AnyArray) -> AnyArray:
    """Return the classes in the type of the labels they were found among."""
    return classes.astype(labels.dtype) if labels.dtype != classes.dtype else classes
