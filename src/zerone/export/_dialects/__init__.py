"""What databases write differently: names, strings, numbers, the types of cells, dates."""

from zerone.export._dialects.ansi import Ansi
from zerone.export._dialects.dialect import Dialect
from zerone.export._dialects.duckdb import DuckDB
from zerone.export._dialects.postgresql import PostgreSQL
from zerone.export._dialects.spark import Spark
from zerone.export._dialects.sqlite import SQLite

DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDB(),
    "postgresql": PostgreSQL(),
    "sqlite": SQLite(),
    "spark": Spark(),
    "ansi": Ansi(),
}
"""All dialects by name."""
