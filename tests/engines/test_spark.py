"""Moments of Spark DataFrames: the same as of the rows in one place, whatever the partitions."""

import datetime
import os

import numpy as np
import pandas as pd
import pytest
from tests.data.test_sources import assert_same
from tests.engines.guide import run_guide
from tests.helpers import make_table

from zerone import Encoding, Moments
from zerone._engines import spark as _from_spark

# pyspark 4.3 says so of pandas 3 whenever it makes a function or a frame.
PANDAS = "ignore:PySpark does not yet fully support pandas:FutureWarning"
pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings(PANDAS)]


def from_spark(frame, *, target="y", columns=None, weight=None, encoding=None):
    return Moments.from_spark(
        frame, target=target, columns=columns, weight=weight, encoding=encoding
    )


def rows_of(rng, n=300, d=3):
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, d)) * [1, 30, 0.1][:d] + 1000.0 + y[:, None]
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(d)]).assign(y=y)


def in_parts(session, table, n_parts):
    """Return a frame whose rows lie in order in partitions, some of which may be empty."""
    schema = session.createDataFrame(table.head(1)).schema
    plain = table.astype(object).where(table.notna(), None)
    rows = session.sparkContext.parallelize(plain.to_numpy().tolist(), n_parts)
    return session.createDataFrame(rows, schema)


class TestSums:
    @pytest.mark.parametrize("n_parts", [1, 3, 40])
    def test_equal_one_pass_over_all_rows(self, session, rng, n_parts):
        table = rows_of(rng, n=300 if n_parts < 40 else 30)  # a quarter of 40 are empty
        found = from_spark(in_parts(session, table, n_parts))
        expected = Moments.from_data(table[["x0", "x1", "x2"]], table["y"])
        assert_same(found, expected)
        assert found.feature_names == ("x0", "x1", "x2")
        # Partitions do not assume anything on their own.
        assert found.encoding == Encoding.from_table(table, target="y", strict=True)

    @pytest.mark.parametrize(("adaptive", "rounds"), [("true", 1), ("false", 2)])
    def test_are_merged_before_the_driver_sees_them(
        self, session, rng, monkeypatch, adaptive, rounds
    ):
        table = rows_of(rng)
        seen = []
        total = _from_spark._total
        monkeypatch.setattr(_from_spark, "_WIDE", 256 if rounds == 1 else 0)
        monkeypatch.setattr(_from_spark, "_total", lambda sums: total(seen.extend(sums) or seen))
        session.conf.set("spark.sql.adaptive.enabled", adaptive)
        try:
            found = from_spark(in_parts(session, table, 20))
        finally:
            session.conf.unset("spark.sql.adaptive.enabled")
        assert_same(found, Moments.from_data(table.drop(columns="y"), table["y"]))
        assert 1 <= len(seen) <= 8

    def test_short_batches_are_combined(self, session, rng):
        table = rows_of(rng)
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
        try:
            found = from_spark(in_parts(session, table, 2))
        finally:
            session.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
        assert_same(found, Moments.from_data(table.drop(columns="y"), table["y"]))

    def test_weights_are_counts(self, session, rng):
        # The last partition has rows, but none that counts.
        table = rows_of(rng).assign(count=lambda t: np.r_[rng.integers(0, 4, 200), np.zeros(100)])
        repeated = table.loc[table.index.repeat(table["count"].astype(int))]
        expected = Moments.from_data(repeated[["x0", "x1", "x2"]], repeated["y"])
        frame = in_parts(session, table, 3)
        for kind in ("double", "int", "decimal(4,1)"):
            counted = frame.withColumn("count", frame["count"].cast(kind))
            assert_same(from_spark(counted, weight="count"), expected)

    @pytest.mark.parametrize(
        "labels", [["no", "yes"], ["ä", "b"], [False, True], [3, 12], [-1.0, 1.0]]
    )
    def test_labels_of_every_kind(self, session, rng, labels):
        # The second class is in the last of ten partitions only.
        table = rows_of(rng).assign(y=np.array(labels)[(np.arange(300) >= 285).astype(int)])
        found = from_spark(in_parts(session, table, 10))
        expected = Moments.from_table(table, target="y")
        assert_same(found, expected)
        assert found.classes.dtype.kind == expected.classes.dtype.kind
        assert found[labels[1]].weight == 15

    def test_columns_and_strange_names(self, session, rng):
        table = rows_of(rng).rename(columns={"x0": "a.b", "x1": "`x` y", "x2": "ü"})
        table = table.assign(text="a").rename(columns={"y": "the.class"})
        found = from_spark(
            in_parts(session, table, 2), target="the.class", columns=["ü", "a.b", "`x` y"]
        )
        assert found.feature_names == ("ü", "a.b", "`x` y")
        assert_same(found, Moments.from_data(table[["ü", "a.b", "`x` y"]], table["the.class"]))

    def test_truth_values_whole_numbers_and_decimals(self, session, rng):
        table = rows_of(rng).assign(x0=lambda t: t["x0"] > 1000, x1=lambda t: t["x1"].round())
        frame = in_parts(session, table, 2)
        frame = frame.withColumn("x1", frame["x1"].cast("decimal(20,2)"))
        assert_same(from_spark(frame), Moments.from_data(table.iloc[:, :3], table["y"]))


class TestEncodings:
    @pytest.mark.parametrize("n_parts", [1, 12])
    def test_categories_and_missing_values_equal_those_of_the_table(self, session, rng, n_parts):
        table = make_table(rng).astype({"city": str})
        table.loc[rng.random(200) < 0.2, "pay"] = np.nan
        table.loc[rng.random(200) < 0.02, "age"] = np.nan  # so that few partitions have one
        table.loc[180:, "age"] = np.nan  # and some have nothing else
        table.loc[rng.random(200) < 0.1, "job"] = None
        options = {"target": "late", "weight": "count"}
        encoding = Encoding.from_table(table, **options)
        expected = Moments.from_table(table, encoding=encoding, **options)
        found = from_spark(in_parts(session, table, n_parts), encoding=encoding, **options)
        assert_same(found, expected)
        assert found.feature_names == expected.feature_names
        assert "age is missing" in found.feature_names
        assert "job is missing" in found.feature_names
        numbers = ["age", "pay", "left"]
        fills = [
            [column.fill for column in moments.encoding.columns if column.name in numbers]
            for moments in (found, expected)
        ]
        assert fills[0] == pytest.approx(fills[1], rel=1e-12)

    def test_a_category_without_a_feature_is_refused(self, session, rng):
        table = make_table(rng)[["job", "late"]]
        encoding = Encoding.from_table(table, target="late")
        strange = table.assign(job=np.r_[["tailor"], table["job"][1:]])
        with pytest.raises(ValueError, match=r"^frame: partition 0: column 'job' has the category"):
            from_spark(in_parts(session, strange, 2), target="late", encoding=encoding)


class TestChecksWithoutAJob:
    @pytest.fixture
    def frame(self, session):
        day = datetime.date(2026, 1, 1)
        return session.createDataFrame(
            [(1.0, "a", 1, day, [1.0])],
            "x double, text string, y int, day date, list array<double>",
        )

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"target": "z"}, ValueError, "target: there is no column 'z'; the table has 'x', "),
            ({"target": None}, ValueError, "target: got None, expected the name"),
            ({"target": 3}, TypeError, "target: got 3"),
            ({"columns": ["x", "z"]}, ValueError, "columns: there is no column 'z'"),
            ({"columns": ["x", "y"]}, ValueError, "columns: 'y' is the target"),
            ({"columns": ["x", "x"]}, ValueError, "named twice"),
            ({"columns": "x"}, TypeError, "columns: got 'x', expected a list"),
            ({"columns": []}, ValueError, "no column is left"),
            ({"weight": "z", "columns": ["x"]}, ValueError, "weight: there is no column 'z'"),
            ({"weight": "text", "columns": ["x"]}, TypeError, "weight: .* has type string"),
            ({"target": "day", "columns": ["x"]}, TypeError, "target: .* has type date"),
            ({}, TypeError, r"'text' has type string.*leave it out.*or pass encoding=Moments.from"),
            ({"columns": ["x", "list"]}, TypeError, "'list' has type array<double>"),
            ({"encoding": "x"}, TypeError, "encoding: got str"),
            ({"encoding": ["x"], "columns": ["x"]}, ValueError, "leave out columns"),
            ({"encoding": ["y"]}, ValueError, "has the target 'y' among its features"),
            ({"encoding": ["z"]}, ValueError, "there is no column 'z'"),
            ({"encoding": ["text"]}, TypeError, "takes column 'text' for numbers"),
        ],
    )
    def test_wrong_arguments(self, frame, monkeypatch, options, error, words):
        monkeypatch.setattr(_from_spark, "_selected", None)
        if isinstance(options.get("encoding"), list):
            numbers = pd.DataFrame({name: [1.0] for name in options["encoding"]})
            options = options | {"encoding": Encoding.from_table(numbers)}
        with pytest.raises(error, match=words):
            from_spark(frame, **options)

    def test_what_is_no_frame(self, session):
        with pytest.raises(TypeError, match=r"frame: got DataFrame, expected a pyspark\.sql"):
            from_spark(pd.DataFrame({"x": [1.0], "y": [1]}))
        stream = session.readStream.format("rate").load()
        with pytest.raises(TypeError, match="frame: is a streaming DataFrame"):
            from_spark(stream, target="value", columns=["value"])

    def test_two_columns_of_one_name(self, frame):
        with pytest.raises(ValueError, match="two columns are named 'x'"):
            from_spark(frame.select("x", "x", "y"))


class TestFailures:
    def test_no_rows(self, session, rng):
        frame = in_parts(session, rows_of(rng).assign(w=0.0), 2)
        with pytest.raises(ValueError, match="frame: all sample weights are zero"):
            from_spark(frame.filter("y > 5"), columns=["x0"])
        with pytest.raises(ValueError, match="frame: all sample weights are zero"):
            from_spark(frame, weight="w")

    @pytest.mark.parametrize(
        ("column", "value", "words"),
        [
            (
                "x1",
                "double('NaN')",
                "partition 1: column 'x1' has 1 missing value; fill it first, or pass an encoding",
            ),
            ("x1", "null", "column 'x1' has 1 missing value; fill it first, or pass an encoding"),
            ("y", "null", "target: column 'y' has no value"),
            ("y", "0.5", "target: column 'y' has 0.5"),
            ("w", "-1", "weight: column 'w' has -1"),
            ("w", "null", "weight: column 'w' has no value"),
        ],
    )
    def test_values_that_cannot_be_summed(self, session, rng, column, value, words):
        table = rows_of(rng).assign(row=np.arange(300), w=1.0)
        frame = in_parts(session, table, 2)
        bad = frame.selectExpr(
            *(name for name in frame.columns if name != column),
            f"if(row = 250, {value}, {column}) as {column}",
        )
        with pytest.raises(ValueError, match=words) as caught:
            from_spark(bad, columns=["x0", "x1"], weight="w")
        assert "this error's moments" not in str(caught.value)

    def test_an_error_of_the_users_own(self, session, rng):
        def unlucky(batches):
            for batch in batches:
                raise ValueError("no such luck\nat all")
                yield batch

        frame = in_parts(session, rows_of(rng), 2)
        with pytest.raises(RuntimeError, match="while summing: ValueError: no such luck; no sums"):
            from_spark(frame.mapInPandas(unlucky, frame.schema))
        with pytest.raises(RuntimeError, match=r"while summing: \[CAST_INVALID_INPUT\]"):
            from_spark(frame.selectExpr("y", "cast(concat('a', x0) as double) as x"))
        ambiguous = frame.selectExpr("x0 as x", "x1 as X", "y")
        with pytest.raises(RuntimeError, match=r"while summing: \[AMBIGUOUS_REFERENCE\]"):
            from_spark(ambiguous)

    def test_a_python_process_that_dies(self, session, rng):
        def dying(batches):
            for batch in batches:
                os._exit(3)
                yield batch

        table = rows_of(rng)
        frame = in_parts(session, table, 2)
        with pytest.raises(RuntimeError, match=r"summing: .*worker exited unexpectedly") as e:
            from_spark(frame.mapInPandas(dying, frame.schema))
        assert e.value.__cause__ is not None
        assert_same(from_spark(frame), Moments.from_data(table.drop(columns="y"), table["y"]))


def test_the_guide(session):
    assert run_guide("from_spark", session=session)["moments"]["no"].mean.tolist() == [3.0, 0.5]
