"""From the schema of a table, and where it holds categories from their levels, to an encoding."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from zerone._typing import MissingRule
from zerone._warnings import warn
from zerone.tables._arrow_values import codes_of, present_rows
from zerone.tables._chosen import chosen_columns
from zerone.tables._columns import CategoryColumn, Column, NumericColumn
from zerone.tables._encoding import Encoding
from zerone.tables._kinds import kind_of
from zerone.tables._source import TableSource

# Of fewer levels some may well look like numbers.
_MANY = 10


def planned_encoding(
    source: TableSource,
    *,
    target: str | None,
    columns: Sequence[str] | None,
    weight: str | None,
    categories: Sequence[str],
    max_levels: int,
    missing: MissingRule,
) -> Encoding:
    """Return how a table is encoded; see `zerone.Moments.from_table` for the parameters.

    Levels take a first pass over the columns that hold categories. A stream that can be read
    only once gets no levels yet; whoever reads it lets the encoding grow.
    """
    if missing not in ("error", "impute"):
        raise ValueError(f"missing: got {missing!r}, expected 'error' or 'impute'")
    if isinstance(max_levels, bool) or not isinstance(max_levels, int) or max_levels < 2:
        raise ValueError(f"max_levels: got {max_levels!r}, expected a whole number from 2 on")
    names = chosen_columns(source.schema.names, target, columns, weight)
    for name in categories:
        if name not in names and name != target:
            raise ValueError(f"categories: {name!r} is not among the columns that are read")
    kinds = {
        name: "category" if name in categories else kind_of(name, source.schema.field(name).type)
        for name in names
    }
    with_levels = [name for name in names if kinds[name] == "category"]
    counted = _counted_levels(source, with_levels, weight) if source.is_rereadable else {}
    for name in with_levels:
        if name not in categories:
            _warn_of_oddities(name, counted.get(name, Counter()))
    planned: list[Column] = [
        _category(name, counted.get(name, Counter()), max_levels)
        if kinds[name] == "category"
        else NumericColumn(name)
        for name in names
    ]
    if missing == "impute":
        # Names that clash should not show up only when the first missing value does.
        Encoding(tuple(_with_missing(column) for column in planned))
    return Encoding(tuple(planned), missing)


def _with_missing(column: Column) -> Column:
    if isinstance(column, NumericColumn):
        return replace(column, has_indicator=True)
    return replace(column, has_missing=True)


def _warn_of_oddities(name: str, levels: Counter[str]) -> None:
    """Warn of a column of categories that was probably not meant to be one."""
    if len(levels) < _MANY:
        return
    odd = [level for level in levels if not _is_number(level)]
    with_commas = [level for level in odd if _is_number(level.replace(",", ".", 1))]
    if odd and 2 * len(odd) < len(levels):
        warn(
            f"column {name!r} is read as {len(levels)} categories, though most of them are "
            f"numbers; {odd[0]!r} is none. If it stands for a missing value, replace it, or name "
            "it in null_values when reading CSV; if these are categories, name the column in "
            "categories"
        )
    elif 2 * len(with_commas) > len(levels):
        warn(
            f"column {name!r} is read as {len(levels)} categories, though most of them are "
            f"numbers with a decimal comma, such as {with_commas[0]!r}; write them with a point"
        )
    elif 2 * len(levels) > levels.total():
        # A category that names its rows one by one says nothing of others.
        warn(
            f"column {name!r} is read as categories, and nearly every row has a level of its own; "
            "leave it out of columns if it only names the rows"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _counted_levels(
    source: TableSource, names: Sequence[str], weight: str | None
) -> dict[str, Counter[str]]:
    """Return how often each level of some columns occurs; those of a dictionary that do not, 0."""
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


def _category(name: str, levels: Counter[str], max_levels: int) -> CategoryColumn:
    if len(levels) <= max_levels:
        return CategoryColumn(name, tuple(sorted(levels)))
    # One feature is for all the others. Ties are broken by name, so that any order of rows gives
    # the same encoding.
    kept = sorted(levels, key=lambda level: (-levels[level], level))[: max_levels - 1]
    return CategoryColumn(name, tuple(sorted(kept)), has_rare=True)
