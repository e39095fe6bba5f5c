"""From the schema of a table, and the categories that its columns hold, to an encoding."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from zerone._data.arrow_values import codes_of, kind_of, present_rows
from zerone._data.encoding import CategoryColumn, Column, Encoding, NumericColumn
from zerone._data.readers.source import TableSource
from zerone._data.table_options import TableOptions
from zerone._errors import AdviceWarning, ArgumentError
from zerone._warnings import warn

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
            f"numbers; {odd[0]!r} is not. If it stands for a missing value, replace it, or name it "
            "in ⟨null_values⟩ when reading CSV; if these are categories, name the column in "
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
