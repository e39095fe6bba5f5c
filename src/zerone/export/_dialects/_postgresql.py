"""SQL of PostgreSQL."""

from typing import ClassVar

from zerone._sql_text import quoted_string
from zerone.export._dialects._dialect import TIME, ZONE, Dialect, Kind, without_underflow

_CALENDAR = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"


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
        return without_underflow(self, factor, value)

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

    def is_type(self, name: str, kind: Kind) -> str:
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
        written = f"{text} ~ '^{_CALENDAR}({TIME}{ZONE}?)?$'"
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
            f"CASE WHEN {text} ~ ':.*{ZONE}$' "
            f"THEN EXTRACT(EPOCH FROM CAST({known} AS timestamp with time zone)) "
            f"ELSE EXTRACT(EPOCH FROM CAST({known} AS timestamp)) END"
        )
        seconds = f"CASE WHEN {self._is(name, *self._DATES)} THEN {typed} ELSE {written} END"
        return f"(CAST({seconds} AS double precision) / 86400)"
