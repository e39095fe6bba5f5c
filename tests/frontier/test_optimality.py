"""No other linear rule is better: against direct minimisation from many starts."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.metrics import METRICS, excess_of_frontier
from evidence.optimality import excess_of_exact
from evidence.problems import random_moments
from evidence.ranking import compare_ranking, ranking_problem
from zerone import Frontier, Moments
from zerone._moments.pair import TwoClassMoments
from zerone.objectives._expected_error import ExpectedError
from zerone.solvers._lbfgs import LBFGS

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("seed", range(100))
def test_error_is_never_above_the_best_of_many_starts(seed):
    rng = np.random.default_rng([1, seed])
    pair = random_moments(rng).pair(1, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert excess_of_exact(pair, starts=3, rng=rng) < 1e-9


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(6))
def test_other_metrics(metric, seed):
    rng = np.random.default_rng([2, seed])
    pair = random_moments(rng, d=int(rng.integers(1, 9)), low=-2, high=2).pair(1, 0)
    assert excess_of_frontier(metric, pair, starts=6, rng=rng) < 1e-8


@pytest.mark.parametrize("seed", range(30))
def test_ranking_agrees_with_lbfgs(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cosine, excess = compare_ranking(ranking_problem(seed))
    assert cosine >= 1 - 1e-6
    assert excess <= 1e-14


def problem(seed):
    rng = np.random.default_rng(seed)
    return rng, random_moments(rng, d=int(rng.integers(1, 9)), low=-2, high=2).pair(1, 0)


@given(seed=SEEDS)
def test_rules_are_stationary(seed):
    _, pair = problem(seed)
    rule = Frontier(pair).best("error")
    if not rule.is_constant:
        x = np.append(rule.coef, rule.intercept)
        gradient = ExpectedError(pair).value_and_gradient(x)[1]
        assert np.abs(gradient[:-1] * np.sqrt(pair.positive.covariance.diagonal())).max() < 1e-6


@given(seed=SEEDS)
def test_rescaling_and_shifting_features_changes_nothing(seed):
    rng, pair = problem(seed)
    factors = 10 ** rng.uniform(-6, 6, pair.n_features)
    mapped = pair.affine(factors, rng.standard_normal(pair.n_features))
    for metric in ["error", "balanced_error", "f1", "auc"]:
        before, after = Frontier(pair).best(metric), Frontier(mapped).best(metric)
        assert after.error == pytest.approx(before.error, rel=1e-6, abs=1e-10)
        assert after.auc == pytest.approx(before.auc, abs=1e-5)


@given(seed=SEEDS)
def test_swapping_the_classes_mirrors_the_rule(seed):
    _, pair = problem(seed)
    swapped = TwoClassMoments(pair.negative, pair.positive, 0, 1)
    for metric in ["error", "balanced_error", "auc"]:
        a, b = Frontier(pair).best(metric), Frontier(swapped).best(metric)
        assert a.error == pytest.approx(b.error, rel=1e-8, abs=1e-12)
        # Where the means are equal along a direction its sign is a matter of taste.
        if np.abs(pair.delta).min() > 0 and not a.is_constant:
            np.testing.assert_allclose(a.coef, -b.coef, rtol=1e-4, atol=1e-6 * abs(a.coef).max())


@given(seed=SEEDS)
def test_priors_and_costs_are_interchangeable(seed):
    _, pair = problem(seed)
    frontier = Frontier(pair)
    p = pair.prior_positive
    by_cost = frontier.best("cost", false_negative_cost=3.0, false_positive_cost=0.5)
    by_prior = frontier.best("error", priors={1: 3.0 * p, 0: 0.5 * (1 - p)})
    np.testing.assert_allclose(
        by_cost.false_negative_rate, by_prior.false_negative_rate, rtol=1e-6, atol=1e-9
    )
    balanced = frontier.best("error", priors={1: 0.5, 0: 0.5})
    assert frontier.best("balanced_error").balanced_error == pytest.approx(balanced.error)


def test_gaussian_rules_keep_their_promise():
    """Predicted error, rates and AUC of the fitted rule against simulation."""
    rng = np.random.default_rng(0)
    n = 400_000
    pair = random_moments(np.random.default_rng(8), d=4, low=-1, high=1).pair(1, 0)
    rule = Frontier(pair).best("balanced_error")
    scores = [
        rng.multivariate_normal(m.mean, m.covariance.toarray(), n) @ rule.coef + rule.intercept
        for m in (pair.positive, pair.negative)
    ]
    for predicted, measured in [
        (rule.false_negative_rate, (scores[0] <= 0).mean()),
        (rule.false_positive_rate, (scores[1] > 0).mean()),
        (1 - rule.auc, (scores[0] <= scores[1]).mean()),
    ]:
        assert abs(predicted - measured) < 4 * np.sqrt(measured * (1 - measured) / n)


def test_several_local_minima():
    """The error along the curve has a second, worse minimum here; it must not be taken."""
    worse = 0
    for seed in range(40):
        rng = np.random.default_rng([5, seed])
        pair = random_moments(rng, d=3, low=-3, high=3).pair(1, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            local = LBFGS(tol=1e-8).solve(ExpectedError(pair)).value
        exact = Frontier(pair).best("error").error
        assert exact <= local + 1e-9
        worse += exact < local - 1e-4
    assert worse > 0, "no problem had a local minimum: the test shows nothing"


def test_moments_of_data_are_good_enough(rng):
    X = rng.standard_normal((500, 3))
    y = (X @ [1.0, -1.0, 0.5] + 0.3 * rng.standard_normal(500) > 0).astype(int)
    rule = Frontier(Moments.from_data(X, y)).best("error")
    assert ((X @ rule.coef + rule.intercept > 0) == y).mean() > 0.9
