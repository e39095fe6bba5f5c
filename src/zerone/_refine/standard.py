"""Rows in coordinates where all features have variance one, without copying all rows."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from zerone._data.containers import is_foreign
from zerone._data.devices import Device, device_of, to_host
from zerone._moments.class_moments import ClassMoments
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

    def block(self, members: IntArray, *, is_single: bool = False) -> "Block":
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

    def _differing(self, members: IntArray, usual: FloatArray) -> "SparseBlock":
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


class DenseBlock:
    """Standardised rows as the columns of a matrix, in single or double precision."""

    def __init__(self, values: AnyArray) -> None:
        self._values = values

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return len(self._values)

    def scores(self, directions: FloatArray) -> FloatArray:
        """Return the scores along directions: shape (n_directions, n_rows)."""
        return self.scores_of(directions, slice(None))

    def scores_of(self, directions: FloatArray, run: slice) -> FloatArray:
        """Return the scores of some neighbouring rows."""
        own = directions.astype(self._values.dtype, copy=False)
        return np.asarray(own @ self._values[:, run], dtype=np.float64)

    def gradient(self, slopes: FloatArray) -> FloatArray:
        """Return the derivatives by the directions, given those by the scores."""
        own = slopes.astype(self._values.dtype, copy=False)
        return np.asarray(own @ self._values.T, dtype=np.float64)

    def part(self, chosen: IntArray) -> "DenseBlock":
        """Return some of the rows."""
        return DenseBlock(self._values.take(chosen, axis=1))


class DeviceBlock:
    """Standardised rows on a device, in single precision; scores and slopes are on the host."""

    def __init__(self, values: Any, device: Device) -> None:
        self._values, self._device = values, device

    @classmethod
    def of(
        cls, rows: Any, members: IntArray, centre: FloatArray, inverse: FloatArray
    ) -> "DeviceBlock":
        """Return some rows, given by position, standardised."""
        device = device_of(rows)
        assert device is not None, "the caller has looked"
        chosen = device.xp.take(rows, device.bring(members), axis=0)
        kept = cls(device.xp.astype(chosen, device.xp.float32), device)
        kept._values -= device.xp.astype(device.bring(centre), device.xp.float32)
        kept._values *= device.xp.astype(device.bring(inverse), device.xp.float32)
        return kept

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return int(self._values.shape[1])

    def scores(self, directions: FloatArray) -> FloatArray:
        """Return the scores along directions: shape (n_directions, n_rows)."""
        return self._product(directions, self._values.T)

    def scores_of(self, directions: FloatArray, run: slice) -> FloatArray:
        """Return the scores of some neighbouring rows."""
        return self._product(directions, self._values[run, :].T)

    def gradient(self, slopes: FloatArray) -> FloatArray:
        """Return the derivatives by the directions, given those by the scores."""
        return self._product(slopes, self._values)

    def part(self, chosen: IntArray) -> "DeviceBlock":
        """Return some of the rows."""
        values = self._device.xp.take(self._values, self._device.bring(chosen), axis=0)
        return DeviceBlock(values, self._device)

    def _product(self, left: FloatArray, right: Any) -> FloatArray:
        brought = self._device.bring(left.astype(np.float32))
        return to_host(self._device.xp.matmul(brought, right)).astype(np.float64)


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

    @property
    def n_stored(self) -> int:
        """Number of values that are stored."""
        return int(self._rows.nnz)

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


Block: TypeAlias = DenseBlock | SparseBlock | DeviceBlock
