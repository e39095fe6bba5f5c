"""Rows in coordinates where all features have variance one, without copying all rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.containers import is_foreign
from zerone._moments.class_moments import ClassMoments
from zerone._refine.blocks import Block, DenseBlock, DeviceBlock, SparseBlock
from zerone._typing import AnyArray, FloatArray, IntArray

_CACHED_VALUES = 2**14
# Rows are kept as sparse ones below these densities, because products are then cheaper: beside
# double and single precision.
_DENSE, _DENSE_SINGLE = 0.15, 0.05
# Rows that are looked at to see whether a table is mostly indicators.
_LOOK = 256


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

    def columns(self, members: IntArray, *, is_single: bool = False) -> AnyArray:
        """Return some rows as the columns of an array."""
        dtype = np.float32 if is_single else np.float64
        if self.basis is not None:
            return np.ascontiguousarray(self.rows[members].T, dtype=dtype)
        values = np.empty((self.n_coordinates, len(members)), dtype)
        centre, inverse = self.centre[:, None], self.inverse[:, None].astype(dtype)
        # Few rows at once stay in the cache while they are turned into columns.
        step = max(64, _CACHED_VALUES // max(self.n_coordinates, 1))
        for start in range(0, len(members), step):
            block = self.rows[members[start : start + step]]
            dense = block.toarray() if sp.issparse(block) else block
            part = values[:, start : start + step]
            np.subtract(dense.T, centre, out=part, casting="same_kind")
            part *= inverse
        return values

    def block(self, members: IntArray, *, is_single: bool = False) -> Block:
        """Return some rows in a form that is fast for many products.

        Parameters
        ----------
        members : ndarray of int
        is_single : bool
            Dense rows in single precision; the products are given in double precision.
        """
        if is_foreign(self.rows):
            return DeviceBlock.of(self.rows, members, self.centre, self.inverse)
        if self.basis is None:
            dense = _DENSE_SINGLE if is_single else _DENSE
            if sp.issparse(self.rows):
                block = self.rows[members]
                if block.nnz <= dense * block.shape[0] * block.shape[1]:
                    scaled = sp.csr_array(block * self.inverse)
                    return SparseBlock(scaled, self.centre * self.inverse)
            else:
                usual, others = self._usual_values(members)
                if others <= dense:
                    return self._differing(members, usual)
        return DenseBlock(self.columns(members, is_single=is_single))

    def _usual_values(self, members: IntArray) -> tuple[FloatArray, float]:
        """Return a value of each column that many rows have, and the share of the others."""
        look = self.rows[members[:: max(1, len(members) // _LOOK)]]
        middle = len(look) // 2
        usual = np.partition(look, middle, axis=0)[middle]
        return usual, float(np.mean(look != usual))

    def _differing(self, members: IntArray, usual: FloatArray) -> SparseBlock:
        """Return rows that mostly have the same values, as sparse differences from these."""
        d = self.n_coordinates
        step = max(64, _CACHED_VALUES // max(d, 1))
        counts, columns, values = [np.zeros(1, dtype=np.intp)], [], []
        for start in range(0, len(members), step):
            block = self.rows[members[start : start + step]]
            differs = block != usual
            counts.append(np.count_nonzero(differs, axis=1))
            places = np.flatnonzero(differs)
            own = places % d
            columns.append(own.astype(np.int32))
            values.append((block.ravel()[places] - usual[own]) * self.inverse[own])
        index = np.concatenate(columns), np.cumsum(np.concatenate(counts))
        rows = sp.csr_array((np.concatenate(values), *index), shape=(len(members), d))
        return SparseBlock(rows, (self.centre - usual) * self.inverse)
