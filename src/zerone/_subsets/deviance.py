"""How well logistic regression fits rows with each of several subsets: the judge of near ties.

Moments often rank many subsets within a percent of each other, and rows that are not normal tell
them apart. The deviance needs no threshold and little noise, whatever the metric; two more for each
coefficient (the criterion of Akaike) makes up for the rows being those of the fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from zerone._typing import AnyArray, FloatArray, IntArray

# Penalty on squared coefficients of standardised features: separable rows stay finite.
_RIDGE = 1.0
_MOST_STEPS = 12
_CONVERGED = 1e-3
# Larger log-odds change no deviance.
_FARTHEST = 30.0


@dataclass(frozen=True, eq=False)
class LogisticRows:
    """Standardised rows of two classes.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_features)
    signs : ndarray of shape (n_rows,)
        +1 or -1.
    weights : ndarray of shape (n_rows,)
    """

    rows: FloatArray
    signs: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, is_positive: AnyArray, weights: FloatArray) -> "LogisticRows":
        """Return rows in units of their standard deviations."""
        standard = rows - weights @ rows / weights.sum()
        spread = np.sqrt(weights @ standard**2 / weights.sum())
        standard /= np.where(spread > 0, spread, 1.0)
        return cls(standard, np.where(is_positive, 1.0, -1.0), weights)

    def judged(self, subsets: Sequence[IntArray]) -> FloatArray:
        """Return the deviance of each subset of the features, and two for each feature."""
        return np.array([self._fit(own)[0] + 2 * len(own) for own in subsets])

    def log_odds(self, subset: IntArray) -> FloatArray:
        """Return the log-odds of every row in the fit of a subset."""
        point = self._fit(subset)[1]
        return np.asarray(self.rows[:, subset] @ point[:-1] + point[-1])

    def _fit(self, subset: IntArray) -> tuple[float, FloatArray]:
        share = float(self.weights @ (self.signs > 0)) / float(self.weights.sum())
        start = float(np.log(share / (1 - share)))
        return _fitted(self.rows[:, subset], self.signs, self.weights, start)


def _fitted(
    rows: FloatArray, signs: FloatArray, weights: FloatArray, start: float
) -> tuple[float, FloatArray]:
    """Return twice the least penalised logistic loss, found by Newton steps, and its rule."""
    design = np.column_stack([rows, np.ones(len(rows))])
    point = np.zeros(design.shape[1])
    point[-1] = start
    penalty = np.full(len(point), _RIDGE)
    penalty[-1] = 1e-9
    value = _loss(design, signs, weights, penalty, point)
    for _ in range(_MOST_STEPS):
        margins = np.clip(signs * (design @ point), -_FARTHEST, _FARTHEST)
        wrong = 1 / (1 + np.exp(margins))
        gradient = penalty * point - design.T @ (weights * signs * wrong)
        curvature = design.T @ (design * (weights * wrong * (1 - wrong))[:, None])
        curvature[np.diag_indices(len(point))] += penalty
        step = cho_solve(cho_factor(curvature), gradient)
        length = 1.0
        for _ in range(20):
            after = _loss(design, signs, weights, penalty, point - length * step)
            if after <= value:
                break
            length /= 2
        else:
            break
        point, gained, value = point - length * step, value - after, after
        if gained < _CONVERGED:
            break
    return 2 * value, point


def _loss(
    design: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    penalty: FloatArray,
    point: FloatArray,
) -> float:
    losses = np.logaddexp(0.0, -signs * (design @ point))
    return float(weights @ losses + penalty @ point**2 / 2)
