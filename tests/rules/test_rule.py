import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from evidence.problems import random_moments
from zerone import Moments
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss
from zerone.rules._direction import ScoredDirection
from zerone.rules._rule import constant_rule as constant_rule_of
from zerone.rules._rule import linear_rule as linear_rule_of


def linear_rule(pair, direction, offset, prior, status):
    return linear_rule_of(ScoredDirection.of_pair(pair, direction), offset, prior, status)


def constant_rule(pair, direction, prior, **kwargs):
    return constant_rule_of(ScoredDirection.of_pair(pair, direction), prior, **kwargs)


@given(seed=st.integers(0, 2**32 - 1), offset=st.floats(-3, 3))
def test_rates_agree_with_the_objectives(seed, offset):
    rng = np.random.default_rng(seed)
    pair = random_moments(rng, low=-1, high=1).pair(1, 0)
    direction = rng.standard_normal(pair.n_features)
    rule = linear_rule(pair, direction, offset, pair.prior_positive, "made up")
    x = np.append(rule.coef, rule.intercept)
    assert rule.error == pytest.approx(ExpectedError(pair).value(x), rel=1e-7, abs=1e-12)
    assert 1 - rule.auc == pytest.approx(RankingLoss(pair).value(x), rel=1e-7, abs=1e-12)
    assert rule.balanced_error == (rule.false_negative_rate + rule.false_positive_rate) / 2
    assert rule.true_positive_rate == 1 - rule.false_negative_rate
    pooled = rule.prior_positive * pair.positive.covariance.quad(rule.coef)
    pooled += (1 - rule.prior_positive) * pair.negative.covariance.quad(rule.coef)
    assert pooled == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("always_positive", [False, True])
@pytest.mark.parametrize("n", [3, 200, 20_000])
def test_constant_rules_lie_beyond_every_row_and_still_rank(always_positive, n):
    rng = np.random.default_rng(n)
    X = rng.standard_t(2, (n, 2))  # heavy tails: rows far outside
    X[0] = 1e4
    y = np.arange(n) % 2
    pair = Moments.from_data(X, y).pair(1, 0)
    rule = constant_rule(pair, np.array([1.0, 2.0]), 0.5, always_positive=always_positive)
    scores = X @ rule.coef + rule.intercept
    assert ((scores > 0) == always_positive).all()
    assert rule.is_constant
    assert np.isfinite(rule.intercept)
    assert (rule.false_negative_rate, rule.false_positive_rate) == (
        (0, 1) if always_positive else (1, 0)
    )
    assert rule.coef[1] == pytest.approx(2 * rule.coef[0])
    assert repr(pair.positive_label if always_positive else pair.negative_label) in rule.status


def test_classes_without_spread_are_put_two_apart():
    moments = Moments.from_data([[1.0], [1.0], [5.0], [5.0]], [0, 0, 1, 1])
    rule = linear_rule(moments.pair(1, 0), np.array([1.0]), -2.0, 0.5, "made up")
    assert rule.coef.tolist() == [0.5]
    assert (np.array([1.0, 5.0]) * 0.5 + rule.intercept).tolist() == [-1.0, 1.0]
    assert rule.error == 0


def test_no_direction_at_all():
    moments = Moments.from_data([[1.0], [1.0]], [0, 1])
    rule = constant_rule(moments.pair(1, 0), np.zeros(1), 0.5, always_positive=False)
    assert rule.coef.tolist() == [0.0]
    assert rule.intercept == -1.0


def test_means_far_from_zero_keep_their_precision():
    moments = Moments.from_parameters({0: (1, [1e8], [[1.0]]), 1: (1, [1e8 + 3], [[1.0]])})
    rule = linear_rule(moments.pair(1, 0), np.array([1.0]), -1.5, 0.5, "made up")
    assert rule.error == pytest.approx(norm.sf(1.5), rel=1e-12)
