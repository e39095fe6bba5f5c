"""Sums over groups of dense rows, window by window, as fast as one matrix product."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._data.batch import Groups
from zerone._data.windows import ColumnTable, read_columns, read_window
from zerone._kernels.block_sums import BlockSums, Gatherer
from zerone._threads import one_blas_thread, worker_count
from zerone._typing import FloatArray, IntArray

# Values per window. A window is copied, so that memory is read in order and groups are picked from
# the cache. With many groups it is larger, so that each group has some rows in it.
_WINDOW_VALUES = 2**17
_WINDOW_VALUES_MAXIMUM = 2**18
_WINDOW_ROWS_MINIMUM = 256
# Rows whose groups are computed at once.
_GROUPED_ROWS = 2**16
# With fewer features it is faster to transpose a window of columns.
_SHORT_ROW = 32
# From this many features on, rows are picked from memory without a window.
_LONG_ROW = 256
# Values and rows that are multiplied at once; in smaller blocks, adding the products is slow.
_BLOCK_VALUES = 2**17
_BLOCK_ROWS = 2_000
# Most values in the blocks of all groups together, unless that makes the blocks too short.
_ALL_BLOCKS_VALUES = 2**19
_BLOCK_ROWS_MINIMUM = 256
# With more groups than this, their blocks in one window would be too short.
_FEW_GROUPS = 4
_MANY_GROUPS = 64


@dataclass(frozen=True, eq=False)
class Shifted:
    """Sums over the rows of one group, around a shift.

    ``offset`` is mean − shift, ``scatter`` is Σ weight · (x − shift)(x − shift)ᵀ.
    """

    weight: float
    shift: FloatArray
    offset: FloatArray
    scatter: FloatArray


@dataclass(frozen=True, eq=False)
class _Task:
    """The arguments of `shifted_sums`, for every range of rows."""

    rows: Any
    groups: Groups
    weights: FloatArray | None
    shifts: Mapping[int, FloatArray]

    def empty_sums(self) -> dict[int, BlockSums]:
        """Return empty sums for one thread."""
        product = np.empty((self.rows.shape[1], self.rows.shape[1]))
        return {index: BlockSums(shift, product) for index, shift in self.shifts.items()}


def shifted_sums(
    rows: Any,
    groups: Groups,
    weights: FloatArray | None,
    shifts: Mapping[int, FloatArray],
    n_jobs: int | None,
) -> dict[int, Shifted]:
    """Return the sums over each group around its shift, reading the rows once.

    Groups without a shift are left out. Each range of rows is summed by its own thread, with one
    BLAS thread.
    """
    n, d = rows.shape
    n_workers = min(worker_count(n_jobs), -(-n * d // _WINDOW_VALUES))
    edges = np.linspace(0, n, n_workers + 1).astype(np.intp).tolist()
    if _can_be_picked(rows, len(shifts)):
        sum_range = _sum_picked
    elif _lies_in_columns(rows) and len(shifts) <= _FEW_GROUPS:
        sum_range = _sum_columns
    else:
        sum_range = _sum_windows

    task = _Task(rows, groups, weights, shifts)

    def summed(start: int, stop: int) -> dict[int, BlockSums]:
        return sum_range(task, start, stop)

    # On short blocks BLAS would spend its time starting threads.
    with one_blas_thread(n_workers > 1 or d < _LONG_ROW):
        if n_workers == 1:
            parts = [summed(0, n)]
        else:
            with ThreadPoolExecutor(n_workers) as pool:
                parts = list(pool.map(summed, edges[:-1], edges[1:]))
    return {
        index: _totalled([part[index] for part in parts], shift) for index, shift in shifts.items()
    }


def _can_be_picked(rows: Any, n_groups: int) -> bool:
    """Whether it is faster to pick rows from memory than from a window.

    It is for long rows, and for so many groups that a window has few rows of each.
    """
    if not (isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.flags.c_contiguous):
        return False
    return rows.shape[1] >= _LONG_ROW or rows.size <= _WINDOW_VALUES or n_groups > _MANY_GROUPS


def _lies_in_columns(rows: Any) -> bool:
    """Whether there are many features, and each is contiguous in memory rather than each row."""
    if rows.shape[1] < _SHORT_ROW:
        return False
    if isinstance(rows, np.ndarray):
        return bool(abs(rows.strides[0]) < abs(rows.strides[1]))
    return isinstance(rows, ColumnTable)


def _sum_picked(task: _Task, start: int, stop: int) -> dict[int, BlockSums]:
    """Return the sums over the groups' rows in a range, picked from memory."""
    rows, weights, d = task.rows, task.weights, task.rows.shape[1]
    sums = task.empty_sums()
    most = max(_BLOCK_VALUES // d, _BLOCK_ROWS)
    buffer = np.empty((min(most + most // 2, stop - start), d))
    with np.errstate(invalid="ignore", over="ignore"):
        stretch = _GROUPED_ROWS * max(1, len(task.shifts) // 4)
        for first in range(start, stop, stretch):
            members = task.groups.within(first, min(first + stretch, stop))
            for index, own in sums.items():
                chosen = first + members[index]
                # Blocks of equal size: a short last one would take as long as a long one.
                for part in np.array_split(chosen, max(1, round(chosen.size / most))):
                    if part.size:
                        block = buffer[: part.size]
                        rows.take(part, axis=0, out=block, mode="clip")
                        own.multiply(block, None if weights is None else weights[part])
    return sums


def _sum_columns(task: _Task, start: int, stop: int) -> dict[int, BlockSums]:
    """Return the sums over the groups' rows in a range, without transposing columns."""
    rows, weights, d = task.rows, task.weights, task.rows.shape[1]
    sums = task.empty_sums()
    step = min(max(_WINDOW_VALUES // d, _BLOCK_ROWS), stop - start)
    window_values, picked_values = np.empty(d * step), np.empty(d * step)
    with np.errstate(invalid="ignore", over="ignore"):
        for first, last, members in _windows(task.groups, start, stop, step):
            n = last - first
            window = read_columns(rows, first, last, window_values[: d * n].reshape(d, n))
            own_weights = None if weights is None else weights[first:last]
            for index, own in sums.items():
                chosen = members[index]
                if chosen.size:
                    picked = picked_values[: d * chosen.size].reshape(d, -1)
                    window.take(chosen, axis=1, out=picked, mode="clip")
                    own.multiply_columns(
                        picked, None if own_weights is None else own_weights[chosen]
                    )
    return sums


def _sum_windows(task: _Task, start: int, stop: int) -> dict[int, BlockSums]:
    """Return the sums over the groups' rows in a range, window by window."""
    rows, weights, d = task.rows, task.weights, task.rows.shape[1]
    values = min(_WINDOW_VALUES * max(1, len(task.shifts) // 2), _WINDOW_VALUES_MAXIMUM)
    step = min(max(values // d, _WINDOW_ROWS_MINIMUM), stop - start)
    sums, sizes = task.empty_sums(), task.groups.sizes
    most = _block_rows(d, len(task.shifts))
    gatherers = {
        index: Gatherer(own, min(most, sizes[index]), d, weighted=weights is not None)
        for index, own in sums.items()
    }
    buffer = np.empty((step, d))
    with np.errstate(invalid="ignore", over="ignore"):
        for first, last, members in _windows(task.groups, start, stop, step):
            window = read_window(rows, first, last, buffer[: last - first])
            own_weights = None if weights is None else weights[first:last]
            for index, gatherer in gatherers.items():
                if members[index].size:
                    gatherer.add(window, members[index], own_weights)
        for gatherer in gatherers.values():
            gatherer.flush()
    return sums


def _windows(
    groups: Groups, start: int, stop: int, step: int
) -> Iterator[tuple[int, int, list[IntArray]]]:
    """Yield start, stop and the groups' rows of every window, relative to its start."""
    stretch = max(step, _GROUPED_ROWS // step * step)
    for begin in range(start, stop, stretch):
        end = min(begin + stretch, stop)
        members = groups.within(begin, end)
        edges = [*range(0, end - begin, step), end - begin]
        cuts = [member.searchsorted(edges).tolist() for member in members]
        for index, (low, high) in enumerate(itertools.pairwise(edges)):
            inside = [
                member[cut[index] : cut[index + 1]] - low
                for member, cut in zip(members, cuts, strict=True)
            ]
            yield begin + low, begin + high, inside


def _block_rows(d: int, n_groups: int) -> int:
    """Return the number of rows of a block where every group has its own block."""
    wanted = max(_BLOCK_VALUES // d, _BLOCK_ROWS)
    # At most about as large as the d x d sums of the group.
    affordable = max(_ALL_BLOCKS_VALUES // (d * n_groups), d // 2, _BLOCK_ROWS_MINIMUM)
    return min(wanted, affordable)


def _totalled(parts: Sequence[BlockSums], shift: FloatArray) -> Shifted:
    """Return the total of the sums of all ranges."""
    weight, sums, scatter = parts[0].weight, parts[0].sums, parts[0].scatter
    for part in parts[1:]:
        weight += part.weight
        sums = sums + part.sums
        if part.scatter is not None:
            scatter = part.scatter if scatter is None else np.add(scatter, part.scatter, scatter)
    assert scatter is not None, "a group has at least one row"
    return Shifted(weight, shift, sums / weight, scatter)
