"""A table as its columns, each in memory of its own: what data frames are made of."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from zerone._typing import AnyArray, FloatArray, IntArray


class ColumnTable:
    """Columns of numbers that are put side by side only where rows are asked for.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n_rows,)
    """

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
        """Write rows into the columns of an array, as they lie."""
        for row, column in zip(out, self._columns, strict=True):
            row[:] = column[start:stop]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        table = np.empty(self.shape[::-1], dtype=dtype or self.dtype)
        for row, column in zip(table, self._columns, strict=True):
            row[:] = column
        return table.T
