"""SQL of SQLite."""

from collections.abc import Sequence

import numpy as np

from zerone._errors import ArgumentError
from zerone.export._dialects._dialect import WHITESPACE, Dialect, Kind
from zerone.export._dialects._numbers import float_of

_INTEGERS = 2.0**63


class SQLite(Dialect):
    """SQLite, where each cell has its own type, and which has no booleans."""

    engine = "SQLite"
    text = "TEXT"
    double = "REAL"
    folds_case = True

    # Literals with more digits, or larger powers of ten, may be read as one of the floats beside.
    _DIGITS = 15
    _LARGEST_POWER = 22

    def name(self, name: str) -> str:
        # A name in double quotes is a string if there is no such column.
        return "`" + name.replace("`", "``") + "`"

    def boolean(self, value: bool) -> str:
        # TRUE is a column if there is one of that name.
        return "1" if value else "0"

    def category(self, value: float) -> str:
        if _is_integer(value):
            return f"CAST({int(value)} AS REAL)"
        return self.number(value)

    def least(self, one: str, other: str) -> str:
        return f"MIN({one}, {other})"

    def greatest(self, one: str, other: str) -> str:
        return f"MAX({one}, {other})"

    def strict_cast(self, name: str) -> str:
        return self.cast(name)

    def unreadable(self, name: str) -> str | None:
        # There are no errors that an expression could raise.
        return f"WHEN typeof({name}) IN ('text', 'blob') THEN NULL"

    def as_text(self, name: str) -> str:
        # A column may be declared to ignore the case.
        return f"CAST({name} AS TEXT) COLLATE BINARY"

    def trimmed(self, text: str) -> str:
        return f"TRIM({text}, {self.whitespace})"

    @property
    def whitespace(self) -> str:
        return f"char({', '.join(str(ord(own)) for own in WHITESPACE)})"

    def is_type(self, name: str, kind: Kind) -> str:
        own = {"boolean": "integer", "integer": "integer", "float": "real"}[kind]
        return f"typeof({name}) = '{own}'"

    def float_cell(self, name: str) -> str:
        return self.cast(name)

    def true_or_false(self, name: str) -> tuple[str, str, str]:
        return f"CAST({name} AS INTEGER)", "1", "0"

    def is_date(self, name: str, text: str) -> str:
        digit = "[0-9]"
        shape = "-".join((digit * 4, digit * 2, digit * 2))
        return f"({text} GLOB '{shape}*' AND julianday({text}) IS NOT NULL)"

    def days(self, name: str, text: str) -> str:
        # It reads February 30 as March 1.
        day = f"substr({text}, 1, 10)"
        days = f"julianday({text}) - 2440587.5"
        return f"(CASE WHEN date({day}, '+0 days') = {day} THEN {days} END)"

    def check_categories(self, column: str, categories: Sequence[str]) -> None:
        super().check_categories(column, categories)
        for category in categories:
            number = float_of(category)
            if number is None or not np.isfinite(number) or not self._may_differ(number):
                continue
            raise ArgumentError(
                "dialect",
                f"column {column!r} has the category {category}, and SQLite may read so long a "
                "number as one of the two floats beside it",
                "round the column, or leave it out",
            )

    def _may_differ(self, number: float) -> bool:
        """Whether the literal of a float may be read as another one."""
        if _is_integer(number):
            return False
        digits, _, power = f"{number!r}".partition("e")
        n_digits = len(digits.replace("-", "").replace(".", "").strip("0"))
        return n_digits > self._DIGITS or abs(int(power or 0)) > self._LARGEST_POWER


def _is_integer(number: float) -> bool:
    """Whether a float is an integer that SQLite can hold."""
    return number.is_integer() and -_INTEGERS <= number < _INTEGERS
