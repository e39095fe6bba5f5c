"""What the objectives must not depend on, and what they predict for Gaussian data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.problems import random_covariance, random_moments
from zerone import Moments
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss

SEEDS = st.integers(0, 2**32 - 1)


def problem(seed):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d=int(rng.integers(1, 7)), low=-1, high=1)
    return rng, moments, rng.standard_normal(moments.n_features + 1)


@given(seed=SEEDS, scale=st.floats(1e-6, 1e6))
def test_scale(seed, scale):
    _, moments, x = problem(seed)
    for objective in [ExpectedError(moments.pair(1, 0)), RankingLoss(moments.pair(1, 0))]:
        assert objective.value(scale * x) == pytest.approx(objective.value(x), rel=1e-10)


@given(seed=SEEDS)
def test_affine_maps(seed):
    rng, moments, x = problem(seed)
    d = moments.n_features
    A, c = random_covariance(rng, d, -1, 1), rng.standard_normal(d)
    mapped = moments.affine(A, c)
    w = np.linalg.solve(A.T, x[:-1])
    mapped_x = np.append(w, x[-1] - w @ c)
    for objective in [ExpectedError, RankingLoss]:
        before = objective(moments.pair(1, 0)).value(x)
        assert objective(mapped.pair(1, 0)).value(mapped_x) == pytest.approx(before, rel=1e-7)


@given(seed=SEEDS)
def test_swapping_the_classes(seed):
    _, moments, x = problem(seed)
    for objective in [ExpectedError, RankingLoss]:
        before = objective(moments.pair(1, 0)).value(x)
        assert objective(moments.pair(0, 1)).value(-x) == pytest.approx(before, rel=1e-12)


@given(seed=SEEDS)
def test_scaling_all_weights(seed):
    _, moments, x = problem(seed)
    heavier = Moments.from_parameters(
        {k: (7 * m.weight, m.mean, np.asarray(m.covariance)) for k, m in moments.items()}
    )
    before = ExpectedError(moments.pair(1, 0)).value(x)
    assert ExpectedError(heavier.pair(1, 0)).value(x) == pytest.approx(before, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_gaussian_data_err_as_predicted(seed):
    rng = np.random.default_rng(seed)
    d, n = 5, 200_000
    parameters = {
        k: (weight, rng.standard_normal(d), random_covariance(rng, d, -1, 1))
        for k, weight in [(0, 0.7), (1, 0.3)]
    }
    pair = Moments.from_parameters(parameters).pair(1, 0)
    x = rng.standard_normal(d + 1)
    scores = {
        k: rng.multivariate_normal(mean, covariance, n) @ x[:-1] + x[-1]
        for k, (_, mean, covariance) in parameters.items()
    }
    rates = (scores[1] <= 0).mean(), (scores[0] > 0).mean()
    error = 0.3 * rates[0] + 0.7 * rates[1]
    deviation = np.hypot(
        *(w * np.sqrt(r * (1 - r) / n) for w, r in zip([0.3, 0.7], rates, strict=True))
    )
    assert abs(ExpectedError(pair).value(x) - error) < 4 * deviation + 1e-12
    # Independent pairs, so that the standard error of the AUC is a binomial one.
    wrong = (scores[1] <= scores[0]).mean()
    deviation = np.sqrt(wrong * (1 - wrong) / n)
    assert abs(RankingLoss(pair).value(x) - wrong) < 4 * deviation + 1e-12


def test_bad_arguments():
    pair = random_moments(np.random.default_rng(0), d=2).pair(1, 0)
    with pytest.raises(ValueError, match=r"priors: .*classes 1 and 0"):
        ExpectedError(pair, priors={1: 0.5}).value(np.ones(3))
    with pytest.raises(ValueError, match="positive finite"):
        ExpectedError(pair, priors={1: 0.0, 0: 1.0}).value(np.ones(3))
    with pytest.raises(ValueError, match=r"cross_covariance: has shape \(3, 3\)"):
        RankingLoss(pair, cross_covariance=np.eye(3)).value(np.ones(3))
