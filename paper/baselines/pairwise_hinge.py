"""Pairwise hinge ranking in O(n log n) per gradient, by L-BFGS."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from paper.baselines.linear_rival import LinearRival, minimise, random_start
from zerone._typing import FloatArray


def pairwise_hinge(scores: FloatArray, is_positive: Any) -> tuple[float, FloatArray]:
    r"""Return the mean pairwise hinge loss of scores and its (sub)gradient.

    .. math::
        \frac{1}{n_+ n_-} \sum_{i \in +} \sum_{j \in -} \max(0,\ 1 - (s_i - s_j))

    A pair counts if the negative score exceeds the positive score minus one. After one sort of the
    shifted scores, the number of such pairs of every row is a cumulative count. (The formula in
    the paper has the two scores swapped.)

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
    is_positive : ndarray of bool of shape (n_rows,)

    Returns
    -------
    loss : float
    gradient : ndarray of shape (n_rows,)
        With respect to the scores.

    Examples
    --------
    >>> import numpy as np
    >>> from paper.baselines.pairwise_hinge import pairwise_hinge
    >>> loss, gradient = pairwise_hinge(np.array([0.0, 0.4]), np.array([False, True]))
    >>> round(loss, 12), gradient.tolist()
    (0.6, [1.0, -1.0])
    """
    shifted = np.where(is_positive, scores - 1.0, scores)
    order = np.argsort(shifted)
    positive_in_order = is_positive[order]
    positives_before = np.cumsum(positive_in_order)
    n_positive = int(positives_before[-1])
    n_negative = len(scores) - n_positive
    ranks = np.arange(1, len(scores) + 1)
    negatives_after = n_negative - (ranks - positives_before)
    partners = np.empty(len(scores))
    partners[order] = np.where(positive_in_order, -negatives_after, positives_before)
    gradient = partners / (n_positive * n_negative)
    return float(gradient @ shifted), gradient


class PairwiseHingeClassifier(LinearRival):
    """Linear ranking that minimises the pairwise hinge loss plus λ‖w‖² by L-BFGS.

    The loss is convex but not smooth; L-BFGS still works well. A ranking has no intercept.

    Parameters
    ----------
    penalty : float, optional
        λ; 1/√(n₊n₋) by default.
    max_iter : int, default=500
    tol : float, default=1e-4
        Stop when the Euclidean norm of the gradient is at most this.
    random_state : int, RandomState instance or None, default=None
        For the starting point.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Zero.
    classes_ : ndarray of shape (2,)
    n_iter_ : int
    start_ : ndarray of shape (n_features,)
        Where the minimisation began.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import roc_auc_score
    >>> from sklearn.preprocessing import StandardScaler
    >>> from paper.baselines.pairwise_hinge import PairwiseHingeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = PairwiseHingeClassifier(random_state=0).fit(X, y)
    >>> bool(roc_auc_score(y, model.decision_function(X)) > 0.99)
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
        is_positive = signs > 0
        pairs = float(is_positive.sum()) * float((~is_positive).sum())
        penalty = 1 / np.sqrt(pairs) if self.penalty is None else self.penalty

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            value, slopes = pairwise_hinge(rows @ weights, is_positive)
            gradient: FloatArray = rows.T @ slopes + 2 * penalty * weights
            return value + penalty * float(weights @ weights), gradient

        self.start_ = random_start(rows.shape[1], check_random_state(self.random_state))
        weights, n_iter = minimise(loss, self.start_, max_iter=self.max_iter, tol=self.tol)
        self.n_iter_ = max(1, n_iter)
        self._set_weights(weights, rows.shape[1])
