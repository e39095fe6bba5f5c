"""What databases write differently: names, strings, numbers, the types of cells, dates."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from zerone._errors import ArgumentError
from zerone._sql_text import quoted_name, quoted_string

DialectName: TypeAlias = Literal["duckdb", "postgresql", "sqlite", "spark", "ansi"]

WHITESPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What is removed around strings."""

_LARGEST = float(np.finfo(np.float64).max)
_SMALLEST = float(np.finfo(np.float64).tiny)
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CALENDAR = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_ZONE = r"([+-][0-9]{2}(:[0-9]{2})?)"
# Names that differ only in their case are one name.
_ONE_CASE = "{} takes {!r} and {!r} for one name, and both are columns of the model"


class Dialect(ABC):
    """How expressions are written for a database.

    Attributes
    ----------
    engine : str
        Its name in messages.
    text, double : str
        Its types for strings, and for numbers in double precision.
    knows_types : bool
        Whether an expression can ask for the type of a cell, so that one of strings with "1.0" is
        not one of numbers with 1.0.
    folds_case : bool
        Whether quoted names that differ only in their case are the same.
    longest : int or None
        Names with more bytes may be cut.
    once, fence : str
        Follow SELECT, and end a subquery, whose values are computed once, not at every use outside.
    """

    engine: ClassVar[str]
    text: ClassVar[str]
    double: ClassVar[str]
    knows_types: ClassVar[bool] = True
    folds_case: ClassVar[bool] = False
    longest: ClassVar[int | None] = None
    once: ClassVar[str] = ""
    fence: ClassVar[str] = ""

    # -- what is written -------------------------------------------------------------------------

    def name(self, name: str) -> str:
        """Return the quoted name of a column."""
        return quoted_name(name)

    def string(self, value: str) -> str:
        """Return a string literal, the same in every setting of the engine."""
        return quoted_string(value)

    def boolean(self, value: bool) -> str:
        """Return a literal for a boolean."""
        return "TRUE" if value else "FALSE"

    def number(self, value: float) -> str:
        """Return a literal in double precision."""
        # With an exponent a literal is a float; without, an exact decimal number.
        return f"({float(value):.17e})"

    def category(self, value: float) -> str:
        """Return a literal that is a float exactly."""
        return self.number(value)

    def product(self, factor: float, value: str) -> str:
        """Return a number times an expression."""
        return f"{self.number(factor)} * {value}"

    def least(self, one: str, other: str) -> str:
        """Return the smaller one of two numbers that are not NULL."""
        return f"LEAST({one}, {other})"

    def greatest(self, one: str, other: str) -> str:
        """Return the larger one of two numbers that are not NULL."""
        return f"GREATEST({one}, {other})"

    def in_steps(self, steps: Sequence[tuple[str, dict[str, str]]], result: str) -> str:
        """Return an expression of values that are computed step by step, each once per row.

        Parameters
        ----------
        steps : sequence of (str, dict)
            A name, and the expressions by their names; later steps write ``step.name``.
        result : str
            The expression of the values of the last step.
        """
        inner = ""
        for name, values in steps:
            listed = ", ".join(f"{value} AS {own}" for own, value in values.items())
            inner = f" FROM (SELECT {self.once}{listed}{inner}{self.fence}) AS {name}"
        return f"(SELECT {result}{inner})"

    # -- what is read ----------------------------------------------------------------------------

    def cast(self, name: str) -> str:
        """Return a cell of numbers or booleans in double precision."""
        return f"CAST({name} AS {self.double})"

    def strict_cast(self, name: str) -> str:
        """Return the same; an error if the column has strings, also if they look like numbers."""
        return self.cast(f"(0 + {name})")

    def unreadable(self, name: str) -> str | None:
        """Return a case of cells that are no numbers but that `cast` would take for such."""
        return None

    def as_text(self, name: str) -> str:
        """Return a cell as a string that is compared character by character."""
        return f"CAST({name} AS {self.text})"

    def trimmed(self, text: str) -> str:
        """Return a string without white space around it."""
        return f"TRIM(BOTH {self.whitespace} FROM {text})"

    @property
    def whitespace(self) -> str:
        """All characters that `trimmed` removes, as a string."""
        return self.string(WHITESPACE)

    @abstractmethod
    def is_type(self, name: str, kind: Literal["boolean", "integer", "float"]) -> str:
        """Return the condition that a cell has a type."""

    def float_cell(self, name: str) -> str:
        """Return a cell in double precision where it has such a type."""
        return f"TRY_CAST({name} AS {self.double})"

    def true_or_false(self, name: str) -> tuple[str, str, str]:
        """Return an expression for a cell of booleans, and what it is for true and for false."""
        return f"CAST({name} AS {self.text})", self.string("true"), self.string("false")

    @abstractmethod
    def is_date(self, name: str, text: str) -> str:
        """Return the condition that a cell, as a string ``text``, is one that `days` reads."""

    @abstractmethod
    def days(self, name: str, text: str) -> str:
        """Return the days since 1970-01-01, NULL for days that the calendar does not have.

        Parameters
        ----------
        name : str
            The quoted column.
        text : str
            Its cell as a string; `is_date` holds.
        """

    # -- what is refused -------------------------------------------------------------------------

    def check_names(self, names: Sequence[str]) -> None:
        """Raise if the engine cannot have columns of these names, or would mix them up."""
        seen: dict[str, str] = {}
        for name in names:
            if "\0" in name:
                raise _unusable(name, "has the character NUL, which no database can hold")
            if not name:
                raise _unusable(name, "is empty, which SQL does not allow")
            if self.longest is not None and len(name.encode()) > self.longest:
                said = f"is longer than {self.longest} bytes, after which {self.engine} may cut it"
                raise _unusable(name, said)
            other = seen.setdefault(name.casefold() if self.folds_case else name, name)
            if other != name:
                raise ArgumentError(
                    "dialect", _ONE_CASE.format(self.engine, other, name), "rename one of them"
                )

    def check_categories(self, column: str, categories: Sequence[str]) -> None:
        """Raise if the engine cannot tell the categories of a column apart."""
        for category in categories:
            if "\0" in category:
                raise ArgumentError(
                    "dialect",
                    f"column {column!r} has the category {category!r} with the character NUL, "
                    "which no database can hold",
                    "⟨not sql⟩",
                )


def _unusable(name: str, why: str) -> ArgumentError:
    return ArgumentError("dialect", f"the name of column {name!r} {why}", "rename the column")


class DuckDB(Dialect):
    """DuckDB; quoted names that differ only in their case are the same."""

    engine = "DuckDB"
    text = "VARCHAR"
    double = "DOUBLE"
    folds_case = True

    _TYPES: ClassVar[dict[str, str]] = {
        "boolean": "'BOOLEAN'",
        "integer": "'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', "
        "'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'",
        "float": "'FLOAT', 'DOUBLE'",
    }

    def as_text(self, name: str) -> str:
        # A column, and default_collation, may ignore the case.
        return f"CAST({name} AS VARCHAR) COLLATE C"

    @property
    def whitespace(self) -> str:
        bytes_ = "".join(f"\\x{byte:02X}" for byte in WHITESPACE.encode())
        return f"decode(CAST('{bytes_}' AS BLOB))"

    def trimmed(self, text: str) -> str:
        return f"(TRIM({text}, {self.whitespace}) COLLATE C)"

    def is_type(self, name: str, kind: Literal["boolean", "integer", "float"]) -> str:
        return f"typeof({name}) IN ({self._TYPES[kind]})"

    def is_date(self, name: str, text: str) -> str:
        return f"regexp_full_match({text}, '{_DATE}({_TIME}{_ZONE}?)?')"

    def days(self, name: str, text: str) -> str:
        # As a string, a time with a zone is read in UTC, whatever the zone of the session.
        return f"(EXTRACT(EPOCH FROM TRY_CAST({text} AS TIMESTAMP)) / 86400)"


class PostgreSQL(Dialect):
    """PostgreSQL, whose casts are checked before any type of a column is asked for.

    So all branches of an expression have to be casts that every type allows: through strings.
    """

    engine = "PostgreSQL"
    text = "text"
    double = "double precision"
    fence = " OFFSET 0"

    longest = 63
    _TYPES: ClassVar[dict[str, tuple[str, ...]]] = {
        "boolean": ("boolean",),
        "integer": ("smallint", "integer", "bigint"),
        "float": ("real", "double precision"),
    }
    _DATES = ("date", "timestamp without time zone", "timestamp with time zone")

    def string(self, value: str) -> str:
        # Whether a backslash escapes in '…' is a setting; in E'…' it always does.
        if "\\" not in value and value.isprintable():
            return quoted_string(value)
        escaped = "".join(
            own if own.isprintable() else f"\\u{ord(own):04x}" if ord(own) < 0x10000 else own
            for own in value.replace("\\", "\\\\")
        )
        return "E" + quoted_string(escaped)

    def number(self, value: float) -> str:
        # A literal with an exponent is an exact decimal number here.
        return f"float8 '{float(value)!r}'"

    def product(self, factor: float, value: str) -> str:
        return _without_underflow(self, factor, value)

    def cast(self, name: str) -> str:
        given = f"CAST({name} AS text)"
        words = f"CASE {given} WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE {given} END"
        return (
            f"CASE WHEN {self._is(name, 'real')} THEN {self._real(name)} "
            f"ELSE CAST({words} AS double precision) END"
        )

    def strict_cast(self, name: str) -> str:
        return f"CAST((0 + {name}) AS double precision)"

    def _real(self, name: str) -> str:
        # The digits of a float4 are not those of the float8 that it is. The inner case keeps the
        # planner from casting a constant of another type.
        text = f"CASE WHEN {self._is(name, 'real')} THEN CAST({name} AS text) END"
        return f"CAST(CAST({text} AS real) AS double precision)"

    def as_text(self, name: str) -> str:
        return f'CAST({name} AS text) COLLATE "C"'

    def is_type(self, name: str, kind: Literal["boolean", "integer", "float"]) -> str:
        return self._is(name, *self._TYPES[kind])

    def _is(self, name: str, *types: str) -> str:
        listed = ", ".join(f"CAST('{own}' AS regtype)" for own in types)
        return f"pg_typeof({name}) IN ({listed})"

    def float_cell(self, name: str) -> str:
        own = self._is(name, "double precision")
        text = f"CASE WHEN {own} THEN CAST({name} AS text) END"
        return f"COALESCE({self._real(name)}, CAST({text} AS double precision))"

    def is_date(self, name: str, text: str) -> str:
        # What a typed date looks like as a string is a setting.
        written = f"{text} ~ '^{_CALENDAR}({_TIME}{_ZONE}?)?$'"
        return f"({self._is(name, *self._DATES)} OR {written})"

    def days(self, name: str, text: str) -> str:
        typed = (
            f"CASE WHEN {self._is(name, self._DATES[-1])} "
            f"THEN EXTRACT(EPOCH FROM CAST({name} AS timestamp with time zone)) "
            f"ELSE EXTRACT(EPOCH FROM CAST({name} AS timestamp)) END"
        )
        # A cast of a day that the calendar does not have would be an error.
        first = f"CAST(substr({text}, 1, 8) || '01' AS date)"
        last = f"EXTRACT(DAY FROM {first} + interval '1 month' - interval '1 day')"
        known = f"CASE WHEN CAST(substr({text}, 9, 2) AS integer) <= {last} THEN {text} END"
        written = (
            f"CASE WHEN {text} ~ ':.*{_ZONE}$' "
            f"THEN EXTRACT(EPOCH FROM CAST({known} AS timestamp with time zone)) "
            f"ELSE EXTRACT(EPOCH FROM CAST({known} AS timestamp)) END"
        )
        seconds = f"CASE WHEN {self._is(name, *self._DATES)} THEN {typed} ELSE {written} END"
        return f"(CAST({seconds} AS double precision) / 86400)"


class SQLite(Dialect):
    """SQLite, where each cell has its own type, and which has no booleans."""

    engine = "SQLite"
    text = "TEXT"
    double = "REAL"
    folds_case = True

    # Literals with more digits, or larger powers of ten, may be read as one of the floats beside.
    _DIGITS = 15
    _LARGEST_POWER = 22
    _LARGEST_INTEGER = 2.0**63

    def name(self, name: str) -> str:
        # A name in double quotes is a string if there is no such column.
        return "`" + name.replace("`", "``") + "`"

    def boolean(self, value: bool) -> str:
        # TRUE is a column if there is one of that name.
        return "1" if value else "0"

    def category(self, value: float) -> str:
        if value.is_integer() and abs(value) < self._LARGEST_INTEGER:
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

    def is_type(self, name: str, kind: Literal["boolean", "integer", "float"]) -> str:
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
        if number.is_integer() and abs(number) < self._LARGEST_INTEGER:
            return False
        digits, _, power = f"{number!r}".partition("e")
        n_digits = len(digits.replace("-", "").replace(".", "").strip("0"))
        return n_digits > self._DIGITS or abs(int(power or 0)) > self._LARGEST_POWER


class Spark(Dialect):
    """Spark SQL, in which settings decide what backslashes, quotes and dollar signs mean."""

    engine = "Spark"
    text = "STRING"
    double = "DOUBLE"
    folds_case = True

    _TYPES: ClassVar[dict[str, str]] = {
        "boolean": "'boolean'",
        "integer": "'tinyint', 'smallint', 'int', 'bigint'",
        "float": "'float', 'double'",
    }

    def name(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def string(self, value: str) -> str:
        # By default a backslash escapes, before Spark 4 two quotes end a string and start another,
        # and ${…} is replaced by a variable.
        if value.isprintable() and not {*value} & {"\\", "'", "$"}:
            return quoted_string(value)
        return f"CAST(X'{value.encode().hex().upper()}' AS STRING)"

    def number(self, value: float) -> str:
        # More digits of the largest number are out of range.
        return f"({float(value)!r}D)"

    def in_steps(self, steps: Sequence[tuple[str, dict[str, str]]], result: str) -> str:
        # A subquery would be put in place of every use of its values; a function is not.
        structs = [
            "named_struct(" + ", ".join(f"'{own}', {value}" for own, value in values.items()) + ")"
            for _, values in steps
        ]
        found, *bodies = *structs, result
        for (name, _), body in zip(steps, bodies, strict=True):
            found = f"element_at(transform(array({found}), {name} -> {body}), 1)"
        return found

    def strict_cast(self, name: str) -> str:
        return self.cast(name)

    def unreadable(self, name: str) -> str | None:
        said = "concat('a column of numbers holds the string ', "
        error = f"raise_error({said}CAST({name} AS STRING)))"
        return f"WHEN typeof({name}) = 'string' AND {name} IS NOT NULL THEN CAST({error} AS DOUBLE)"

    def is_type(self, name: str, kind: Literal["boolean", "integer", "float"]) -> str:
        return f"typeof({name}) IN ({self._TYPES[kind]})"

    def is_date(self, name: str, text: str) -> str:
        return f"{text} RLIKE '^{_DATE}({_TIME})?$'"

    def days(self, name: str, text: str) -> str:
        # Times of the session's zone, as Spark shows them; no function of dates reads a time
        # without a zone in every version.
        def part(first: int, n: int) -> str:
            digits = f"substring({text}, {first}, {n})"
            return f"COALESCE(TRY_CAST(NULLIF({digits}, '') AS DOUBLE), 0D)"

        seconds = f"({part(12, 2)} * 3600 + {part(15, 2)} * 60 + {part(18, 9)})"
        day = f"TRY_CAST(substring({text}, 1, 10) AS DATE)"
        return f"(datediff({day}, DATE'1970-01-01') + {seconds} / 86400)"

    def check_names(self, names: Sequence[str]) -> None:
        super().check_names(names)
        for name in names:
            if "${" in name:
                raise _unusable(name, "has ${, which Spark may replace by a variable")


class Ansi(Dialect):
    """Standard SQL, which cannot ask for the type of a cell."""

    engine = "ANSI SQL"
    text = "VARCHAR"
    double = "DOUBLE PRECISION"
    knows_types = False
    # Some of its engines do, and some cut names as PostgreSQL does.
    folds_case = True
    longest = 63
    once = "DISTINCT "

    def number(self, value: float) -> str:
        return f"CAST({float(value):.17e} AS DOUBLE PRECISION)"

    def product(self, factor: float, value: str) -> str:
        return _without_underflow(self, factor, value)

    def least(self, one: str, other: str) -> str:
        return f"CASE WHEN {one} < {other} THEN {one} ELSE {other} END"

    def greatest(self, one: str, other: str) -> str:
        return f"CASE WHEN {one} > {other} THEN {one} ELSE {other} END"

    def cast(self, name: str) -> str:
        # Strings cannot be added, so that they are an error and not read as numbers.
        return f"CAST((0 + {name}) AS DOUBLE PRECISION)"

    def strict_cast(self, name: str) -> str:
        return self.cast(name)

    def is_type(self, name: str, kind: Literal["boolean", "integer", "float"]) -> str:
        raise NotImplementedError

    def is_date(self, name: str, text: str) -> str:
        raise self._no_dates()

    def days(self, name: str, text: str) -> str:
        raise self._no_dates()

    def _no_dates(self) -> ArgumentError:
        return ArgumentError(
            "dialect",
            "ANSI SQL has no function for the days between two dates that databases share",
            "choose the dialect of the database, or leave columns of dates out",
        )

    def check_categories(self, column: str, categories: Sequence[str]) -> None:
        super().check_categories(column, categories)
        for category in categories:
            if as_float(category) is not None or category.lower() in ("true", "false"):
                raise ArgumentError(
                    "dialect",
                    f"column {column!r} has the category {category!r}, which may be a string, a "
                    "number or a boolean, and ANSI SQL cannot ask which",
                    "choose the dialect of the database",
                )


DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDB(),
    "postgresql": PostgreSQL(),
    "sqlite": SQLite(),
    "spark": Spark(),
    "ansi": Ansi(),
}
"""All dialects by name."""


def _without_underflow(write: Dialect, factor: float, value: str) -> str:
    """Return a product for engines in which one that rounds to zero is an error."""
    product = f"{write.number(factor)} * {value}"
    if not factor:
        return product
    limit = write.number(min(_SMALLEST / abs(factor), _LARGEST))
    return f"CASE WHEN ABS({value}) < {limit} THEN {write.number(0)} ELSE {product} END"


def as_float(category: str) -> float | None:
    """Return the float that a string may be read as; None if it is none."""
    try:
        return float(category)
    except ValueError:
        return None


def float_of(category: str) -> float | None:
    """Return the float whose category this is, None if there is none.

    A float that is an integer has a category without a decimal point.
    """
    number = as_float(category)
    if number is None or np.isnan(number):
        return None
    return number if category == category_of(number) else None


def category_of(number: float) -> str:
    """Return the category of a float."""
    return str(int(number)) if number.is_integer() else str(number)
