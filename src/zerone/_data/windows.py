"""Rows of any container as dense float64 arrays, a few rows at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._typing import AnyArray, FloatArray, IntArray


class ColumnTable:
    """Columns of numbers, copied into rows only when rows are read."""

    ndim = 2

    def __init__(self, columns: Sequence[AnyArray], n_rows: int) -> None:
        self._columns = columns
        self.shape = (n_rows, len(columns))
        single = all(column.dtype == np.float32 for column in columns)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def __getitem__(self, rows: IntArray | slice) -> AnyArray:
        """Return some rows as an array."""
        columns = [column[rows] for column in self._columns]
        return np.stack(columns, axis=1, dtype=self.dtype, casting="unsafe")

    def read_columns(self, start: int, stop: int, out: FloatArray) -> None:
        """Write consecutive rows into the columns of ``out``."""
        for row, column in zip(out, self._columns, strict=True):
            row[:] = column[start:stop]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        table = np.empty(self.shape[::-1], dtype=dtype or self.dtype)
        for row, column in zip(table, self._columns, strict=True):
            row[:] = column
        return table.T


def read_window(rows: Any, start: int, stop: int, out: FloatArray) -> FloatArray:
    """Write consecutive rows into ``out``, which is C-contiguous, and return it."""
    if isinstance(rows, ColumnTable):
        # Faster column by column, and transposed at the end.
        transposed = np.empty(out.shape[::-1])
        rows.read_columns(start, stop, transposed)
        out[:] = transposed.T
    elif sp.issparse(rows):
        out[:] = 0.0
        rows[start:stop].toarray(out=out)
    else:
        np.copyto(out, rows[start:stop], casting="unsafe")
    return out


def read_columns(rows: Any, start: int, stop: int, out: FloatArray) -> FloatArray:
    """Write consecutive rows into the columns of ``out`` and return it."""
    if isinstance(rows, ColumnTable):
        rows.read_columns(start, stop, out)
    else:
        np.copyto(out, rows[start:stop].T, casting="unsafe")
    return out


def read_rows(rows: Any, positions: IntArray) -> FloatArray:
    """Return the rows at some positions as a float64 array."""
    chosen = rows[positions]
    dense = chosen.toarray() if sp.issparse(chosen) else chosen
    return np.asarray(dense, dtype=np.float64)
