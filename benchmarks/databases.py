"""Moments inside DuckDB and PostgreSQL, beside those of the same rows in memory.

    python -m benchmarks.databases

Starts a PostgreSQL server of its own, in a folder that is removed afterwards, if its programs are
installed. Medians of three; PostgreSQL of one for a million rows.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from tests.engines.postgres import postgres_programs, running_postgres

from zerone import Moments

SIZES = ((1_000_000, 20), (20_000, 100), (2_000, 200))


def make_rows(n_rows: int, n_features: int) -> pd.DataFrame:
    """Return two classes around means that are far from zero."""
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 0.3).astype(np.int32)
    X = rng.normal(size=(n_rows, n_features)) * (1 + y[:, None]) + 50
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(n_features)]).assign(y=y)


def seconds(job: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the median time of a job, and what it gave."""
    times, result = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        result = job()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def largest_difference(found: Moments, wanted: Moments) -> float:
    """Return the largest difference of means and covariances, in standard deviations."""
    worst = 0.0
    for label, m in wanted.items():
        covariance = np.asarray(m.covariance)
        scale = np.sqrt(covariance.diagonal())
        gap = np.abs(np.asarray(found[label].covariance) - covariance) / np.outer(scale, scale)
        shift = np.abs(found[label].mean - m.mean) / scale
        worst = max(worst, float(gap.max()), float(shift.max()))
    return worst


@contextmanager
def duck(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield a connection to a database that holds the rows."""
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
        yield connection


@contextmanager
def postgres(conninfo: str, frame: pd.DataFrame) -> Iterator[Any]:
    """Yield a connection to a database that holds the rows."""
    import psycopg

    with psycopg.connect(conninfo, autocommit=True) as connection:
        kinds = ", ".join(f"{name} {'int' if name == 'y' else 'float8'}" for name in frame)
        connection.execute("DROP TABLE IF EXISTS rows")
        connection.execute(f"CREATE TABLE rows ({kinds})")
        with connection.cursor().copy("COPY rows FROM STDIN") as copy:
            for row in frame.itertuples(index=False, name=None):
                copy.write_row(row)
        connection.execute("VACUUM ANALYZE rows")
        yield connection


def main() -> None:
    """Measure and print."""
    programs = postgres_programs()
    with nullcontext() if programs is None else running_postgres(programs) as conninfo:
        print("| rows × features | in memory | DuckDB | PostgreSQL | largest difference |")
        print("|---|---|---|---|---|")
        for n_rows, n_features in SIZES:
            frame = make_rows(n_rows, n_features)
            rows, labels = frame.drop(columns="y"), frame["y"]
            memory, wanted = seconds(lambda: Moments.from_data(rows, labels), 3)  # noqa: B023
            cells, worst = [f"{memory:.3f} s"], 0.0
            engines: list[Any] = [(duck(frame), 3)]
            if conninfo is not None:
                engines.append((postgres(conninfo, frame), 1 if n_rows >= 10**6 else 3))
            for opened, repeats in engines:
                with opened as connection:
                    taken, found = seconds(
                        lambda: Moments.from_sql(connection, "rows", target="y"),
                        repeats,
                    )
                cells.append(f"{taken:.2f} s")
                worst = max(worst, largest_difference(found, wanted))
            print(f"| {n_rows:,} × {n_features} | {' | '.join(cells)} | {worst:.0e} |")


if __name__ == "__main__":
    main()
