"""The linear map that takes the features of one encoding to those of another."""

import numpy as np

from zerone._data.encoding import CategoryColumn, Encoding, NumericColumn
from zerone._errors import ArgumentError
from zerone._typing import FloatArray

_JOIN = "join both encodings with | first"


def reencoding(old: Encoding, new: Encoding) -> FloatArray | None:
    """Return the matrix that turns features under ``old`` into features under ``new``.

    It is exact: a category or indicator without a feature in ``old`` was zero in every row; a
    category that ``new`` does not list counts as infrequent; another fill value for missing numbers
    is a multiple of their indicator. None where nothing changes; raises if ``new`` has no feature
    for something that was counted under ``old``.
    """
    if old == new:
        return None
    matrix = np.zeros((new.n_features, old.n_features))
    starts = _starts(old)
    row = 0
    for column in new.columns:
        if column.name not in starts:
            raise _only_in_one(column.name)
        start, before = starts.pop(column.name)
        height, width = len(column.feature_names), len(before.feature_names)
        block = matrix[row : row + height, start : start + width]
        if isinstance(column, NumericColumn) and isinstance(before, NumericColumn):
            _map_numbers(before, column, block)
        elif isinstance(column, CategoryColumn) and isinstance(before, CategoryColumn):
            _map_categories(before, column, block)
        else:
            raise ArgumentError(
                "encoding",
                f"column {column.name!r} holds numbers in one encoding and categories in the other",
                "read both tables with the same ⟨categorical⟩ columns",
            )
        row += height
    if starts:
        raise _only_in_one(next(iter(starts)))
    return matrix


def _only_in_one(column: str) -> ValueError:
    return ArgumentError(
        "encoding",
        f"column {column!r} is in only one of the encodings",
        "both need the same columns",
    )


def _no_feature(problem: str) -> ValueError:
    return ArgumentError("encoding", problem, _JOIN)


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
        raise _no_feature(
            f"column {old.name!r} had missing values, for which the new encoding has no indicator"
        )
    block[0, 1] = (new.fill or 0.0) - (old.fill or 0.0)
    block[1, 1] = 1.0


def _map_categories(old: CategoryColumn, new: CategoryColumn, block: FloatArray) -> None:
    if old.has_infrequent:
        added = set(new.categories) - set(old.categories)
        if added:
            raise _no_feature(
                f"column {old.name!r}: the category {min(added)!r} may be among the infrequent "
                "ones that were counted together"
            )
    infrequent, missing = len(new.categories), len(new.categories) + new.has_infrequent
    for position, category in enumerate(old.categories):
        if category in new.categories:
            block[new.categories.index(category), position] = 1.0
        elif new.has_infrequent:
            block[infrequent, position] = 1.0
        else:
            raise _no_feature(
                f"column {old.name!r}: the new encoding lacks the category {category!r}"
            )
    if old.has_infrequent:
        if not new.has_infrequent:
            raise _no_feature(
                f"column {old.name!r}: the new encoding has no feature for infrequent categories"
            )
        block[infrequent, len(old.categories)] = 1.0
    if old.has_missing:
        if not new.has_missing:
            raise _no_feature(
                f"column {old.name!r} had missing values, for which the new encoding has no feature"
            )
        block[missing, len(old.categories) + old.has_infrequent] = 1.0
