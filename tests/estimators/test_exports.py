"""Models in files, in SQL and in ONNX predict as the estimator does."""

import io
import json
import pickle
import re
import zipfile

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest
import skl2onnx
import skops.io
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.helpers import make_table

from zerone import AUCClassifier, ZeroOneClassifier, load_model
from zerone.export._onnx import register_onnx

N = 10_000
METHODS = ["predict", "predict_proba", "predict_log_proba", "decision_function"]


def random_rows(X, seed=0):
    rng = np.random.default_rng(seed)
    noise = 0.3 * X.std(axis=0) * rng.standard_normal((N, X.shape[1]))
    return X[rng.integers(len(X), size=N)] + noise


def table_with_holes(n=N):
    rng = np.random.default_rng(0)
    table = make_table(rng, n)
    table["pay"] = table["pay"].mask(rng.random(n) < 0.1)
    table["job"] = table["job"].where(rng.random(n) > 0.05)
    return table


def cancer(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    return estimator.fit(X, y), random_rows(X)


def iris(estimator):
    X, y = load_iris(return_X_y=True)
    return estimator.fit(X, np.array(["x", "y", "z"])[y]), random_rows(X)


def loans(estimator):
    table = table_with_holes()
    return estimator.fit_table(table, target="late", max_categories=4), table


def constant(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (rng.random(400) < 0.03).astype(int)
    return estimator.set_params(refine=None).fit(X, y), random_rows(X)


def careful(estimator):
    model, rows = cancer(estimator)
    return model.retarget("true_positive_rate", max_false_positive_rate=0.02), rows


ESTIMATORS = [
    ZeroOneClassifier(),
    ZeroOneClassifier(refine=None),
    AUCClassifier(),
    AUCClassifier(refine=None, class_weight="balanced"),
]
PROBLEMS = [cancer, iris, loans, constant, careful]


def fresh(estimator):
    return type(estimator)(**estimator.get_params())


class TestFiles:
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_the_same_predictions(self, estimator, problem, tmp_path):
        model, rows = problem(fresh(estimator))
        path = tmp_path / "model.zerone"
        model.save(path)
        loaded = load_model(path)
        assert type(loaded) is type(model)
        assert loaded.get_params() == model.get_params()
        for method in METHODS:
            assert np.array_equal(getattr(loaded, method)(rows), getattr(model, method)(rows))
        assert loaded.status_ == model.status_
        assert loaded.refine_ == model.refine_
        assert loaded.n_features_in_ == model.n_features_in_
        # And written once more.
        loaded.save(tmp_path / "again.zerone")
        again = load_model(tmp_path / "again.zerone")
        assert np.array_equal(again.predict_proba(rows), model.predict_proba(rows))

    def test_a_short_script_reads_them(self, tmp_path):
        model, rows = cancer(ZeroOneClassifier())
        model.save(tmp_path / "model.zerone")
        with zipfile.ZipFile(tmp_path / "model.zerone") as archive:
            described = json.loads(archive.read("model.json"))
            coef, intercept = (
                np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in ("coef", "intercept")
            )
        scores = (rows @ coef.T + intercept)[:, 0]
        labels = np.array(described["classes"])[(scores > 0).astype(int)]
        assert (labels == model.predict(rows)).all()
        assert np.load(tmp_path / "model.zerone")["coef"].shape == (1, 30)

    def test_frames_with_the_columns_of_training(self, tmp_path):
        model, table = loans(ZeroOneClassifier())
        model.save(tmp_path / "m.zerone")
        loaded = load_model(tmp_path / "m.zerone")
        assert loaded.encoding_ == model.encoding_
        assert loaded.score_table(table, target="late") == model.score(table, table["late"])
        with pytest.raises(TypeError, match="pass a data frame with the columns"):
            loaded.predict(np.ones((1, 6)))

    def test_what_needs_moments_says_so(self, tmp_path):
        model, rows = cancer(ZeroOneClassifier(refine=None))
        model.save(tmp_path / "m.zerone")
        loaded = load_model(tmp_path / "m.zerone")
        with pytest.raises(ValueError, match="retarget needs held-out scores for every pair"):
            loaded.retarget("auc")
        with pytest.raises(ValueError, match="partial_fit needs the moments"):
            loaded.partial_fit(rows, model.predict(rows))
        X, y = load_breast_cancer(return_X_y=True)
        assert loaded.fit(X, y).retarget("auc").score(X, y) > 0.9

    @pytest.mark.parametrize("problem", [cancer, iris, loans])
    @pytest.mark.parametrize("metric", ["f1", "balanced_error", "auc"])
    def test_retargeting_a_file_is_the_same(self, problem, metric, tmp_path):
        model, rows = problem(ZeroOneClassifier())
        model.save(tmp_path / "m.zerone")
        loaded = load_model(tmp_path / "m.zerone")
        for given in ({}, {"class_weight": "balanced"}):
            one, two = (own.retarget(metric, **given) for own in (model, loaded))
            assert one.status_ == two.status_
            for name in ("coef_", "intercept_", "held_out_metric_", "expected_metric_"):
                assert np.array_equal(getattr(one, name), getattr(two, name)), name
            assert np.array_equal(one.predict_proba(rows), two.predict_proba(rows))
        # Also after it was written again.
        two.save(tmp_path / "m.zerone")
        again = load_model(tmp_path / "m.zerone").retarget("error", class_weight="balanced")
        assert np.array_equal(again.coef_, one.retarget("error", class_weight="balanced").coef_)

    def test_before_a_fit(self, tmp_path):
        with pytest.raises(NotFittedError):
            ZeroOneClassifier().save(tmp_path / "m.zerone")
        assert not (tmp_path / "m.zerone").exists()

    def test_strings_of_pandas_as_labels(self, tmp_path):
        X, y = load_iris(return_X_y=True, as_frame=True)
        names = y.map({0: "x", 1: "y", 2: "z"}).astype(object)
        model = ZeroOneClassifier(refine=None).fit(X, names)
        model.save(tmp_path / "m.zerone")
        assert (load_model(tmp_path / "m.zerone").predict(X) == model.predict(X)).all()

    def test_labels_that_cannot_be_written(self, tmp_path):
        X, y = load_iris(return_X_y=True)
        days = np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "datetime64[D]")[y]
        with pytest.raises(ValueError, match="cannot be written"):
            ZeroOneClassifier(refine=None).fit(X, days).save(tmp_path / "m.zerone")


class _Malicious:
    def __reduce__(self):
        return (exec, ("import pathlib; pathlib.Path('owned').touch()",))


class TestTampering:
    @pytest.fixture
    def path(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        cancer(ZeroOneClassifier(refine=None))[0].save(tmp_path / "model.zerone")
        return tmp_path / "model.zerone"

    def rewrite(self, path, **members):
        with zipfile.ZipFile(path) as archive:
            old = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in (old | members).items():
                archive.writestr(name, content)

    def test_pickles_do_not_run(self, path, tmp_path):
        buffer = io.BytesIO()
        np.save(buffer, np.array([_Malicious()], dtype=object), allow_pickle=True)
        for name in ("coef.npy", "intercept.npy"):
            self.rewrite(path, **{name: buffer.getvalue()})
            with pytest.raises(ValueError, match="is not a zerone model or is damaged"):
                load_model(path)
        path.write_bytes(pickle.dumps(_Malicious()))
        with pytest.raises(ValueError, match="is not a zerone model or is damaged"):
            load_model(path)
        assert not (tmp_path / "owned").exists()

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("format", "other"), ("version", 2), ("estimator", "os.system"), ("classes", [0]),
            ("classes", [1, 0]), ("classes", [0, 1, 2]), ("classes_type", "O"), ("n_columns", 3),
            ("columns", ["a"]), ("encoding", {"columns": 3}), ("pairs", []), ("pairs", [{}]),
            ("pairs", [{"decision": {"kind": "code"}, "posterior": None}]),
            ("pairs", [{"decision": {"kind": "lines"}, "posterior": None}]),
            ("parameters", {"nothing": 1}), ("fitted", {}), ("fitted", None),
            ("classes_type", "<f4"), ("classes_type", "|b1"), ("classes_type", "<U100000"),
            ("classes", ["a", 1]), ("classes", "ab"), ("classes", [[0], [1]]),
            ("pairs", [{"decision": None, "posterior": None}]),
            ("parameters", {"metric": 0}), ("parameters", {"metric": "f1", "positive": 7}),
            ("deviations", [10**400] * 30), ("deviations", [1.0]), ("deviations", "a"),
            ("deviations", [None] * 30),
        ],
    )  # fmt: skip
    def test_other_contents(self, key, value, path):
        with zipfile.ZipFile(path) as archive:
            model = json.loads(archive.read("model.json"))
        self.rewrite(path, **{"model.json": json.dumps(model | {key: value})})
        with pytest.raises(ValueError, match=r"path: .*model\.zerone"):
            load_model(path)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("ends", np.zeros(6)), ("ends", np.arange(5)), ("n_directions", 0),
            ("first", np.ones((1, 3))), ("values", np.array(["a"])), ("class_weights", np.ones(3)),
            ("prior_weights", np.zeros(2)), ("class_weights", np.array([-1.0, 1.0])),
            ("offsets", np.full(6, np.nan)), ("positive", np.array([_Malicious()], dtype=object)),
        ],
    )  # fmt: skip
    def test_other_held_out_scores(self, name, value, path, tmp_path):
        cancer(ZeroOneClassifier())[0].save(path)
        with zipfile.ZipFile(path) as archive:
            content = archive.read("held_out.npz")
        arrays = dict(np.load(io.BytesIO(content)))
        buffer = io.BytesIO()
        np.savez(buffer, **(arrays | {name: value}))
        self.rewrite(path, **{"held_out.npz": buffer.getvalue()})
        with pytest.raises(ValueError, match="is damaged"):
            load_model(path)
        assert not (tmp_path / "owned").exists()

    def test_numbers_that_are_none(self, path):
        with zipfile.ZipFile(path) as archive:
            text = archive.read("model.json").decode()
        at_centre = re.search(r'"centre": [-0-9.e]+', text).group(0)
        self.rewrite(path, **{"model.json": text.replace(at_centre, '"centre": NaN')})
        with pytest.raises(ValueError, match="is not a finite number"):
            load_model(path)

    @pytest.mark.parametrize("content", [b"", b"PK", b"{}", b"\x00" * 100])
    def test_no_archive(self, content, path):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a zerone model"):
            load_model(path)

    def test_any_changed_byte_is_harmless(self, path):
        content = path.read_bytes()
        model = load_model(path)
        rng = np.random.default_rng(0)
        for position in rng.integers(len(content), size=300):
            changed = bytearray(content)
            changed[position] ^= int(rng.integers(1, 256))
            path.write_bytes(changed)
            try:
                found = load_model(path)
            except ValueError:
                continue
            # What no checksum covers, such as a time, is no part of the model.
            assert np.array_equal(found.coef_, model.coef_)

    def test_nothing_there(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="there is no file"):
            load_model(tmp_path / "none.zerone")


class TestSql:
    def run(self, table, **expressions):
        connection = duckdb.connect()
        connection.register("t", table)
        listed = ", ".join(f"{sql} AS {name}" for name, sql in expressions.items())
        return connection.sql(f"SELECT {listed} FROM t").df()

    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_tables(self, estimator):
        model, table = loans(fresh(estimator))
        table.loc[0, "job"] = "tailor"
        found = self.run(
            table,
            score=model.to_sql("score"),
            label=model.to_sql(),
            probability=model.to_sql("probability"),
        )
        scores = model.decision_function(table)
        assert_allclose(found["score"], scores, atol=1e-9)
        assert_allclose(found["probability"], model.predict_proba(table)[:, 1], atol=1e-9)
        same = found["label"] == model.predict(table)
        assert (same | (np.abs(scores) < 1e-9)).all()

    @pytest.mark.parametrize("problem", [cancer, constant, careful])
    def test_frames(self, problem):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(N, 2)), columns=['a "b"', "select"])
        y = (frame.sum(axis=1) + rng.normal(size=N) > (3 if problem is constant else 0)).to_numpy()
        model = AUCClassifier().fit(frame, y)
        if problem is careful:
            model = model.retarget("false_positive_rate", min_true_positive_rate=0.9)
        found = self.run(frame, p=model.to_sql("probability"), label=model.to_sql())
        assert_allclose(found["p"], model.predict_proba(frame)[:, 1], atol=1e-9)
        assert (found["label"] == model.predict(frame)).all()

    def test_truth_values_and_numbers_as_categories(self):
        rng = np.random.default_rng(0)
        table = pd.DataFrame(
            {
                "b": rng.random(600) < 0.5,
                "k": rng.integers(0, 3, 600) * 1.0,
                "x": rng.normal(size=600),
            }
        )
        odds = 2.0 * table["b"] - (table["k"] == 1) + table["x"] + rng.normal(size=600)
        table["t"] = np.where(odds > 0.8, "y", "n")
        model = ZeroOneClassifier().fit_table(table, target="t", categorical=["b", "k"])
        found = self.run(table, p=model.to_sql("probability"), label=model.to_sql())
        assert (found["label"] == model.predict(table)).all()
        assert_allclose(found["p"], model.predict_proba(table)[:, 1], atol=1e-9)

    def test_not_a_number_is_missing(self):
        model, table = loans(ZeroOneClassifier(refine=None))
        strict = ZeroOneClassifier(refine=None).fit(table[["age", "count"]], table["late"])
        connection = duckdb.connect()
        rows = "(select cast('NaN' as double) as pay, 40 as age, 1 as count, true as left_, *"
        rows = rows.replace("left_, *", '"left"') + ", 'cook' as job, 'Ulm' as city)"
        found = connection.sql(f"select {model.to_sql('probability')} as p from {rows}").df()["p"]
        frame = pd.DataFrame(
            {"pay": [np.nan], "age": 40, "count": 1, "left": True, "job": "cook", "city": "Ulm"}
        )
        assert_allclose(found, model.predict_proba(frame)[:, 1])
        nothing = "(select cast(null as double) as age, 1 as count)"
        label = connection.sql(f"select {strict.to_sql()} from {nothing}").fetchall()[0][0]
        assert label is None

    def test_what_has_no_expression(self):
        with pytest.raises(ValueError, match="features without names"):
            cancer(ZeroOneClassifier(refine=None))[0].to_sql()
        flowers = ZeroOneClassifier(refine=None).fit(*load_iris(return_X_y=True, as_frame=True))
        with pytest.raises(ValueError, match="of 3 classes SQL gives only the label"):
            flowers.to_sql("score")
        with pytest.raises(ValueError, match="dialect: got 'oracle'"):
            loans(ZeroOneClassifier(refine=None))[0].to_sql(dialect="oracle")
        with pytest.raises(ValueError, match="output: got 'odds'"):
            loans(ZeroOneClassifier(refine=None))[0].to_sql("odds")


class TestOnnx:
    def run(self, model, rows):
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        labels, probabilities = session.run(None, {"X": rows})
        return labels, probabilities

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    @pytest.mark.parametrize("problem", [cancer, iris, constant, careful])
    def test_the_same_predictions(self, problem, estimator, dtype):
        model, rows = problem(fresh(estimator))
        rows = rows.astype(dtype)
        tolerance = 1e-5 if dtype == "float32" else 1e-9
        labels, probabilities = self.run(model.to_onnx(dtype), rows)
        assert probabilities.dtype == dtype
        assert_allclose(probabilities, model.predict_proba(rows), atol=tolerance)
        scores = model.decision_function(rows)
        margins = np.sort(scores.reshape(N, -1), axis=1)
        near = np.abs(margins[:, -1] - margins[:, -2] if margins.shape[1] > 1 else scores)
        assert ((labels == model.predict(rows)) | (near < tolerance)).all()

    def test_the_end_of_a_pipeline(self):
        X, y = load_breast_cancer(return_X_y=True)
        pipeline = make_pipeline(StandardScaler(), ZeroOneClassifier()).fit(X, y)
        register_onnx()
        model = skl2onnx.to_onnx(
            pipeline, X[:1].astype(np.float64), options={"zipmap": False}, target_opset=18
        )
        labels, probabilities = self.run(model, X)
        assert (labels == pipeline.predict(X)).all()
        assert_allclose(probabilities, pipeline.predict_proba(X), atol=1e-9)

    def test_what_has_no_graph(self):
        with pytest.raises(ValueError, match="features that are numbers"):
            loans(ZeroOneClassifier(refine=None))[0].to_onnx()
        with pytest.raises(ValueError, match="dtype: got 'int8'"):
            cancer(ZeroOneClassifier(refine=None))[0].to_onnx("int8")
        with pytest.raises(NotFittedError):
            ZeroOneClassifier().to_onnx()


@pytest.mark.parametrize("problem", [cancer, iris, loans])
def test_skops(problem):
    model, rows = problem(ZeroOneClassifier())
    content = skops.io.dumps(model)
    trusted = skops.io.get_untrusted_types(data=content)
    assert all(name.startswith(("zerone.", "numpy.")) for name in trusted), trusted
    loaded = skops.io.loads(content, trusted=trusted)
    for method in METHODS:
        assert np.array_equal(getattr(loaded, method)(rows), getattr(model, method)(rows))
