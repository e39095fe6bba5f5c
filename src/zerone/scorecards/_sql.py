"""A card as SQL: a sum of CASE expressions with integers."""

from collections.abc import Sequence

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.dates import DateColumn
from zerone._data.encoding import Encoding
from zerone._errors import AdviceError
from zerone.export._sql import (
    can_cast_dates,
    category_cases,
    date_value,
    is_missing_number,
    number_of_column,
)
from zerone.scorecards._lines import CardColumn


def card_sql(columns: Sequence[CardColumn], encoding: Encoding) -> str:
    """Return the total of a card as an SQL expression over the columns of a table."""
    return "(" + " + ".join(_term(own, encoding) for own in columns) + ")"


def _term(own: CardColumn, encoding: Encoding) -> str:
    column = own.column
    if isinstance(column, CategoryColumn):
        names = len(column.categories)
        points = list(map(str, own.points))
        infrequent = points[names] if column.has_infrequent else points[-1]
        missing = points[-2] if column.has_missing else points[-1]
        return category_cases(column, points[:names], infrequent, missing, encoding)
    if isinstance(column, DateColumn) and not can_cast_dates(column):
        raise AdviceError(
            f"SQL cannot read column {column.name!r} as the card does ({column.read_as})",
            "leave the column out",
        )
    if isinstance(column, DateColumn):
        value = date_value(column, encoding)
        is_missing = f"{value} IS NULL"
    else:
        value = number_of_column(column.name)
        is_missing = is_missing_number(value)
    cases = [
        f"WHEN {value} <= {_short(cut)} THEN {points}"
        for cut, points in zip(own.cuts, own.points, strict=False)
    ]
    last = str(own.points[len(own.cuts)])
    missing = "NULL" if encoding.strict else _missing_points(own)
    return f"CASE WHEN {is_missing} THEN {missing} {' '.join(cases)} ELSE {last} END"


def _short(value: float) -> str:
    """Return a literal in double precision, with as few digits as give the same number."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _missing_points(own: CardColumn) -> str:
    """Return the points of a missing number: those of its bin, or of what replaces it."""
    if own.has_missing:
        return str(own.points[-1])
    fill = getattr(own.column, "fill", None) or 0.0
    place = sum(cut < fill for cut in own.cuts)
    return str(own.points[place])
