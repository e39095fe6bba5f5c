"""The linear map that takes the features of one encoding to those of another."""

import numpy as np

from zerone._typing import FloatArray
from zerone.tables._columns import CategoryColumn, NumericColumn
from zerone.tables._encoding import Encoding


def reencoding(old: Encoding, new: Encoding) -> FloatArray | None:
    """Return the matrix that turns features under ``old`` into features under ``new``.

    It is exact: a level or an indicator that ``old`` has no feature for was zero in every row, a
    level that ``new`` does not list is counted among its rare ones, and another value for missing
    numbers is a multiple of their indicator. None where nothing changes.

    Raises
    ------
    ValueError
        If ``new`` cannot express what was counted under ``old``.
    """
    if old == new:
        return None
    matrix = np.zeros((new.n_features, old.n_features))
    starts = _starts(old)
    row = 0
    for column in new.columns:
        if column.name not in starts:
            raise ValueError(f"column {column.name!r} is in only one of the encodings")
        start, before = starts.pop(column.name)
        height, width = len(column.feature_names), len(before.feature_names)
        block = matrix[row : row + height, start : start + width]
        if isinstance(column, NumericColumn) and isinstance(before, NumericColumn):
            _map_numbers(before, column, block)
        elif isinstance(column, CategoryColumn) and isinstance(before, CategoryColumn):
            _map_levels(before, column, block)
        else:
            raise ValueError(
                f"column {column.name!r} holds numbers in one encoding and categories in the other"
            )
        row += height
    if starts:
        raise ValueError(f"column {next(iter(starts))!r} is in only one of the encodings")
    return matrix


def _starts(encoding: Encoding) -> dict[str, tuple[int, NumericColumn | CategoryColumn]]:
    starts = {}
    start = 0
    for column in encoding.columns:
        starts[column.name] = (start, column)
        start += len(column.feature_names)
    return starts


def _map_numbers(old: NumericColumn, new: NumericColumn, block: FloatArray) -> None:
    block[0, 0] = 1.0
    if not old.has_indicator:
        return
    if not new.has_indicator:
        raise ValueError(
            f"column {old.name!r} had missing values, for which the new encoding has no indicator"
        )
    block[0, 1] = (new.fill or 0.0) - (old.fill or 0.0)
    block[1, 1] = 1.0


def _map_levels(old: CategoryColumn, new: CategoryColumn, block: FloatArray) -> None:
    if old.has_rare:
        told_apart = set(new.levels) - set(old.levels)
        if told_apart:
            raise ValueError(
                f"column {old.name!r}: the level {min(told_apart)!r} may be among the rare ones "
                "that were counted together; join both encodings with | first"
            )
    rare, missing = len(new.levels), len(new.levels) + new.has_rare
    for position, level in enumerate(old.levels):
        if level in new.levels:
            block[new.levels.index(level), position] = 1.0
        elif new.has_rare:
            block[rare, position] = 1.0
        else:
            raise ValueError(f"column {old.name!r}: the new encoding lacks the level {level!r}")
    if old.has_rare:
        if not new.has_rare:
            raise ValueError(f"column {old.name!r}: the new encoding has no rare levels")
        block[rare, len(old.levels)] = 1.0
    if old.has_missing:
        if not new.has_missing:
            raise ValueError(
                f"column {old.name!r} had missing values, for which the new encoding has no feature"
            )
        block[missing, len(old.levels) + old.has_rare] = 1.0
