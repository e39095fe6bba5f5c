"""Rows of a table as features, by an `Encoding`."""

from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from zerone._data.arrow_values import codes_of, filtered, missing_among, numbers_of, require_columns
from zerone._data.encoding import CategoryColumn, Column, Encoding, NumericColumn
from zerone._data.readers.open import closed_on_failure
from zerone._data.readers.stream import StreamSource
from zerone._data.windows import ColumnTable
from zerone._errors import AdviceError
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone._warnings import warn

Unknown: TypeAlias = Literal["refuse", "grow", "accept"]
"""What becomes of a category that the encoding has no feature for.

"refuse" raises: rows are counted, and the encoding was agreed on. "grow" adds it: rows are
counted, and an encoding is being made. "accept" warns: rows are predicted.
"""


def encode(
    rows: Any, encoding: Encoding, unknown: Unknown, where: str, max_categories: int | None = None
) -> tuple[ColumnTable, Encoding]:
    """Return the features of some rows.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
    encoding : Encoding
    unknown : {"refuse", "grow", "accept"}
    where : str
        Which rows these are, for messages.
    max_categories : int, optional
        Of one column, where the encoding may grow.

    Returns
    -------
    table : ColumnTable
    encoding : Encoding
        The one that the features follow: with indicators where these rows were the first to have
        missing values, and with new categories if it may grow.
    """
    features: list[AnyArray] = []
    columns: list[Column] = []
    for column in encoding.columns:
        values = rows.column(column.name)
        used: Column
        if isinstance(column, NumericColumn):
            own, used = _numeric_features(values, column, encoding, unknown, where)
        else:
            own, used = _category_features(values, column, encoding, unknown, where, max_categories)
        features += own
        columns.append(used)
    used_encoding = replace(encoding, columns=tuple(columns))
    return ColumnTable(features, rows.num_rows), used_encoding


def encode_frame(
    frame: Any,
    encoding: Encoding,
    unknown: Unknown,
    where: str,
    present: AnyArray | None = None,
) -> tuple[ColumnTable, Encoding]:
    """Return the features of a frame in memory, or of those of its rows that are present."""
    source = StreamSource(frame)
    with closed_on_failure(source):
        require_columns(encoding, source.schema)
    rows = source.read(encoding.column_names)
    if present is not None:
        rows = filtered(rows, present)
    return encode(rows, encoding, unknown, where)


def _numeric_features(
    array: Any, column: NumericColumn, encoding: Encoding, unknown: Unknown, where: str
) -> tuple[list[AnyArray], NumericColumn]:
    if array.null_count and encoding.missing == "error":
        raise _missing(column.name, int(np.argmax(np.asarray(array.is_null()))), where, unknown)
    values = numbers_of(array)
    # Where they are refused, whoever sums the values finds a NaN without another pass.
    missing = missing_among(values) if encoding.missing == "impute" else None
    if missing is None and not column.has_indicator:
        return [values], column
    there = values if missing is None else values[~missing]
    if column.fill is None and there.size and unknown != "accept":
        # Anything would do: what it was is undone when the mean is known. Near the values no
        # digits are lost.
        column = replace(column, fill=_middle(there.astype(np.float64)))
    if missing is None:
        return [values, np.zeros(len(values), dtype=bool)], column
    filled = np.where(missing, np.float64(column.fill or 0.0), values)
    if unknown == "accept" and not column.has_indicator:
        return [filled], column
    return [filled, missing], replace(column, has_indicator=True)


def _middle(values: FloatArray) -> float:
    """Return the mean of some values, exactly if they are all the same."""
    return float(values[0] + (values - values[0]).mean())


def _category_features(
    array: Any,
    column: CategoryColumn,
    encoding: Encoding,
    unknown: Unknown,
    where: str,
    max_categories: int | None,
) -> tuple[list[AnyArray], CategoryColumn]:
    codes, texts = codes_of(array)
    present = np.zeros(len(texts) + 1, dtype=bool)
    present[codes] = True
    some_missing = bool(present[-1]) or any(
        text is None and present[code] for code, text in enumerate(texts)
    )
    if some_missing and encoding.missing == "error":
        absent = np.array([*(text is None for text in texts), True])[codes]
        raise _missing(column.name, int(np.argmax(absent)), where, unknown)
    if some_missing and unknown != "accept":
        column = replace(column, has_missing=True)
    if unknown == "grow" and not column.has_infrequent:
        categories = {*column.categories, *(text for text in texts if text is not None)}
        if len(categories) > len(column.categories):
            _require_few(column.name, len(categories), max_categories)
            column = replace(column, categories=tuple(sorted(categories)))
    slots = _slots(column, texts)
    strange = [texts[code] for code in np.flatnonzero(present[:-1] & (slots[:-1] < 0))]
    if strange and unknown == "refuse":
        raise ValueError(
            f"column {column.name!r} has the category {strange[0]!r} in {where}, for which the "
            "encoding has no feature; join it with that of this table, encoding | "
            "Encoding.from_table(source), or correct the value"
        )
    if (strange or (some_missing and not column.has_missing)) and unknown == "accept":
        category = strange[0] if strange else None
        warn(
            f"column {column.name!r} has the category {category!r}, which training has not seen; "
            "all features of the column are zero there"
        )
    chosen = slots[codes]
    return [chosen == slot for slot in range(len(column.feature_names))], column


def _slots(column: CategoryColumn, texts: list[str | None]) -> IntArray:
    """Return the feature of each category, counted in the column, and last that of missing values.

    -1 where there is none.
    """
    infrequent = len(column.categories) if column.has_infrequent else -1
    missing = len(column.categories) + column.has_infrequent if column.has_missing else -1
    position = {category: index for index, category in enumerate(column.categories)}
    slots = [missing if text is None else position.get(text, infrequent) for text in texts]
    return np.array([*slots, missing], dtype=np.min_scalar_type(-len(column.categories) - 3))


def _require_few(name: str, n_levels: int, max_categories: int | None) -> None:
    if max_categories is not None and n_levels > max_categories:
        raise ValueError(
            f"column {name!r} has more than max_categories={max_categories} categories, and a "
            "stream that can be read only once does not tell beforehand which are infrequent; "
            "give an encoding, made by Encoding.from_table from data that can be read twice, or "
            "leave the column out"
        )


def _missing(name: str, row: int, where: str, unknown: Unknown) -> ValueError:
    verb = "fit with" if unknown == "accept" else "pass"
    return AdviceError(
        f"column {name!r} has a missing value in row {row} of {where}",
        f"fill it first, or {verb} ⟨missing=impute⟩ to count it as the mean and mark it by an "
        "indicator",
    )
