"""Polish: minimise the smoothed loss of the rows, from a point of the frontier."""

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

from zerone._refine.standard import DenseBlock, SparseBlock
from zerone._typing import FloatArray
from zerone.objectives._smoothed_error import SmoothedError
from zerone.objectives._smoothed_ranking import SmoothedRanking
from zerone.solvers._block_lbfgs import run_block_lbfgs

# In standard deviations of the score. With 1 or more, imbalanced sets end in the majority rule;
# below 0.06 there is no gain.
ERROR_BANDWIDTHS = (0.5, 0.25, 0.12, 0.06)
RANKING_BANDWIDTHS = (1.0, 0.5, 0.25, 0.12, 0.06)
_EVALUATIONS = 20
# A training loss below this is rounding: every row is far on its correct side.
_SOLVED = 1e-6


def polish_error(
    signs: FloatArray,
    weights: FloatArray,
    whitened: "Whitened",
    start: FloatArray,
    thresholds: FloatArray,
    narrowest: float,
) -> list[FloatArray]:
    """Minimise the smoothed error of every model; return directions after each bandwidth.

    Parameters
    ----------
    signs : ndarray of shape (n_rows,)
    weights : ndarray of shape (n_models, n_rows)
        Of the training rows of each model; the weights of a model add up to one.
    whitened : Whitened
        The rows.
    start : ndarray of shape (n_models, n_coordinates)
        Directions.
    thresholds : ndarray of shape (n_models,)
        Starting thresholds.
    narrowest : float
        No bandwidth below this, but at least one.

    Returns
    -------
    list of ndarray of shape (n_models, n_coordinates)
        Directions.
    """
    point = np.column_stack([whitened.vectors(start), -thresholds])
    states = []
    for bandwidth in _from_wide_to(narrowest, ERROR_BANDWIDTHS):
        loss = SmoothedError(signs, weights, bandwidth)

        def function(
            point: FloatArray, loss: SmoothedError = loss
        ) -> tuple[FloatArray, FloatArray]:
            scores, back = whitened.scores(point[:, :-1])
            scores += point[:, -1:]
            values, slopes = loss.value_and_slopes(scores)
            return values, np.column_stack([back(slopes), slopes.sum(axis=1)])

        point = run_block_lbfgs(function, point, max_evaluations=_EVALUATIONS, solved=_SOLVED)
        point[:, :-1] = _unit(point[:, :-1])
        states.append(whitened.directions(point[:, :-1]))
    return states


def polish_ranking(
    n_positive: int,
    weights: FloatArray,
    whitened: "Whitened",
    start: FloatArray,
    narrowest: float,
) -> list[FloatArray]:
    """Minimise the smoothed ranking loss of every model; see `polish_error`.

    Parameters
    ----------
    n_positive : int
        Number of positive rows; they come first in the block.
    """
    point = whitened.vectors(start)
    states = []
    for bandwidth in _from_wide_to(narrowest, RANKING_BANDWIDTHS):
        loss = SmoothedRanking(n_positive, weights, bandwidth)

        def function(
            point: FloatArray, loss: SmoothedRanking = loss
        ) -> tuple[FloatArray, FloatArray]:
            scores, back = whitened.scores(point)
            values, slopes = loss.value_and_slopes(scores)
            return values, back(slopes)

        point = run_block_lbfgs(function, point, max_evaluations=_EVALUATIONS, solved=_SOLVED)
        point = _unit(point)
        states.append(whitened.directions(point))
    return states


class Whitened:
    """Scores of every model, as functions of normalised vectors in whitened coordinates.

    Parameters
    ----------
    block : DenseBlock or SparseBlock
        The rows.
    whitener : ndarray of shape (n_coordinates, n_coordinates)
        An upper triangle.
    """

    def __init__(self, block: DenseBlock | SparseBlock, whitener: FloatArray) -> None:
        self._block, self._whitener = block, whitener

    def vectors(self, directions: FloatArray) -> FloatArray:
        """Return the unit vectors of directions."""
        return _unit(solve_triangular(self._whitener, directions.T).T)

    def directions(self, vectors: FloatArray) -> FloatArray:
        """Return the directions of vectors."""
        directions: FloatArray = vectors @ self._whitener.T
        return directions

    def scores(self, vectors: FloatArray) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        """Return the scores and the map from their slopes to the gradient by the vectors."""
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / sizes
        scores = self._block.scores(self.directions(unit))

        def back(slopes: FloatArray) -> FloatArray:
            gradient = self._block.gradient(slopes) @ self._whitener
            # Only the part orthogonal to a unit vector changes its score.
            gradient -= np.einsum("ms,ms->m", gradient, unit)[:, None] * unit
            turned: FloatArray = gradient / sizes
            return turned

        return scores, back


def _from_wide_to(narrowest: float, bandwidths: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(own for own in bandwidths if own >= narrowest) or bandwidths[:1]


def _unit(vectors: FloatArray) -> FloatArray:
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
