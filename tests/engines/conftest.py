"""What tests of several engines share."""

import os
import shutil
import sys
import warnings

import duckdb
import pytest
from tests.engines.databases import Database, psycopg
from tests.engines.postgres import postgres_programs, running_postgres

from zerone._engines import sql_engines as _sql_engines
from zerone.estimators._fit_rows import FoldedRows


@pytest.fixture
def samples(monkeypatch):
    """Batches that classifiers are refined on, in a list that fills as they are."""
    seen = []
    read = FoldedRows.read

    def watched(rows, *given):
        seen.append(rows.batch)
        return read(rows, *given)

    monkeypatch.setattr(FoldedRows, "read", watched)
    return seen


@pytest.fixture(scope="session")
def server():
    """What connects to a PostgreSQL server that is there for the tests only."""
    pytest.importorskip("psycopg")
    programs = postgres_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server on this machine: neither in PATH nor in /usr/lib")
    with running_postgres(programs) as conninfo:
        yield conninfo


@pytest.fixture
def conninfo(server):
    """What connects to an empty schema."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS tested CASCADE")
        connection.execute("CREATE SCHEMA tested")
    return psycopg.conninfo.make_conninfo(server, options="-c search_path=tested")


@pytest.fixture
def postgres(conninfo):
    with psycopg.connect(conninfo, autocommit=True) as connection:
        yield Database(connection, "%s")


@pytest.fixture
def duck():
    with duckdb.connect() as connection:
        yield Database(connection)


@pytest.fixture(params=["duckdb", pytest.param("postgresql", marks=pytest.mark.engines)])
def database(request):
    return request.getfixturevalue({"duckdb": "duck", "postgresql": "postgres"}[request.param])


@pytest.fixture
def queries(monkeypatch):
    """The queries of sums, counted; `queries.before[n]` is called before the n-th."""

    class Queries(list):
        before: dict = {}  # noqa: RUF012

    seen = Queries()
    for engine in (_sql_engines.DuckDB, _sql_engines.PostgreSQL):
        original = engine.sums

        def sums(self, query, parameters, original=original):
            # DuckDB sends its other queries this way, too.
            if "class_number" in query:
                seen.append(query)
                seen.before.get(len(seen), lambda: None)()
            return original(self, query, parameters)

        monkeypatch.setattr(engine, "sums", sums)
    yield seen
    Queries.before.clear()


@pytest.fixture(scope="session")
def session():
    """A session of Spark."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java on this machine")
    sql = pytest.importorskip("pyspark.sql")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "12",
    }
    with pytest.MonkeyPatch.context() as environment:
        for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
            environment.setenv(name, sys.executable)
        environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = sql.SparkSession.builder.master("local[2]").appName("zerone")
        for name, value in settings.items():
            builder = builder.config(name, value)
        with warnings.catch_warnings():
            # Marks do not reach fixtures that outlive a test.
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
            started = builder.getOrCreate()
        yield started
        started.stop()
