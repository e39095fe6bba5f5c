"""Moments of rows on a device: summed there; only d x d results are copied to the host."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._data.containers import is_from
from zerone._data.device_batch import DeviceBatch
from zerone._data.devices import Device, is_out_of_memory, memory_of, to_host
from zerone._data.labels import label_list
from zerone._errors import ArgumentError
from zerone._kernels.accumulate import Shifted
from zerone._kernels.dense import finish, is_far_off
from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import MOST_FEATURES
from zerone._moments.moments import Moments

# Values and rows that are multiplied at once: enough to keep a device busy, and few enough for sums
# in single precision. The sums of blocks are added in double precision.
_BLOCK_VALUES = 2**27
_BLOCK_ROWS = 2**20
# If a block does not fit in memory, half of it is tried, down to this many rows.
_BLOCK_ROWS_MINIMUM = 2**12
# Rows of a product, for libraries that may add one row after the other.
_SHORT_SUM = 2**12
_SHIFT_ROWS = 256
# Largest ratio offset²/variance; single precision has fewer digits to lose.
_OFFSET_TOLERATED = 1e3
_OFFSET_TOLERATED_SINGLE = 10.0
# Below this, a square in single precision has lost digits.
_SMALLEST_SQUARE = 1e-30


def device_moments(batch: DeviceBatch) -> Moments:
    """Return the moments of rows on a device, with explicit covariances."""
    if batch.n_features > MOST_FEATURES:
        raise ArgumentError(
            "X",
            f"{batch.n_features} features are too many for explicit covariances on a device (the "
            f"most is {MOST_FEATURES})",
            "pass a NumPy array; its rows are stored instead",
        )
    xp = batch.device.xp
    advice = "free some there, or pass fewer rows at a time to partial_fit"
    # Some libraries warn like NumPy; values that are not finite raise an error later.
    quiet = np.errstate(invalid="ignore", over="ignore")
    with memory_of(batch.device, advice), _full_precision(batch), quiet:
        present = [index for index, size in enumerate(batch.sizes) if size]
        found = _summed(batch, {index: _provisional_mean(batch, index) for index in present})
        has_more = batch.float_type != batch.device.float_type
        if has_more and any(map(_is_out_of_range, found.values())):
            batch = batch.in_double()
            found = _summed(batch, {index: _provisional_mean(batch, index) for index in present})
        is_double = batch.float_type == xp.float64
        tolerated = _OFFSET_TOLERATED if is_double else _OFFSET_TOLERATED_SINGLE
        # A sample misleads where rows are not in a random order.
        better = {
            index: xp.astype(batch.device.bring(sums.shift + sums.offset), batch.float_type)
            for index, sums in found.items()
            if is_far_off(sums, tolerated)
        }
        found |= _summed(batch, better)
    empty = ClassMoments.empty(batch.n_features)
    return Moments(
        {
            label: finish(found[index]) if index in found else empty
            for index, label in enumerate(label_list(batch.classes))
        }
    )


def _is_out_of_range(sums: Shifted) -> bool:
    """Whether squares were too large or too small for single precision.

    The squares of a constant feature are zero, but so is its sum.
    """
    squares = sums.scatter.diagonal() / sums.weight
    vanished = (squares < _SMALLEST_SQUARE) & (sums.offset != 0)
    return bool((vanished | ~np.isfinite(squares)).any())


def _provisional_mean(batch: DeviceBatch, index: int) -> Any:
    """Return the mean of a few rows of a class, exact for constant features, on the device."""
    xp = batch.device.xp
    chosen = batch.members[index][:: max(1, batch.sizes[index] // _SHIFT_ROWS)]
    sample = xp.astype(xp.take(batch.rows, chosen, axis=0), batch.float_type)
    return sample[0, :] + xp.mean(sample - sample[0, :], axis=0)


def _summed(batch: DeviceBatch, shifts: dict[int, Any]) -> dict[int, Shifted]:
    """Return the sums over classes around their shifts, in blocks that fit in memory.

    The sums of all classes are queued before the first is fetched.
    """
    rows = max(min(_BLOCK_VALUES // batch.n_features, _BLOCK_ROWS), _BLOCK_ROWS_MINIMUM)
    while True:
        try:
            queued = {
                index: _Sums.begun(batch, batch.members[index], shift, rows)
                for index, shift in shifts.items()
            }
            return {index: sums.finished() for index, sums in queued.items()}
        except Exception as error:
            if not is_out_of_memory(error) or rows <= _BLOCK_ROWS_MINIMUM:
                raise
        rows = max(rows // 2, _BLOCK_ROWS_MINIMUM)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over the rows of one class that a device may still be computing.

    The rows of ``table`` are the scatter and the sums, with weights divided by their mean, and then
    the shift.
    """

    n_rows: int
    weight: Any
    table: Any

    @classmethod
    def begun(cls, batch: DeviceBatch, members: Any, shift: Any, block_rows: int) -> "_Sums":
        """Queue the sums over some rows, block by block."""
        xp, device, d = batch.device.xp, batch.device, batch.n_features
        n = members.shape[0]
        gather = _gatherer(batch)
        scatter = xp.zeros((d, d), dtype=device.float_type, device=device.name)
        sums = xp.zeros(d, dtype=device.float_type, device=device.name)
        weight = n if batch.weights is None else xp.sum(xp.take(batch.weights, members, axis=0))
        for start in range(0, n, block_rows):
            chosen = members[start : min(start + block_rows, n)]
            roots = None
            if batch.weights is not None:
                # Relative to their mean, because single precision has a short range.
                relative = xp.take(batch.weights, chosen, axis=0) * (n / weight)
                roots = xp.astype(xp.sqrt(relative), batch.float_type)
            block, total = gather(batch, chosen, shift, roots)
            scatter += _product(block, device)
            sums += total
        below = xp.stack([sums, xp.astype(shift, device.float_type)])
        return cls(n, weight, xp.concat([scatter, below]))

    def finished(self) -> Shifted:
        """Wait for the device and return the sums on the host."""
        weight = float(self.weight)
        table = np.array(to_host(self.table), dtype=np.float64)
        table[:-2] *= weight / self.n_rows
        return Shifted(weight, table[-1], table[-2] / self.n_rows, table[:-2])


def gathered(batch: DeviceBatch, chosen: Any, shift: Any, roots: Any) -> tuple[Any, Any]:
    """Return some rows minus a shift, times the roots of their weights, and their weighted sum."""
    xp, device = batch.device.xp, batch.device
    block = xp.astype(xp.take(batch.rows, chosen, axis=0), batch.float_type, copy=False)
    block -= shift
    if roots is None:
        roots = xp.ones(chosen.shape[0], dtype=block.dtype, device=device.name)
    else:
        block *= roots[:, None]
    if _splits_sums(block):
        # A product, because these libraries sum over rows slowly.
        return block, xp.astype(xp.matmul(roots, block), device.float_type)
    return block, xp.sum(block * roots[:, None], axis=0, dtype=device.float_type)


def _product(block: Any, device: Device) -> Any:
    """Return the products of all pairs of features, summed over rows."""
    xp = device.xp
    if _splits_sums(block):
        return xp.astype(xp.matmul(block.T, block), device.float_type)
    n, d = block.shape
    whole = n - n % _SHORT_SUM
    stretches = xp.reshape(block[:whole, :], (-1, _SHORT_SUM, d))
    products = xp.matmul(xp.matrix_transpose(stretches), stretches)
    rest = xp.matmul(block[whole:, :].T, block[whole:, :])
    return xp.sum(products, axis=0, dtype=device.float_type) + xp.astype(rest, device.float_type)


def _splits_sums(block: Any) -> bool:
    """Whether a library splits a long sum into many short ones, as CUDA libraries do.

    Others may add one row after the other, which loses digits in single precision.
    """
    return bool(getattr(block, "is_cuda", False)) or is_from(block, "cupy")


def _gatherer(batch: DeviceBatch) -> Callable[..., tuple[Any, Any]]:
    """Return the fastest function that gathers rows: on CUDA a kernel that does all at once."""
    rows = batch.rows
    if not rows.dtype == batch.float_type == batch.device.xp.float32:
        return gathered
    if getattr(rows, "is_cuda", False) and rows.stride(1) == 1:
        try:
            from zerone._kernels.triton_gather import gathered_by_triton, is_usable
        except ImportError:
            return gathered
        return gathered_by_triton if is_usable(rows.device) else gathered
    if is_from(rows, "cupy") and rows.strides[1] == rows.itemsize:
        from zerone._kernels.cupy_gather import gathered_by_cupy

        return gathered_by_cupy
    return gathered


@contextmanager
def _full_precision(batch: DeviceBatch) -> Iterator[None]:
    """Keep torch from rounding factors to ten bits, which users may have enabled."""
    torch = batch.device.xp
    if not hasattr(torch, "set_float32_matmul_precision"):
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
