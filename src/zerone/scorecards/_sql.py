"""A card as SQL: a sum of CASE expressions with integers."""

from collections.abc import Sequence

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.dates import DateColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._data.encoding import Encoding
from zerone._errors import AdviceError
from zerone.export._column_terms import ColumnTerms, has_days, sum_of
from zerone.export._dialects import DIALECTS, require_dialect
from zerone.export._dialects._dialect import Dialect
from zerone.scorecards._lines import CardColumn


def card_sql(columns: Sequence[CardColumn], encoding: Encoding, dialect: str) -> str:
    """Return the total of a card as an SQL expression over the columns of a table."""
    require_dialect(dialect)
    write = DIALECTS[dialect]
    write.check_names([own.column.name for own in columns])
    return sum_of([_term(own, encoding, write) for own in columns])


def _term(own: CardColumn, encoding: Encoding, write: Dialect) -> str:
    column, terms = own.column, ColumnTerms(encoding, write)
    if isinstance(column, CategoryColumn):
        names = len(column.categories)
        points = list(map(str, own.points))
        infrequent = points[names] if column.has_infrequent else points[-1]
        missing = points[-2] if column.has_missing else points[-1]
        return terms.of_category(column, points[:names], infrequent, missing)
    missing = "NULL" if encoding.strict else _missing_points(own)
    if isinstance(column, NumericColumn):
        return terms.of_number(column, lambda number: _binned(own, number, write), missing)
    if not isinstance(column, DateColumn) or not has_days(column):
        raise AdviceError(
            f"SQL cannot read column {column.name!r} as the card does ({column.read_as})",
            "leave the column out",
        )
    origin = write.number(column.origin)
    return terms.of_date(column, lambda days: _binned(own, f"({days} - {origin})", write), missing)


def _binned(own: CardColumn, value: str, write: Dialect) -> str:
    """Return the points of the bin of a number."""
    last = str(own.points[len(own.cuts)])
    cases = " ".join(
        f"WHEN {value} <= {write.number(cut)} THEN {points}"
        for cut, points in zip(own.cuts, own.points, strict=False)
    )
    return f"CASE {cases} ELSE {last} END" if cases else last


def _missing_points(own: CardColumn) -> str:
    """Return the points of a missing number: those of its bin, or of what replaces it."""
    if own.has_missing:
        return str(own.points[-1])
    fill = getattr(own.column, "fill", None) or 0.0
    place = sum(cut < fill for cut in own.cuts)
    return str(own.points[place])
