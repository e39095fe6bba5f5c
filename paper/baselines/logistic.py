"""Logistic regression by L-BFGS, as the paper runs it."""

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from paper.baselines.linear_rival import LinearRival, minimise, random_start, with_constant
from zerone._typing import FloatArray


def logistic_loss(
    weights: FloatArray, rows: Any, signs: FloatArray, penalty: float
) -> tuple[float, FloatArray]:
    r"""Return the regularised logistic loss and its gradient.

    .. math::
        \frac1n \sum_i \log(1 + e^{-y_i\, w \cdot x_i}) + \lambda \|w\|^2

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
    rows : ndarray or csr_array of shape (n_rows, n_features)
    signs : ndarray of +1 and -1
    penalty : float
        λ; there is no factor of one half.
    """
    margins = signs * (rows @ weights)
    value = float(np.logaddexp(0.0, -margins).mean() + penalty * (weights @ weights))
    slopes = -signs * expit(-margins) / len(signs)
    return value, rows.T @ slopes + 2 * penalty * weights


class LogisticClassifier(LinearRival):
    """Logistic regression with penalty λ‖w‖² by L-BFGS from a random start.

    The intercept is the weight of a constant feature and penalised with the others.

    Parameters
    ----------
    penalty : float, optional
        λ; 1/n by default.
    max_iter : int, default=500
    tol : float, default=1e-4
        Stop when the Euclidean norm of the gradient is at most this.
    random_state : int, RandomState instance or None, default=None
        For the starting point.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_iter_ : int
    start_ : ndarray of shape (n_features + 1,)
        Where the minimisation began, intercept last.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from paper.baselines.logistic import LogisticClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> bool(LogisticClassifier(random_state=0).fit(X, y).score(X, y) > 0.98)
    True
    """

    def __init__(
        self,
        *,
        penalty: float | None = None,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit_rows(self, rows: Any, signs: FloatArray) -> None:
        extended = with_constant(rows)
        penalty = 1 / len(signs) if self.penalty is None else self.penalty
        self.start_ = random_start(extended.shape[1], check_random_state(self.random_state))
        weights, n_iter = minimise(
            lambda w: logistic_loss(w, extended, signs, penalty),
            self.start_,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_ = max(1, n_iter)
        self._set_weights(weights, rows.shape[1])
