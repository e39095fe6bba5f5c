"""Adam on the logistic loss: the paper's stochastic rival."""

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from paper.baselines.linear_rival import LinearRival, random_start, with_constant
from zerone._typing import FloatArray


class AdamLogisticClassifier(LinearRival):
    """Logistic regression with penalty λ‖w‖² by Adam over mini-batches [1]_.

    Parameters
    ----------
    penalty : float, optional
        λ; 1/n by default.
    batch_size : int, default=200
    n_epochs : int, default=500
    step : float, default=0.001
    beta1, beta2, epsilon : float
        Decay of the first and second moments (0.9, 0.999), and 1e-8.
    random_state : int, RandomState instance or None, default=None
        For the starting point and the order of the rows.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_iter_ : int
        Epochs.

    References
    ----------
    .. [1] D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization", ICLR 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from paper.baselines.adam import AdamLogisticClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> bool(AdamLogisticClassifier(random_state=0).fit(X, y).score(X, y) > 0.97)
    True
    """

    def __init__(
        self,
        *,
        penalty: float | None = None,
        batch_size: int = 200,
        n_epochs: int = 500,
        step: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.step = step
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.random_state = random_state

    def _fit_rows(self, rows: Any, signs: FloatArray) -> None:
        random = check_random_state(self.random_state)
        extended = with_constant(rows)
        n, d = extended.shape
        penalty = 1 / n if self.penalty is None else self.penalty
        weights = random_start(d, random)
        first, second = np.zeros(d), np.zeros(d)
        # -y·x is computed once, so that a batch needs two products.
        if hasattr(extended, "multiply"):
            signed = extended.multiply(-signs[:, None]).tocsr()
        else:
            signed = -signs[:, None] * extended
        count = 0
        for _ in range(self.n_epochs):
            order = random.permutation(n)
            for begin in range(0, n, self.batch_size):
                batch = signed[order[begin : begin + self.batch_size]]
                gradient = batch.T @ expit(batch @ weights) / batch.shape[0]
                gradient += 2 * penalty * weights
                count += 1
                first += (1 - self.beta1) * (gradient - first)
                second += (1 - self.beta2) * (gradient * gradient - second)
                rate = self.step * np.sqrt(1 - self.beta2**count) / (1 - self.beta1**count)
                scale = np.sqrt(second)
                # Equals m̂/(√v̂ + ε), with the bias corrections moved into the rate.
                scale += self.epsilon * np.sqrt(1 - self.beta2**count)
                weights = weights - rate * first / scale
        self.n_iter_ = self.n_epochs
        self._set_weights(weights, rows.shape[1])
