"""Going on from the frontier on the smoothed loss of the rows themselves."""

from collections.abc import Callable, Sequence

import numpy as np

from zerone._typing import FloatArray
from zerone.objectives import SmoothedError, SmoothedRanking
from zerone.refine._models import SplitModel
from zerone.refine._standard import DenseBlock, SparseBlock
from zerone.solvers import run_block_lbfgs

# In standard deviations of the score. From 1 on, imbalanced sets slide into the majority rule;
# below 0.06 nothing is gained.
ERROR_BANDWIDTHS = (0.5, 0.25, 0.12, 0.06)
RANKING_BANDWIDTHS = (0.25, 0.12, 0.06)
_EVALUATIONS = 20


def polish_error(
    block: DenseBlock | SparseBlock,
    signs: FloatArray,
    weights: FloatArray,
    models: Sequence[SplitModel],
    start: FloatArray,
    thresholds: FloatArray,
) -> list[FloatArray]:
    """Minimise the smoothed error of every model; return its directions after each bandwidth.

    Parameters
    ----------
    block : rows
    signs : ndarray of shape (n_rows,)
    weights : ndarray of shape (n_models, n_rows)
        Of the rows in each model's training; each model's add up to one.
    models : sequence of SplitModel
    start : ndarray of shape (n_models, n_coordinates)
        Unit vectors in each model's whitened coordinates.
    thresholds : ndarray of shape (n_models,)
        Where to begin.

    Returns
    -------
    list of ndarray of shape (n_models, n_coordinates)
        Directions with a score of total standard deviation one.
    """
    point = np.column_stack([start, -thresholds])
    whitened = _Whitened(block, models)
    states = []
    for bandwidth in ERROR_BANDWIDTHS:
        loss = SmoothedError(signs, weights, bandwidth)

        def function(
            point: FloatArray, loss: SmoothedError = loss
        ) -> tuple[FloatArray, FloatArray]:
            scores, back = whitened.scores(point[:, :-1])
            scores += point[:, -1:]
            values, slopes = loss.value_and_slopes(scores)
            return values, np.column_stack([back(slopes), slopes.sum(axis=1)])

        point = run_block_lbfgs(function, point, max_evaluations=_EVALUATIONS)
        point[:, :-1] = _unit(point[:, :-1])
        states.append(whitened.directions(point[:, :-1]))
    return states


def polish_ranking(
    block: DenseBlock | SparseBlock,
    n_positive: int,
    weights: FloatArray,
    models: Sequence[SplitModel],
    start: FloatArray,
) -> list[FloatArray]:
    """Minimise the smoothed ranking loss of every model, as `polish_error` does the error.

    Parameters
    ----------
    n_positive : int
        The first so many rows of the block are positive.
    """
    point = start
    whitened = _Whitened(block, models)
    states = []
    for bandwidth in RANKING_BANDWIDTHS:
        loss = SmoothedRanking(n_positive, weights, bandwidth)

        def function(
            point: FloatArray, loss: SmoothedRanking = loss
        ) -> tuple[FloatArray, FloatArray]:
            scores, back = whitened.scores(point)
            values, slopes = loss.value_and_slopes(scores)
            return values, back(slopes)

        point = _unit(run_block_lbfgs(function, point, max_evaluations=_EVALUATIONS))
        states.append(whitened.directions(point))
    return states


class _Whitened:
    """Scores of unit length as functions of whitened vectors of any length."""

    def __init__(self, block: DenseBlock | SparseBlock, models: Sequence[SplitModel]) -> None:
        self._block = block
        self._whiteners = np.array([model.whitener for model in models])
        self._centres = np.array([model.centre for model in models])

    def directions(self, vectors: FloatArray) -> FloatArray:
        directions: FloatArray = np.einsum("mrs,ms->mr", self._whiteners, vectors)
        return directions

    def scores(self, vectors: FloatArray) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        """Return the scores and the map from their slopes to the gradient by the vectors."""
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / sizes
        scores = self._block.scores(self.directions(unit), self._centres)

        def back(slopes: FloatArray) -> FloatArray:
            by_direction = self._block.gradient(slopes, self._centres)
            gradient = np.einsum("mrs,mr->ms", self._whiteners, by_direction)
            # Only turning changes a score of unit length.
            gradient -= np.einsum("ms,ms->m", gradient, unit)[:, None] * unit
            turned: FloatArray = gradient / sizes
            return turned

        return scores, back


def _unit(vectors: FloatArray) -> FloatArray:
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
