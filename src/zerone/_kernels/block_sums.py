"""Sums over the rows of one group, block by block."""

import numpy as np

from zerone._typing import FloatArray, IntArray

# A shift repeated to this length is subtracted in one go from several short rows.
_TILE_VALUES = 2**13


class BlockSums:
    """Weight, sum and products of a group's rows around a shift.

    Parameters
    ----------
    shift : ndarray of shape (n_features,)
    product : ndarray of shape (n_features, n_features)
        Scratch, which several groups may share.

    Attributes
    ----------
    weight : float
    sums : ndarray of shape (n_features,)
    scatter : ndarray of shape (n_features, n_features) or None
        None as long as there are no rows.
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
        """Add a block of rows, which is in C order and is overwritten."""
        self._subtract_shift(block)
        roots = self._roots(len(block), weights)
        if weights is not None:
            block *= roots[:, None]
        self.sums += roots @ block
        self._add_product(block.T, block)

    def multiply_columns(self, block: FloatArray, weights: FloatArray | None) -> None:
        """Add a block whose columns are the rows; it is in C order and is overwritten."""
        if self._shift is not None:
            block -= self._shift[:, None]
        roots = self._roots(block.shape[1], weights)
        if weights is not None:
            block *= roots
        self.sums += block @ roots
        self._add_product(block, block.T)

    def _roots(self, n: int, weights: FloatArray | None) -> FloatArray:
        """Return the square roots of the weights of n rows, which are counted."""
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
        # Long inner loops: several rows at once.
        tiled = block[:whole].reshape(-1, len(self._tile))
        np.subtract(tiled, self._tile, out=tiled)
        block[whole:] -= self._shift


class Gatherer:
    """Rows of one group, gathered from window after window until they make a block.

    Parameters
    ----------
    sums : BlockSums
    block_rows, n_features : int
    weighted : bool
    """

    def __init__(
        self, sums: BlockSums, block_rows: int, n_features: int, *, weighted: bool
    ) -> None:
        self.sums = sums
        self._block = np.empty((block_rows, n_features))
        self._weights = np.empty(block_rows) if weighted else None
        self._filled = 0

    def add(self, window: FloatArray, chosen: IntArray, weights: FloatArray | None) -> None:
        """Add some rows of a window, whose weights are given."""
        while chosen.size:
            taken = chosen[: len(self._block) - self._filled]
            target = slice(self._filled, self._filled + taken.size)
            # Positions are right; "clip" spares a buffer that "raise" needs.
            window.take(taken, axis=0, out=self._block[target], mode="clip")
            if weights is not None and self._weights is not None:
                weights.take(taken, out=self._weights[target], mode="clip")
            self._filled += taken.size
            chosen = chosen[taken.size :]
            if self._filled == len(self._block):
                self.flush()

    def flush(self) -> None:
        """Multiply what was gathered."""
        if self._filled:
            weights = None if self._weights is None else self._weights[: self._filled]
            self.sums.multiply(self._block[: self._filled], weights)
            self._filled = 0
