"""From the columns of a table to features: how they are encoded, and the rows that are."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from zerone._data.arrow_values import (
    codes_of,
    filtered,
    kind_of,
    missing_among,
    numbers_of,
    present_rows,
    require_columns,
)
from zerone._data.encoding import CategoryColumn, Column, Encoding, NumericColumn
from zerone._data.readers.open import closed_on_failure
from zerone._data.readers.source import TableSource
from zerone._data.readers.stream import StreamSource
from zerone._data.table_options import TableOptions
from zerone._data.windows import ColumnTable
from zerone._errors import AdviceError, AdviceWarning, ArgumentError
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


# -- how a table is encoded ------------------------------------------------------------------------

# Of fewer categories some may well look like numbers.
_MANY = 10


def planned_encoding(source: TableSource, options: TableOptions) -> Encoding:
    """Return how a table is encoded.

    Categories take a first pass over the columns that hold them. A stream that can be read only
    once gets no categories yet; whoever reads it lets the encoding grow.

    Parameters
    ----------
    source : TableSource
    options : TableOptions
        Target and weight are columns that become no feature.
    """
    names = options.feature_columns(source.schema.names)
    categorical, weight = options.categorical, options.weight
    for name in categorical:
        if name not in names and name != options.target:
            raise ArgumentError("categorical", f"{name!r} is not among the columns that are read")
    kinds = {
        name: "category" if name in categorical else kind_of(name, source.schema.field(name).type)
        for name in names
    }
    with_categories = [name for name in names if kinds[name] == "category"]
    counted = _counted_categories(source, with_categories, weight) if source.is_rereadable else {}
    for name in with_categories:
        if name not in categorical:
            _warn_of_oddities(name, counted.get(name, Counter()))
    planned: list[Column] = [
        _category(name, counted.get(name, Counter()), options.max_categories)
        if kinds[name] == "category"
        else NumericColumn(name)
        for name in names
    ]
    if options.missing == "impute":
        # Names that clash should not show up only when the first missing value does.
        Encoding(tuple(_with_missing(column) for column in planned))
    return Encoding(tuple(planned), options.missing)


def _with_missing(column: Column) -> Column:
    if isinstance(column, NumericColumn):
        return replace(column, has_indicator=True)
    return replace(column, has_missing=True)


def _warn_of_oddities(name: str, categories: Counter[str]) -> None:
    """Warn of a column of categories that was probably not meant to be one."""
    if len(categories) < _MANY:
        return
    odd = [category for category in categories if not _is_number(category)]
    with_commas = [category for category in odd if _is_number(category.replace(",", ".", 1))]
    if odd and 2 * len(odd) < len(categories):
        warn(
            f"column {name!r} is read as {len(categories)} categories, though most of them are "
            f"numbers; {odd[0]!r} is not. If it stands for a missing value, replace it, or give it "
            "as ⟨null_values⟩ when reading CSV; if these are categories, give the column as "
            "⟨categorical⟩",
            AdviceWarning,
        )
    elif 2 * len(with_commas) > len(categories):
        warn(
            f"column {name!r} is read as {len(categories)} categories, though most of them are "
            f"numbers with a decimal comma, such as {with_commas[0]!r}; write them with a point"
        )
    elif 2 * len(categories) > categories.total():
        # A category that names its rows one by one says nothing of others.
        warn(
            f"column {name!r} is read as categories, and nearly every row has one of its own; "
            "⟨leave out⟩ if it only names the rows",
            AdviceWarning,
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _counted_categories(
    source: TableSource, names: Sequence[str], weight: str | None
) -> dict[str, Counter[str]]:
    """Return how often each category occurs; zero for an entry of a dictionary that does not."""
    counted: dict[str, Counter[str]] = {name: Counter() for name in names}
    if not names:
        return counted
    for part in source.parts([*names, weight] if weight is not None else names):
        rows, _ = present_rows(part.rows, weight, part.where)
        for name in names:
            codes, texts = codes_of(rows.column(name))
            numbers = np.bincount(codes[codes >= 0], minlength=len(texts))
            own = counted[name]
            for text, number in zip(texts, numbers.tolist(), strict=True):
                if text is not None:
                    own[text] += number
    return counted


def _category(name: str, categories: Counter[str], max_categories: int) -> CategoryColumn:
    if len(categories) <= max_categories:
        return CategoryColumn(name, tuple(sorted(categories)))
    # One feature is for all the others. Ties are broken by name, so that any order of rows gives
    # the same encoding.
    kept = sorted(categories, key=lambda category: (-categories[category], category))[
        : max_categories - 1
    ]
    return CategoryColumn(name, tuple(sorted(kept)), has_infrequent=True)
