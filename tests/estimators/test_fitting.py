"""Rows, batches, moments and files: every way to fit gives the same classifier."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss

from zerone import AUCClassifier, Frontier, Moments, ZeroOneClassifier
from zerone.objectives import ExpectedError, RankingLoss

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


def assert_same_classifier(a, b, tolerance=1e-9):
    scale = np.abs(b.coef_).max(axis=1, keepdims=True)
    assert_allclose(a.coef_ / scale, b.coef_ / scale, atol=tolerance)
    assert_allclose(a.intercept_, b.intercept_, rtol=tolerance, atol=tolerance)
    assert a.classes_.tolist() == b.classes_.tolist()


def gaussian_rows(seed, n=120, d=3, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, d)) * (1 + y[:, None]) + y[:, None] * rng.standard_normal(d)
    return X, y, rng


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    cuts=st.lists(st.integers(1, 119), max_size=6),
    classes=st.integers(2, 4),
    cls=st.sampled_from(CLASSIFIERS),
)
def test_partial_fit_over_any_split_equals_fit(seed, cuts, classes, cls):
    X, y, rng = gaussian_rows(seed, classes=classes)
    order = rng.permutation(len(y))
    X, y = X[order], y[order]
    whole = cls().fit(X, y)
    streamed = cls()
    # Batches of a few rows may leave a class with a single one for a while.
    warnings.filterwarnings("ignore", message="class .* has a total weight of 1")
    parts = np.split(np.arange(len(y)), sorted(set(cuts)))
    for part in parts:
        streamed.partial_fit(X[part], y[part], classes=range(classes))
    merged = cls().fit_moments(sum(Moments.from_data(X[part], y[part]) for part in parts))
    assert_same_classifier(streamed, whole)
    assert_same_classifier(merged, whole)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), cls=st.sampled_from(CLASSIFIERS))
def test_weights_equal_repetition(seed, cls):
    X, y, rng = gaussian_rows(seed)
    weights = rng.integers(0, 4, len(y))
    weighted = cls().fit(X, y, sample_weight=weights)
    repeated = cls().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_same_classifier(weighted, repeated, 1e-8)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_saved_moments(cls, tmp_path):
    X, y, _ = gaussian_rows(0)
    Moments.from_data(X, y).save(tmp_path / "m.npz")
    assert_same_classifier(cls().fit_moments(Moments.load(tmp_path / "m.npz")), cls().fit(X, y))


@pytest.mark.parametrize(
    "container",
    [
        np.asfortranarray,
        lambda X: X.tolist(),
        sp.csr_array,
        sp.csc_matrix,
        sp.coo_array,
        lambda X: pd.DataFrame(X, columns=list("abc")),
        lambda X: pl.DataFrame(dict(zip("abc", X.T, strict=True))),
        lambda X: pa.table(dict(zip("abc", X.T, strict=True))),
    ],
    ids=["fortran", "list", "csr", "csc", "coo", "pandas", "polars", "pyarrow"],
)
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_every_container(container, cls):
    X, y, _ = gaussian_rows(1)
    expected = cls().fit(X, y)
    model = cls().fit(container(X), y)
    assert_same_classifier(model, expected)
    assert (model.predict(container(X)) == expected.predict(X)).all()
    assert_allclose(model.predict_proba(container(X)), expected.predict_proba(X), atol=1e-9)
    if hasattr(container(X), "columns"):
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.moments_.feature_names == ("a", "b", "c")


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [False, True], [-1, 1], [3, 7], [0.0, 1.0],
     np.array(["no", "yes"], dtype=object), pd.Categorical(["no", "yes"])],
)  # fmt: skip
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_every_kind_of_label(labels, cls):
    X, codes, _ = gaussian_rows(2)
    y = labels[codes] if isinstance(labels, pd.Categorical) else np.asarray(labels)[codes]
    model = cls().fit(X, y)
    assert model.classes_.tolist() == list(labels)
    assert model.classes_.dtype == np.asarray(y).dtype
    assert set(model.predict(X).tolist()) <= set(labels)
    assert_same_classifier(model, cls().fit(X, codes).__class__().fit(X, y))
    assert_allclose(model.coef_, cls().fit(X, codes).coef_)


def test_float32_stays_close():
    X, y, _ = gaussian_rows(3)
    a, b = ZeroOneClassifier().fit(X, y), ZeroOneClassifier().fit(X.astype(np.float32), y)
    assert_allclose(a.coef_, b.coef_, rtol=1e-4)


def test_the_rule_is_the_frontier_s():
    X, y, _ = gaussian_rows(4)
    moments = Moments.from_data(X, y)
    rule = Frontier(moments).best("error")
    model = ZeroOneClassifier(shrinkage=None).fit(X, y)
    assert_allclose(model.coef_[0], rule.coef)
    assert_allclose(model.intercept_[0], rule.intercept)
    assert model.expected_error_ == pytest.approx(rule.error)
    x = np.append(model.coef_[0], model.intercept_[0])
    assert model.expected_error_ == pytest.approx(ExpectedError(moments.pair(1, 0)).value(x))
    ranking = AUCClassifier(shrinkage=None).fit(X, y)
    loss = RankingLoss(moments.pair(1, 0), fit_intercept=False).value(ranking.coef_[0])
    assert ranking.expected_auc_ == pytest.approx(1 - loss)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_scores_are_in_pooled_standard_deviations(cls):
    X, y, _ = gaussian_rows(5)
    score = cls(shrinkage=None).fit(X, y).decision_function(X)
    pooled = sum((y == k).mean() * score[y == k].var() for k in (0, 1))
    assert pooled == pytest.approx(1)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_solvers_agree_on_scaled_features(cls):
    X, y, _ = gaussian_rows(6, n=600)
    X = X / np.abs(X).max(axis=0)
    models = [cls(solver=s, tol=1e-7).fit(X, y) for s in ["exact", "lbfgs", "newton-cg"]]
    for model in models[1:]:
        assert_allclose(model.coef_, models[0].coef_, rtol=1e-3, atol=1e-3)
        assert (model.predict(X) == models[0].predict(X)).mean() > 0.99
        assert model.n_iter_ > 1
    assert models[0].n_iter_ == 1


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg"])
def test_without_intercept(cls, solver):
    X, y, _ = gaussian_rows(7)
    X = X - X.mean(axis=0)
    model = cls(solver=solver, fit_intercept=False, random_state=0).fit(X, y)
    assert model.intercept_.tolist() == [0.0]
    assert model.score(X, y) > 0.5
    twin = cls(solver=solver, fit_intercept=False, random_state=0).fit(X, y)
    assert (model.coef_ == twin.coef_).all()


def test_exact_ranking_without_intercept():
    X, y, _ = gaussian_rows(8)
    plain = AUCClassifier().fit(X, y)
    model = AUCClassifier(fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_, plain.coef_)
    assert model.intercept_.tolist() == [0.0]


def test_class_weight():
    X, y, _ = gaussian_rows(9)
    X, y = X[20:], np.where(np.arange(120) % 6 == 1, 1, 0)[20:]
    plain = ZeroOneClassifier().fit(X, y)
    balanced = ZeroOneClassifier(class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_hand = ZeroOneClassifier(class_weight={k: len(y) / 2 / n for k, n in enumerate(counts)}).fit(
        X, y
    )
    assert_same_classifier(balanced, by_hand)
    assert (balanced.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    # Covariances are untouched, unlike with sample weights.
    assert_allclose(
        np.asarray(balanced.moments_[1].covariance), np.asarray(plain.moments_[1].covariance)
    )


def test_always_the_majority():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 2))
    y = (np.arange(1000) < 20).astype(int)
    model = ZeroOneClassifier().fit(X, y)
    assert "Always answering 0" in model.status_
    assert np.isfinite(model.intercept_).all()
    assert (model.predict(1e3 * X) == 0).all() or (model.decision_function(X) < 0).all()
    ranking = AUCClassifier().fit(X, y)
    assert_allclose(
        model.coef_[0] / np.linalg.norm(model.coef_),
        ranking.coef_[0] / np.linalg.norm(ranking.coef_),
        atol=1e-9,
    )


class TestStreams:
    def test_classes_are_needed_first(self):
        with pytest.raises(ValueError, match="classes: must be given"):
            ZeroOneClassifier().partial_fit([[1.0]], [0])

    def test_one_class_cannot_be_told_apart(self):
        with pytest.raises(ValueError, match="at least two classes"):
            ZeroOneClassifier().partial_fit([[1.0]], [0], classes=[0])

    def test_parameters_are_checked_even_while_waiting(self):
        with pytest.raises(ValueError, match="solver: got 'foo'"):
            ZeroOneClassifier(solver="foo").partial_fit([[1.0]], [0], classes=[0, 1])

    def test_a_batch_may_lack_classes_even_the_first(self):
        X, y, _ = gaussian_rows(10)
        model = ZeroOneClassifier()
        model.partial_fit(X[y == 0], y[y == 0], classes=[0, 1])
        with pytest.raises(NotFittedError, match="only rows of class 0"):
            model.predict(X)
        model.partial_fit(X[y == 1], y[y == 1])
        assert_same_classifier(model, ZeroOneClassifier().fit(X, y))

    def test_a_class_that_never_came_is_never_predicted(self):
        X, y, _ = gaussian_rows(11)
        model = ZeroOneClassifier().partial_fit(X, y, classes=[0, 1, 2])
        assert model.decision_function(X).shape == (120, 3)
        assert model.predict_proba(X)[:, 2].max() == 0
        assert model.predict_log_proba(X)[:, 2].max() == -np.inf
        two = ZeroOneClassifier().fit(X, y)
        assert (model.predict(X) == two.predict(X)).all()
        assert_allclose(model.predict_proba(X)[:, :2], two.predict_proba(X))
        assert np.isnan(model.expected_error_).tolist() == [False, True, True]
        assert model.retarget("balanced_error").coef_.shape == (3, 3)

    def test_unknown_labels_change_nothing(self):
        X, y, _ = gaussian_rows(12)
        model = ZeroOneClassifier().partial_fit(X, y, classes=[0, 1])
        before = model.coef_.copy()
        with pytest.raises(ValueError, match="label 5"):
            model.partial_fit(X, np.full(120, 5))
        with pytest.raises(ValueError, match=r"classes: got \[0, 1, 2\]"):
            model.partial_fit(X, y, classes=[0, 1, 2])
        with pytest.raises(ValueError, match="NaN"):
            model.partial_fit(np.full_like(X, np.nan), y)
        with pytest.raises(ValueError, match="features"):
            model.partial_fit(X[:, :2], y)
        assert (model.coef_ == before).all()
        assert model.moments_.weight == 120

    def test_partial_fit_goes_on_after_fit(self):
        X, y, _ = gaussian_rows(13)
        model = ZeroOneClassifier().fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
        assert_same_classifier(model, ZeroOneClassifier().fit(X, y))

    def test_weights(self):
        X, y, rng = gaussian_rows(14)
        weights = rng.random(120)
        model = ZeroOneClassifier()
        for part in np.array_split(np.arange(120), 3):
            model.partial_fit(X[part], y[part], [0, 1], weights[part])
        assert_same_classifier(model, ZeroOneClassifier().fit(X, y, weights))


class TestWideData:
    @pytest.fixture
    def rows(self, rng):
        X = rng.standard_normal((80, 1500)) * (rng.random((80, 1500)) < 0.2)
        y = np.arange(80) % 2
        X[:, :30] += 1.5 * y[:, None]
        return X, y

    @pytest.mark.parametrize("cls", CLASSIFIERS)
    @pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
    def test_no_training_row_is_kept(self, cls, container, rows):
        X, y = rows
        model = cls().fit(container(X[:40]), y[:40])
        assert not any(m.covariance.carries_rows for m in model.moments_.values())
        assert model.moments_.n_features < 100
        assert model.coef_.shape == (1, 1500)
        assert model.score(container(X[40:]), y[40:]) > 0.8

    def test_factored_equals_explicit(self, rows):
        X, y = rows
        explicit = Moments.from_data(X, y, covariance="explicit")
        assert_same_classifier(
            ZeroOneClassifier().fit(X, y), ZeroOneClassifier().fit_moments(explicit), 1e-6
        )

    def test_streams_keep_rows_and_stay_exact(self, rows):
        X, y = rows
        model = ZeroOneClassifier()
        for start in range(0, 80, 20):
            part = slice(start, start + 20)
            model.partial_fit(X[part], y[part], classes=[0, 1])
        assert_same_classifier(model, ZeroOneClassifier().fit(X, y), 1e-7)

    def test_a_square_projection_is_one_all_the_same(self, rng):
        # As many directions as features: the moments look like those of the features.
        X = rng.standard_normal((1600, 1100))
        y = (X[:, 0] + rng.standard_normal(1600) > 0).astype(int)
        model = ZeroOneClassifier().fit(X[:1097], y[:1097])
        assert model.moments_.n_features in (1099, 1100)
        with pytest.raises(ValueError, match="only a projection was kept"):
            model.partial_fit(X[1097:], y[1097:])
        assert model.retarget("f1").moments_ is model.moments_

    def test_moments_of_different_projections_do_not_merge(self, rows):
        X, y = rows
        a = ZeroOneClassifier().fit(sp.csr_array(X[:40]), y[:40]).moments_
        b = ZeroOneClassifier().fit(sp.csr_array(X[40:]), y[40:]).moments_
        with pytest.raises(ValueError, match="projection"):
            a + b

    def test_the_status_tells_an_approximation(self, rows):
        X, y = rows
        model = ZeroOneClassifier().fit(sp.csr_array(X), y)
        assert "Krylov" in model.status_
        assert "Krylov" in model.retarget("f1").status_
        assert "globally best" in ZeroOneClassifier().fit(X, y).status_

    def test_a_constant_column_does_not_matter(self, rows):
        X, y = rows
        padded = np.hstack([X, np.full((80, 1), 5.0)])
        model, plain = ZeroOneClassifier().fit(padded, y), ZeroOneClassifier().fit(X, y)
        assert "globally best" in model.status_
        assert_allclose(model.decision_function(padded), plain.decision_function(X), atol=1e-8)

    def test_a_retargeted_stream_goes_on(self, rows):
        X, y = rows
        model = ZeroOneClassifier().partial_fit(X[:40], y[:40], classes=[0, 1])
        twin = model.retarget("f1").partial_fit(X[40:], y[40:])
        assert_same_classifier(twin, ZeroOneClassifier().fit(X, y).retarget("f1"), 1e-7)

    def test_streams_cannot_go_on_from_a_projection(self, rows):
        X, y = rows
        model = ZeroOneClassifier().fit(X, y)
        with pytest.raises(ValueError, match="only a projection was kept"):
            model.partial_fit(X, y)

    def test_retarget(self, rows):
        X, y = rows
        model = ZeroOneClassifier().fit(X, y)
        assert model.retarget("f1").coef_.shape == (1, 1500)


@pytest.mark.parametrize("cls", CLASSIFIERS)
class TestBadInput:
    def test_one_class_is_named(self, cls):
        with pytest.raises(ValueError, match="only one class, 'a'"):
            cls().fit([[1.0], [2.0]], ["a", "a"])
        with pytest.raises(ValueError, match="only one class, 1"):
            cls().fit([[1.0], [2.0]], [0, 1], sample_weight=[0, 1])
        with pytest.raises(ValueError, match="only one class, 3"):
            cls().fit_moments(Moments.from_data([[1.0]], [3]))

    def test_regression_targets(self, cls):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            cls().fit([[1.0], [2.0]], [0.1, 0.27])

    def test_mismatched_features(self, cls):
        X, y, _ = gaussian_rows(15)
        model = cls().fit(X, y)
        with pytest.raises(ValueError, match=r"2 features.*expecting 3"):
            model.predict(X[:, :2])
        named = cls().fit(pd.DataFrame(X, columns=list("abc")), y)
        with pytest.raises(ValueError, match="feature names"):
            named.predict(pd.DataFrame(X, columns=list("acb")))

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_values_that_are_not_finite(self, cls, bad):
        X, y, _ = gaussian_rows(16)
        X[3, 1] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            cls().fit(X, y)
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            cls().fit(np.nan_to_num(X, posinf=0), y).predict(X)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"solver": "svm"}, r"solver: got 'svm', expected one of \['exact', 'lbfgs', 'newton"),
            ({"shrinkage": "oas"}, "shrinkage: got 'oas', expected 'auto'"),
            ({"shrinkage": 2.0}, "shrinkage: got 2.0, expected 'auto', a number from 0 to 1"),
            ({"class_weight": "equal"}, "class_weight: got 'equal', expected None, 'balanced'"),
            ({"class_weight": {9: 1}}, r"names the class 9, but the classes are \[0, 1\]"),
            ({"class_weight": {0: -1}}, "class_weight: .*positive"),
            ({"class_weight": {0: "x"}}, "class_weight: .*number"),
            ({"max_iter": 0}, "max_iter: got 0"),
            ({"max_iter": 1.5}, "max_iter: got 1.5"),
            ({"tol": "small"}, "tol: got 'small'"),
            ({"tol": -1}, "tol: got -1"),
            ({"fit_intercept": "no"}, "fit_intercept: got 'no', expected True or False"),
            ({"class_weight": {0: 1e-300, 1: 1e300}}, "class_weight: .*orders of magnitude"),
            ({"scale_penalty": -1}, "scale_penalty: got -1"),
        ],
    )
    def test_wrong_parameters(self, cls, parameters, message):
        X, y, _ = gaussian_rows(17)
        with pytest.raises(ValueError, match=message):
            cls(**parameters).fit(X, y)

    def test_moments_are_moments(self, cls):
        with pytest.raises(TypeError, match=r"moments: got dict.*Moments\.from_data"):
            cls().fit_moments({})

    def test_not_fitted(self, cls):
        for method in ["predict", "predict_proba", "predict_log_proba", "decision_function"]:
            with pytest.raises(NotFittedError):
                getattr(cls(), method)([[1.0]])
        with pytest.raises(NotFittedError):
            cls().retarget("f1")

    def test_a_failed_fit_leaves_the_old_one(self, cls):
        X, y, _ = gaussian_rows(18)
        model = cls().fit(X, y)
        before = model.predict(X)
        named = pd.DataFrame(X[:, :2], columns=["u", "v"])
        for rows, labels, weights in [
            (X, np.zeros(120), None),
            (X[:, :2], np.zeros(120), None),
            (named, np.linspace(0, 1, 120), None),
            (named, y, np.zeros(120)),
            (np.full((120, 2), np.nan), y, None),
        ]:
            with pytest.raises(ValueError, match=r"."):
                model.fit(rows, labels, weights)
            assert model.n_features_in_ == 3
            assert not hasattr(model, "feature_names_in_")
            assert (model.predict(X) == before).all()
        fresh = cls(shrinkage=7)
        with pytest.raises(ValueError, match="shrinkage"):
            fresh.partial_fit(X, y, classes=[0, 1])
        assert not hasattr(fresh, "n_features_in_")


def test_exact_without_intercept_names_the_solver_to_use():
    X, y, _ = gaussian_rows(19)
    with pytest.raises(ValueError, match="solver='lbfgs' with fit_intercept=False"):
        ZeroOneClassifier(fit_intercept=False).fit(X, y)


def test_running_out_of_iterations_is_a_warning():
    X, y, _ = gaussian_rows(20)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        ZeroOneClassifier(solver="lbfgs", max_iter=1, tol=1e-9).fit(X, y)


def test_dates_are_labels_too():
    X, y, _ = gaussian_rows(24)
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")[y]
    model = ZeroOneClassifier().fit(X, dates)
    assert model.classes_.tolist() == np.unique(dates).tolist()


def test_a_weight_for_a_class_that_a_fold_lacks():
    X, y, _ = gaussian_rows(25)
    weight = {0: 1.0, 1: 2.0, 2: 3.0}
    assert_same_classifier(
        ZeroOneClassifier(class_weight=weight).fit(X, y),
        ZeroOneClassifier(class_weight={0: 1.0, 1: 2.0}).fit(X, y),
    )


@pytest.mark.parametrize("scale", [1e-100, 1e-60, 1e60, 1e100])
def test_extreme_units(scale):
    X, y, _ = gaussian_rows(26)
    expected = ZeroOneClassifier().fit(X, y).decision_function(X)
    assert_allclose(
        ZeroOneClassifier().fit(X * scale, y).decision_function(X * scale), expected, atol=1e-8
    )


class TestSeveralClasses:
    def test_iris(self):
        X, y = load_iris(return_X_y=True)
        for cls in CLASSIFIERS:
            model = cls().fit(X, y)
            assert model.score(X, y) > 0.96
            assert model.coef_.shape == (3, 4)
            assert model.intercept_.shape == (3,)
            scores = model.decision_function(X)
            probability = model.predict_proba(X)
            assert scores.shape == probability.shape == (150, 3)
            assert_allclose(probability.sum(axis=1), 1)
            assert_allclose(scores.sum(axis=1), 3)
            assert (model.classes_[probability.argmax(axis=1)] == model.predict(X)).all()
            assert_allclose(np.exp(model.predict_log_proba(X)), probability)

    @pytest.mark.parametrize("k", [3, 10, 26])
    def test_probabilities_are_as_good_as_those_of_the_true_model(self, k):
        """Gaussian classes of equal covariance: LDA is the true model there."""
        rng = np.random.default_rng(k)
        y = np.repeat(np.arange(k), 400)
        X = 2.5 * rng.standard_normal((k, 6))[y] + rng.standard_normal((400 * k, 6))
        lda, ours = LinearDiscriminantAnalysis().fit(X, y), ZeroOneClassifier().fit(X, y)
        best = log_loss(y, lda.predict_proba(X))
        assert log_loss(y, ours.predict_proba(X)) < 1.2 * best + 0.02

    def test_rules_are_those_of_the_pairs(self):
        X, y, _ = gaussian_rows(21, classes=3)
        model = ZeroOneClassifier(shrinkage=None).fit(X, y)
        for row, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
            chosen = (y == a) | (y == b)
            pair = ZeroOneClassifier(shrinkage=None).fit(X[chosen], y[chosen])
            assert_allclose(model.coef_[row], pair.coef_[0])
            assert model.expected_error_[row] == pytest.approx(pair.expected_error_)

    def test_two_of_three_classes_agree_with_two_classes(self):
        X, y, _ = gaussian_rows(22)
        three = ZeroOneClassifier().fit_moments(Moments.from_data(X, y, classes=[0, 1, 2]))
        assert three.classes_.tolist() == [0, 1]

    def test_retarget(self):
        X, y, _ = gaussian_rows(23, classes=3)
        model = ZeroOneClassifier().fit(X, y)
        favoured = model.retarget("error", class_weight={2: 50.0})
        assert (favoured.predict(X) == 2).sum() > (model.predict(X) == 2).sum()
        with pytest.raises(ValueError, match="with 3 classes it must be one of"):
            model.retarget("f1")


class TestRetarget:
    @pytest.fixture
    def model(self):
        X, y = load_breast_cancer(return_X_y=True)
        return ZeroOneClassifier().fit(X, y), X

    def test_a_new_classifier_and_the_old_one_unchanged(self, model):
        model, _ = model
        before = model.coef_.copy(), model.intercept_.copy()
        twin = model.retarget("f1")
        assert type(twin) is ZeroOneClassifier
        assert twin is not model
        assert twin.get_params() == model.get_params()
        assert (model.coef_ == before[0]).all()
        assert (model.intercept_ == before[1]).all()
        assert not np.allclose(twin.intercept_, model.intercept_)

    @pytest.mark.parametrize(
        ("metric", "parameters"),
        [("f1", {}), ("fbeta", {"beta": 2}), ("balanced_error", {}), ("auc", {}),
         ("cost", {"false_negative_cost": 9, "false_positive_cost": 1}),
         ("true_positive_rate", {"max_false_positive_rate": 0.01}),
         ("false_positive_rate", {"min_true_positive_rate": 0.99})],
    )  # fmt: skip
    def test_the_rule_is_the_frontier_s(self, metric, parameters):
        X, y = load_breast_cancer(return_X_y=True)
        model = ZeroOneClassifier(shrinkage=None).fit(X, y)
        expected = Frontier(Moments.from_data(X, y)).best(metric, **parameters)
        twin = model.retarget(metric, **parameters)
        assert_allclose(twin.coef_[0], expected.coef, rtol=1e-6, atol=1e-9)
        assert twin.intercept_[0] == pytest.approx(expected.intercept, rel=1e-6)

    def test_same_target_same_rule(self, model):
        model, _ = model
        assert_same_classifier(model.retarget("error"), model)

    def test_new_class_weights_equal_a_new_fit(self):
        X, y = load_breast_cancer(return_X_y=True)
        weight = {0: 3.0, 1: 1.0}
        retargeted = ZeroOneClassifier().fit(X, y).retarget("error", class_weight=weight)
        assert_same_classifier(retargeted, ZeroOneClassifier(class_weight=weight).fit(X, y))

    def test_probabilities_stay_under_the_training_priors(self, model):
        model, X = model
        cautious = model.retarget("cost", false_negative_cost=1, false_positive_cost=50)
        # Close to the old probabilities, though the threshold has moved far.
        gap = np.abs(cautious.predict_proba(X) - model.predict_proba(X)).mean()
        assert gap < 0.05
        at_threshold = cautious.predict_proba(X)[cautious.predict(X) == 1, 1].min()
        assert at_threshold > 0.8
        assert (np.diff(cautious.predict_proba(X)[np.argsort(cautious.decision_function(X)), 1])
                >= 0).all()  # fmt: skip

    def test_partial_fit_keeps_the_target(self):
        X, y = load_breast_cancer(return_X_y=True)
        twin = ZeroOneClassifier().fit(X[:300], y[:300]).retarget("f1")
        twin.partial_fit(X[300:], y[300:])
        assert_same_classifier(twin, ZeroOneClassifier().fit(X, y).retarget("f1"), 1e-8)
        assert_same_classifier(twin.fit(X, y), ZeroOneClassifier().fit(X, y))

    def test_it_can_be_retargeted_again(self, model):
        model, _ = model
        assert_same_classifier(model.retarget("f1").retarget("error"), model)

    def test_bad_requests(self, model):
        model, _ = model
        with pytest.raises(ValueError, match="metric: got 'accuracy'"):
            model.retarget("accuracy")
        with pytest.raises(TypeError, match="needs the parameter"):
            model.retarget("cost")
        with pytest.raises(ValueError, match="class_weight"):
            model.retarget("error", class_weight={7: 1.0})
        with pytest.raises(ValueError, match="expected numbers"):
            model.retarget("cost", false_negative_cost="a", false_positive_cost=1)
        with pytest.raises(TypeError, match="use class_weight"):
            model.retarget("error", priors={0: 0.5, 1: 0.5})
