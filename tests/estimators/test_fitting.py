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
from sklearn.exceptions import ConvergenceWarning
from tests.helpers import assert_same_classifier, gaussian_rows

from zerone import AUCClassifier, Frontier, Moments, ZeroOneClassifier
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss
from zerone.solvers import LBFGS, Exact, NewtonCG

CLASSIFIERS = [ZeroOneClassifier, AUCClassifier]


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
    whole = cls(refine=None).fit(X, y)
    streamed = cls(refine=None)
    # Batches of a few rows may leave a class with a single one for a while.
    warnings.filterwarnings("ignore", message="class .* has a total weight of 1")
    parts = np.split(np.arange(len(y)), sorted(set(cuts)))
    for part in parts:
        streamed.partial_fit(X[part], y[part], classes=range(classes))
    merged = cls(refine=None).fit_moments(
        sum(Moments.from_data(X[part], y[part]) for part in parts)
    )
    assert_same_classifier(streamed, whole)
    assert_same_classifier(merged, whole)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), cls=st.sampled_from(CLASSIFIERS))
def test_weights_equal_repetition(seed, cls):
    X, y, rng = gaussian_rows(seed)
    weights = rng.integers(0, 4, len(y))
    weighted = cls(refine=None).fit(X, y, sample_weight=weights)
    repeated = cls(refine=None).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_same_classifier(weighted, repeated, 1e-8)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_saved_moments(cls, tmp_path):
    X, y, _ = gaussian_rows(0)
    Moments.from_data(X, y).save(tmp_path / "m.npz")
    assert_same_classifier(
        cls(refine=None).fit_moments(Moments.load(tmp_path / "m.npz")), cls(refine=None).fit(X, y)
    )


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
     np.array([-1, 1], dtype=np.int8), np.array([0, 1], dtype=np.float32),
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
    model = ZeroOneClassifier(refine=None, shrinkage=None).fit(X, y)
    assert_allclose(model.coef_[0], rule.coef)
    assert_allclose(model.intercept_[0], rule.intercept)
    assert model.expected_error_ == pytest.approx(rule.error)
    x = np.append(model.coef_[0], model.intercept_[0])
    assert model.expected_error_ == pytest.approx(ExpectedError(moments.pair(1, 0)).value(x))
    ranking = AUCClassifier(refine=None, shrinkage=None).fit(X, y)
    loss = RankingLoss(moments.pair(1, 0), fit_intercept=False).value(ranking.coef_[0])
    assert ranking.expected_auc_ == pytest.approx(1 - loss)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_scores_are_in_pooled_standard_deviations(cls):
    X, y, _ = gaussian_rows(5)
    score = cls(refine=None, shrinkage=None).fit(X, y).decision_function(X)
    pooled = sum((y == k).mean() * score[y == k].var() for k in (0, 1))
    assert pooled == pytest.approx(1)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_solvers_agree_on_scaled_features(cls):
    X, y, _ = gaussian_rows(6, n=600)
    X = X / np.abs(X).max(axis=0)
    solvers = [Exact(), LBFGS(tol=1e-7), NewtonCG(tol=1e-7)]
    models = [cls(refine=None, solver=solver).fit(X, y) for solver in solvers]
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
    plain = AUCClassifier(refine=None).fit(X, y)
    model = AUCClassifier(refine=None, fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_, plain.coef_)
    assert model.intercept_.tolist() == [0.0]


def test_class_weight():
    X, y, _ = gaussian_rows(9)
    X, y = X[20:], np.where(np.arange(120) % 6 == 1, 1, 0)[20:]
    plain = ZeroOneClassifier(refine=None).fit(X, y)
    balanced = ZeroOneClassifier(refine=None, class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_hand = ZeroOneClassifier(
        refine=None, class_weight={k: len(y) / 2 / n for k, n in enumerate(counts)}
    ).fit(X, y)
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
    model = ZeroOneClassifier(refine=None).fit(X, y)
    assert "Always predicting 0" in model.status_
    assert np.isfinite(model.intercept_).all()
    assert (model.predict(1e3 * X) == 0).all() or (model.decision_function(X) < 0).all()
    ranking = AUCClassifier(refine=None).fit(X, y)
    assert_allclose(
        model.coef_[0] / np.linalg.norm(model.coef_),
        ranking.coef_[0] / np.linalg.norm(ranking.coef_),
        atol=1e-9,
    )


def test_exact_without_intercept_names_the_solver_to_use():
    X, y, _ = gaussian_rows(19)
    with pytest.raises(ValueError, match="solver='lbfgs' with fit_intercept=False"):
        ZeroOneClassifier(fit_intercept=False).fit(X, y)


def test_running_out_of_iterations_is_a_warning():
    X, y, _ = gaussian_rows(20)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        ZeroOneClassifier(solver=LBFGS(max_iter=1, tol=1e-9)).fit(X, y)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("refine", ["auto", None])
def test_integers_in_an_array_of_objects_are_labels_too(cls, refine):
    X, y, _ = gaussian_rows(24)
    labels = y.astype(object)
    model = cls(refine=refine).fit(X, labels)
    expected = cls(refine=refine).fit(X, y)
    assert_same_classifier(model, expected)
    assert model.classes_.tolist() == [0, 1]
    assert model.classes_.dtype.kind == "i"
    weights = np.arange(len(y)) % 3
    for one in (model, expected):
        for own in (labels, y, y.tolist()):
            assert one.score(X, own) == expected.score(X, y)
            assert one.score(X, own, weights) == expected.score(X, y, weights)
    assert np.array_equal(model.predict(X), expected.predict(X))


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
