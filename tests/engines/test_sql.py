"""Moments computed inside DuckDB and PostgreSQL, and what happens when these do not play along."""

import datetime
import decimal
import functools
import sqlite3
import threading

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.guide import run_guide
from tests.engines.postgres import postgres_programs, running_postgres
from tests.tables.test_sources import assert_same

from zerone import Moments
from zerone.moments import _sql_engines

try:
    import psycopg
except ImportError:  # which only the tests of PostgreSQL need
    psycopg = None

from_sql = Moments.from_sql

TYPES = {"f": "double precision", "i": "bigint", "b": "boolean", "O": "text"}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Database:
    """A connection, and how to fill tables through it."""

    def __init__(self, connection, placeholder="?"):
        self.connection = connection
        self.placeholder = placeholder

    @property
    def is_postgres(self):
        return self.placeholder == "%s"

    def load(self, frame, name="rows", types=None):
        """Make a table of a frame."""
        types = {c: TYPES[frame[c].dtype.kind] for c in frame} | (types or {})
        listed = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        self.execute(f"CREATE TABLE {quoted(name)} ({listed})")
        rows = [
            [None if cell is pd.NA or cell is None else cell for cell in row]
            for row in frame.astype(object).itertuples(index=False, name=None)
        ]
        query = f"INSERT INTO {quoted(name)} VALUES ({', '.join([self.placeholder] * len(types))})"
        with self.connection.cursor() as cursor:
            cursor.executemany(query, rows)

    def execute(self, query):
        self.connection.execute(query)


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


def numbers(rng, n=200, d=4, classes=2):
    frame = pd.DataFrame(rng.normal(size=(n, d)) + 3, columns=[f"x{i}" for i in range(d)])
    return frame.assign(y=rng.integers(0, classes, n))


def expected(frame, weight=None):
    X = frame.drop(columns=["y"] if weight is None else ["y", weight])
    return Moments.from_data(
        X.astype(float), frame["y"], sample_weight=None if weight is None else frame[weight]
    )


class TestResults:
    def test_equal_those_of_the_rows(self, database, rng):
        frame = numbers(rng)
        database.load(frame)
        found = from_sql(database.connection, "rows", target="y")
        assert_same(found, expected(frame))
        assert found.feature_names == ("x0", "x1", "x2", "x3")

    def test_weights_are_counts(self, database, rng):
        frame = numbers(rng).assign(w=rng.integers(0, 4, 200))
        database.load(frame)
        found = from_sql(database.connection, "rows", target="y", weight="w")
        repeated = frame.loc[frame.index.repeat(frame["w"])].drop(columns="w")
        assert_same(found, expected(repeated))
        assert_same(found, expected(frame, "w"))

    def test_weights_that_are_no_whole_numbers(self, database, rng):
        frame = numbers(rng).assign(w=rng.random(200))
        database.load(frame)
        found = from_sql(database.connection, "rows", target="y", weight="w")
        assert_same(found, expected(frame, "w"))

    def test_rows_of_weight_zero_are_absent(self, database):
        frame = pd.DataFrame(
            {"x": [1.0, 3.0, None], "y": ["a", "a", None], "w": [1.0, 1.0, 0.0]}, dtype=object
        )
        database.load(frame, types={"x": "double precision", "w": "double precision"})
        found = from_sql(database.connection, "rows", target="y", weight="w")
        assert found.classes.tolist() == ["a"]
        assert found["a"].mean.tolist() == [2.0]

    def test_many_classes(self, database, rng):
        frame = numbers(rng, 400, 3, 30)
        database.load(frame)
        found = from_sql(database.connection, "rows", target="y")
        assert len(found) == 30
        assert_same(found, expected(frame))

    def test_means_far_from_zero(self, database, rng):
        frame = numbers(rng)
        frame[["x0", "x1"]] += [1e6, -1e6]
        database.load(frame)
        assert_same(from_sql(database.connection, "rows", target="y"), expected(frame), rtol=1e-10)

    def test_constant_features_have_no_variance(self, database, rng):
        frame = numbers(rng).assign(x1=0.1, w=rng.random(200))
        database.load(frame)
        for weight in (None, "w"):
            found = from_sql(
                database.connection, "rows", target="y", columns=["x0", "x1"], weight=weight
            )
            assert [m.covariance.toarray()[1].tolist() for m in found.values()] == [[0.0] * 2] * 2

    def test_chosen_columns(self, database, rng):
        frame = numbers(rng).assign(name="text")
        database.load(frame)
        found = from_sql(database.connection, "rows", target="y", columns=["x2", "x0"])
        assert_same(found, expected(frame[["x2", "x0", "y"]]))
        assert found.feature_names == ("x2", "x0")

    def test_one_row(self, database):
        database.load(pd.DataFrame({"x": [0.5], "y": [1]}))
        found = from_sql(database.connection, "rows", target="y")
        assert (found[1].weight, found[1].mean.tolist()) == (1.0, [0.5])

    @pytest.mark.engines
    def test_more_products_than_a_result_has_columns(self, postgres, queries, rng):
        frame = numbers(rng, 2000, 200, 3)
        postgres.load(frame)
        found = from_sql(postgres.connection, "rows", target="y")
        assert_same(found, expected(frame))
        # 20,100 products, and those of a tile need 80 features.
        assert len(queries) == 1 + 15
        assert max(query.count('"x') for query in queries[1:]) == 80

    def test_more_features_than_a_result_has_columns(self, database, queries, rng, monkeypatch):
        for engine in (_sql_engines.DuckDB, _sql_engines.PostgreSQL):
            monkeypatch.setattr(engine, "columns_at_once", 14)
        frame = numbers(rng, 100, 11).assign(w=rng.random(100))
        database.load(frame)
        found = from_sql(database.connection, "rows", target="y", weight="w")
        assert_same(found, expected(frame, "w"))
        assert len(queries) == 2 + 10

    @given(st.data())
    def test_any_table(self, data):
        n, d = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 6))
        rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
        scale = data.draw(st.sampled_from([1e-6, 1.0, 1e8]))
        frame = pd.DataFrame(scale * rng.normal(1, 1, (n, d)), columns=[f"c{i}" for i in range(d)])
        frame["y"] = rng.integers(0, data.draw(st.integers(1, 5)), n)
        frame["w"] = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
        frame.loc[0, "w"] = 1
        with duckdb.connect() as connection:
            connection.register("frame", frame)
            found = from_sql(connection, "frame", target="y", weight="w")
        known = expected(frame, "w")
        # In the scale of the features, of which the comparison takes tiny ones for constant.
        assert_same(
            found.affine(np.full(d, 1 / scale)), known.affine(np.full(d, 1 / scale)), atol=1e-10
        )


class TestTypes:
    def test_numbers_of_every_type(self, database):
        frame = pd.DataFrame(
            {
                "small": [1, 2, 3, 4],
                "large": [2**40, 0, 1, 2],
                "money": [decimal.Decimal(cents) / 4 for cents in (1, 2, 5, 7)],
                "single": [0.5, 1.5, 2.5, 0.25],
                "double": [0.1, 0.2, 0.3, 0.7],
                "yes": [True, False, True, True],
                "y": [0, 0, 1, 1],
            }
        )
        types = {"small": "smallint", "money": "numeric(10, 2)", "single": "real"}
        database.load(frame, types=types)
        assert_same(from_sql(database.connection, "rows", target="y"), expected(frame))

    @pytest.mark.parametrize(
        ("type_", "labels"),
        [
            ("text", ["no", "it's; --", 'a "b" %s ?', ""]),
            ("smallint", [-1, 0, 7]),
            ("boolean", [False, True]),
            ("double precision", [0.1, 2.0]),
            ("date", [datetime.date(2020, 1, 1), datetime.date(2026, 2, 3)]),
            ("timestamp", [datetime.datetime(2020, 1, 1, 12, 0, 0, 5)]),
            ("numeric(5, 1)", [1, 2]),
            ("numeric(5, 1)", [0.5, 1.0]),
        ],
    )
    def test_labels(self, type_, labels, database, rng):
        y = [label for label in labels for _ in range(3)]
        frame = pd.DataFrame({"x": rng.random(len(y)), "y": pd.Series(y, dtype=object)})
        database.load(frame, types={"y": type_})
        found = from_sql(database.connection, "rows", target="y")
        assert found.classes.tolist() == sorted(labels)
        assert {type(label) for label in found} == {type(labels[0])}
        for label in labels:
            own = frame.loc[frame["y"] == label, "x"]
            assert found[label].mean.tolist() == pytest.approx([own.mean()], rel=1e-14)

    def test_labels_of_single_precision(self, database):
        frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "y": [0.1, 0.1, 0.7]})
        database.load(frame, types={"y": "real"})
        found = from_sql(database.connection, "rows", target="y")
        assert [m.mean.tolist() for m in found.values()] == [[1.5], [4.0]]

    def test_labels_of_an_enum(self, database):
        database.execute("CREATE TYPE mood AS ENUM ('sad', 'glad')")
        database.load(pd.DataFrame({"x": [1.0, 2.0], "y": ["sad", "glad"]}), types={"y": "mood"})
        assert list(from_sql(database.connection, "rows", target="y")) == ["glad", "sad"]
        database.execute("DROP TABLE rows")
        database.execute("DROP TYPE mood")

    @pytest.mark.engines
    def test_domains_and_blanks(self, postgres):
        postgres.execute("CREATE DOMAIN share AS numeric CHECK (value >= 0)")
        frame = pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
        postgres.load(frame, types={"x": "share", "y": "char(3)"})
        found = from_sql(postgres.connection, "rows", target="y")
        assert {label: m.mean.tolist() for label, m in found.items()} == {"a  ": [1], "b  ": [2]}

    @pytest.mark.engines
    def test_a_server_that_rounds_what_it_prints(self, postgres, rng):
        frame = numbers(rng)
        postgres.load(frame)
        postgres.execute("SET extra_float_digits = -5")
        assert_same(from_sql(postgres.connection, "rows", target="y"), expected(frame))


class TestNames:
    odd = ('say "hi"', "a.b", "UPPER", "with space", "100%s ?", 'x"; DROP TABLE rows; --', "x1")

    def test_odd_names(self, database, rng):
        frame = pd.DataFrame(rng.random((20, 7)), columns=list(self.odd))
        frame['the "y%'] = rng.choice(["a", "'; DROP TABLE rows; --"], 20)
        database.load(frame, name='odd "table".x')
        found = from_sql(database.connection, ('odd "table".x',), target='the "y%')
        assert found.feature_names == self.odd
        assert_same(found, expected(frame.rename(columns={'the "y%': "y"})))

    def test_injection(self, database, rng):
        database.load(numbers(rng))
        with pytest.raises(ValueError, match="table: cannot be read"):
            from_sql(database.connection, 'rows"; DROP TABLE rows; --', target="y")
        with pytest.raises(ValueError, match="target: there is no column"):
            from_sql(database.connection, "rows", target='y" FROM rows; DROP TABLE rows; --')
        assert from_sql(database.connection, "rows", target="y").weight == 200

    def test_schemas_and_views(self, database, rng):
        frame = numbers(rng)
        database.execute("DROP SCHEMA IF EXISTS other CASCADE")
        database.execute("CREATE SCHEMA other")
        database.load(frame)
        database.execute('CREATE VIEW other.v AS SELECT x0, -x1 AS "x.1", y FROM rows WHERE x2 > 3')
        chosen = frame[frame["x2"] > 3][["x0", "x1", "y"]].assign(x1=lambda part: -part["x1"])
        for table in ("other.v", ("other", "v")):
            found = from_sql(database.connection, table, target="y")
            assert_same(found, expected(chosen))
        assert found.feature_names == ("x0", "x.1")

    def test_duckdb_reads_files_and_frames(self, duck, rng, tmp_path):
        frame = numbers(rng)
        frame.to_parquet(tmp_path / "rows.parquet")
        duck.connection.register("frame", frame)
        for table in ((str(tmp_path / "rows.parquet"),), "frame"):
            assert_same(from_sql(duck.connection, table, target="y"), expected(frame))

    @pytest.mark.parametrize("as_path", [str, lambda path: path])
    def test_duckdb_file(self, as_path, rng, tmp_path):
        frame, path = numbers(rng), tmp_path / "data.duckdb"
        with duckdb.connect(path) as connection:
            Database(connection).load(frame)
        assert_same(from_sql(as_path(path), "rows", target="y"), expected(frame))
        # It was closed: nobody else could open it for writing.
        duckdb.connect(path).close()


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
            message = rf"lost in query {n + 2} of 9 .*nothing was kept; connect again and call"
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
        with pytest.raises(ConnectionError, match=r"lost in query 4 of 4 .*nothing was kept"):
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
            ({"columns": "x"}, TypeError, "columns: got 'x', expected a list of texts"),
            ({"columns": [1]}, TypeError, r"columns: got 1 in it, expected a list of texts"),
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
        with pytest.raises(ValueError, match="table: holds no rows that count"):
            from_sql(database.connection, "rows", target="y", weight="w")
        database.execute("DELETE FROM rows")
        with pytest.raises(ValueError, match="table: holds no rows that count"):
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
        with pytest.raises(ValueError, match="or rows cannot be found by the labels of 'y'"):
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


@pytest.mark.engines
def test_the_guide(conninfo, monkeypatch):
    given = psycopg.conninfo.conninfo_to_dict(conninfo)
    for name, key in (("PGHOST", "host"), ("PGUSER", "user"), ("PGDATABASE", "dbname")):
        monkeypatch.setenv(name, str(given[key]))
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("CREATE TABLE public.trips (km float, late boolean)")
        connection.execute("INSERT INTO public.trips VALUES (2, false), (4, false), (9, true)")
        assert run_guide("psycopg")["moments"][False].mean.tolist() == [3.0]
        connection.execute("DROP TABLE public.trips")


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
        with pytest.raises(ValueError, match="table: gives other rows to every query"):
            Moments.from_sql(database.connection, "drawn", target="y", columns=names)
        database.execute("CREATE TABLE kept AS SELECT * FROM drawn")
        found = Moments.from_sql(database.connection, "kept", target="y", columns=names)
        assert np.linalg.eigvalsh(np.asarray(found[0].covariance)).min() > -1e-12

    def test_a_sample(self, database, wide):
        database.load(wide)
        database.execute("CREATE VIEW drawn AS SELECT * FROM rows WHERE random() < 0.5")
        with pytest.raises(ValueError, match="table: gives other rows to every query"):
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
