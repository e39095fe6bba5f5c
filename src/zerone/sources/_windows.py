"""Rows of any container as dense float64, a few at a time."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._typing import FloatArray, IntArray
from zerone.sources._columns import ColumnTable


def read_window(rows: Any, start: int, stop: int, out: FloatArray) -> FloatArray:
    """Write consecutive rows into ``out``, which is C-contiguous, and return it."""
    if isinstance(rows, ColumnTable):
        # Column after column as they lie, then all of them turned at once.
        aside = np.empty(out.shape[::-1])
        rows.read_columns(start, stop, aside)
        out[:] = aside.T
    elif sp.issparse(rows):
        out[:] = 0.0
        rows[start:stop].toarray(out=out)
    else:
        np.copyto(out, rows[start:stop], casting="unsafe")
    return out


def read_columns(rows: Any, start: int, stop: int, out: FloatArray) -> FloatArray:
    """Write consecutive rows of an array or of columns into the columns of ``out``; return it."""
    if isinstance(rows, ColumnTable):
        rows.read_columns(start, stop, out)
    else:
        np.copyto(out, rows[start:stop].T, casting="unsafe")
    return out


def read_rows(rows: Any, positions: IntArray) -> FloatArray:
    """Return the rows at some positions, as an array of their own."""
    chosen = rows[positions]
    dense = chosen.toarray() if sp.issparse(chosen) else chosen
    return np.asarray(dense, dtype=np.float64)
