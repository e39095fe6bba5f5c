"""What databases refuse, lose and change, and what is left of it: nothing half-done."""

import functools
import sqlite3
import threading

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.data.test_sources import assert_same
from tests.engines.databases import expected, numbers, psycopg

from zerone import Moments
from zerone._engines import sql_engines as _sql_engines

from_sql = Moments.from_sql


class TestTransactions:
    def test_rows_that_are_added_meanwhile_do_not_count(
        self, database, request, queries, rng, tmp_path, monkeypatch
    ):
        for engine in (_sql_engines.DuckDB, _sql_engines.PostgreSQL):
            monkeypatch.setattr(engine, "columns_at_once", 14)
        frame = numbers(rng)
        database.load(frame)
        if database.is_postgres:
            info = request.getfixturevalue("conninfo")
            other = psycopg.connect(info, autocommit=True)
        else:
            other = database.connection.cursor()
        with other:
            for n in (1, 2, 3):
                queries.before[n] = lambda: other.execute("INSERT INTO rows SELECT * FROM rows")
            found = from_sql(database.connection, "rows", target="y")
        assert len(queries) == 4
        assert_same(found, expected(frame))
        assert from_sql(database.connection, "rows", target="y").weight == 8 * 200

    @pytest.mark.engines
    @pytest.mark.parametrize("autocommit", [True, False])
    def test_an_idle_connection_is_left_as_it_was(self, autocommit, postgres, conninfo, rng):
        postgres.load(numbers(rng))
        options = {"autocommit": autocommit, "row_factory": psycopg.rows.dict_row}
        with psycopg.connect(conninfo, **options, cursor_factory=psycopg.RawCursor) as connection:
            from_sql(connection, "rows", target="y")
            for arguments in ({"table": "none"}, {"table": "rows", "columns": ["none"]}):
                with pytest.raises(ValueError, match="none"):
                    from_sql(connection, **arguments, target="y")
            assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            assert connection.autocommit == autocommit
            assert connection.row_factory is psycopg.rows.dict_row
            shown = connection.execute("SHOW transaction_read_only").fetchone()
            assert shown == {"transaction_read_only": "off"}

    @pytest.mark.engines
    @pytest.mark.parametrize("level", ["REPEATABLE_READ", "SERIALIZABLE"])
    def test_inside_a_transaction_that_keeps_its_rows(self, level, postgres, conninfo, rng):
        postgres.load(numbers(rng))
        with psycopg.connect(conninfo) as connection:
            connection.isolation_level = psycopg.IsolationLevel[level]
            connection.execute("INSERT INTO rows SELECT * FROM rows")
            assert from_sql(connection, "rows", target="y").weight == 400
            assert connection.execute("SHOW jit").fetchone() == ("on",)
            with pytest.raises(ValueError, match="table: cannot be read"):
                from_sql(connection, "none", target="y")
            assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
            assert from_sql(connection, "rows", target="y").weight == 400
            connection.rollback()
            assert from_sql(connection, "rows", target="y").weight == 200

    @pytest.mark.engines
    def test_inside_a_transaction_that_does_not(self, postgres, conninfo, rng):
        postgres.load(numbers(rng))
        with psycopg.connect(conninfo) as connection:
            connection.execute("INSERT INTO rows SELECT * FROM rows")
            with pytest.raises(ValueError, match=r"'read committed'.* commit it or roll it back"):
                from_sql(connection, "rows", target="y")
            assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
            connection.commit()
            assert from_sql(connection, "rows", target="y").weight == 400
            with pytest.raises(psycopg.Error):
                connection.execute("SELECT nothing")
            with pytest.raises(ValueError, match="connection: its transaction has failed; roll"):
                from_sql(connection, "rows", target="y")

    def test_duckdb_inside_a_transaction(self, duck, rng):
        duck.load(numbers(rng))
        duck.execute("BEGIN")
        duck.execute("INSERT INTO rows SELECT * FROM rows")
        assert from_sql(duck.connection, "rows", target="y").weight == 400
        duck.execute("ROLLBACK")
        assert from_sql(duck.connection, "rows", target="y").weight == 200
        # None is left open.
        duck.execute("BEGIN")

    def test_duckdb_after_a_failure(self, duck, rng):
        duck.load(numbers(rng))
        with pytest.raises(ValueError, match="table: cannot be read"):
            from_sql(duck.connection, "none", target="y")
        assert from_sql(duck.connection, "rows", target="y").weight == 200


class TestLostConnections:
    @pytest.mark.engines
    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_ended_by_the_server(self, n, postgres, conninfo, queries, rng):
        frame = numbers(rng, 20, 100)
        postgres.load(frame)
        with psycopg.connect(conninfo) as connection:
            pid = connection.info.backend_pid
            queries.before[n] = lambda: postgres.connection.execute(
                "SELECT pg_terminate_backend(%s, 1000)", (pid,)
            )
            message = rf"lost in query {n + 2} of 9 .*no sums were kept; connect again and call"
            with pytest.raises(ConnectionError, match=message) as caught:
                from_sql(connection, "rows", target="y")
            assert isinstance(caught.value.__cause__, psycopg.OperationalError)
            with pytest.raises(ConnectionError, match="connection: lost in query 1 "):
                from_sql(connection, "rows", target="y")
        with psycopg.connect(conninfo) as connection:
            assert_same(from_sql(connection, "rows", target="y"), expected(frame))

    @pytest.mark.engines
    def test_cancelled_by_the_server(self, postgres, rng):
        postgres.load(numbers(rng))
        postgres.execute(
            "CREATE VIEW slow AS SELECT x0, y FROM rows WHERE pg_sleep(0.1) IS NOT NULL"
        )
        postgres.execute("SET statement_timeout = 50")
        with pytest.raises(ConnectionError, match=r"query 2 of 4 was cancelled \(.*; call again"):
            from_sql(postgres.connection, "slow", target="y")
        assert postgres.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        assert from_sql(postgres.connection, "rows", target="y").weight == 200

    def test_duckdb_closed(self, duck, queries, rng):
        duck.load(numbers(rng))
        queries.before[2] = duck.connection.close
        with pytest.raises(ConnectionError, match=r"lost in query 4 of 4 .*no sums were kept"):
            from_sql(duck.connection, "rows", target="y")
        with pytest.raises(ConnectionError, match="lost in query 1 "):
            from_sql(duck.connection, "rows", target="y")

    def test_duckdb_interrupted(self, duck):
        duck.execute("CREATE VIEW endless AS SELECT a.range AS x, 1 AS y FROM range(10000000) AS a"
                     ", range(1000000) AS b")  # fmt: skip
        timer = threading.Timer(0.3, duck.connection.interrupt)
        timer.start()
        with pytest.raises(ConnectionError, match=r"query 2 of 4 was cancelled \(.*; call again"):
            from_sql(duck.connection, "endless", target="y")
        timer.join()
        duck.load(pd.DataFrame({"x": [1.0], "y": [0]}))
        assert from_sql(duck.connection, "rows", target="y").weight == 1


class TestErrors:
    @pytest.fixture
    def table(self, database):
        frame = pd.DataFrame(
            {
                "x": [1.0, 2.0, 3.0],
                "gap": [1.0, None, None],
                "odd": [1.0, np.nan, 1.0],
                "huge": [1.0, -np.inf, 1.0],
                "wide": [1e200, -1e200, 1.0],
                "name": ["a", "b", "c"],
                "y": [0, 1, 1],
                "unknown": [0, None, 1],
                "negative": [1, -1, 2],
            },
            dtype=object,
        )
        kinds = dict.fromkeys(["x", "gap", "odd", "huge", "wide"], "double precision")
        database.load(frame, types=kinds | dict.fromkeys(["y", "unknown", "negative"], "integer"))
        # The frame's constructor takes NaN and None apart; a parameter of NaN is not NULL.
        return functools.partial(Moments.from_sql, database.connection, "rows")

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({}, TypeError, "columns: column 'name' has type (VARCHAR|text), expected numbers"),
            ({"columns": ["x", "gap"]}, ValueError, "'gap' is NULL in 2 rows; .*COALESCE"),
            ({"columns": ["x", "odd"]}, ValueError, "columns: 'odd' contains NaN or infinity"),
            ({"columns": ["x", "huge"]}, ValueError, "columns: 'huge' contains NaN or infinity"),
            ({"columns": ["wide"]}, ValueError, "columns: .*(overflow|too large)"),
            ({"columns": ["none"]}, ValueError, "columns: there is no column 'none'; .*'x', 'gap'"),
            ({"columns": ["y"]}, ValueError, "columns: 'y' is the target"),
            ({"columns": ["x", "x"]}, ValueError, "columns: 'x' is .* named twice"),
            ({"columns": ["x"], "weight": "x"}, ValueError, "columns: 'x' is the target, the w"),
            ({"columns": []}, ValueError, "columns: no column is left"),
            ({"columns": "x"}, TypeError, "columns: got 'x', expected a list of strings"),
            ({"columns": [1]}, TypeError, r"columns: got 1 in it, expected a list of strings"),
            ({"columns": ["x"], "weight": "none"}, ValueError, "weight: there is no column 'none'"),
            ({"columns": ["x"], "weight": "name"}, TypeError, "weight: column 'name' has type"),
            ({"columns": ["x"], "weight": "y", "target": "y"}, ValueError, "weight: 'y' is the t"),
            ({"columns": ["x"], "weight": "negative"}, ValueError, "weight: .*'negative' has -1;"),
            ({"columns": ["x"], "weight": "gap"}, ValueError, "weight: .*'gap' is NULL in 2 rows"),
            ({"columns": ["x"], "weight": "odd"}, ValueError, "weight: .*'odd' has NaN or inf"),
            ({"columns": ["x"], "weight": "huge"}, ValueError, "weight: column 'huge' has -inf"),
            ({"columns": ["x"], "weight": 3}, TypeError, "weight: got 3, expected the name"),
            ({"columns": ["x"], "target": None}, TypeError, "target: got None, expected the name"),
            ({"columns": ["x"], "target": "none"}, ValueError, "target: there is no column 'none'"),
            ({"columns": ["x"], "target": "unknown"}, ValueError, "target: .*NULL in 1 rows"),
            ({"columns": ["x"], "target": "odd"}, ValueError, "target: .*NaN in 1 rows"),
        ],
    )
    def test_columns(self, arguments, error, message, table):
        with pytest.raises(error, match=message):
            table(**{"target": "y"} | arguments)

    def test_no_rows(self, database):
        database.load(pd.DataFrame({"x": [1.0], "y": [0], "w": [0]}))
        with pytest.raises(ValueError, match="table: all sample weights are zero"):
            from_sql(database.connection, "rows", target="y", weight="w")
        database.execute("DELETE FROM rows")
        with pytest.raises(ValueError, match="table: all sample weights are zero"):
            from_sql(database.connection, "rows", target="y")

    def test_a_target_of_numbers_without_classes(self, database):
        database.load(pd.DataFrame({"x": np.arange(1001.0), "y": np.arange(1001)}))
        with pytest.raises(ValueError, match="target: column 'y' has more than 1000 different"):
            from_sql(database.connection, "rows", target="y")

    def test_labels_that_cannot_be_classes(self, database):
        database.execute("CREATE TABLE rows (x integer, y integer[], z numeric(38, 30))")
        database.execute("INSERT INTO rows VALUES (1, '{1,2}', 0.1)"
                         if database.is_postgres
                         else "INSERT INTO rows VALUES (1, [1, 2], 0.1)")  # fmt: skip
        with pytest.raises(ValueError, match="target: column 'y' has labels that cannot be class"):
            from_sql(database.connection, "rows", target="y", columns=["x"])
        database.execute("INSERT INTO rows VALUES (1, NULL, 0.100000000000000000000000000001)")
        with pytest.raises(ValueError, match=r"target: column 'z' .*twice"):
            from_sql(database.connection, "rows", target="z", columns=["x"])

    def test_labels_that_python_cuts_off(self, duck):
        duck.execute("CREATE TABLE rows AS SELECT 1 AS x, '2020-01-01 00:00:00.123456789'"
                     "::TIMESTAMP_NS AS y")  # fmt: skip
        with pytest.raises(ValueError, match="the labels of 'y' cannot be compared"):
            from_sql(duck.connection, "rows", target="y")

    @pytest.mark.engines
    def test_other_errors_are_those_of_the_driver(self, postgres):
        postgres.execute("CREATE TABLE rows AS SELECT 0 AS x, 1 AS y")
        postgres.execute("CREATE VIEW v AS SELECT 1 / x AS x, y FROM rows")
        with pytest.raises(psycopg.errors.DivisionByZero):
            from_sql(postgres.connection, "v", target="y")

    @pytest.mark.parametrize(
        ("table", "error", "message"),
        [
            ("none", ValueError, "table: cannot be read: .*none"),
            ("a..b", ValueError, "table: got 'a..b', in which a name is empty"),
            ((), ValueError, r"table: got \(\), in which"),
            (["rows"], TypeError, r"table: got \['rows'\], expected a name, or a tuple"),
            (("a", 1), TypeError, "table: got"),
        ],
    )
    def test_tables(self, table, error, message, database):
        with pytest.raises(error, match=message):
            from_sql(database.connection, table, target="y")

    def test_connections(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"connection: there is no file .*psycopg"):
            from_sql(tmp_path / "none.duckdb", "rows", target="y")
        (tmp_path / "text").write_text("text")
        with pytest.raises(ValueError, match=r"connection: .* cannot be opened as a DuckDB file"):
            from_sql(tmp_path / "text", "rows", target="y")
        with (
            sqlite3.connect(":memory:") as connection,
            pytest.raises(
                TypeError,
                match=r"connection: got sqlite3\.Connection, expected .*duckdb\.connect.*p",
            ),
        ):
            from_sql(connection, "rows", target="y")
        connection.close()
        for other in (None, duckdb):
            with pytest.raises(TypeError, match="connection: got "):
                from_sql(other, "rows", target="y")

    @pytest.mark.engines
    def test_asynchronous_connections(self):
        psycopg = pytest.importorskip("psycopg")
        with pytest.raises(TypeError, match=r"connection: got psycopg\.Async.*not asynchronous"):
            from_sql(object.__new__(psycopg.AsyncConnection), "rows", target="y")


class TestRowsThatChange:
    @pytest.fixture
    def wide(self, rng):
        X = rng.normal(size=(600, 70))
        return pd.DataFrame(X, columns=[f"x{i}" for i in range(70)]).assign(y=np.arange(600) % 2)

    def test_a_view_that_draws_rows_anew(self, database, wide):
        database.load(wide)
        # As many of each class every time, so that counts do not tell.
        database.execute(
            "CREATE VIEW drawn AS SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY y "
            "ORDER BY chance) AS place FROM (SELECT *, random() AS chance FROM rows) AS thrown) "
            "AS numbered WHERE place <= 40"
        )
        names = list(wide.columns[:-1])
        with pytest.raises(ValueError, match="table: returns different rows to different queries"):
            Moments.from_sql(database.connection, "drawn", target="y", columns=names)
        database.execute("CREATE TABLE kept AS SELECT * FROM drawn")
        found = Moments.from_sql(database.connection, "kept", target="y", columns=names)
        assert np.linalg.eigvalsh(np.asarray(found[0].covariance)).min() > -1e-12

    def test_a_sample(self, database, wide):
        database.load(wide)
        database.execute("CREATE VIEW drawn AS SELECT * FROM rows WHERE random() < 0.5")
        with pytest.raises(ValueError, match="table: returns different rows to different queries"):
            Moments.from_sql(database.connection, "drawn", target="y")


def test_nothing_is_written_by_duckdb(duck):
    duck.execute("CREATE SEQUENCE counter")
    duck.execute("CREATE VIEW counting AS SELECT nextval('counter') AS x, 1 AS y FROM range(9)")
    with pytest.raises(ValueError, match=r"table: cannot be read: .*read-only"):
        Moments.from_sql(duck.connection, "counting", target="y")


@pytest.mark.engines
class TestSettings:
    def test_weights_keep_their_digits(self, postgres):
        frame = pd.DataFrame({"x": 100.0 + np.arange(100) % 7, "y": np.arange(100) % 2})
        frame["w"] = 0.1 + (np.arange(100) % 3) * 0.37
        postgres.load(frame)
        postgres.execute("SET extra_float_digits = -14")
        found = Moments.from_sql(postgres.connection, "rows", target="y", weight="w")
        assert_same(found, Moments.from_data(frame[["x"]], frame["y"], sample_weight=frame["w"]))
        shown = postgres.connection.execute("SHOW extra_float_digits").fetchone()[0]
        assert shown == "-14"

    def test_pipelines_are_refused(self, postgres):
        postgres.load(pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}))
        with (
            postgres.connection.pipeline(),
            pytest.raises(ValueError, match="connection: is in pipeline mode"),
        ):
            Moments.from_sql(postgres.connection, "rows", target="y")

    def test_labels_without_end(self, postgres):
        postgres.execute("CREATE TABLE rows (x float, y numeric)")
        postgres.execute("INSERT INTO rows VALUES (1, 'Infinity'), (2, 1), (3, 1)")
        found = Moments.from_sql(postgres.connection, "rows", target="y")
        assert found.weight == 3
