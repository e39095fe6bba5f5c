"""From the columns of a table to features: the encoding of a table, and encoded rows."""

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
"""What happens to a category that has no feature in the encoding.

"refuse" raises (training with a given encoding), "grow" adds a feature (training without one), and
"accept" warns (prediction).
"""


def encode(
    rows: Any, encoding: Encoding, unknown: Unknown, where: str, max_categories: int | None = None
) -> tuple[ColumnTable, Encoding]:
    """Return the features of some rows, and their encoding.

    The encoding has an indicator for every column with missing values so far, and new categories
    if it may grow, at most ``max_categories`` per column. ``where`` says which rows these are, for
    messages.
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
    """Return the features of a frame in memory, or of its rows where ``present`` is true."""
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
    # With missing="error" the kernels find a NaN without another pass.
    missing = missing_among(values) if encoding.missing == "impute" else None
    if missing is None and not column.has_indicator:
        return [values], column
    known = values if missing is None else values[~missing]
    if column.fill is None and known.size and unknown != "accept":
        # Any value would do, as `imputed` replaces it by the mean; one near the data loses no
        # digits.
        column = replace(column, fill=_middle(known.astype(np.float64)))
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
    codes, strings = codes_of(array)
    present = np.zeros(len(strings) + 1, dtype=bool)
    present[codes] = True
    some_missing = bool(present[-1]) or any(
        string is None and present[code] for code, string in enumerate(strings)
    )
    if some_missing and encoding.missing == "error":
        absent = np.array([*(string is None for string in strings), True])[codes]
        raise _missing(column.name, int(np.argmax(absent)), where, unknown)
    if some_missing and unknown != "accept":
        column = replace(column, has_missing=True)
    if unknown == "grow" and not column.has_infrequent:
        categories = {*column.categories, *(string for string in strings if string is not None)}
        if len(categories) > len(column.categories):
            _require_few(column.name, len(categories), max_categories)
            column = replace(column, categories=tuple(sorted(categories)))
    slots = _slots(column, strings)
    new = [strings[code] for code in np.flatnonzero(present[:-1] & (slots[:-1] < 0))]
    if new and unknown == "refuse":
        raise AdviceError(
            f"column {column.name!r} has the category {new[0]!r} in {where}, for which the "
            "encoding has no feature",
            "correct the value, or join the encoding with that of this table: encoding | "
            "Encoding.from_table(source)",
        )
    if (new or (some_missing and not column.has_missing)) and unknown == "accept":
        category = new[0] if new else None
        warn(
            f"column {column.name!r} has the category {category!r}, which was not in the training "
            "data; all features of the column are zero there"
        )
    chosen = slots[codes]
    return [chosen == slot for slot in range(len(column.feature_names))], column


def _slots(column: CategoryColumn, strings: list[str | None]) -> IntArray:
    """Return the feature of each string within its column, and that of missing values last.

    -1 where there is none.
    """
    infrequent = len(column.categories) if column.has_infrequent else -1
    missing = len(column.categories) + column.has_infrequent if column.has_missing else -1
    position = {category: index for index, category in enumerate(column.categories)}
    slots = [missing if s is None else position.get(s, infrequent) for s in strings]
    return np.array([*slots, missing], dtype=np.min_scalar_type(-len(column.categories) - 3))


def _require_few(name: str, n_categories: int, max_categories: int | None) -> None:
    if max_categories is not None and n_categories > max_categories:
        raise AdviceError(
            f"column {name!r} has more than max_categories={max_categories} categories, and in a "
            "stream that can be read only once the infrequent ones are not known beforehand",
            "pass an ⟨encoding⟩ that Encoding.from_table made from data that can be read twice, or "
            "⟨leave out⟩",
        )


def _missing(name: str, row: int, where: str, unknown: Unknown) -> ValueError:
    verb = "fit with" if unknown == "accept" else "pass"
    return AdviceError(
        f"column {name!r} has a missing value in row {row} of {where}",
        f"fill it first, or {verb} ⟨missing=impute⟩ to replace it by the mean and mark it by an "
        "indicator",
    )


# -- the encoding of a table -----------------------------------------------------------------------

# Columns with fewer categories are not checked for numbers read as categories.
_MANY = 10


def planned_encoding(source: TableSource, options: TableOptions) -> Encoding:
    """Return the encoding of a table, from a first pass over its columns of categories.

    A stream that can be read only once gets no categories yet; its encoding grows as it is read.
    """
    names = options.feature_columns(source.schema.names)
    categorical, weight = options.categorical, options.weight
    for name in categorical:
        if name not in names and name != options.target:
            raise ArgumentError(
                "categorical",
                f"{name!r} is not among the columns that are read",
                f"these are {', '.join(map(repr, names))}",
            )
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
        # Raises for duplicate feature names now, not at the first missing value.
        Encoding(tuple(_with_missing(column) for column in planned))
    return Encoding(tuple(planned), options.missing)


def _with_missing(column: Column) -> Column:
    if isinstance(column, NumericColumn):
        return replace(column, has_indicator=True)
    return replace(column, has_missing=True)


def _warn_of_oddities(name: str, categories: Counter[str]) -> None:
    """Warn about a column that was probably not meant to hold categories."""
    if len(categories) < _MANY:
        return
    odd = [category for category in categories if not _is_number(category)]
    with_commas = [category for category in odd if _is_number(category.replace(",", ".", 1))]
    if odd and 2 * len(odd) < len(categories):
        warn(
            f"column {name!r} is read as {len(categories)} categories, though most of them are "
            f"numbers; {odd[0]!r} is not. If it means a missing value, replace it, or list it in "
            "⟨null_values⟩ when reading CSV; if these are categories, name the column in "
            "⟨categorical⟩",
            AdviceWarning,
        )
    elif 2 * len(with_commas) > len(categories):
        warn(
            f"column {name!r} is read as {len(categories)} categories, though most of them are "
            f"numbers with a decimal comma, such as {with_commas[0]!r}; write a decimal point"
        )
    elif 2 * len(categories) > categories.total():
        # A category that occurs in one row says nothing about other rows.
        warn(
            f"column {name!r} is read as categories, and nearly every row has a category of its "
            "own; ⟨leave out⟩ if it only names the rows",
            AdviceWarning,
        )


def _is_number(string: str) -> bool:
    try:
        float(string)
    except ValueError:
        return False
    return True


def _counted_categories(
    source: TableSource, names: Sequence[str], weight: str | None
) -> dict[str, Counter[str]]:
    """Return how often each category occurs, zero for unused entries of a dictionary."""
    counted: dict[str, Counter[str]] = {name: Counter() for name in names}
    if not names:
        return counted
    for part in source.parts([*names, weight] if weight is not None else names):
        rows, _ = present_rows(part.rows, weight, part.where)
        for name in names:
            codes, strings = codes_of(rows.column(name))
            counts = np.bincount(codes[codes >= 0], minlength=len(strings))
            own = counted[name]
            for string, count in zip(strings, counts.tolist(), strict=True):
                if string is not None:
                    own[string] += count
    return counted


def _category(name: str, categories: Counter[str], max_categories: int) -> CategoryColumn:
    if len(categories) <= max_categories:
        return CategoryColumn(name, tuple(sorted(categories)))
    # The last feature is for all other categories. Ties are broken by name, so that the order of
    # the rows does not matter.
    kept = sorted(categories, key=lambda category: (-categories[category], category))[
        : max_categories - 1
    ]
    return CategoryColumn(name, tuple(sorted(kept)), has_infrequent=True)
