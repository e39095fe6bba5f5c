"""Rules as SQL in the real engines: how many labels differ from those of `predict`.

    python -m evidence.sql_exports
    python -m evidence.sql_exports --tables 20 --dialects duckdb sqlite

Each table has columns and categories that databases are likely to read otherwise: levels that look
like numbers and booleans, quotes, backslashes, keywords, very long strings, -0.0, denormals, 1e308,
NaN, infinities, NULL. Each rule is written in five dialects and run in the engine; ANSI SQL in
DuckDB and in PostgreSQL, the dialect of PostgreSQL with ``standard_conforming_strings`` on and off.
A table is refused if `to_sql` or the engine says why. A label may be NULL where a score overflows.
"""

import argparse
import collections
import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import duckdb

from evidence.hostile_tables import (
    DuckDBEngine,
    HostileTable,
    PostgresEngine,
    SparkEngine,
    SqlEngine,
    hostile_table,
    sqlite_engine,
)


class Tally(collections.Counter[str]):
    """What happened to the tables and rows of one engine; `said` has the reasons of refusals."""

    def __init__(self) -> None:
        super().__init__()
        self.said: collections.Counter[str] = collections.Counter()


def compared(engine: SqlEngine, table: HostileTable, tally: Tally) -> list[str]:
    """Count the rows of one table; return what differs, in words."""
    tally["tables"] += 1
    try:
        expression = table.model.to_sql(dialect=engine.dialect)
    except ValueError as error:
        tally["refused tables"] += 1
        tally.said[str(error).split(";")[0][:90]] += 1
        return []
    found = _differing(engine, table, table.rows, expression, tally)
    # To some engines an overflow in one row is an error.
    step = 1 if isinstance(engine, PostgresEngine) else len(table.extreme)
    for row in range(0, len(table.extreme), max(step, 1)):
        own = table.extreme.iloc[row : row + step]
        found += _differing(engine, table, own, expression, tally, may_overflow=True)
    return found


def _differing(
    engine: SqlEngine,
    table: HostileTable,
    rows: Any,
    expression: str,
    tally: Tally,
    *,
    may_overflow: bool = False,
) -> list[str]:
    predicted = table.predicted(engine.held(rows, table.model))
    try:
        answers = engine.answers(rows, expression)
    except Exception as error:
        said = str(error).strip().split("\n")[0][:90]
        tally["refused rows" if may_overflow else "refused tables"] += 1
        tally.said[said] += 1
        return [] if may_overflow else [f"the engine refuses: {said}"]
    tally["rows"] += len(rows)
    differing = []
    for row, (wanted, given) in enumerate(zip(predicted, answers, strict=True)):
        if given is None and may_overflow:
            tally["refused rows"] += 1
        elif wanted != given or isinstance(wanted, str) != isinstance(given, str):
            tally["mismatches"] += 1
            differing.append(f"row {row}: predict {wanted!r}, SQL {given!r}")
    return differing


@contextlib.contextmanager
def engines(dialects: list[str]) -> Iterator[dict[str, SqlEngine]]:
    """Start the engines of some dialects."""
    found: dict[str, SqlEngine] = {}
    with contextlib.ExitStack() as stack:
        if "duckdb" in dialects:
            found["duckdb"] = DuckDBEngine(duckdb.connect())
        if "ansi" in dialects:
            found["ansi in DuckDB"] = DuckDBEngine(duckdb.connect(), "ansi")
        if "sqlite" in dialects:
            found["sqlite"] = sqlite_engine()
        if {"postgresql", "ansi"} & {*dialects}:
            found |= stack.enter_context(_postgres(dialects))
        if "spark" in dialects:
            found["spark"] = stack.enter_context(_spark())
        yield found


@contextlib.contextmanager
def _postgres(dialects: list[str]) -> Iterator[dict[str, SqlEngine]]:
    import psycopg
    from tests.engines.postgres import postgres_programs, running_postgres

    programs = postgres_programs()
    if programs is None:
        sys.exit("PostgreSQL is not installed")
    with running_postgres(programs) as conninfo, contextlib.ExitStack() as stack:

        def connected(setting: str) -> Any:
            connection = stack.enter_context(psycopg.connect(conninfo, autocommit=True))
            connection.execute(f"SET standard_conforming_strings = {setting}")
            connection.execute("SET escape_string_warning = off")
            connection.execute("SET client_min_messages = error")
            return connection

        found: dict[str, SqlEngine] = {}
        if "postgresql" in dialects:
            found["postgresql"] = PostgresEngine(connected("on"))
            found["postgresql, escapes"] = PostgresEngine(connected("off"))
        if "ansi" in dialects:
            found["ansi in PostgreSQL"] = PostgresEngine(connected("on"), "ansi")
        yield found


@contextlib.contextmanager
def _spark() -> Iterator[SqlEngine]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("zerone")
    for name, value in (
        ("spark.ui.enabled", "false"), ("spark.ui.showConsoleProgress", "false"),
        ("spark.log.level", "OFF"), ("spark.driver.host", "127.0.0.1"),
        ("spark.driver.bindAddress", "127.0.0.1"), ("spark.sql.shuffle.partitions", "1"),
        # Compiling a query takes longer than these few rows.
        ("spark.sql.codegen.wholeStage", "false"), ("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
    ):  # fmt: skip
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield SparkEngine(session)
    session.stop()


def main() -> None:
    """Print a line for each engine."""
    names = ["duckdb", "postgresql", "sqlite", "spark", "ansi"]
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--dialects", nargs="+", choices=names, default=names)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with engines(given.dialects) as found:
        tallies = {name: Tally() for name in found}
        for seed in range(given.first, given.first + given.tables):
            tables = {own: hostile_table(seed, is_ansi=own) for own in (True, False)}
            for name, engine in found.items():
                table = tables[engine.dialect == "ansi"]
                for said in compared(engine, table, tallies[name])[:3]:
                    print(f"{name}, table {seed}: {said}", flush=True)
    for name, tally in tallies.items():
        print(
            f"{name:20s} {tally['tables']} tables ({tally['refused tables']} refused), "
            f"{tally['rows']:,} rows ({tally['refused rows']} refused), "
            f"{tally['mismatches']} labels differ"
        )
        for said, n in tally.said.most_common():
            print(f"    {n} x {said}")


if __name__ == "__main__":
    main()
