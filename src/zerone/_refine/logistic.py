"""Ridge logistic regression for all models at once: those of the folds, and that of all rows."""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from zerone._refine.blocks import Block
from zerone._typing import FloatArray
from zerone.solvers._block_lbfgs import run_block_lbfgs

# An intercept is not penalised, but classes of one row each must not send it to infinity.
_INTERCEPT_PENALTY = 1e-9
_EVALUATIONS = 40
# A model is done when a step lowers its loss by less than this share.
_STALLED = 1e-4
_LEAST_COUNT = 1e-6
# The chance of a label is at least this, which keeps the loss finite.
_LEAST_CHANCE = 1e-16


def ridge_logistic(
    block: Block,
    signs: FloatArray,
    weights: FloatArray,
    start: FloatArray,
    covariance: FloatArray,
    penalties: Sequence[float],
) -> list[FloatArray]:
    """Return the coefficients of every model for each penalty.

    By L-BFGS in coordinates where the curvature at the start is about one in all directions.

    Parameters
    ----------
    block : Block
        Standardised rows.
    signs : ndarray of shape (n_rows,)
        +1 or -1.
    weights : ndarray of shape (n_models, n_rows)
        Zero leaves a row out of a model.
    start : ndarray of shape (n_models, n_coordinates + 1)
        Directions and intercepts to start from. No model starts from another one, which may have
        seen the rows that it holds out.
    covariance : ndarray of shape (n_coordinates, n_coordinates)
        Of all rows, whatever their class.
    penalties : sequence of float

    Returns
    -------
    list of ndarray of shape (n_models, n_coordinates + 1)
    """
    totals = weights.sum(axis=1, keepdims=True)
    # Weights are counts: next to no rows are next to no evidence against the penalty.
    counts = np.maximum(totals, _LEAST_COUNT)
    share = float(weights[:, signs > 0].sum() / weights.sum())
    found, point = [], start
    for penalty in penalties:
        ridge = np.append(np.full(len(covariance), penalty), _INTERCEPT_PENALTY) / counts
        factor = _factor(covariance, penalty / float(counts.mean()), share * (1 - share))
        problem = _Penalised(block, signs, weights / totals, ridge, factor)
        reached = run_block_lbfgs(
            problem.value_and_gradient,
            point @ factor,
            max_evaluations=_EVALUATIONS,
            stalled=_STALLED,
            first_step=None,
        )
        point = problem.coefficients(reached)
        found.append(point)
    return found


def _factor(covariance: FloatArray, ridge: float, curvature: float) -> FloatArray:
    """Return the lower triangle L with LLᵀ the curvature of the loss, intercept last."""
    d = len(covariance)
    matrix = np.zeros((d + 1, d + 1))
    matrix[:d, :d] = curvature * covariance
    matrix.flat[:: d + 2] += ridge + 1e-10 * curvature
    matrix[d, d] = curvature
    factor: FloatArray = cholesky(matrix, lower=True)
    return factor


class _Penalised:
    """The penalised mean losses of some models, in coordinates u = Lᵀw."""

    def __init__(
        self,
        block: Block,
        signs: FloatArray,
        shares: FloatArray,
        ridge: FloatArray,
        factor: FloatArray,
    ) -> None:
        self._block, self._signs, self._shares = block, signs, shares
        self._ridge, self._factor = ridge, factor

    def coefficients(self, point: FloatArray) -> FloatArray:
        """Return w = L⁻ᵀu."""
        return np.asarray(solve_triangular(self._factor, point.T, lower=True, trans="T").T)

    def value_and_gradient(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the loss of every model and its derivatives by u."""
        coefficients = self.coefficients(point)
        # The chance of the other label. NumPy's tanh is several times faster than its exponential.
        wrong = self._block.scores(coefficients[:, :-1])
        wrong += coefficients[:, -1:]
        wrong *= -0.5 * self._signs
        np.tanh(wrong, out=wrong)
        wrong += 1.0
        wrong *= 0.5
        penalised = self._ridge * coefficients
        right = np.log(np.maximum(1.0 - wrong, _LEAST_CHANCE))
        values = 0.5 * np.einsum("mp,mp->m", penalised, coefficients)
        values -= np.einsum("mn,mn->m", self._shares, right)
        wrong *= self._shares
        wrong *= self._signs
        gradient = penalised
        gradient[:, :-1] -= self._block.gradient(wrong)
        gradient[:, -1] -= wrong.sum(axis=1)
        return values, np.asarray(solve_triangular(self._factor, gradient.T, lower=True).T)
