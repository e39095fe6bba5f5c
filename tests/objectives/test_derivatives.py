"""Gradients and Hessian products against central differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evidence.problems import random_moments, sparse_rows
from zerone import Moments
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss
from zerone.objectives._scale_penalty import ScalePenalised


def central_difference(function, x, v, step):
    """Of fourth order: where the curvature is large, the error of a plain one is too."""
    near = function(x + step * v) - function(x - step * v)
    far = function(x + 2 * step * v) - function(x - 2 * step * v)
    return (8 * near - far) / (12 * step)


def assert_derivatives(objective, x, rng, *, tolerance=1e-6):
    step = 1e-5 * np.linalg.norm(x)
    value, gradient = objective.value_and_gradient(x)
    assert value == objective.value(x)
    numeric = np.array(
        [central_difference(objective.value, x, axis, step) for axis in np.eye(len(x))]
    )
    scale = max(1.0, np.abs(gradient).max())
    assert_allclose(gradient, numeric, atol=tolerance * scale)
    v = rng.standard_normal(len(x))
    product = objective.hessian_product(x, v)
    numeric = central_difference(lambda p: objective.value_and_gradient(p)[1], x, v, step)
    assert_allclose(product, numeric, atol=tolerance * max(1.0, np.abs(product).max()))


def _least_variance(pair):
    total = pair.positive.covariance.toarray() + pair.negative.covariance.toarray()
    return np.linalg.eigvalsh(total)[0]


def objectives(pair, rng):
    d = pair.n_features
    cross = 0.1 / d * rng.standard_normal((d, d)) * _least_variance(pair)
    for fit_intercept in [True, False]:
        yield ExpectedError(pair, fit_intercept)
        yield ExpectedError(pair, fit_intercept, {1: 3.0, 0: 1.0})
        yield RankingLoss(pair, fit_intercept)
        yield RankingLoss(pair, fit_intercept, cross)
        yield ScalePenalised(ExpectedError(pair, fit_intercept), 0.1)
        yield ScalePenalised(RankingLoss(pair, fit_intercept), 0.1)


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 8))
def test_random_problems(seed, d):
    rng = np.random.default_rng(seed)
    pair = random_moments(rng, d=d, low=-0.5, high=1).pair(1, 0)
    for objective in objectives(pair, rng):
        x = rng.standard_normal(objective.n_parameters)
        assert_derivatives(objective, x, rng)


@pytest.mark.parametrize("kind", ["explicit", "implicit", "factored"])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_every_representation(kind, ridge, rng):
    X = sparse_rows(rng, (40, 8), 0.5)
    moments = Moments.from_data(X, np.arange(40) % 2, covariance=kind).with_ridge(ridge)
    explicit = Moments.from_data(X, np.arange(40) % 2, covariance="explicit").with_ridge(ridge)
    pair = moments.pair(1, 0)
    twins = objectives(explicit.pair(1, 0), np.random.default_rng(0))
    for objective, twin in zip(objectives(pair, np.random.default_rng(0)), twins, strict=True):
        x = rng.standard_normal(objective.n_parameters)
        v = rng.standard_normal(objective.n_parameters)
        assert_derivatives(objective, x, rng)
        assert_allclose(objective.value(x), twin.value(x), rtol=1e-10)
        assert_allclose(
            objective.hessian_product(x, v), twin.hessian_product(x, v), rtol=1e-8, atol=1e-10
        )


def test_the_paper_s_gradient(rng):
    """Theorem 3.6 of the paper, written out, for a rule without intercept."""
    pair = random_moments(rng, d=4, low=-0.5, high=1).pair(1, 0)
    w = rng.standard_normal(4)
    expected = 0.0
    for prior, moments, sign in [
        (1 - pair.prior_positive, pair.negative, 1),
        (pair.prior_positive, pair.positive, -1),
    ]:
        matrix = moments.covariance.toarray()
        mu, sigma = w @ moments.mean, np.sqrt(w @ matrix @ w)
        density = np.exp(-((mu / sigma) ** 2) / 2) / np.sqrt(2 * np.pi)
        slope = (sigma * moments.mean - mu / sigma * (matrix @ w)) / sigma**2
        expected = expected + sign * prior * density * slope
    found = ExpectedError(pair, fit_intercept=False).value_and_gradient(w)[1]
    assert_allclose(found, expected, rtol=1e-10, atol=1e-14)
