"""Standardised rows in forms that are fast for many products: dense, sparse, on a device."""

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from zerone._data.devices import Device, device_of, to_host
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.objectives._smoothed_error import SmoothedError


class SmoothedLoss(Protocol):
    """A smoothed loss of the scores of several models."""

    def value_and_slopes(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each model's loss and its derivatives with respect to the scores."""
        ...


class Block(ABC):
    """Standardised rows; scores and slopes are in double precision, on the host."""

    @property
    @abstractmethod
    def n_coordinates(self) -> int:
        """Number of coordinates."""

    @abstractmethod
    def scores_of(self, directions: FloatArray, run: slice) -> FloatArray:
        """Return the scores of some neighbouring rows."""

    @abstractmethod
    def gradient(self, slopes: FloatArray) -> FloatArray:
        """Return the derivatives by the directions, given those by the scores."""

    @abstractmethod
    def part(self, chosen: IntArray) -> "Block":
        """Return some of the rows."""

    def of_pairs(self, chosen: IntArray) -> "Block":
        """Return the rows of some pairs of classes; only a block of several pairs has them."""
        raise NotImplementedError

    def scores(self, directions: FloatArray) -> FloatArray:
        """Return the scores along directions: shape (n_directions, n_rows)."""
        return self.scores_of(directions, slice(None))

    def evaluated(
        self, loss: SmoothedLoss, directions: FloatArray, offsets: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Return the losses of all models, and their derivatives by directions and offsets.

        Parameters
        ----------
        loss : SmoothedLoss
        directions : ndarray of shape (n_models, n_coordinates)
        offsets : ndarray of shape (n_models,), optional
            Added to the scores.
        """
        scores = self.scores(directions)
        if offsets is None:
            values, slopes = loss.value_and_slopes(scores)
            return values, self.gradient(slopes), None
        scores += offsets[..., None]
        values, slopes = loss.value_and_slopes(scores)
        return values, self.gradient(slopes), slopes.sum(axis=-1)


class DenseBlock(Block):
    """Standardised rows as the columns of a matrix, in single or double precision.

    Of several pairs of classes at once if there is one more axis, the first one, everywhere.
    """

    def __init__(self, values: AnyArray) -> None:
        self.values = values

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return int(self.values.shape[-2])

    def scores_of(self, directions: FloatArray, run: slice) -> FloatArray:
        """Return the scores of some neighbouring rows."""
        own = directions.astype(self.values.dtype, copy=False)
        return np.asarray(own @ self.values[..., run], dtype=np.float64)

    def gradient(self, slopes: FloatArray) -> FloatArray:
        """Return the derivatives by the directions, given those by the scores."""
        own = slopes.astype(self.values.dtype, copy=False)
        return np.asarray(own @ self.values.swapaxes(-1, -2), dtype=np.float64)

    def part(self, chosen: IntArray) -> "DenseBlock":
        """Return some of the rows."""
        return DenseBlock(self.values.take(chosen, axis=1))

    def of_pairs(self, chosen: IntArray) -> "DenseBlock":
        """Return the rows of some pairs of classes."""
        return DenseBlock(self.values[chosen])


class DeviceBlock(Block):
    """Standardised rows on a device, in single precision."""

    def __init__(self, values: Any, device: Device) -> None:
        self._values, self._device = values, device
        self._prepared: tuple[SmoothedError, Any, Any] | None = None

    @classmethod
    def of(
        cls, rows: Any, members: IntArray, centre: FloatArray, inverse: FloatArray
    ) -> "DeviceBlock":
        """Return some rows, given by position, standardised."""
        device = device_of(rows)
        assert device is not None, "the caller has looked"
        xp = device.xp
        values = xp.take(rows, device.bring(members), axis=0)
        values = values - xp.astype(device.bring(centre), values.dtype)
        values = values * xp.astype(device.bring(inverse), values.dtype)
        return cls(xp.astype(values, xp.float32), device)

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return int(self._values.shape[1])

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

    def evaluated(
        self, loss: SmoothedLoss, directions: FloatArray, offsets: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Return what a block on the host does; of the smoothed error without fetching scores."""
        if offsets is None or not isinstance(loss, SmoothedError):
            return super().evaluated(loss, directions, offsets)
        xp = self._device.xp
        rates, weights = self._for_loss(loss)
        brought = self._brought(np.column_stack([directions, offsets]))
        tilted = xp.tanh((xp.matmul(brought[:, :-1], self._values.T) + brought[:, -1:]) * rates)
        slopes = (1 - tilted * tilted) * weights * (0.5 * rates)
        # One table, so that the device is waited for once.
        parts = [
            xp.matmul(slopes, self._values),
            xp.sum(slopes, axis=1, keepdims=True),
            0.5 * xp.sum(weights * (1 + tilted), axis=1, keepdims=True),
        ]
        table = to_host(xp.concat(parts, axis=1)).astype(np.float64)
        return table[:, -1], table[:, :-2], table[:, -2]

    def _for_loss(self, loss: SmoothedError) -> tuple[Any, Any]:
        """Return rates and weights of a loss on the device; brought once for many evaluations."""
        if self._prepared is None or self._prepared[0] is not loss:
            self._prepared = loss, self._brought(loss.rates), self._brought(loss.weights)
        return self._prepared[1], self._prepared[2]

    def _brought(self, values: FloatArray) -> Any:
        return self._device.bring(values.astype(np.float32))

    def _product(self, left: FloatArray, right: Any) -> FloatArray:
        brought = self._brought(left)
        return to_host(self._device.xp.matmul(brought, right)).astype(np.float64)


class SparseBlock(Block):
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
