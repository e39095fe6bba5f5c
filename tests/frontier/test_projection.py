"""Moments that keep rows give the same rules as the d x d matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from evidence.problems import sparse_rows
from zerone import Frontier, Moments
from zerone.frontier._krylov_space import KrylovSpace


def wide(rng, n=40, d=120):
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.3)
    X[:, :5] += y[:, None]
    return X, y


@pytest.mark.parametrize("ridge", [0.3, 10.0])
@pytest.mark.parametrize("shaped", [False, True])
@pytest.mark.parametrize("metric", ["error", "auc", "f1"])
def test_factored_equals_explicit(ridge, shaped, metric, rng):
    X, y = wide(rng)
    noise = ridge * (1 + np.arange(120.0)) if shaped else ridge
    rules = [
        Frontier(Moments.from_data(X, y, covariance=kind).with_ridge(noise)).best(metric)
        for kind in ["factored", "explicit"]
    ]
    assert_allclose(rules[0].coef, rules[1].coef, atol=1e-7)
    assert rules[0].intercept == pytest.approx(rules[1].intercept, abs=1e-7)
    assert rules[0].error == pytest.approx(rules[1].error, rel=1e-7)


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_implicit_comes_close_to_explicit(metric, rng):
    X, y = wide(rng)
    rules = [
        Frontier(Moments.from_data(sp.csr_array(X), y, covariance=kind).with_ridge(3.0)).best(
            metric
        )
        for kind in ["implicit", "explicit"]
    ]
    cosine = np.dot(*(rule.coef / np.linalg.norm(rule.coef) for rule in rules))
    assert cosine > 0.999
    assert rules[0].error == pytest.approx(rules[1].error, rel=2e-3)


def test_the_status_tells_an_approximation(rng):
    X, y = wide(rng, d=1200)
    dense = Moments.from_data(X, y)
    assert Frontier(dense).best("error").error < 1e-12  # more features than rows
    assert "globally best" in Frontier(dense.with_ridge(1.0)).best("error").status
    sparse = Moments.from_data(sp.csr_array(X), y)
    assert "Krylov" in Frontier(sparse.with_ridge(1.0)).best("error").status


def test_ridges_of_different_shape_still_give_a_rule(rng):
    X, y = wide(rng)
    moments = Moments.from_data(X, y, covariance="factored")
    positive = moments[1].with_covariance(moments[1].covariance.shrink(1.0, np.arange(1.0, 121)))
    negative = moments[0].with_covariance(moments[0].covariance.shrink(1.0, np.ones(120)))
    rule = Frontier(Moments({0: negative, 1: positive})).best("error")
    assert np.isfinite(rule.coef).all()


def test_krylov_basis_is_orthonormal_and_starts_at_the_mean_difference(rng):
    X, y = wide(rng)
    moments = Moments.from_data(sp.csr_array(X), y, covariance="implicit")
    basis = KrylovSpace.of(list(moments.values()), 16).basis
    assert_allclose(basis.T @ basis, np.eye(16), atol=1e-12)
    delta = moments.pair(1, 0).delta
    assert_allclose(np.abs(basis[:, 0] @ delta), np.linalg.norm(delta))


def test_krylov_basis_ends_when_the_space_does(rng):
    moments = Moments.from_parameters(
        {0: (1, np.zeros(5), np.eye(5)), 1: (1, np.ones(5), np.eye(5))}
    )
    assert KrylovSpace.of(list(moments.values()), 4).basis.shape == (5, 1)


def test_several_classes_share_one_basis(rng):
    X = sparse_rows(rng, (90, 40), 0.3).toarray()
    y = np.arange(90) % 3
    X[:, :3] += np.eye(3)[y]
    moments = Moments.from_data(sp.csr_array(X), y, covariance="implicit").with_ridge(0.5)
    basis = KrylovSpace.of(list(moments.values()), 16).basis
    reduced = moments.affine(basis.T)
    assert reduced.n_features == basis.shape[1] <= 40
    for label in (0, 1, 2):
        assert_allclose(reduced[label].mean, basis.T @ moments[label].mean, atol=1e-12)
    rule = Frontier(reduced.pair(2, 0)).best("error")
    explicit = Moments.from_data(X, y, covariance="explicit").with_ridge(0.5)
    expected = Frontier(explicit.pair(2, 0)).best("error")
    assert rule.error == pytest.approx(expected.error, rel=1e-3)


def test_equal_means_in_sparse_data(rng):
    X = sparse_rows(rng, (40, 30), 0.3).toarray()
    X = np.vstack([X, -X, 3 * X, -3 * X])
    y = np.repeat([0, 1], 80)
    rule = Frontier(Moments.from_data(sp.csr_array(X), y, covariance="implicit")).best("error")
    assert np.isfinite(rule.coef).all()
    assert rule.error < 0.45


def test_implicit_classes_that_are_equal(rng):
    X = sparse_rows(rng, (40, 30), 0.3)
    moments = Moments.from_data(sp.vstack([X, X]), np.repeat([0, 1], 40), covariance="implicit")
    assert Frontier(moments).best("error").is_constant


def test_one_class_explicit_and_one_not(rng):
    X, y = wide(rng)
    explicit = Moments.from_data(X, y, covariance="explicit")
    factored = Moments.from_data(X, y, covariance="factored")
    mixed = Moments({0: explicit[0], 1: factored[1]}).with_ridge(1.0)
    expected = Frontier(explicit.with_ridge(1.0)).best("error")
    assert_allclose(Frontier(mixed).best("error").coef, expected.coef, atol=1e-7)
