"""Extreme error rates, scales and spreads: never an overflow, never 0/0."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from zerone import Moments
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss


def two_normals(gap, sd=1.0):
    return Moments.from_parameters({0: (1, [-gap], [[sd**2]]), 1: (1, [gap], [[sd**2]])}).pair(1, 0)


@pytest.mark.parametrize("gap", [0.0, 1.0, 10.0, 37.0, 38.4])
def test_tails_are_exact(gap):
    value, gradient = ExpectedError(two_normals(gap)).value_and_gradient(np.array([1.0, 0.0]))
    assert value == pytest.approx(norm.sf(gap), rel=1e-12, abs=0)
    assert np.isfinite(gradient).all()
    ranking = RankingLoss(two_normals(gap / np.sqrt(2)), fit_intercept=False)
    assert ranking.value(np.array([1.0])) == pytest.approx(norm.sf(gap), rel=1e-10, abs=0)


def test_an_error_rate_of_1e_300_still_has_a_gradient():
    x = np.array([1.0, 0.5])
    value, gradient = ExpectedError(two_normals(37.5)).value_and_gradient(x)
    assert 0 < value < 1e-290
    step = 1e-8
    numeric = [
        (np.log(ExpectedError(two_normals(37.5)).value(x + step * axis)) - np.log(value)) / step
        for axis in np.eye(2)
    ]
    assert_allclose(gradient / value, numeric, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1e8, 1e200])
def test_the_scale_of_the_parameters_does_not_matter(scale, rng):
    pair = two_normals(1.0, sd=2.0)
    x, v = np.array([1.3, 0.4]), np.array([0.2, -0.7])
    for objective in [ExpectedError(pair), RankingLoss(pair)]:
        value, gradient = objective.value_and_gradient(x)
        scaled_value, scaled_gradient = objective.value_and_gradient(scale * x)
        assert scaled_value == pytest.approx(value, rel=1e-13)
        assert_allclose(scaled_gradient * scale, gradient, rtol=1e-12, atol=1e-300)
        if 1e-100 < scale < 1e100:
            assert_allclose(
                objective.hessian_product(scale * x, v) * scale**2,
                objective.hessian_product(x, v),
                rtol=1e-11,
            )


@pytest.mark.parametrize("x", [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1e-100, 1.0], [1.0, 1e100]])
@pytest.mark.parametrize("sd", [0.0, 1e-100, 1.0, 1e100])
def test_everything_stays_finite(x, sd):
    pair = two_normals(1.0, sd)
    for objective in [ExpectedError(pair), RankingLoss(pair)]:
        with np.errstate(under="ignore"):
            value, gradient = objective.value_and_gradient(np.array(x))
            product = objective.hessian_product(np.array(x), np.ones(2))
        assert 0 <= value <= 1
        assert np.isfinite(gradient).all()
        assert np.isfinite(product).all()
