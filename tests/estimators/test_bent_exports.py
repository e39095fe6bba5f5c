"""Rules whose columns bend predict the same from files, in SQL, in ONNX and from plain values."""

import itertools
import json
import sqlite3

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest
import skl2onnx
from numpy.testing import assert_allclose
from sklearn.datasets import dump_svmlight_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zerone import AUCClassifier, Moments, ZeroOneClassifier, load_model
from zerone.export import rule_as_dict
from zerone.export._onnx import register_onnx

METHODS = ["predict", "predict_proba", "decision_function"]


def curved(n=600, n_classes=2):
    """Rows of which one column tells the classes apart by its distance from zero."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    distance = np.abs(X[:, 0]) + 0.4 * X[:, 1] + 0.3 * rng.normal(size=n)
    return X, np.digitize(distance, np.quantile(distance, np.arange(1, n_classes) / n_classes))


def beyond(X, model):
    """Rows at knots, beyond the range and far beyond it."""
    knots = model.encoding_.bent_columns[0].knots
    rows = np.tile(X[0], (len(knots) + 4, 1))
    rows[:, 0] = [*knots, -50.0, 50.0, -1e9, 1e9]
    return np.vstack([X, rows])


@pytest.fixture(scope="module")
def table():
    """A table with a column that bends, missing values and categories."""
    X, y = curved()
    rng = np.random.default_rng(1)
    found = pd.DataFrame(X, columns=["size", "rate", 'a "b"'])
    found["size"] = found["size"].mask(rng.random(len(X)) < 0.1)
    found["job"] = rng.choice(["cook", "nurse"], len(X))
    return found.assign(late=np.where(y == 1, "yes", "no"))


@pytest.fixture(scope="module")
def of_table(table):
    """A model of that table; all columns of numbers bend."""
    return ZeroOneClassifier(shapes="bends").fit_table(table, target="late")


class TestSql:
    def run(self, table, model):
        connection = duckdb.connect()
        connection.register("t", table)
        outputs = ("score", "label", "probability")
        listed = ", ".join(f"{model.to_sql(name)} AS {name}" for name in outputs)
        return connection.sql(f"SELECT {listed} FROM t").df()

    def agrees(self, table, model):
        found, scores = self.run(table, model), model.decision_function(table)
        assert_allclose(found["score"], scores, rtol=1e-12, atol=1e-9)
        assert_allclose(found["probability"], model.predict_proba(table)[:, 1], atol=1e-9)
        assert (found["label"] == model.predict(table)).all()

    def test_tables(self, table, of_table):
        rows = table.head(200).copy()
        knots = of_table.encoding_.bent_columns[0].knots
        rows.loc[: len(knots) - 1, "size"] = knots
        rows.loc[100:103, "size"] = [-50, 50, -1e9, 1e9]
        rows.loc[50:54, "rate"] = np.nan
        self.agrees(rows, of_table)

    @pytest.mark.parametrize("value", ["CAST('NaN' AS DOUBLE)", "NULL"])
    def test_missing_values(self, value, table, of_table):
        connection = duckdb.connect()
        connection.register("t", table)
        rows = f"(SELECT * REPLACE (CAST({value} AS DOUBLE) AS size, {value} AS rate) FROM t)"
        found = connection.sql(f"SELECT {of_table.to_sql('score')} AS score FROM {rows}").df()
        assert_allclose(
            found["score"], of_table.decision_function(table.assign(size=np.nan, rate=np.nan))
        )

    def test_frames(self):
        X, y = curved()
        frame = pd.DataFrame(X, columns=['a "b"', "select", "c"])
        model = AUCClassifier(shapes="auto").fit(frame, y)
        assert model.encoding_.bent_columns
        self.agrees(pd.DataFrame(beyond(X, model), columns=frame.columns), model)
        query = f'SELECT {model.to_sql()} FROM (SELECT NULL AS {{}}, 1 AS "select", 1 AS c)'
        assert duckdb.sql(query.format('"a ""b"""')).fetchall() == [(None,)]

    def test_a_database_without_nan(self, table, of_table):
        rows = table.head(200).copy()
        # What SQLite takes for NaN where it is written as text.
        rows.loc[::3, ["rate", 'a "b"']] = 0.0
        with sqlite3.connect(":memory:") as connection:
            rows.to_sql("t", connection)
            listed = ", ".join(of_table.to_sql(own, "sqlite") for own in ("score", "label"))
            query = f"SELECT {listed} FROM t"
            found = np.array(connection.execute(query).fetchall(), dtype=object)
        scores = of_table.decision_function(rows)
        assert_allclose(found[:, 0].astype(float), scores, rtol=1e-12, atol=1e-9)
        assert (found[:, 1] == of_table.predict(rows)).all()

    def test_arrays(self):
        with pytest.raises(ValueError, match="features without names"):
            ZeroOneClassifier(shapes="bends").fit(*curved()).to_sql()


class TestOnnx:
    def agrees(self, graph, model, rows):
        session = onnxruntime.InferenceSession(
            graph.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        labels, probabilities = session.run(None, {"X": rows})
        assert_allclose(probabilities, model.predict_proba(rows), atol=1e-9)
        assert (labels == model.predict(rows)).all()

    @pytest.mark.parametrize("estimator", [ZeroOneClassifier, AUCClassifier])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_arrays(self, estimator, n_classes):
        X, y = curved(n_classes=n_classes)
        model = estimator(shapes="auto").fit(X, y)
        self.agrees(model.to_onnx("float64"), model, beyond(X, model))

    def test_tables_of_numbers(self):
        X, y = curved()
        table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
        model = ZeroOneClassifier(shapes="bends").fit_table(table, target="y")
        session = onnxruntime.InferenceSession(model.to_onnx("float64").SerializeToString())
        _, probabilities = session.run(None, {"X": X})
        assert_allclose(probabilities, model.predict_proba(table), atol=1e-9)

    def test_the_end_of_a_pipeline(self):
        X, y = curved(n_classes=3)
        pipeline = make_pipeline(StandardScaler(), ZeroOneClassifier(shapes="bends")).fit(X, y)
        register_onnx()
        graph = skl2onnx.to_onnx(pipeline, X[:1], options={"zipmap": False}, target_opset=18)
        self.agrees(graph, pipeline, X)

    def test_missing_values(self, of_table):
        with pytest.raises(ValueError, match="with missing values"):
            of_table.to_onnx()


class TestFiles:
    @pytest.mark.parametrize("estimator", [ZeroOneClassifier, AUCClassifier])
    @pytest.mark.parametrize("shapes", ["bends", "auto"])
    @pytest.mark.parametrize("is_named", [False, True])
    def test_arrays_and_frames(self, estimator, shapes, is_named, tmp_path):
        X, y = curved(n_classes=3)
        rows = pd.DataFrame(X, columns=["a", "b", "c"]) if is_named else X
        model = estimator(shapes=shapes).fit(rows, y)
        self.same(model, rows, tmp_path / "m.zerone")

    def test_tables(self, table, of_table, tmp_path):
        loaded = self.same(of_table, table, tmp_path / "m.zerone")
        assert loaded.score_table(table, target="late") == of_table.score_table(
            table, target="late"
        )

    def test_rows_of_a_file_without_names(self, tmp_path):
        X, y = curved()
        model = ZeroOneClassifier(shapes="auto").fit(X, y)
        dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=False)
        assert model.score_table(tmp_path / "rows.svm") == model.score(X, y)

    def same(self, model, rows, path):
        model.save(path)
        loaded = load_model(path)
        for method in METHODS:
            assert np.array_equal(getattr(loaded, method)(rows), getattr(model, method)(rows))
        assert loaded.get_params() == model.get_params()
        assert loaded.encoding_ == model.encoding_
        assert loaded.n_features_in_ == model.n_features_in_
        names = [
            getattr(own, "feature_names_in_", np.array([])).tolist() for own in (loaded, model)
        ]
        assert names[0] == names[1]
        assert loaded.coef_.shape == model.coef_.shape
        auc = loaded.retarget("auc")
        assert np.array_equal(auc.coef_, model.retarget("auc").coef_)
        return loaded


def parts(x, knots):
    """The features of a number as the documentation describes them."""
    if not knots:
        return [x]
    inner = [min(max(x, a), b) - a for a, b in itertools.pairwise(knots)]
    return [min(x, knots[0]), *inner, max(x - knots[-1], 0)]


@pytest.mark.parametrize("is_named", [False, True])
def test_plain_values(is_named):
    X, y = curved(200)
    rows = pd.DataFrame(X, columns=["a", "b", "c"]) if is_named else X
    model = ZeroOneClassifier(shapes="auto").fit(rows, y)
    described = json.loads(json.dumps(rule_as_dict(model)))
    columns, (rule,) = described["columns"], described["rules"]
    assert any(own.get("knots") for own in columns)
    scores = [
        rule["intercept"]
        + sum(
            rule["coefficients"][name] * value
            for column, x in zip(columns, row, strict=True)
            for name, value in zip(column["features"], parts(x, column.get("knots")), strict=True)
        )
        for row in X.tolist()
    ]
    assert_allclose(scores, model.decision_function(rows), atol=1e-12)


def test_plain_values_of_missing_numbers(table, of_table):
    described = rule_as_dict(of_table)
    column, (rule,) = described["columns"][0], described["rules"]
    assert column["indicator"]
    weights = [rule["coefficients"][name] for name in column["features"]]
    one, other = (
        of_table.decision_function(table.head(1).assign(size=size))[0] for size in (np.nan, 0.0)
    )
    filled, zero = (np.dot(weights[:-1], parts(x, column["knots"])) for x in (column["fill"], 0.0))
    assert one - other == pytest.approx(filled - zero + weights[-1])


def test_moments_of_an_agreed_encoding(table):
    moments = Moments.from_table(table, target="late", shapes="bends")
    with pytest.warns(UserWarning, match="no rows were held out"):
        model = ZeroOneClassifier().fit_moments(moments)
    TestSql().agrees(table, model)


def test_files_without_columns_do_not_bend(tmp_path):
    X, y = curved(50)
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=False)
    with pytest.raises(ValueError, match="shapes: LIBSVM text has no named columns"):
        ZeroOneClassifier(shapes="auto").fit_table(tmp_path / "rows.svm")
