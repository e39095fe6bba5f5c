"""Row weights in a comparison: in training, in every metric, and in samples."""

import math

import numpy as np
import pandas as pd
import pytest

from zerone.comparison import CONTESTANTS, compare_table, comparison_report, verdict
from zerone.comparison import _compare as compare
from zerone.comparison import _report as report
from zerone.comparison._rows import NumberRows, Part
from zerone.comparison._trial import Trials
from zerone.metrics import chosen_metric

BY_NAME = {contestant.name: contestant for contestant in CONTESTANTS}
N = 240


@pytest.fixture
def weighted(rng):
    X = rng.normal(size=(N, 3))
    y = np.where(X[:, 0] + rng.normal(size=N) > 0.4, "b", "a")
    weights = rng.integers(0, 4, N)
    return pd.DataFrame(X, columns=["u", "v", "w"]).assign(y=y, n=weights)


def compared(source, *names, **options):
    contestants = [BY_NAME[name] for name in ("ZeroOneClassifier", *names)]
    given = {"target": "y", "weight": "n", "time_limit": math.inf, "contestants": contestants}
    return compare_table(source, **given | options)


def trials(X, y, weights, metric):
    chosen = chosen_metric(metric)
    return Trials(NumberRows(X, y, weights), chosen, "b" if chosen.needs_positive else None)


@pytest.mark.parametrize("metric", ["error", "auc", "balanced_error", "f1"])
@pytest.mark.parametrize("name", ["ZeroOneClassifier", "AUCClassifier", "MajorityClass"])
def test_a_weight_is_a_repeated_row(metric, name, weighted):
    weighted = weighted[weighted["n"] > 0]
    X, y = weighted[["u", "v", "w"]].to_numpy(), weighted["y"].to_numpy(dtype=str)
    weights = weighted["n"].to_numpy(dtype=float)
    is_held_out = np.arange(len(y)) % 3 == 0
    repeated = [np.repeat(own, weighted["n"], axis=0) for own in (X, y, is_held_out)]
    one = trials(X, y, weights, metric).on(is_held_out).run(BY_NAME[name])
    two = trials(*repeated[:2], None, metric).on(repeated[2]).run(BY_NAME[name])
    del one.figures["seconds"], two.figures["seconds"]
    assert one.figures == pytest.approx(two.figures, rel=1e-6)
    np.testing.assert_allclose(one.recalls, two.recalls, rtol=1e-6)


@pytest.mark.parametrize("hashed", [[], ["k"]])
def test_fill_values_are_weighted_means(hashed, weighted):
    weighted["v"] = weighted["v"].mask(np.arange(N) % 5 == 0)
    weighted["k"] = np.where(np.arange(N) % 2 == 0, "even", "odd")
    found = compared(weighted, "MajorityClass", hashed=hashed)
    kept = weighted[weighted["n"] > 0]
    is_held_out = np.arange(len(kept)) % 3 == 0
    split, train = found.rows.split(is_held_out), kept[~is_held_out]
    known = train["v"].notna()
    mean = np.average(train["v"][known], weights=train["n"][known])
    at = split.feature_names.index("v")
    X_train, X_test = split.train.as_array.X, split.test.as_array.X
    np.testing.assert_allclose(X_train[~known, at], mean)
    np.testing.assert_allclose(X_test[kept["v"][is_held_out].isna(), at], mean)
    np.testing.assert_array_equal(split.train.weights, train["n"])


def test_metrics_count_the_weights(weighted):
    found = compared(weighted, "MajorityClass", "LogisticRegressionCV")
    assert found.moments.weight == weighted["n"].sum()
    assert found.n_rows == (weighted["n"] > 0).sum()
    share = weighted["n"][weighted["y"] == "a"].sum() / weighted["n"].sum()
    measured = found.mean("MajorityClass", "accuracy")
    assert measured == pytest.approx(max(share, 1 - share), abs=0.05)
    assert found.mean("MajorityClass", "balanced error") == pytest.approx(0.5)
    page = comparison_report(found, verdict(found), title="t")
    assert "All fits and metrics count rows by their weights." in page


def test_equal_weights_change_nothing(weighted):
    names = ("LinearDiscriminantAnalysis", "LogisticRegressionCV", "MajorityClass")
    equal = compared(weighted.assign(n=2), *names)
    plain = compared(weighted.drop(columns="n"), *names, weight=None)
    assert not equal.failures
    for name in ("LinearDiscriminantAnalysis", "MajorityClass"):
        for metric in ("accuracy", "AUC", "balanced error"):
            np.testing.assert_allclose(equal.metrics[name][metric], plain.metrics[name][metric])


def test_who_takes_none_says_so(weighted):
    found = compared(weighted, "LinearDiscriminantAnalysis", "MajorityClass")
    assert found.failures == {"LinearDiscriminantAnalysis": "takes no row weights"}
    found = compared(weighted, "LinearSVC", *["LinearDiscriminantAnalysis"], metric="f1",
                     contestants=None)  # fmt: skip
    assert found.failures == {"LinearDiscriminantAnalysis": "takes no row weights"}
    assert "LinearSVC" in found.metrics


def test_samples_multiply_the_weights(rng, monkeypatch):
    monkeypatch.setattr(compare, "_MAX_VALUES", 2000)
    X = rng.normal(size=(5000, 2))
    table = pd.DataFrame(X, columns=["u", "v"]).assign(
        y=np.where(X[:, 0] + rng.normal(size=5000) > 0, "b", "a"), n=rng.integers(1, 5, 5000)
    )
    found = compared(table, "MajorityClass")
    assert found.is_sample
    assert found.n_rows < 1500
    for label in ("a", "b"):
        total = found.rows.weights[found.rows.y == label].sum()
        assert total == pytest.approx(table["n"][table["y"] == label].sum())
    drawn = found.rows.weights[found.rows.y == "a"]
    # Four different weights, each enlarged by the same factor.
    assert len(np.unique(drawn.round(6))) == 4
    assert drawn.max() / drawn.min() == pytest.approx(4)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("nothing", "weight: there is no column 'nothing'"),
        ("y", "weight: 'y' is the target"),
        ("u", "weight: column 'u' has -"),
    ],
)
def test_columns_that_are_no_weights(weight, words, weighted):
    with pytest.raises(ValueError, match=words):
        compared(weighted, "MajorityClass", weight=weight)


class TestRowsForPictures:
    def test_each_is_drawn_as_often_as_it_counts(self, rng):
        y = np.where(np.arange(600) % 3 == 0, "b", "a")
        weights = np.where(y == "a", 3.0, 1.0)
        found = report._unweighted(Part(np.arange(600.0)[:, None], y, weights))
        assert found.weights is None
        assert (found.y == "a").mean() == pytest.approx(6 / 7, abs=0.01)
        assert len(found) == pytest.approx(1400**2 / 3800, abs=1)

    def test_equal_weights_draw_every_row_once(self):
        y = np.where(np.arange(50) % 3 == 0, "b", "a")
        found = report._unweighted(Part(np.arange(50.0)[:, None], y, np.full(50, 0.1)))
        np.testing.assert_array_equal(np.sort(found.X[:, 0]), np.arange(50))

    def test_one_row_that_outweighs_all(self):
        y = np.where(np.arange(50) % 3 == 0, "b", "a")
        weights = np.where(np.arange(50) == 7, 1e9, 1.0)
        found = report._unweighted(Part(np.arange(50.0)[:, None], y, weights))
        assert set(found.y) == {"a", "b"}
