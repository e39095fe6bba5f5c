"""What the rivals share: two classes, a weight vector, the intercept as one more feature."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from zerone._typing import AnyArray, FloatArray
from zerone.solvers import run_lbfgs


class LinearRival(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier of two classes, fitted from rows."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to labelled rows of two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        """
        rows, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(labels)
        classes: AnyArray = np.unique(labels)
        if len(classes) != 2:
            found = "only one class" if len(classes) == 1 else f"{len(classes)} classes"
            raise ValueError(
                f"y: got {found}. Only binary classification is supported: two classes are needed"
            )
        self.classes_ = classes
        self._fit_rows(rows, np.where(labels == classes[1], 1.0, -1.0))
        return self

    def _fit_rows(self, rows: Any, signs: FloatArray) -> None:
        """Set ``coef_``, ``intercept_`` and ``n_iter_`` from rows and signs of +1 and -1."""
        raise TypeError(f"{type(self).__name__} does not say how it is fitted")

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each row, positive for the last class."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        scores: FloatArray = rows @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> AnyArray:
        """Return the class of each row."""
        chosen = (self.decision_function(X) > 0).astype(np.intp)
        predicted: AnyArray = self.classes_[chosen]
        return predicted

    def _set_weights(self, weights: FloatArray, n_features: int) -> None:
        self.coef_ = weights[None, :n_features].copy()
        self.intercept_ = weights[n_features:].copy() if weights.size > n_features else np.zeros(1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


def with_constant(rows: Any) -> Any:
    """Return the rows with a feature of ones appended, as the paper adds an intercept."""
    ones = np.ones((rows.shape[0], 1))
    if sp.issparse(rows):
        return sp.csr_array(sp.hstack([rows, ones], format="csr"))
    return np.hstack([rows, ones])


def random_start(size: int, random: np.random.RandomState) -> FloatArray:
    """Return a random unit vector."""
    start: FloatArray = random.standard_normal(size)
    return start / np.linalg.norm(start)


def minimise(
    function: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    *,
    max_iter: int,
    tol: float,
) -> tuple[FloatArray, int]:
    """Minimise by L-BFGS with the paper's memory; return the point and the iterations."""
    x, n_iter = run_lbfgs(function, start, max_iter=max_iter, tol=tol, memory=20)
    if n_iter >= max_iter:
        warnings.warn(
            f"L-BFGS stopped at max_iter={max_iter} iterations; raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return x, n_iter
