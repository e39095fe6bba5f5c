"""Ridge logistic regression for all models at once: those of the folds, and that of all rows."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from zerone._refine.blocks import Block
from zerone._refine.training_rows import TrainingRows, is_stackable, stacked
from zerone._typing import FloatArray, IntArray
from zerone.solvers._block_lbfgs import run_block_lbfgs

# An intercept is not penalised, but classes of one row each must not send it to infinity.
_INTERCEPT_PENALTY = 1e-9
_EVALUATIONS = 40
# A model is done when a step lowers its loss by less than this share.
_STALLED = 1e-4
_LEAST_COUNT = 1e-6
# The chance of a label is at least this, which keeps the loss finite.
_LEAST_CHANCE = 1e-16


@dataclass(frozen=True, eq=False)
class Logistic:
    """Ridge logistic regression of a pair of classes, for several penalties.

    Attributes
    ----------
    rows : TrainingRows
    start : ndarray of shape (n_models, n_coordinates + 1)
        Directions and intercepts to start from. No model starts from another one, which may have
        seen the rows that it holds out.
    covariance : ndarray of shape (n_coordinates, n_coordinates)
        Of all rows, whatever their class.
    penalties : tuple of float
    """

    rows: TrainingRows
    start: FloatArray
    covariance: FloatArray
    penalties: Sequence[float]

    @property
    def kind(self) -> Hashable:
        """What problems have in common that can be solved together; None if this one cannot."""
        return (self.start.shape, tuple(self.penalties)) if is_stackable(self.rows) else None

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows, and of numbers for each of them."""
        return len(self.rows.signs), len(self.start)

    @classmethod
    def solved_together(cls, problems: Sequence["Logistic"]) -> list[list[FloatArray]]:
        """Return the solutions of several problems of one kind, solved as one."""
        together = Logistic(
            stacked([own.rows for own in problems]),
            np.array([own.start for own in problems]),
            np.array([own.covariance for own in problems]),
            problems[0].penalties,
        )
        return [list(own) for own in zip(*together.solved(), strict=True)]

    def solved(self) -> list[FloatArray]:
        """Return the coefficients of every model for each penalty, of the shape of the start.

        By L-BFGS in coordinates where the curvature at the start is about one in all directions.
        """
        weights, signs = self.rows.weights, self.rows.signs
        totals = weights.sum(axis=-1, keepdims=True)
        # Weights are counts: next to no rows are next to no evidence against the penalty.
        counts = np.maximum(totals, _LEAST_COUNT)
        found, point = [], self.start
        share = (weights * (signs > 0)).sum(axis=(-2, -1)) / weights.sum(axis=(-2, -1))
        for penalty in self.penalties:
            each = np.append(np.full(self.start.shape[-1] - 1, penalty), _INTERCEPT_PENALTY)
            mean = counts.mean(axis=(-2, -1))
            factor = _factor(self.covariance, penalty / mean, share * (1 - share))
            problem = _Penalised(self.rows.block, signs, weights / totals, each / counts, factor)
            reached = run_block_lbfgs(
                problem,
                point @ factor,
                max_evaluations=_EVALUATIONS,
                stalled=_STALLED,
                first_step=None,
                part=None if self.start.ndim == 2 else problem.part,
            )
            point = problem.coefficients(reached)
            found.append(point)
        return found


def _factor(covariance: FloatArray, ridge: FloatArray, curvature: FloatArray) -> FloatArray:
    """Return the lower triangle L with LLᵀ the curvature of the loss, intercept last."""
    d = covariance.shape[-1]
    matrix = np.zeros((*covariance.shape[:-2], d + 1, d + 1))
    matrix[..., :d, :d] = curvature[..., None, None] * covariance
    np.einsum("...ii->...i", matrix)[...] += (ridge + 1e-10 * curvature)[..., None]
    matrix[..., d, d] = curvature
    factor: FloatArray = np.linalg.cholesky(matrix)
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
        # Of several pairs of classes at once.
        self._inverse = None if factor.ndim == 2 else np.linalg.inv(factor)

    def coefficients(self, point: FloatArray) -> FloatArray:
        """Return w = L⁻ᵀu."""
        if self._inverse is not None:
            return np.asarray(point @ self._inverse)
        return np.asarray(solve_triangular(self._factor, point.T, lower=True, trans="T").T)

    def part(self, chosen: IntArray) -> "_Penalised":
        """Return those of some pairs of classes."""
        arrays = (own[chosen] for own in (self._signs, self._shares, self._ridge, self._factor))
        return _Penalised(self._block.of_pairs(chosen), *arrays)

    def __call__(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the loss of every model and its derivatives by u."""
        coefficients = self.coefficients(point)
        # The chance of the other label. NumPy's tanh is several times faster than its exponential.
        wrong = self._block.scores(coefficients[..., :-1])
        wrong += coefficients[..., -1:]
        wrong *= -0.5 * self._signs
        np.tanh(wrong, out=wrong)
        wrong += 1.0
        wrong *= 0.5
        penalised = self._ridge * coefficients
        right = np.log(np.maximum(1.0 - wrong, _LEAST_CHANCE))
        values = 0.5 * np.einsum("...p,...p->...", penalised, coefficients)
        values -= np.einsum("...n,...n->...", self._shares, right)
        wrong *= self._shares
        wrong *= self._signs
        gradient = penalised
        gradient[..., :-1] -= self._block.gradient(wrong)
        gradient[..., -1] -= wrong.sum(axis=-1)
        if self._inverse is not None:
            return values, np.asarray(gradient @ self._inverse.swapaxes(-1, -2))
        return values, np.asarray(solve_triangular(self._factor, gradient.T, lower=True).T)
