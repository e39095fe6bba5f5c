"""Sums over groups of dense rows, window by window, at the speed of one matrix product."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._threads import one_blas_thread, worker_count
from zerone._typing import FloatArray, IntArray
from zerone.sources import read_window

# Values per window, which is copied so that memory is read in order and groups are then picked
# from the cache; more for many groups, so that each finds some rows in it.
_WINDOW_VALUES = 2**17
_WINDOW_VALUES_MAXIMUM = 2**18
_WINDOW_ROWS_MINIMUM = 256
# From this many features on a row is long enough to be picked from memory as it is.
_LONG_ROW = 256
# What is multiplied at once: less, and adding up the products would cost.
_BLOCK_VALUES = 2**17
_BLOCK_ROWS = 2_000
# What the blocks of all groups may hold together, unless that makes them too short.
_ALL_BLOCKS_VALUES = 2**19
_BLOCK_ROWS_MINIMUM = 256
# A shift repeated to this length is subtracted in one go from several short rows.
_TILE_VALUES = 2**13


@dataclass(frozen=True, eq=False)
class Shifted:
    """Sums over the rows of one group, around a shift.

    Attributes
    ----------
    weight : float
    shift : ndarray of shape (n_features,)
    offset : ndarray of shape (n_features,)
        Mean minus shift.
    scatter : ndarray of shape (n_features, n_features)
        Σ weight · (x − shift)(x − shift)ᵀ.
    """

    weight: float
    shift: FloatArray
    offset: FloatArray
    scatter: FloatArray


def shifted_sums(
    rows: Any,
    groups: Sequence[IntArray],
    weights: FloatArray | None,
    shifts: Sequence[FloatArray],
    n_jobs: int | None,
) -> list[Shifted]:
    """Return the sums over each group around its shift, reading the rows once.

    Row ranges are summed by threads of their own, with one BLAS thread each.
    """
    n, d = rows.shape
    n_workers = min(worker_count(n_jobs), -(-n * d // _WINDOW_VALUES))
    edges = np.linspace(0, n, n_workers + 1).astype(np.intp).tolist()
    sum_range = _sum_picked if _can_be_picked(rows) else _sum_windows

    def summed(start: int, stop: int) -> list[_Accumulator]:
        return sum_range(rows, groups, weights, shifts, start, stop)

    # A BLAS with threads of its own would spend its time starting them on short blocks.
    with one_blas_thread(n_workers > 1 or d < _LONG_ROW):
        if n_workers == 1:
            parts = [summed(0, n)]
        else:
            with ThreadPoolExecutor(n_workers) as pool:
                parts = list(pool.map(summed, edges[:-1], edges[1:]))
    return [_totalled([part[index] for part in parts], shift) for index, shift in enumerate(shifts)]


def _can_be_picked(rows: Any) -> bool:
    """Whether rows can be picked from where they are, without reading a window first."""
    if not (isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.flags.c_contiguous):
        return False
    return rows.shape[1] >= _LONG_ROW or rows.size <= _WINDOW_VALUES


def _sum_picked(
    rows: FloatArray,
    groups: Sequence[IntArray],
    weights: FloatArray | None,
    shifts: Sequence[FloatArray],
    start: int,
    stop: int,
) -> list["_Accumulator"]:
    """Return the sums over the groups' rows in a range, one group after the other."""
    d = rows.shape[1]
    product = np.empty((d, d))
    chosen = [
        group[slice(*np.searchsorted(group, (start, stop)))] if stop - start < len(rows) else group
        for group in groups
    ]
    most = max(_BLOCK_VALUES // d, _BLOCK_ROWS)
    lengths = [_even_length(group.size, most) for group in chosen]
    block = np.empty((max(lengths), d))
    accumulators = []
    with np.errstate(invalid="ignore", over="ignore"):
        for group, length, shift in zip(chosen, lengths, shifts, strict=True):
            accumulator = _Accumulator(block[:length], shift, product, weighted=weights is not None)
            accumulator.add(rows, group, 0, weights)
            accumulator.flush()
            accumulators.append(accumulator)
    return accumulators


def _sum_windows(
    rows: Any,
    groups: Sequence[IntArray],
    weights: FloatArray | None,
    shifts: Sequence[FloatArray],
    start: int,
    stop: int,
) -> list["_Accumulator"]:
    """Return the sums over the groups' rows in a range, one window after the other."""
    d = rows.shape[1]
    n_groups = len(groups)
    values = min(_WINDOW_VALUES * max(1, n_groups // 2), _WINDOW_VALUES_MAXIMUM)
    step = min(max(values // d, _WINDOW_ROWS_MINIMUM), stop - start)
    edges = [*range(start, stop, step), stop]
    cuts = [np.searchsorted(group, edges).tolist() for group in groups]
    product = np.empty((d, d))
    most = _block_rows(d, n_groups)
    accumulators = [
        _Accumulator(
            np.empty((_even_length(cut[-1] - cut[0], most), d)),
            shift,
            product,
            weighted=weights is not None,
        )
        for cut, shift in zip(cuts, shifts, strict=True)
    ]
    buffer = np.empty((step, d))
    with np.errstate(invalid="ignore", over="ignore"):
        for index, first in enumerate(edges[:-1]):
            last = edges[index + 1]
            window = read_window(rows, first, last, buffer[: last - first])
            for accumulator, group, cut in zip(accumulators, groups, cuts, strict=True):
                chosen = group[cut[index] : cut[index + 1]]
                if chosen.size:
                    accumulator.add(window, chosen, first, weights)
        for accumulator in accumulators:
            accumulator.flush()
    return accumulators


def _block_rows(d: int, n_groups: int) -> int:
    """Return the rows of a block where every group has one of its own."""
    wanted = max(_BLOCK_VALUES // d, _BLOCK_ROWS)
    # Never much larger than the group's d x d sums.
    affordable = max(_ALL_BLOCKS_VALUES // (d * n_groups), d // 2, _BLOCK_ROWS_MINIMUM)
    return min(wanted, affordable)


def _even_length(n: int, most: int) -> int:
    """Return a block length near ``most`` that leaves no short block at the end."""
    return -(-n // max(1, round(n / most)))


class _Accumulator:
    """Rows of one group, gathered until they make a block worth multiplying.

    Parameters
    ----------
    block : ndarray of shape (block_rows, n_features)
        To gather rows in.
    shift : ndarray of shape (n_features,)
    product : ndarray of shape (n_features, n_features)
        Scratch.
    weighted : bool
    """

    def __init__(
        self, block: FloatArray, shift: FloatArray, product: FloatArray, *, weighted: bool
    ) -> None:
        block_rows, d = block.shape
        self._block, self._product = block, product
        self._weights = np.empty(block_rows) if weighted else None
        self._ones = np.ones(block_rows)
        self._filled = 0
        self._shift = shift if shift.any() else None
        self._tile = np.tile(shift, max(1, min(_TILE_VALUES // d, block_rows)))
        self.weight = 0.0
        self.sums = np.zeros(d)
        self.scatter: FloatArray | None = None

    def add(
        self, window: FloatArray, chosen: IntArray, first: int, weights: FloatArray | None
    ) -> None:
        """Add rows of a window that begins with row ``first``."""
        while chosen.size:
            taken = chosen[: len(self._block) - self._filled]
            target = slice(self._filled, self._filled + taken.size)
            positions = taken - first if first else taken
            # Positions are right; "clip" spares a buffer that "raise" needs.
            window.take(positions, axis=0, out=self._block[target], mode="clip")
            if weights is not None and self._weights is not None:
                weights.take(taken, out=self._weights[target], mode="clip")
            self._filled += taken.size
            chosen = chosen[taken.size :]
            if self._filled == len(self._block):
                self.flush()

    def flush(self) -> None:
        """Multiply what was gathered."""
        n = self._filled
        if n == 0:
            return
        block = self._block[:n]
        self._subtract_shift(block)
        roots = self._ones[:n]
        if self._weights is None:
            self.weight += n
        else:
            self.weight += float(self._weights[:n].sum())
            roots = np.sqrt(self._weights[:n])
            block *= roots[:, None]
        self.sums += roots @ block
        if self.scatter is None:
            self.scatter = block.T @ block
        else:
            np.matmul(block.T, block, out=self._product)
            self.scatter += self._product
        self._filled = 0

    def _subtract_shift(self, block: FloatArray) -> None:
        if self._shift is None:
            return
        n, d = block.shape
        whole = n - n % (len(self._tile) // d)
        # Long inner loops: several rows at once.
        tiled = block[:whole].reshape(-1, len(self._tile))
        np.subtract(tiled, self._tile, out=tiled)
        block[whole:] -= self._shift


def _totalled(parts: Sequence[_Accumulator], shift: FloatArray) -> Shifted:
    """Add up what the ranges found."""
    weight, sums, scatter = parts[0].weight, parts[0].sums, parts[0].scatter
    for part in parts[1:]:
        weight += part.weight
        sums = sums + part.sums
        if part.scatter is not None:
            scatter = part.scatter if scatter is None else np.add(scatter, part.scatter, scatter)
    assert scatter is not None, "a group has at least one row"
    return Shifted(weight, shift, sums / weight, scatter)
