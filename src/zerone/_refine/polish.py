"""Polish: minimise the smoothed loss of the rows, from a point of the frontier.

From wide to narrow bandwidths. The wider a bandwidth, the fewer rows are needed to see where its
loss falls, and it only leads to the next one: wide bandwidths use a part of the rows.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from zerone._refine.blocks import Block, SmoothedLoss
from zerone._refine.training_rows import TrainingRows, is_stackable, stacked
from zerone._typing import FloatArray, IntArray
from zerone.objectives._smoothed_error import SmoothedError
from zerone.solvers._block_lbfgs import run_block_lbfgs

# In standard deviations of the score. With 1 or more, imbalanced sets end in the majority rule;
# below 0.06 there is no gain.
ERROR_BANDWIDTHS = (0.5, 0.25, 0.12, 0.06)
RANKING_BANDWIDTHS = (1.0, 0.5, 0.25, 0.12, 0.06)
_EVALUATIONS = 20
# Wider bandwidths only lead to the narrowest one.
_EVALUATIONS_ON_THE_WAY = 8
# Of several classes the sum of many rules decides: fewer evaluations change its accuracy by less
# than its noise.
_EVALUATIONS_OF_MANY = (5, 12)
# Weight of the rows that a bandwidth of one needs, narrower ones as many times more; and for each
# coordinate.
_WEIGHT_OF_WIDEST = 5_000.0
_WEIGHT_OF_COORDINATE = 50.0
# A training loss below this is rounding: every row is far on its correct side.
_SOLVED = 1e-6


Making = Callable[[TrainingRows, float], SmoothedLoss]
"""Returns the loss of rows with a bandwidth."""


@dataclass(frozen=True)
class Stages:
    """Bandwidths from wide to narrow.

    Attributes
    ----------
    bandwidths : tuple of float
    narrowest : float
        No bandwidth below this, but at least one.
    evaluations : tuple of int
        Most of them on the way, and with the last bandwidth.
    """

    bandwidths: tuple[float, ...]
    narrowest: float
    evaluations: tuple[int, int] = (_EVALUATIONS_ON_THE_WAY, _EVALUATIONS)

    @property
    def used(self) -> tuple[float, ...]:
        """The bandwidths that are not too narrow."""
        used = tuple(own for own in self.bandwidths if own >= self.narrowest)
        return used or self.bandwidths[:1]

    def of(self, rows: TrainingRows) -> Iterator[tuple[float, TrainingRows, int]]:
        """Yield each bandwidth with the rows that it needs, and its most evaluations."""
        used = self.used
        for bandwidth in used[:-1]:
            part = rows.thinned(self.needed(bandwidth, rows.block.n_coordinates))
            is_usable = part is rows or part.has_both_classes()
            yield bandwidth, part if is_usable else rows, self.evaluations[0]
        yield used[-1], rows, self.evaluations[1]

    @staticmethod
    def needed(bandwidth: float, n_coordinates: int) -> float:
        """Return the weight of the rows that a bandwidth needs."""
        return max(_WEIGHT_OF_WIDEST / bandwidth, _WEIGHT_OF_COORDINATE * n_coordinates)


@dataclass(frozen=True, eq=False)
class Polish:
    """The smoothed losses of all models of a pair of classes, and where to start.

    Attributes
    ----------
    make : callable
        The loss counts scores above zero as positive.
    stages : Stages
    rows : TrainingRows
    whitener : ndarray of shape (n_coordinates, n_coordinates)
        See `Whitened`.
    start : ndarray of shape (n_models, n_coordinates)
        Directions.
    thresholds : ndarray of shape (n_models,) or None
        Starting thresholds, which move, too; None for a loss that needs none.
    """

    make: Making
    stages: Stages
    rows: TrainingRows
    whitener: FloatArray
    start: FloatArray
    thresholds: FloatArray | None = None

    @property
    def of_many(self) -> "Polish":
        """The same with fewer evaluations, for one pair of several classes."""
        return replace(self, stages=replace(self.stages, evaluations=_EVALUATIONS_OF_MANY))

    @property
    def kind(self) -> Hashable:
        """What problems have in common that can be solved together; None if this one cannot."""
        used = self.stages.used
        needed = self.stages.needed(used[0], self.rows.block.n_coordinates)
        # Of several pairs no part of the rows is taken, so none of them may need it.
        if not is_stackable(self.rows) or float(self.rows.weights[-1].sum()) > needed:
            return None
        stages = used, self.stages.evaluations
        return self.make, stages, self.start.shape, self.thresholds is None

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows, and of numbers for each of them."""
        return len(self.rows.signs), len(self.start)

    @classmethod
    def solved_together(cls, problems: Sequence["Polish"]) -> list[list[FloatArray]]:
        """Return the solutions of several problems of one kind, solved as one."""
        thresholds = [own.thresholds for own in problems if own.thresholds is not None]
        together = replace(
            problems[0],
            rows=stacked([own.rows for own in problems]),
            whitener=np.array([own.whitener for own in problems]),
            start=np.array([own.start for own in problems]),
            thresholds=np.array(thresholds) if thresholds else None,
        )
        return [list(own) for own in zip(*together.solved(), strict=True)]

    def solved(self) -> list[FloatArray]:
        """Minimise; return the directions after each bandwidth, of the shape of the start."""
        whitened = Whitened(self.rows.block, self.whitener)
        point, d = whitened.vectors(self.start), self.start.shape[-1]
        if self.thresholds is not None:
            point = np.concatenate([point, -self.thresholds[..., None]], axis=-1)
        states = []
        for bandwidth, part, evaluations in self.stages.of(self.rows):
            stage = _Stage(self, part, bandwidth)
            point = run_block_lbfgs(
                stage,
                point,
                max_evaluations=evaluations,
                solved=_SOLVED,
                part=None if self.start.ndim == 2 else stage.part,
            )
            point[..., :d] = _unit(point[..., :d])
            states.append(whitened.directions(point[..., :d]))
        return states


class _Stage:
    """The losses with one bandwidth, as functions of vectors and offsets."""

    def __init__(self, polish: Polish, rows: TrainingRows, bandwidth: float) -> None:
        self._polish, self._rows, self._bandwidth = polish, rows, bandwidth
        self._loss = polish.make(rows, bandwidth)
        self._whitened = Whitened(rows.block, polish.whitener)

    def __call__(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return losses and derivatives."""
        if self._polish.thresholds is None:
            return self._whitened.evaluated(self._loss, point)
        return self._whitened.evaluated(self._loss, point[..., :-1], point[..., -1])

    def part(self, chosen: IntArray) -> "_Stage":
        """Return the losses of some pairs of classes."""
        polish = replace(self._polish, whitener=self._polish.whitener[chosen])
        return _Stage(polish, self._rows.of_pairs(chosen), self._bandwidth)


def smoothed_error(rows: TrainingRows, bandwidth: float) -> SmoothedError:
    """Return the smoothed error of rows."""
    shares = rows.weights / rows.weights.sum(axis=-1, keepdims=True)
    return SmoothedError(rows.signs, shares, bandwidth)


class Whitened:
    """Losses of every model, as functions of normalised vectors in whitened coordinates.

    Parameters
    ----------
    block : Block
        The rows.
    whitener : ndarray of shape (n_coordinates, n_coordinates)
        An upper triangle.
    """

    def __init__(self, block: Block, whitener: FloatArray) -> None:
        self._block, self._whitener = block, whitener

    def vectors(self, directions: FloatArray) -> FloatArray:
        """Return the unit vectors of directions."""
        if self._whitener.ndim == 2:
            return _unit(solve_triangular(self._whitener, directions.T).T)
        # Of several pairs of classes at once.
        found = np.linalg.solve(self._whitener, directions.swapaxes(-1, -2))
        return _unit(np.asarray(found.swapaxes(-1, -2), dtype=np.float64))

    def directions(self, vectors: FloatArray) -> FloatArray:
        """Return the directions of vectors."""
        directions: FloatArray = vectors @ self._whitener.swapaxes(-1, -2)
        return directions

    def evaluated(
        self, loss: SmoothedLoss, vectors: FloatArray, offsets: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return losses of all models, and their derivatives by vectors and offsets, in columns."""
        sizes = np.linalg.norm(vectors, axis=-1, keepdims=True)
        unit = vectors / sizes
        values, gradient, by_offset = self._block.evaluated(loss, self.directions(unit), offsets)
        gradient = gradient @ self._whitener
        # Only the part orthogonal to a unit vector changes its score.
        gradient -= np.einsum("...s,...s->...", gradient, unit)[..., None] * unit
        gradient /= sizes
        if by_offset is None:
            return values, gradient
        return values, np.concatenate([gradient, by_offset[..., None]], axis=-1)


def _unit(vectors: FloatArray) -> FloatArray:
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit
