"""SQL of DuckDB."""

from typing import ClassVar

from zerone.export._dialects._dialect import DATE, TIME, WHITESPACE, ZONE, Dialect, Kind


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

    def is_type(self, name: str, kind: Kind) -> str:
        return f"typeof({name}) IN ({self._TYPES[kind]})"

    def is_date(self, name: str, text: str) -> str:
        return f"regexp_full_match({text}, '{DATE}({TIME}{ZONE}?)?')"

    def days(self, name: str, text: str) -> str:
        # As a string, a time with a zone is read in UTC, whatever the zone of the session.
        return f"(EXTRACT(EPOCH FROM TRY_CAST({text} AS TIMESTAMP)) / 86400)"
