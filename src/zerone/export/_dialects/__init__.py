"""What databases write differently: names, strings, numbers, the types of cells, dates."""

from zerone._errors import ArgumentError
from zerone.export._dialects._ansi import Ansi
from zerone.export._dialects._dialect import Dialect
from zerone.export._dialects._duckdb import DuckDB
from zerone.export._dialects._postgresql import PostgreSQL
from zerone.export._dialects._spark import Spark
from zerone.export._dialects._sqlite import SQLite

DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDB(),
    "postgresql": PostgreSQL(),
    "sqlite": SQLite(),
    "spark": Spark(),
    "ansi": Ansi(),
}
"""All dialects by name."""


def require_dialect(dialect: str) -> None:
    """Raise for a dialect that there is not."""
    if dialect not in DIALECTS:
        raise ArgumentError("dialect", f"got {dialect!r}, expected one of {list(DIALECTS)}")
