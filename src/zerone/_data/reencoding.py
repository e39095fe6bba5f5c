"""The affine map that takes the features of one encoding to those of another."""

import numpy as np

from zerone._data.columns.column import Column
from zerone._data.encoding import Encoding
from zerone._errors import ArgumentError
from zerone._typing import FloatArray


def reencoding(old: Encoding, new: Encoding) -> tuple[FloatArray, FloatArray] | None:
    """Return the matrix, and what is added after it, that turn features of ``old`` into ``new``.

    It is exact: a category or indicator without a feature in ``old`` was zero in every row; a
    category that ``new`` does not list counts as infrequent; another fill value for missing numbers
    is a multiple of their indicator; another first day of dates is added. None where no feature
    changes; raises if ``new`` has no feature for something that was counted under ``old``.
    """
    if old.columns == new.columns or _have_same_features(old, new):
        return None
    matrix = np.zeros((new.n_features, old.n_features))
    offset = np.zeros(new.n_features)
    starts = _starts(old)
    row = 0
    for column in new.columns:
        if column.name not in starts:
            raise _only_in_one(column.name)
        start, before = starts.pop(column.name)
        height, width = len(column.feature_names), len(before.feature_names)
        if type(column) is not type(before):
            raise ArgumentError(
                "encoding",
                f"column {column.name!r} is not read in the same way in both encodings",
                "read both tables with the same ⟨categorical⟩ columns",
            )
        column.map_from(before, matrix[row : row + height, start : start + width])
        if height:
            offset[row] = column.shift_from(before)
        row += height
    if starts:
        raise _only_in_one(next(iter(starts)))
    return matrix, offset


def _have_same_features(old: Encoding, new: Encoding) -> bool:
    """Whether both are plain numbers in the same order, whatever would replace missing ones."""
    return old.is_plain and new.is_plain and old.column_names == new.column_names


def _only_in_one(column: str) -> ValueError:
    return ArgumentError(
        "encoding",
        f"column {column!r} is in only one of the encodings",
        "both need the same columns",
    )


def _starts(encoding: Encoding) -> dict[str, tuple[int, Column]]:
    starts = {}
    start = 0
    for column in encoding.columns:
        starts[column.name] = (start, column)
        start += len(column.feature_names)
    return starts
