"""Sums over the rows of one group, block by block."""

import numpy as np

from zerone._typing import FloatArray, IntArray

# The shift is repeated to this length, to subtract it from several short rows at once.
_TILE_VALUES = 2**13


class BlockSums:
    """Weight, sums and scatter (products) of the rows of a group, around a shift.

    ``product`` is a d x d array of scratch memory that several groups may share. ``scatter`` is
    None before the first rows.
    """

    def __init__(self, shift: FloatArray, product: FloatArray) -> None:
        d = len(shift)
        self._product = product
        self._shift = shift if shift.any() else None
        self._tile = shift
        self._ones = np.ones(0)
        self.weight = 0.0
        self.sums = np.zeros(d)
        self.scatter: FloatArray | None = None

    def multiply(self, block: FloatArray, weights: FloatArray | None) -> None:
        """Add a block of rows in C order. Overwrites the block."""
        self._subtract_shift(block)
        roots = self._roots(len(block), weights)
        if weights is not None:
            block *= roots[:, None]
        self.sums += roots @ block
        self._add_product(block.T, block)

    def multiply_columns(self, block: FloatArray, weights: FloatArray | None) -> None:
        """Add a block in C order whose columns are the rows. Overwrites the block."""
        if self._shift is not None:
            block -= self._shift[:, None]
        roots = self._roots(block.shape[1], weights)
        if weights is not None:
            block *= roots
        self.sums += block @ roots
        self._add_product(block, block.T)

    def _roots(self, n: int, weights: FloatArray | None) -> FloatArray:
        """Add the weights of n rows and return their square roots."""
        if weights is not None:
            self.weight += float(weights.sum())
            return np.sqrt(weights)
        self.weight += n
        if n > len(self._ones):
            self._ones = np.ones(n)
        return self._ones[:n]

    def _add_product(self, left: FloatArray, right: FloatArray) -> None:
        if self.scatter is None:
            self.scatter = left @ right
        else:
            np.matmul(left, right, out=self._product)
            self.scatter += self._product

    def _subtract_shift(self, block: FloatArray) -> None:
        if self._shift is None:
            return
        n, d = block.shape
        repeats = max(1, min(_TILE_VALUES // d, n))
        if len(self._tile) < repeats * d:
            self._tile = np.tile(self._shift, repeats)
        whole = n - n % (len(self._tile) // d)
        # Several rows at once, for long inner loops.
        tiled = block[:whole].reshape(-1, len(self._tile))
        np.subtract(tiled, self._tile, out=tiled)
        block[whole:] -= self._shift


class Gatherer:
    """Collects rows of one group from several windows until they fill a block."""

    def __init__(
        self, sums: BlockSums, block_rows: int, n_features: int, *, weighted: bool
    ) -> None:
        self.sums = sums
        self._block = np.empty((block_rows, n_features))
        self._weights = np.empty(block_rows) if weighted else None
        self._filled = 0

    def add(self, window: FloatArray, chosen: IntArray, weights: FloatArray | None) -> None:
        """Add some rows of a window; ``weights`` are those of all its rows."""
        while chosen.size:
            taken = chosen[: len(self._block) - self._filled]
            target = slice(self._filled, self._filled + taken.size)
            # Positions are valid; mode="clip" saves the buffer that mode="raise" needs.
            window.take(taken, axis=0, out=self._block[target], mode="clip")
            if weights is not None and self._weights is not None:
                weights.take(taken, out=self._weights[target], mode="clip")
            self._filled += taken.size
            chosen = chosen[taken.size :]
            if self._filled == len(self._block):
                self.flush()

    def flush(self) -> None:
        """Multiply the rows collected so far."""
        if self._filled:
            weights = None if self._weights is None else self._weights[: self._filled]
            self.sums.multiply(self._block[: self._filled], weights)
            self._filled = 0
