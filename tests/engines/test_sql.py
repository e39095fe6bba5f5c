"""Moments computed inside DuckDB and PostgreSQL equal those of the same rows in memory."""

import datetime
import decimal

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.test_sources import assert_same
from tests.engines.databases import Database, expected, numbers, psycopg
from tests.engines.guide import run_guide

from zerone import Moments
from zerone._engines import sql_engines as _sql_engines

from_sql = Moments.from_sql


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
