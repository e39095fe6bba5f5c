"""Classifiers on tables: the same as in memory, and frames with the same columns to predict."""

import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import dump_svmlight_file
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, PredefinedSplit
from sklearn.preprocessing import OneHotEncoder
from tests.helpers import assert_same_classifier, make_table

from zerone import AUCClassifier, Moments, ZeroOneClassifier
from zerone._data.features import frame_features
from zerone._data.labelled import labelled_table
from zerone._data.readers.source import START
from zerone._data.table_options import ScanOptions, TableOptions
from zerone._rows.table_rows import TableRows
from zerone.estimators import _fit_rows

CATEGORIES = ["job", "city"]


def in_memory(table):
    """What users do without fit_table, features in the same order."""
    columns = table.drop(columns=["late", "count"])
    steps = [
        (name, OneHotEncoder(sparse_output=False) if name in CATEGORIES else "passthrough", [name])
        for name in columns
    ]
    return ColumnTransformer(steps).fit_transform(columns).astype(float)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("refine", ["auto", "frontier", None])
@pytest.mark.parametrize("estimator", [ZeroOneClassifier, AUCClassifier])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_in_memory(refine, estimator, weighted, table):
    columns = table.columns.drop(["late", "count"]).tolist()
    weight = "count" if weighted else None
    model = estimator(refine=refine).fit_table(table, target="late", columns=columns, weight=weight)
    twin = estimator(refine=refine).fit(
        in_memory(table), table["late"], table["count"] if weighted else None
    )
    assert_same_classifier(model, twin, 1e-7)
    assert model.refine_ == twin.refine_
    assert (model.predict(table) == twin.predict(in_memory(table))).all()
    assert model.n_features_in_ == len(columns)
    assert model.feature_names_in_.tolist() == columns


def test_missing_values_as_with_the_imputer(rng):
    table = make_table(rng)[["age", "pay", "late"]]
    table["pay"] = table["pay"].mask(rng.random(200) < 0.2)
    model = ZeroOneClassifier().fit_table(table, target="late")
    imputer = SimpleImputer(add_indicator=True)
    rows = imputer.fit_transform(table[["age", "pay"]])
    twin = ZeroOneClassifier().fit(rows, table["late"])
    assert_same_classifier(model, twin, 1e-7)
    new = pd.DataFrame({"pay": [None, 1900.0], "age": [None, 30.0]})
    expected = twin.decision_function(imputer.transform(new[["age", "pay"]]))
    assert_allclose(model.decision_function(new), expected, rtol=1e-6)


@pytest.fixture
def model(table):
    return ZeroOneClassifier().fit_table(table, target="late", weight="count")


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function"]
)
def test_frames_of_any_kind_and_batches_give_the_same(method, model, table, small_parts, tmp_path):
    expected = getattr(model, method)(table)
    for frame in (
        table[table.columns[::-1]],
        pl.from_pandas(table),
        pa.Table.from_pandas(table),
        table.astype({"city": str, "job": "category", "left": "boolean"}),
    ):
        assert (getattr(model, method)(frame) == expected).all()
    table.to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    for source in (table, tmp_path / "t.csv"):
        parts = list(model.predict_batches(source, method=method))
        assert len(parts) > 5
        found = np.concatenate(parts)
        if method == "predict":
            assert (found == expected).all()
        else:
            assert_allclose(found, expected)
    with pytest.raises(ValueError, match="method: got 'guess'"):
        model.predict_batches(table, method="guess")
    with pytest.raises(FileNotFoundError):
        model.predict_batches("nothing.csv")


@pytest.mark.usefixtures("small_parts")
def test_score(model, table):
    assert model.score_table(table, target="late") == model.score(table, table["late"])
    weighted = model.score(table, table["late"], sample_weight=table["count"])
    found = model.score_table(table, target="late", weight="count")
    assert found == pytest.approx(weighted)
    # The model knows from which column it learned.
    assert model.score_table(table) == model.score_table(table, target="late")
    numbers = ZeroOneClassifier(refine=None).fit(table[["age", "pay"]], table["late"])
    with pytest.raises(ValueError, match="target: got None, expected the name"):
        numbers.score_table(table)
    with pytest.raises(ValueError, match="no column 'nothing'"):
        model.score_table(table, target="nothing")
    with pytest.raises(ValueError, match=r"labels are \[False, True\], none of which is among"):
        model.score_table(table.assign(late=table["late"] == "yes"), target="late")


def test_labels_of_csv_are_text_if_those_of_training_were(rng, tmp_path):
    x = rng.normal(size=60)
    table = pd.DataFrame({"x": x, "y": (x > 0).astype(int).astype(str)})
    model = ZeroOneClassifier(refine=None).fit_table(table, target="y")
    table.to_csv(tmp_path / "t.csv", index=False)
    assert model.score_table(tmp_path / "t.csv", target="y") > 0.9
    with pytest.raises(ValueError, match=r"labels are \[0, 1\], none of which is among .*'0', '1'"):
        model.score_table(table.astype({"y": int}), target="y")
    with pytest.raises(ValueError, match=r"weight: column 'w' has -1 .* cannot be negative"):
        model.score_table(table.assign(w=-1.0), target="y", weight="w")


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function"]
)
def test_no_rows(method, model, table):
    expected = getattr(model, method)(table)
    for frame in (table[:0], table[:0].astype({"city": "category"}), pl.from_pandas(table)[:0]):
        assert getattr(model, method)(frame).shape == (0, *expected.shape[1:])


def test_every_value_missing(rng):
    table = make_table(rng)
    model = ZeroOneClassifier(refine=None).fit_table(table, target="late")
    nothing = table[:2].astype(object).assign(pay=None)
    filled = model.decision_function(table[:2].assign(pay=table["pay"].mean()))
    assert_allclose(model.decision_function(nothing), filled)
    with pytest.warns(UserWarning, match="'job': missing values, which training has not") as caught:
        model.predict(table[:2].assign(job=None))
    assert caught[0].filename == __file__


def test_some_labels_of_no_class_are_pointed_out(model, table):
    spelt = table.assign(late=table["late"].replace("no", "No"))
    with pytest.warns(UserWarning, match=r"labels \['No'\] are not among the classes"):
        found = model.score_table(spelt, target="late")
    assert found == np.mean((model.predict(table) == "yes") & (table["late"] == "yes"))


def test_labels_of_pandas_are_text_too(table, tmp_path):
    numbers = table[["age", "pay"]].assign(y=np.where(table["late"] == "yes", "1", "0"))
    model = ZeroOneClassifier().fit(numbers[["age", "pay"]], numbers["y"])
    numbers.to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    expected = model.score(numbers[["age", "pay"]], numbers["y"])
    assert model.score_table(tmp_path / "t.csv", target="y") == expected


def test_rows_without_weight_are_not_scored(table):
    model = ZeroOneClassifier(refine=None).fit_table(table, target="late", weight="count")
    absent = table[:5].assign(count=0, pay=np.nan, late=None, job="tailor")
    both = pd.concat([table, absent])
    found = model.score_table(both, target="late", weight="count")
    assert found == model.score_table(table, target="late", weight="count")


def test_results_of_queries(table):
    connection = duckdb.connect()
    connection.register("t", table)
    relation = connection.sql("select * from t")
    with pytest.raises(ValueError, match="no column 'nothing'") as caught:
        ZeroOneClassifier().fit_table(relation, target="nothing")
    model = ZeroOneClassifier().fit_table(relation, target="late", weight="count")
    assert (model.predict(relation) == model.predict(table)).all()
    with pytest.warns(UserWarning, match="column 'pay': is not there: all values are missing"):
        model.predict(connection.sql("select age from t"))
    with pytest.raises(ValueError, match="no column 'age'") as caught:
        model.predict(connection.sql("select count from t"))
    assert model.score_table(relation, target="late") == model.score(table, table["late"])
    assert caught.value is not None


def test_regressions_are_refused(table):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        ZeroOneClassifier().fit_table(table, target="pay")


def test_quantities_in_whole_numbers_are_refused(rng):
    table = pd.DataFrame({"x": rng.normal(size=2000), "price": rng.integers(100, 1000, 2000)})
    with pytest.raises(ValueError, match=r"'price' has \d+ different numbers, .* a quantity"):
        ZeroOneClassifier(refine=None).fit_table(table, target="price")
    assert len(Moments.from_table(table, target="price", categorical=["price"])) > 700


def test_a_row_is_predicted_the_same_whatever_rows_are_beside_it(table):
    """Also in a column that had no value in training, whose missing values count as zero."""
    table["pay"] = np.nan
    model = ZeroOneClassifier(refine=None).fit_table(table, target="late", keep=["pay"])
    new = table[:4].assign(pay=[np.nan, 1000.0, 3000.0, np.nan])
    rows = frame_features(new, model.encoding_)[np.arange(4)]
    alone = frame_features(new[:1], model.encoding_)[np.arange(1)]
    assert (rows[0] == alone[0]).all()
    assert rows[0, model.encoding_.feature_names.index("pay")] == 0.0


def test_categories_that_training_has_not_seen(model, table):
    strange = table[:2].assign(job=["tailor", "cook"])
    with pytest.warns(
        UserWarning, match=r"'job': categories that training has not seen, .* 'tailor' \(1 value"
    ):
        scores = model.decision_function(strange)
    # All features of the column are zero, so that no coefficient of its categories counts.
    cook = model.coef_[0, model.encoding_.feature_names.index("job=cook")]
    with_cook = model.decision_function(table[:2].assign(job="cook"))
    assert_allclose(scores, with_cook - [cook, 0.0])


def test_infrequent_categories_stand_for_those_that_training_has_not_seen(table):
    model = ZeroOneClassifier(refine=None).fit_table(table, target="late", max_categories=3)
    assert "job is infrequent" in model.encoding_.feature_names
    kept = model.encoding_.columns[2].categories
    infrequent = sorted({"baker", "cook", "nurse"} - set(kept))[0]
    new = table[:1].assign(job="tailor")
    assert model.decision_function(new) == model.decision_function(table[:1].assign(job=infrequent))


def test_missing_where_training_had_none(table):
    strict = ZeroOneClassifier(refine=None).fit_table(table, target="late", strict=True)
    holes = table[:3].assign(pay=np.nan)
    with pytest.raises(ValueError, match=r"'pay' has a missing value in row 0 of X; fill it"):
        strict.predict(holes)
    with pytest.raises(ValueError, match="'job' has a missing value"):
        strict.predict(table[:1].assign(job=None).astype({"job": "str"}))
    lenient = ZeroOneClassifier(refine=None).fit_table(table, target="late")
    filled = table[:3].assign(pay=table["pay"].mean())
    assert_allclose(lenient.decision_function(holes), lenient.decision_function(filled))
    with pytest.warns(UserWarning, match="'job': missing values, which training has not seen"):
        lenient.predict(table[:2].assign(job=[None, "cook"]))


def test_what_is_no_frame_or_lacks_columns(model, table):
    with pytest.raises(TypeError, match="pass a data frame with the columns 'age', 'pay'"):
        model.predict(np.ones((2, 5)))
    with pytest.raises(TypeError, match="got Series"):
        model.predict(table.iloc[0])
    absent = table.drop(columns="job")
    with pytest.warns(UserWarning, match="column 'job': is not there: all values are missing"):
        found = model.predict(absent)
    with pytest.warns(UserWarning, match="column 'job': missing values"):
        assert (model.predict(absent.assign(job=None)) == found).all()
    strict = ZeroOneClassifier(refine=None).fit_table(table, target="late", strict=True)
    with pytest.raises(ValueError, match="no column 'job', which the encoding reads"):
        strict.predict(absent)
    with pytest.raises(ValueError, match="partial_fit takes numbers"):
        model.partial_fit(table, table["late"])


def test_tables_of_numbers_alone_can_be_used_in_every_other_way(table):
    numbers = table[["age", "pay", "late"]]
    model = ZeroOneClassifier(refine=None).fit_table(numbers, target="late")
    rows = numbers[["age", "pay"]]
    assert (model.predict(numbers) == model.predict(rows)).all()
    with pytest.warns(UserWarning, match="feature names"):
        assert (model.predict(rows.to_numpy()) == model.predict(rows)).all()
    model.partial_fit(rows, numbers["late"])
    assert model.moments_.weight == 400


def test_models_fitted_to_frames_score_tables(table, tmp_path):
    numbers = table[["age", "pay"]]
    model = ZeroOneClassifier().fit(numbers, table["late"])
    assert model.encoding_ is None
    assert model.score_table(table, target="late") == model.score(numbers, table["late"])
    unnamed = ZeroOneClassifier().fit(numbers.to_numpy(), table["late"])
    with pytest.raises(ValueError, match="features without names"):
        unnamed.score_table(table, target="late")


def test_libsvm(rng, tmp_path):
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    path = str(tmp_path / "t.svm")
    dump_svmlight_file(X, y, path, zero_based=False)
    model = ZeroOneClassifier().fit_table(path)
    assert_same_classifier(model, ZeroOneClassifier().fit(X, y), 1e-7)
    assert model.score_table(path) == model.score(X, y)
    with pytest.raises(ValueError, match="LIBSVM text has no named columns"):
        model.score_table(path, weight="w")
    dump_svmlight_file(np.ones((1, 5)), [1], path, zero_based=False)
    with pytest.raises(ValueError, match="has a feature 5"):
        list(model.predict_batches(path))
    named = ZeroOneClassifier().fit(pd.DataFrame(X, columns=list("abc")), y)
    with pytest.raises(ValueError, match="LIBSVM text has no named columns"):
        named.predict_batches(path)


def test_a_stream_that_is_read_once_is_not_refined(table):
    reader = pa.Table.from_pandas(table).to_reader()
    with pytest.warns(UserWarning, match="read only once is not refined"):
        model = ZeroOneClassifier().fit_table(reader, target="late")
    assert model.refine_ is None
    twin = ZeroOneClassifier(refine=None).fit_table(table, target="late")
    assert_same_classifier(model, twin)
    reader = pa.Table.from_pandas(table).to_reader()
    ZeroOneClassifier(refine=None).fit_table(reader, target="late")


def test_copies_and_other_targets_keep_the_encoding(model, table):
    for twin in (pickle.loads(pickle.dumps(model)), model.retarget("balanced_error")):
        assert twin.predict_proba(table).shape == (200, 2)
    assert not hasattr(clone(model), "encoding_")
    numbers = table[["age", "pay"]]
    assert model.fit(numbers, table["late"]).encoding_ is None
    assert model.predict(numbers[:1]).shape == (1,)


def test_failures_leave_a_fit_as_it_was(model, table):
    before = model.coef_
    with pytest.raises(ValueError, match="no column 'nothing'"):
        model.fit_table(table, target="nothing")
    assert model.coef_ is before


@pytest.mark.usefixtures("small_parts")
class TestSamples:
    """Tables that are too large to be refined on all rows."""

    def imbalanced(self, rng, n=4000):
        rare = rng.random(n) < 0.02
        X = rng.normal(size=(n, 2)) + 1.5 * rare[:, None]
        return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(rare, "rare", "usual"))

    def test_keep_rare_classes_whole_and_make_up_for_the_others(self, rng, monkeypatch):
        table = self.imbalanced(rng)
        source = labelled_table(table, TableOptions(target="y"))
        sample = TableRows(source, ScanOptions()).sample(1000, np.random.RandomState(0))
        assert sample.is_sample
        batch = sample.batch
        n_rare = (table["y"] == "rare").sum()
        counts = dict(zip(batch.classes.tolist(), batch.labels.counts.tolist(), strict=True))
        assert counts["rare"] == n_rare
        assert abs(counts["usual"] - (500 - n_rare)) < 80
        moments = sample.moments()
        assert moments["usual"].weight == pytest.approx(4000 - n_rare)
        assert moments["rare"].weight == n_rare
        whole = Moments.from_table(table, target="y")
        assert_allclose(moments["rare"].mean, whole["rare"].mean)
        assert_allclose(moments["usual"].mean, whole["usual"].mean, atol=0.2)
        assert next(source.parts(START, None)).n_rows == 7

    def test_weights_are_kept(self, rng):
        table = self.imbalanced(rng).assign(w=rng.integers(1, 5, 4000))
        source = TableRows.opened(table, TableOptions(target="y", weight="w"), ScanOptions())
        sample = source.sample(1000, np.random.RandomState(0))
        assert sample.is_sample
        assert 400 < len(sample.batch.codes) < 600
        moments = sample.moments()
        for label, weight in table.groupby("y")["w"].sum().items():
            assert moments[label].weight == pytest.approx(weight)

    def test_the_fit_is_nearly_that_of_all_rows(self, rng, monkeypatch):
        table = self.imbalanced(rng)
        whole = ZeroOneClassifier().fit_table(table, target="y")
        monkeypatch.setattr(_fit_rows, "REFINED_VALUES", 4000)
        sample = ZeroOneClassifier().fit_table(table, target="y")
        again = ZeroOneClassifier().fit_table(table, target="y")
        assert (sample.coef_ == again.coef_).all()
        assert sample.refine_ == "polish"
        assert sample.moments_.weight == 4000
        agreement = (sample.predict(table) == whole.predict(table)).mean()
        assert agreement > 0.99

    @pytest.mark.parametrize("kind", ["list", "PredefinedSplit"])
    def test_positions_of_rows_mean_nothing_in_them(self, kind, rng, monkeypatch):
        table = self.imbalanced(rng)
        numbers = np.arange(4000)
        splits = [(numbers[numbers % 2 == k], numbers[numbers % 2 != k]) for k in (0, 1)]
        model = ZeroOneClassifier(cv=splits if kind == "list" else PredefinedSplit(numbers % 2))
        # All rows of a small table are refined on, and have their positions.
        assert model.fit_table(table, target="y").refine_ == "polish"
        before = model.coef_
        monkeypatch.setattr(_fit_rows, "REFINED_VALUES", 4000)
        with pytest.raises(ValueError, match=r"cv: gives positions of rows, but .* on a sample"):
            model.fit_table(table, target="y")
        assert model.coef_ is before
        assert model.set_params(cv=KFold(2)).fit_table(table, target="y").refine_ == "polish"

    def test_with_indicators_that_come_late(self, rng, monkeypatch):
        table = self.imbalanced(rng)
        table.loc[3000:, "a"] = table.loc[3000:, "a"].mask(rng.random(1000) < 0.5)
        path_free = ZeroOneClassifier().fit_table(table, target="y")
        rows = SimpleImputer(add_indicator=True).fit_transform(table[["a", "b"]])
        twin = ZeroOneClassifier().fit(rows[:, [0, 2, 1]], table["y"])
        assert_same_classifier(path_free, twin, 1e-6)


def test_parquet_of_the_readme(table, tmp_path):
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "t.parquet")
    model = AUCClassifier(n_jobs=2).fit_table(
        tmp_path / "t.parquet", target="late", checkpoint=tmp_path / "scan.npz"
    )
    again = AUCClassifier().fit_table(
        tmp_path / "t.parquet", target="late", checkpoint=tmp_path / "scan.npz"
    )
    assert (model.coef_ == again.coef_).all()
