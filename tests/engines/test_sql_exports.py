"""Rules as SQL give the labels of `predict` in the engines, or say why they cannot."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from numpy.testing import assert_allclose
from tests.engines.databases import psycopg
from tests.helpers import make_table

from evidence.hostile_tables import (
    DuckDBEngine,
    PostgresEngine,
    SparkEngine,
    hostile_table,
    sqlite_engine,
)
from evidence.sql_exports import Tally, compared
from zerone import ZeroOneClassifier
from zerone.export._dialects import DIALECTS
from zerone.export._dialects._dialect import WHITESPACE

PANDAS = "ignore:PySpark does not yet fully support pandas:FutureWarning"
ENGINES = pytest.mark.engines
IN_PROCESS = ["duckdb", "sqlite"]
ALL = [
    *IN_PROCESS,
    "ansi in DuckDB",
    *(
        pytest.param(name, marks=ENGINES)
        for name in ("postgresql", "postgresql, escapes", "ansi in PostgreSQL")
    ),
    pytest.param("spark", marks=[ENGINES, pytest.mark.filterwarnings(PANDAS)]),
]
TYPED = [own for own in ALL if "ansi" not in str(own)]


@pytest.fixture
def engine(request):
    name = request.param
    if name == "spark":
        session = request.getfixturevalue("session")
        # Compiling a query takes longer than these few rows.
        session.conf.set("spark.sql.codegen.wholeStage", "false")
        session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        yield SparkEngine(session)
        session.conf.unset("spark.sql.codegen.wholeStage")
        session.conf.unset("spark.sql.codegen.factoryMode")
    elif "PostgreSQL" in name or "postgresql" in name:
        with psycopg.connect(request.getfixturevalue("conninfo"), autocommit=True) as connection:
            connection.execute("SET client_min_messages = error")
            if "escapes" in name:
                connection.execute("SET standard_conforming_strings = off")
                connection.execute("SET escape_string_warning = off")
                # What a date looks like as a string, too, is a setting.
                connection.execute("SET datestyle = 'German'")
            yield PostgresEngine(connection, "ansi" if "ansi" in name else "postgresql")
    elif name == "sqlite":
        found = sqlite_engine()
        yield found
        found.connection.close()
    else:
        with duckdb.connect() as connection:
            yield DuckDBEngine(connection, "ansi" if "ansi" in name else "duckdb")


@pytest.mark.parametrize("engine", ALL, indirect=True)
def test_hostile_tables(engine):
    tally = Tally()
    for seed in range(10):
        assert compared(engine, hostile_table(seed, is_ansi=engine.dialect == "ansi"), tally) == []
    assert tally["rows"] > 300
    assert tally["refused tables"] <= 5


def fitted(levels, n=400, **options):
    """Return a model of a column of levels and a column of numbers."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, len(levels), n)
    cells = np.array(levels, dtype=object)[codes]
    frame = pd.DataFrame({"k": cells, "x": rng.normal(size=n)})
    y = np.where(frame["x"] + codes + rng.normal(size=n) > len(levels) / 2, "yes", "no")
    model = ZeroOneClassifier(refine=None)
    return model.fit_table(frame.assign(y=y), target="y", categorical=["k"], **options)


def agrees(engine, model, rows):
    found = engine.answers(rows, model.to_sql("score", engine.dialect))
    assert_allclose(found, model.decision_function(rows), rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:X has categories", "ignore:.*training has not seen")
@pytest.mark.parametrize("engine", TYPED, indirect=True)
@pytest.mark.parametrize(
    "cells",
    [
        ["1", "1.0", "True", "true", "01", " 1 "],
        [1, 0, 2],
        [1.0, 0.0, -0.0, 1.5, np.nan, np.inf],
        [True, False],
    ],
)
def test_the_type_of_a_column_decides_what_a_cell_says(engine, cells):
    for levels in (["1", "True", "b"], ["1.0", "true", "inf"], [1, 0, 7], [True, False], [1.5, 0]):
        # SQLite has no booleans but 1 and 0.
        is_typed = engine.dialect != "sqlite" or not isinstance(cells[0], bool | int)
        if not is_typed and isinstance(cells[0], bool) != isinstance(levels[0], bool):
            continue
        agrees(engine, fitted(levels), pd.DataFrame({"k": cells, "x": 0.0}))


@pytest.mark.parametrize("engine", ALL, indirect=True)
@pytest.mark.parametrize("shapes", [None, "bends"])
def test_scores_and_probabilities(engine, shapes):
    rng = np.random.default_rng(0)
    table = make_table(rng, 300).drop(columns=["left"])
    table["pay"] = table["pay"].mask(rng.random(300) < 0.1)
    given = {} if shapes is None else {"shapes": shapes}
    model = ZeroOneClassifier(refine=None, **given).fit_table(table, target="late")
    rows = table.drop(columns="late").head(60)
    agrees(engine, model, rows)
    found = engine.answers(rows, model.to_sql("probability", engine.dialect))
    assert_allclose(found, model.predict_proba(rows)[:, 1], atol=1e-9)


@pytest.mark.parametrize("engine", ALL, indirect=True)
def test_a_strict_model_gives_null_for_a_missing_number(engine):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "b"])
    model = ZeroOneClassifier(refine=None).fit(frame, frame["a"] > 0)
    rows = pd.DataFrame({"a": [np.nan, 1.0], "b": [0.0, 0.0]})
    for output in ("score", "label", "probability"):
        found = engine.answers(rows, model.to_sql(output, engine.dialect))
        assert [own is None for own in found] == [True, False]


@pytest.mark.parametrize("engine", ALL, indirect=True)
def test_many_columns(engine):
    rng = np.random.default_rng(0)
    names = [f"x{number}" for number in range(1200 if engine.dialect in IN_PROCESS else 200)]
    frame = pd.DataFrame(rng.normal(size=(50, len(names))), columns=names)
    model = ZeroOneClassifier(refine=None).fit(frame, np.arange(50) % 2)
    agrees(engine, model, frame.head(3))


class TestSettings:
    def test_columns_that_ignore_the_case(self):
        model = fitted(["a", "B"])
        rows = pd.DataFrame({"k": ["A", "a", "b", "B"], "x": 0.0})
        with pytest.warns(UserWarning, match="categories that training has not seen"):
            scores = model.decision_function(rows)
        with duckdb.connect() as connection:
            connection.execute("SET default_collation = 'NOCASE'")
            connection.execute("CREATE TABLE t (k VARCHAR, x DOUBLE)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", rows.to_numpy().tolist())
            found = connection.execute(f"SELECT {model.to_sql('score')} FROM t").fetchall()
        assert_allclose([own for (own,) in found], scores)
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE t (k TEXT COLLATE NOCASE, x REAL)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows.to_numpy().tolist())
        found = connection.execute(f"SELECT {model.to_sql('score', 'sqlite')} FROM t").fetchall()
        connection.close()
        assert_allclose([own for (own,) in found], scores)

    def test_strings_in_a_column_of_numbers(self):
        model = fitted(["a", "b"])
        rows = pd.DataFrame({"k": ["a"], "x": ["1,5"]})
        with duckdb.connect() as connection, pytest.raises(duckdb.Error, match="1,5"):
            DuckDBEngine(connection).answers(rows, model.to_sql())
        assert sqlite_engine().answers(rows, model.to_sql(dialect="sqlite")) == [None]

    def test_a_decimal_comma_is_no_decimal_point(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"x": [f"{own:.3f}".replace(".", ",") for own in rng.normal(size=99)]})
        model = ZeroOneClassifier(refine=None).fit_table(
            frame.assign(y=np.arange(99) % 2), target="y"
        )
        with duckdb.connect() as connection:
            rows = pd.DataFrame({"x": [1.5]})
            found = DuckDBEngine(connection).answers(rows, model.to_sql("score"))
            assert_allclose(found, model.decision_function(rows))
            with pytest.raises(duckdb.Error, match="No function matches"):
                DuckDBEngine(connection).answers(pd.DataFrame({"x": ["1.5"]}), model.to_sql())

    def test_a_column_that_sqlite_does_not_have(self):
        model = fitted(["a", "b"])
        with pytest.raises(sqlite3.OperationalError, match="no such column: k"):
            sqlite_engine().answers(pd.DataFrame({"x": [1.0]}), model.to_sql(dialect="sqlite"))


class TestRefused:
    @pytest.mark.parametrize(
        ("dialect", "names", "words"),
        [
            ("duckdb", ["a\0", "b"], "has the character NUL"),
            ("duckdb", ["a", "A"], "DuckDB takes 'a' and 'A' for one name"),
            ("sqlite", ["a", "A"], "SQLite takes 'a' and 'A' for one name"),
            ("ansi", ["a", "A"], "ANSI SQL takes 'a' and 'A' for one name"),
            ("spark", ["${a}", "b"], "Spark may replace by a variable"),
            ("postgresql", ["é" * 32, "b"], "63 bytes, after which PostgreSQL may cut it; rename"),
            ("ansi", ["", "b"], "is empty"),
        ],
    )
    def test_names(self, dialect, names, words):
        X = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)), columns=names)
        model = ZeroOneClassifier(refine=None).fit(X, np.arange(50) % 2)
        with pytest.raises(ValueError, match=words.replace("$", "[$]")):
            model.to_sql(dialect=dialect)

    @pytest.mark.parametrize(
        ("dialect", "levels", "words"),
        [
            ("ansi", ["1", "b"], "'1', which may be a string, a number or a boolean"),
            ("ansi", ["true", "b"], "'true', which may be a string"),
            ("duckdb", ["a\0", "b"], "with the character NUL"),
            ("sqlite", ["0.30000000000000004", "b"], "one of the two floats beside it"),
        ],
    )
    def test_categories(self, dialect, levels, words):
        with pytest.raises(ValueError, match=words):
            fitted(levels).to_sql(dialect=dialect)

    def test_words_for_missing_values_that_may_be_numbers(self):
        model = fitted(["a", "b"], null_values=["7"])
        with pytest.raises(ValueError, match="'7', which may be a string"):
            model.to_sql(dialect="ansi")

    def test_dates_in_ansi(self):
        days = pd.date_range("2020-01-01", periods=90)
        frame = pd.DataFrame({"d": days, "y": np.arange(90) % 2})
        model = ZeroOneClassifier(refine=None).fit_table(frame, target="y")
        with pytest.raises(ValueError, match="choose the dialect of the database"):
            model.to_sql(dialect="ansi")

    def test_no_export_names_the_other(self):
        frame = pd.DataFrame({"h": [*"abcd"] * 20, "y": np.arange(80) % 2})
        model = ZeroOneClassifier(refine=None).fit_table(frame, target="y", hashed=["h"])
        for export, other in ((model.to_sql, "onnx"), (model.to_onnx, "sql")):
            with pytest.raises(ValueError, match="rule_as_dict") as caught:
                export()
            assert other not in str(caught.value).split(";")[-1].lower()


def test_white_space_is_what_predict_removes():
    cells = [chr(own) for own in range(1, 0x110000) if not 0xD800 <= own < 0xE000]
    trimmed = pc.utf8_trim_whitespace(pa.array(cells)).to_pylist()
    assert "".join(own for own, left in zip(cells, trimmed, strict=True) if not left) == WHITESPACE


def test_strings_of_spark_have_nothing_to_escape():
    literals = [DIALECTS["spark"].string(own) for own in ("a", "it's", "back\\slash", "${x}")]
    assert literals[0] == "'a'"
    assert all("'" not in own[8:].rstrip(")").split("' AS")[0] for own in literals[1:])
