"""Summaries: the jackknife against refits, its invariances and coverage, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from tests.helpers import gaussian_rows, make_table

from zerone import AUCClassifier, Moments, ZeroOneClassifier, fold_moments, load_model
from zerone._data.batch import read_batch
from zerone._moments.shrinkage import shrink_moments
from zerone._uncertainty.intervals import student
from zerone.estimators._collinearity import variance_inflation
from zerone.estimators._jackknife import _dealt, all_but_one, jackknife

WAYS = [(ZeroOneClassifier, {}), (AUCClassifier, {}), (ZeroOneClassifier, {"metric": "f1"})]


@pytest.mark.parametrize(("kind", "given"), WAYS)
def test_the_jackknife_is_that_of_refits(kind, given):
    X, y, rng = gaussian_rows(0, n=400, d=4)
    groups = rng.permutation(400) % 20
    model = kind(refine=None, shrinkage=None, **given).fit(X, y)
    parts = [Moments.from_data(X[groups == own], y[groups == own]) for own in range(20)]
    summary = model.summary(groups=parts)
    refits = []
    for own in range(20):
        again = kind(refine=None, shrinkage=None, **given).fit(X[groups != own], y[groups != own])
        refits.append([*again.coef_[0], again.intercept_[0], again.expected_metric_])
    refits = np.array(refits)
    found = jackknife(model, parts).values
    assert_allclose(found[:, :5], refits[:, :-1], rtol=1e-9, atol=1e-9)
    assert_allclose(found[:, -1], refits[:, -1], rtol=1e-9)
    estimate = np.append(model.coef_[0], model.intercept_[0])
    mean = refits[:, :5].mean(axis=0)
    variance = 19 / 20 * ((refits[:, :5] - mean) ** 2).sum(axis=0) + (19 * (mean - estimate)) ** 2
    assert_allclose(summary.standard_errors, np.sqrt(variance), rtol=1e-7)
    half = student(19) * summary.standard_errors
    assert_allclose(summary.high - summary.coefficients, half)
    assert_allclose(summary.coefficients - summary.low, half)
    same = np.sign(refits[:, :5]) == np.sign(estimate)
    assert_allclose(summary.sign_stability, same.mean(axis=0))


def test_replicates_have_the_shrinkage_of_the_fit():
    X, y, rng = gaussian_rows(1, n=200, d=6)
    groups = rng.permutation(200) % 20
    model = ZeroOneClassifier(refine=None).fit(X, y)
    parts = [Moments.from_data(X[groups == own], y[groups == own]) for own in range(20)]
    others = Moments.from_data(X[groups != 3], y[groups != 3])
    shrunk = shrink_moments(others, model.shrinkage_)[0]
    again = ZeroOneClassifier(refine=None, shrinkage=None).fit_moments(shrunk)
    found = jackknife(model, parts).values[3, :7]
    assert_allclose(found, [*again.coef_[0], again.intercept_[0]], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 20])
def test_sums_without_one_group(n):
    X, y, _ = gaussian_rows(2, n=30 * n, d=2)
    parts = fold_moments(X, y, n_folds=n)
    for number, found in enumerate(all_but_one(parts)):
        others = parts[:number] + parts[number + 1 :]
        wanted = sum(others[1:], others[0])
        for label in (0, 1):
            assert_allclose(found[label].mean, wanted[label].mean, atol=1e-12)
            assert found[label].weight == wanted[label].weight


@pytest.mark.parametrize(("kind", "given"), WAYS)
def test_the_optimised_figure_is_moved_by_its_bias(kind, given):
    X, y, rng = gaussian_rows(0, n=400, d=4)
    groups = rng.permutation(400) % 20
    model = kind(refine=None, **given).fit(X, y)
    parts = [Moments.from_data(X[groups == own], y[groups == own]) for own in range(20)]
    values = jackknife(model, parts).values[:, -1]
    value, (low, high) = list(model.summary(groups=parts).figures.values())[
        {"error": 0, "auc": 1, "f1": 2}[model.metric]
    ]
    assert value == model.expected_metric_
    bias = 19 * (values.mean() - value)
    variance = 19 / 20 * ((values - values.mean()) ** 2).sum() + bias**2 / 4
    assert (low + high) / 2 == pytest.approx(value - bias)
    assert high - low == pytest.approx(2 * student(19) * np.sqrt(variance))
    assert low <= value <= high
    # Other rows make the metric of the same rule worse, not better.
    assert (low + high) / 2 > value if model.metric == "error" else (low + high) / 2 < value


class TestInvariances:
    def test_units(self):
        X, y, _ = gaussian_rows(3, n=500)
        factors = np.array([1e-3, 10.0, 400.0])
        one = ZeroOneClassifier(refine=None).fit(X, y).summary(X, y)
        other = ZeroOneClassifier(refine=None).fit(X * factors, y).summary(X * factors, y)
        scale = np.append(factors, 1.0)
        assert_allclose(other.standard_errors * scale, one.standard_errors, rtol=1e-6)
        assert_allclose(other.per_deviation[:-1], one.per_deviation[:-1], rtol=1e-6)

    @pytest.mark.parametrize("refine", [None, "auto"])
    def test_the_order_of_rows(self, refine):
        X, y, rng = gaussian_rows(4, n=500)
        order = rng.permutation(500)
        model = ZeroOneClassifier(refine=refine)
        given = [(X, y), (X[order], y[order])] if refine is None else [(), ()]
        one = model.fit(X, y).summary(*given[0])
        other = model.fit(X[order], y[order]).summary(*given[1])
        assert_allclose(other.standard_errors, one.standard_errors, rtol=1e-6)

    def test_weights_equal_repetition(self):
        X, y, rng = gaussian_rows(5, n=300)
        counts = rng.integers(1, 4, 300)
        repeated = np.repeat(np.arange(300), counts)
        model = ZeroOneClassifier(refine=None).fit(X, y, counts)
        one = model.summary(X, y, counts)
        model.fit(X[repeated], y[repeated])
        other = model.summary(X[repeated], y[repeated])
        assert_allclose(other.standard_errors, one.standard_errors, rtol=1e-6)

    def test_swapping_the_classes(self):
        X, y, _ = gaussian_rows(6, n=400)
        one = ZeroOneClassifier(refine=None).fit(X, y).summary(X, y)
        other = ZeroOneClassifier(refine=None).fit(X, 1 - y).summary(X, 1 - y)
        assert_allclose(other.standard_errors, one.standard_errors, rtol=1e-6)
        assert_allclose(other.low, -one.high, rtol=1e-6)


def normal_rows(rng, n):
    y = (rng.random(n) < 0.4).astype(int)
    return rng.standard_normal((n, 3)) * (1 + 0.5 * y[:, None]) + y[:, None] * [1.0, 0.5, 0.0], y


@pytest.mark.parametrize("refine", [None, "auto"])
def test_coverage_of_normal_rows(refine):
    rng = np.random.default_rng(0)
    X, y = normal_rows(rng, 400_000)
    model = ZeroOneClassifier(refine=refine)
    model.fit(X, y)
    truth = np.append(model.coef_[0], model.intercept_[0])
    error = float(np.mean(model.predict(X) != y))
    draws, hits, held_out = 60, [], []
    for _ in range(draws):
        X, y = normal_rows(rng, 1000)
        found = model.fit(X, y).summary(*((X, y) if refine is None else ()))
        assert found.may_be_believed == (refine is None)
        hits.append((found.low <= truth)[:-1] & (truth <= found.high)[:-1])
        name = "expected error" if refine is None else "held-out error"
        low, high = found.figures[name][1]
        held_out.append(low <= error <= high)
    assert 0.88 <= np.mean(hits) <= 0.99
    assert np.mean(held_out) >= 0.88


class TestBelief:
    def test_few_rows_and_rare_values(self):
        rng = np.random.default_rng(0)
        X, y = normal_rows(rng, 1000)
        X = np.column_stack([X, np.arange(1000) < 6])
        model = ZeroOneClassifier(refine=None).fit(X, y)
        found = model.summary(X, y)
        assert found.may_be_believed
        assert found.is_steady.tolist() == [True, True, True, False, False]
        assert "except those of 2 coefficients marked ?" in found.verdict
        few = model.fit(X[:80], y[:80]).summary(X[:80], y[:80])
        assert not few.may_be_believed
        assert "the smaller class has" in few.verdict

    def test_collinear_features_of_a_refined_rule(self):
        rng = np.random.default_rng(0)
        X, y = normal_rows(rng, 1000)
        X = np.column_stack([X, X[:, 0] + 0.1 * rng.standard_normal(1000)])
        found = ZeroOneClassifier().fit(X, y).summary()
        assert found.is_steady.tolist() == [False, True, True, False, False]

    def test_inflation_is_that_of_regressions(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((500, 4)) @ rng.standard_normal((4, 4))
        y = np.arange(500) % 2
        found = variance_inflation(Moments.from_data(X, y))
        for feature in range(4):
            others = np.column_stack([np.ones(500), np.delete(X, feature, axis=1)])
            left = X[:, feature] - others @ np.linalg.lstsq(others, X[:, feature])[0]
            assert found[feature] == pytest.approx(X[:, feature].var() / left.var())
        # Indicators of all values of a column add up to one.
        column = rng.integers(0, 3, 500)
        indicators = np.eye(3)[column]
        assert (variance_inflation(Moments.from_data(indicators, y)) < 1).all()
        constant = np.column_stack([indicators, np.ones(500)])
        assert np.isnan(variance_inflation(Moments.from_data(constant, y))[-1])

    def test_few_or_uneven_groups(self):
        X, y, _ = gaussian_rows(7, n=1000)
        model = ZeroOneClassifier(refine=None).fit(X, y)
        few = model.summary(groups=fold_moments(X, y, n_folds=5))
        assert "5 groups are fewer than 20" in few.verdict
        parts = fold_moments(X, y, n_folds=22)
        uneven = model.summary(groups=[parts[0] + parts[1], *parts[2:]])
        assert "the largest group has 2" in uneven.verdict

    @pytest.mark.filterwarnings("ignore")
    def test_constant_rules(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((1500, 2)), (np.arange(1500) < 200).astype(int)
        model = ZeroOneClassifier(refine=None).fit(X, y)
        assert "the same class is predicted" in model.summary(X, y).verdict


class TestText:
    def test_table(self):
        X, y, _ = gaussian_rows(8, n=600)
        frame = pd.DataFrame(X, columns=["a", "a long name of a feature of this table", "c"])
        found = ZeroOneClassifier(refine=None).fit(frame, y).summary(frame, y)
        text = str(found)
        assert repr(found) == text
        assert max(map(len, text.splitlines()[:-1])) <= 100
        for words in ("95 % interval", "(intercept)", "expected AUC", "may be believed", "a long"):
            assert words in text
        table = found.frame()
        assert table.index.tolist() == [*frame.columns, "(intercept)"]
        assert_allclose(table["standard_error"], found.standard_errors)

    def test_many_features_and_rankings(self):
        X, y, _ = gaussian_rows(9, n=900, d=30)
        found = AUCClassifier().fit(X, y).summary()
        assert "and 10 more: see frame()" in str(found)
        assert np.isnan(found.standard_errors[-1])
        assert "held-out AUC" in str(found)

    def test_tables_with_categories(self, rng):
        table = make_table(rng, n=600)
        model = ZeroOneClassifier(refine=None).fit_table(table, target="late")
        found = model.summary(table.drop(columns="late"), table["late"])
        assert found.names[:-1] == model.encoding_.feature_names
        assert (found.standard_errors > 0).all()
        refined = ZeroOneClassifier().fit_table(table, target="late").summary()
        assert refined.names == found.names


class TestRefused:
    def test_arguments(self, tmp_path):
        X, y, _ = gaussian_rows(10, n=300)
        model = ZeroOneClassifier(refine=None).fit(X, y)
        for given, words in (
            ({}, "X: and y are needed"),
            ({"X": X}, "y: is missing"),
            ({"X": X, "y": y, "groups": []}, "X: and y are needed"),
            ({"groups": [1, 2]}, "groups: got int"),
            ({"groups": [Moments.from_data(X, y)]}, "expected at least two"),
            ({"X": X[:10], "y": y[:10]}, "20 groups are needed"),
            ({"X": X[:100], "y": y[:100]}, "have a total weight of 100"),
        ):
            with pytest.raises((ValueError, TypeError), match=words):
                model.summary(**given)
        refined = ZeroOneClassifier().fit(X, y)
        with pytest.raises(ValueError, match="this one is refined"):
            refined.summary(X, y)
        refined.save(tmp_path / "m.zerone")
        loaded = load_model(tmp_path / "m.zerone")
        assert_allclose(loaded.held_out_interval_, refined.held_out_interval_)
        for other in (loaded, refined.retarget("f1")):
            with pytest.raises(ValueError, match="rules of the folds"):
                other.summary()

    def test_several_classes(self, tmp_path):
        X, y, _ = gaussian_rows(11, n=300, classes=3)
        model = ZeroOneClassifier().fit(X, y)
        assert model.held_out_interval_.shape == (3, 2)
        with pytest.raises(ValueError, match="summary is for two classes"):
            model.summary()
        model.save(tmp_path / "m.zerone")
        assert_allclose(
            load_model(tmp_path / "m.zerone").held_out_interval_[1, 0],
            model.held_out_interval_[1, 0],
        )


@pytest.mark.parametrize("metric", ["error", "f1", "balanced_error"])
def test_held_out_metrics_have_intervals(metric):
    X, y, _ = gaussian_rows(12, n=400)
    model = ZeroOneClassifier(metric=metric).fit(X, y)
    low, high = model.held_out_interval_
    assert low < model.held_out_metric_ < high
    other = model.retarget("cost", false_negative_cost=5)
    low, high = other.held_out_interval_
    assert low < other.held_out_metric_ < high
    ranked = model.retarget("average_precision")
    low, high = ranked.held_out_interval_
    assert low < ranked.held_out_metric_ < high
    assert np.isnan(ZeroOneClassifier(refine=None).fit(X, y).held_out_interval_).all()


def test_groups_do_not_depend_on_the_order_of_rows():
    X, y, rng = gaussian_rows(13, n=200)
    order = rng.permutation(200)
    one = _dealt(read_batch(X, y), np.random.RandomState(0))
    other = _dealt(read_batch(X[order], y[order]), np.random.RandomState(0))
    assert (one[order] == other).all()
    assert np.bincount(one).max() - np.bincount(one).min() <= 1
