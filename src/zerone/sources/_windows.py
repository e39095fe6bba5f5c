"""Rows of any container as dense float64, a few at a time."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._typing import FloatArray, IntArray
from zerone.sources._columns import ColumnTable


def read_window(rows: Any, start: int, stop: int, out: FloatArray) -> FloatArray:
    """Write consecutive rows into ``out``, which is C-contiguous, and return it."""
    if isinstance(rows, ColumnTable):
        rows.read_window(start, stop, out)
    elif sp.issparse(rows):
        out[:] = 0.0
        rows[start:stop].toarray(out=out)
    else:
        np.copyto(out, rows[start:stop], casting="unsafe")
    return out


def read_rows(rows: Any, positions: IntArray) -> FloatArray:
    """Return the rows at some positions, as an array of their own."""
    if isinstance(rows, np.ndarray):
        return rows.take(positions, axis=0).astype(np.float64, copy=False)
    chosen = rows[positions]
    dense = chosen.toarray() if sp.issparse(chosen) else chosen
    return np.asarray(dense, dtype=np.float64)
