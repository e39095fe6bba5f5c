"""Rows in coordinates where all features have variance one, without copying all rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._moments.class_moments import ClassMoments
from zerone._typing import FloatArray, IntArray

# Values that are scored at once.
_BLOCK_VALUES = 2**20
# Sparse rows stay sparse below this density, because products are then cheaper.
_SPARSE_DENSITY = 0.1


@dataclass(frozen=True, eq=False)
class StandardRows:
    """Rows (x − centre)·inverse, rotated into their span if there are fewer rows than features.

    Attributes
    ----------
    rows : ndarray or sparse array of shape (n_rows, n_features)
        As given; if rotated, the coordinates.
    centre, inverse : ndarray of shape (n_features,)
        Mean of all rows and 1/standard deviation; zero for a constant feature.
    basis : ndarray of shape (n_features, n_coordinates) or None
        Orthonormal; None if the coordinates are the standardised features.
    n_varying : int
        Number of features that are not constant.
    """

    rows: Any
    centre: FloatArray
    inverse: FloatArray
    basis: FloatArray | None
    n_varying: int

    @classmethod
    def of(
        cls, rows: Any, members: IntArray, mean: FloatArray, variance: FloatArray
    ) -> "StandardRows":
        """Return the standardised form of rows.

        Parameters
        ----------
        rows : ndarray or csr array
        members : ndarray of int
            Positions of the rows to use.
        mean, variance : ndarray of shape (n_features,)
            Of all members together.
        """
        varying = variance > 0
        inverse = np.where(varying, 1 / np.sqrt(np.where(varying, variance, 1.0)), 0.0)
        n_varying = int(varying.sum())
        if len(members) >= rows.shape[1]:
            return cls(rows, mean, inverse, None, n_varying)
        dense = rows[members].toarray() if sp.issparse(rows) else rows[members].astype(np.float64)
        standard = (dense - mean) * inverse
        # The span of the rows; labels are not used.
        left, sizes, right = np.linalg.svd(standard, full_matrices=False)
        kept = sizes > 1e-10 * max(sizes[0], np.finfo(float).tiny)
        coordinates = np.zeros((rows.shape[0], int(kept.sum())))
        coordinates[members] = left[:, kept] * sizes[kept]
        return cls(coordinates, mean, inverse, right[kept].T, n_varying)

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return int(self.rows.shape[1])

    def for_features(self, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return directions for the features, and constants to add to their scores."""
        if self.basis is not None:
            directions = directions @ self.basis.T
        coef = directions * self.inverse
        return coef, -coef @ self.centre

    def moments(self, given: ClassMoments) -> ClassMoments:
        """Return moments in these coordinates.

        Parameters
        ----------
        given : ClassMoments
            In the coordinates of ``rows``.
        """
        if self.basis is not None:
            return given
        mean = (given.mean - self.centre + given.mean_correction) * self.inverse
        return ClassMoments(given.weight, mean, given.covariance.rescale(self.inverse))

    def scores(self, directions: FloatArray, members: IntArray) -> FloatArray:
        """Return the scores of some rows along directions: shape (n_directions, n_members)."""
        if self.basis is None:
            directions = directions * self.inverse
            shift = directions @ self.centre
        else:
            shift = np.zeros(len(directions))
        scores = np.empty((len(directions), len(members)))
        step = max(1, _BLOCK_VALUES // max(self.n_coordinates, 1))
        for start in range(0, len(members), step):
            block = self.rows[members[start : start + step]]
            scores[:, start : start + step] = (block @ directions.T).T
        scores -= shift[:, None]
        return scores

    def columns(self, members: IntArray) -> FloatArray:
        """Return some rows as the columns of an array."""
        block = self.rows[members]
        if self.basis is not None:
            return np.ascontiguousarray(block.T)
        dense = block.toarray() if sp.issparse(block) else block
        values = np.empty(dense.shape[::-1])
        np.subtract(dense.T, self.centre[:, None], out=values)
        values *= self.inverse[:, None]
        return values

    def block(self, members: IntArray) -> "DenseBlock | SparseBlock":
        """Return some rows in a form that is fast for many products."""
        if self.basis is None and sp.issparse(self.rows):
            block = self.rows[members]
            if block.nnz <= _SPARSE_DENSITY * block.shape[0] * block.shape[1]:
                scaled = sp.csr_array(block * self.inverse)
                return SparseBlock(scaled, self.centre * self.inverse)
        return DenseBlock(self.columns(members))


class DenseBlock:
    """Standardised rows as the columns of a matrix."""

    def __init__(self, values: FloatArray) -> None:
        self._values = values

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return len(self._values)

    def scores(self, directions: FloatArray) -> FloatArray:
        """Return the scores along directions: shape (n_directions, n_rows)."""
        scores: FloatArray = directions @ self._values
        return scores

    def scores_of(self, directions: FloatArray, run: slice) -> FloatArray:
        """Return the scores of some neighbouring rows."""
        scores: FloatArray = directions @ self._values[:, run]
        return scores

    def gradient(self, slopes: FloatArray) -> FloatArray:
        """Return the derivatives by the directions, given those by the scores."""
        gradient: FloatArray = slopes @ self._values.T
        return gradient

    def part(self, chosen: IntArray) -> "DenseBlock":
        """Return some of the rows."""
        return DenseBlock(self._values.take(chosen, axis=1))


class SparseBlock:
    """Scaled sparse rows; products are centred, not rows."""

    def __init__(self, rows: Any, centre: FloatArray) -> None:
        self._rows = rows
        self._columns = rows.T.tocsr()
        self._centre = centre

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return len(self._centre)

    def scores(self, directions: FloatArray) -> FloatArray:
        """Return the scores along directions: shape (n_directions, n_rows)."""
        return self.scores_of(directions, slice(None))

    def scores_of(self, directions: FloatArray, run: slice) -> FloatArray:
        """Return the scores of some neighbouring rows."""
        rows = self._rows if run == slice(None) else self._rows[run]
        scores = np.ascontiguousarray((rows @ directions.T).T)
        scores -= (directions @ self._centre)[:, None]
        return scores

    def gradient(self, slopes: FloatArray) -> FloatArray:
        """Return the derivatives by the directions, given those by the scores."""
        gradient = np.ascontiguousarray((self._columns @ slopes.T).T)
        gradient -= slopes.sum(axis=1)[:, None] * self._centre
        return gradient

    def part(self, chosen: IntArray) -> "SparseBlock":
        """Return some of the rows."""
        return SparseBlock(self._rows[chosen], self._centre)
