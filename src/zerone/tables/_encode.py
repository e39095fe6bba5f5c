"""Rows of a table as features, by an `Encoding`."""

from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from zerone._typing import AnyArray, FloatArray, IntArray
from zerone._warnings import warn
from zerone.sources import ColumnTable
from zerone.tables._arrow_values import codes_of, filtered, missing_among, numbers_of
from zerone.tables._columns import CategoryColumn, Column, NumericColumn
from zerone.tables._encoding import Encoding
from zerone.tables._kinds import require_columns
from zerone.tables._open import closed_on_failure
from zerone.tables._stream import StreamSource

Unknown: TypeAlias = Literal["refuse", "grow", "accept"]
"""What becomes of a level that the encoding has no feature for.

"refuse" raises: rows are counted, and the encoding was agreed on. "grow" adds it: rows are
counted, and an encoding is being made. "accept" warns: rows are predicted.
"""


def encode(
    rows: Any, encoding: Encoding, unknown: Unknown, where: str, max_levels: int | None = None
) -> tuple[ColumnTable, Encoding]:
    """Return the features of some rows.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
    encoding : Encoding
    unknown : {"refuse", "grow", "accept"}
    where : str
        Which rows these are, for messages.
    max_levels : int, optional
        Of one column, where the encoding may grow.

    Returns
    -------
    table : ColumnTable
    encoding : Encoding
        The one that the features follow: with indicators where these rows were the first to have
        missing values, and with new levels if it may grow.
    """
    features: list[AnyArray] = []
    columns: list[Column] = []
    for column in encoding.columns:
        values = rows.column(column.name)
        used: Column
        if isinstance(column, NumericColumn):
            own, used = _numeric_features(values, column, encoding, unknown, where)
        else:
            own, used = _level_features(values, column, encoding, unknown, where, max_levels)
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


def _level_features(
    array: Any,
    column: CategoryColumn,
    encoding: Encoding,
    unknown: Unknown,
    where: str,
    max_levels: int | None,
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
    if unknown == "grow" and not column.has_rare:
        levels = {*column.levels, *(text for text in texts if text is not None)}
        if len(levels) > len(column.levels):
            _require_few(column.name, len(levels), max_levels)
            column = replace(column, levels=tuple(sorted(levels)))
    slots = _slots(column, texts)
    strange = [texts[code] for code in np.flatnonzero(present[:-1] & (slots[:-1] < 0))]
    if strange and unknown == "refuse":
        raise ValueError(
            f"column {column.name!r} has the level {strange[0]!r} in {where}, for which the "
            "encoding has no feature; join it with that of this table, encoding | "
            "Encoding.from_table(source), or correct the value"
        )
    if (strange or (some_missing and not column.has_missing)) and unknown == "accept":
        level = strange[0] if strange else None
        warn(
            f"column {column.name!r} has the level {level!r}, which training has not seen; all "
            "features of the column are zero there"
        )
    chosen = slots[codes]
    return [chosen == slot for slot in range(len(column.feature_names))], column


def _slots(column: CategoryColumn, texts: list[str | None]) -> IntArray:
    """Return the feature of each level, counted in the column, and last that of missing values.

    -1 where there is none.
    """
    rare = len(column.levels) if column.has_rare else -1
    missing = len(column.levels) + column.has_rare if column.has_missing else -1
    position = {level: index for index, level in enumerate(column.levels)}
    slots = [missing if text is None else position.get(text, rare) for text in texts]
    return np.array([*slots, missing], dtype=np.min_scalar_type(-len(column.levels) - 3))


def _require_few(name: str, n_levels: int, max_levels: int | None) -> None:
    if max_levels is not None and n_levels > max_levels:
        raise ValueError(
            f"column {name!r} has more than max_levels={max_levels} levels, and a stream that can "
            "be read only once does not tell beforehand which are rare; give encoding=, made by "
            "Encoding.from_table from data that can be read twice, or leave the column out"
        )


def _missing(name: str, row: int, where: str, unknown: Unknown) -> ValueError:
    verb = "fit with" if unknown == "accept" else "pass"
    return ValueError(
        f"column {name!r} has a missing value in row {row} of {where}; fill it first, or {verb} "
        "missing='impute' to count it as the mean and mark it by an indicator"
    )
