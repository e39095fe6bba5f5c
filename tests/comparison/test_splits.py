"""What the encoding of a split knows: its training rows, and nothing of the held-out rows."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from tests.helpers import make_table

from zerone import ZeroOneClassifier
from zerone.comparison import CONTESTANTS, Contestant, compare_table, verdict
from zerone.comparison import _split_encoding as split_encoding

N = 200
HELD_OUT = np.arange(N) % 4 == 0
OURS = Contestant("ZeroOneClassifier", ZeroOneClassifier, role="ours")
MOMENTS = Contestant("moments", lambda: ZeroOneClassifier(refine=None), role="ours")
LOGISTIC = Contestant("logistic", lambda: LogisticRegression(max_iter=2000))


@pytest.fixture
def messy(rng):
    """Return a table with missing values of all kinds."""
    table = make_table(rng, N)
    table["pay"] = table["pay"].mask(rng.random(N) < 0.2)
    table["job"] = table["job"].mask(rng.random(N) < 0.1)
    return table


def compared(source, contestants=(MOMENTS, LOGISTIC), **options):
    given = {"target": "late", "time_limit": math.inf, "contestants": contestants}
    return compare_table(source, **given | options)


def split_of(source, is_held_out=HELD_OUT, **options):
    return compared(source, **options).rows.split(is_held_out)


def column(split, part, name):
    return getattr(split, part).X[:, split.feature_names.index(name)]


class TestOnlyTrainingRowsAreSeen:
    def test_categories(self, messy):
        messy["job"] = messy["job"].mask(HELD_OUT, "pilot")
        split = split_of(messy)
        assert not any("pilot" in name for name in split.feature_names)
        of_job = [name for name in split.feature_names if name.startswith("job")]
        assert all((column(split, "test", name) == 0).all() for name in of_job)

    def test_infrequent_categories(self, messy):
        often = np.where(HELD_OUT, [f"c{i % 30}" for i in range(N)], "d")
        messy["code"] = np.where(np.arange(N) % 8 == 1, "e", often)
        split = split_of(messy, max_categories=3)
        of_code = [name for name in split.feature_names if name.startswith("code")]
        assert of_code == ["code=d", "code=e"]

    def test_fill_values(self, messy):
        messy["pay"] = np.where(HELD_OUT, 1e6, messy["pay"].to_numpy())
        messy.loc[0, "pay"] = np.nan
        split = split_of(messy)
        mean = messy["pay"][~HELD_OUT].mean()
        missing = messy["pay"].isna().to_numpy()
        assert missing[~HELD_OUT].any()
        np.testing.assert_allclose(column(split, "train", "pay")[missing[~HELD_OUT]], mean)
        np.testing.assert_allclose(column(split, "test", "pay")[missing[HELD_OUT]], mean)

    def test_indicators(self, messy):
        messy["age"] = messy["age"].astype(float).mask(HELD_OUT)
        split = split_of(messy)
        assert "age is missing" not in split.feature_names
        mean = messy["age"][~HELD_OUT].mean()
        np.testing.assert_allclose(column(split, "test", "age"), mean)

    def test_columns_that_are_constant(self, messy):
        messy["flag"] = np.where(HELD_OUT, np.arange(N), 7)
        assert "flag" not in split_of(messy).feature_names
        assert "flag" in compared(messy).moments.feature_names
        assert "flag" in split_of(messy, keep=["flag"]).feature_names

    def test_columns_without_a_value(self, messy):
        messy["seldom"] = np.where(HELD_OUT, np.arange(N), np.nan)
        assert "seldom" not in split_of(messy).feature_names
        assert "seldom" in compared(messy).moments.feature_names

    def test_held_out_cells_change_no_training_feature(self, messy, rng):
        other = messy.copy()
        for name in ("pay", "job", "count"):
            other.loc[HELD_OUT, name] = rng.permutation(messy.loc[HELD_OUT, name])
        one, two = split_of(messy), split_of(other)
        assert one.feature_names == two.feature_names
        np.testing.assert_array_equal(one.train.X, two.train.X)

    def test_labels_do_not_matter(self, messy, rng):
        other = messy.assign(late=rng.permutation(messy["late"]))
        np.testing.assert_array_equal(split_of(messy).train.X, split_of(other).train.X)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "categories", "polars", "arrow", "csv"])
def test_the_same_as_fit_table_and_predict(kind, messy, tmp_path):
    if kind == "categories":
        messy["job"] = messy["job"].astype("category")
    source = messy
    if kind == "polars":
        source = pl.from_pandas(messy)
    elif kind == "arrow":
        source = pa.Table.from_pandas(messy)
    elif kind == "csv":
        source = tmp_path / "messy.csv"
        messy.to_csv(source, index=False, float_format="%.17g")
    found = compared(source, contestants=(OURS, LOGISTIC), repeats=2)
    splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    accuracies, areas = [], []
    for train, test in splits.split(messy, messy["late"]):
        model = ZeroOneClassifier().fit_table(messy.iloc[train], target="late")
        held_out = messy.iloc[test]
        accuracies.append(model.score(held_out, held_out["late"]))
        scores = model.decision_function(held_out)
        areas.append(roc_auc_score(held_out["late"] == "yes", scores))
    ours = found.metrics["ZeroOneClassifier"]
    np.testing.assert_allclose(ours["accuracy"], accuracies, rtol=1e-12)
    np.testing.assert_allclose(ours["AUC"], areas, rtol=1e-12)


@pytest.mark.parametrize("option", ["hashed", "text"])
def test_hashed_columns(option, messy):
    found = compared(messy, (OURS, *CONTESTANTS[2:]), folds=2, **{option: ["job"]})
    assert not found.failures
    splits = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0)
    accuracies = [
        ZeroOneClassifier()
        .fit_table(messy.iloc[train], target="late", **{option: ["job"]})
        .score(messy.iloc[test], messy["late"].iloc[test])
        for train, test in splits.split(messy, messy["late"])
    ]
    measured = found.metrics["ZeroOneClassifier"]["accuracy"]
    np.testing.assert_allclose(measured, accuracies)


def test_the_process_of_the_rivals_encodes_alike(messy):
    competing = (OURS, LOGISTIC, CONTESTANTS[-1])
    here = compared(messy, competing, folds=3)
    apart = compared(messy, competing, folds=3, time_limit=60)
    for name, metrics in here.metrics.items():
        for metric in ("accuracy", "AUC", "balanced error"):
            np.testing.assert_array_equal(metrics[metric], apart.metrics[name][metric])


def test_a_split_is_encoded_once_for_all_contestants(messy, monkeypatch):
    encoded = []
    own = split_encoding.planned_encoding
    monkeypatch.setattr(
        split_encoding, "planned_encoding", lambda *given: encoded.append(0) or own(*given)
    )
    compared(messy, (MOMENTS, OURS, LOGISTIC, CONTESTANTS[-2]), folds=3)
    # Once for both of ours, once for both others.
    assert len(encoded) == 6


def test_a_split_that_cannot_be_encoded(messy):
    only = messy[["late"]].assign(flag=np.where(np.arange(N) < 1, 1, 7))
    with pytest.raises(ValueError, match=r"accuracy could not be measured.*no column is left"):
        verdict(compared(only, folds=2))


def test_libsvm_has_no_columns(rng, tmp_path):
    X = rng.normal(size=(90, 3))
    y = np.where(X[:, 0] + rng.normal(size=90) > 0, 1, -1)
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=False)
    found = compared(tmp_path / "t.svm", target=None)
    split = found.rows.split(np.arange(90) < 30)
    assert split.feature_names is None
    np.testing.assert_allclose(split.train.X, X[30:])
    np.testing.assert_array_equal(split.test.y, y[:30])


def test_columns_that_change_their_type_within_a_file(rng, tmp_path):
    n = 300_000
    x = rng.normal(size=n).round(3)
    cells = [*map(str, x[:-1]), "none"]
    pd.DataFrame({"x": cells, "y": x + rng.normal(size=n) > 0}).to_csv(
        tmp_path / "long.csv", index=False
    )
    found = compared(tmp_path / "long.csv", target="y", folds=2)
    split = found.rows.split(np.arange(n) < n // 2)
    assert split.feature_names == ("x", "x is missing")
    np.testing.assert_allclose(split.test.X[:, 0], x[: n // 2])
