"""Limits and the top of the list: no other linear rule is better, and predictions hold."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from evidence import metric_frontier as evidence
from evidence.problems import random_moments
from zerone import Frontier, Moments
from zerone.metrics import chosen_metric

SEEDS = st.integers(0, 2**32 - 1)
RANKINGS = ["partial_auc", "average_precision"]
LIMITED = [name for name in evidence.PARAMETERS if name not in RANKINGS]


def problem_of(metric, seed, **more):
    rng = np.random.default_rng([13, seed])
    return evidence.metric_problem(rng, metric, **more), rng


@pytest.mark.parametrize("metric", evidence.PARAMETERS)
@pytest.mark.parametrize("seed", range(10))
def test_direct_search_finds_nothing_better(metric, seed):
    problem, rng = problem_of(metric, seed)
    rule = problem.best()
    found = evidence.loss_of_rule(problem, rule)
    assert rule.loss(metric, **problem.parameters) == pytest.approx(found, abs=1e-6)
    assert evidence.excess_of_rule(problem, rule) <= 1e-9
    assert found <= evidence.least_of_starts(problem, 3, rng) + 1e-6


@pytest.mark.parametrize("metric", evidence.PARAMETERS)
@pytest.mark.parametrize("seed", range(3))
def test_predictions_are_those_of_simulated_rows(metric, seed):
    problem, rng = problem_of(metric, [seed, 1])
    rule = problem.best()
    measured = evidence.simulated_losses(problem, rule, 200_000, rng)
    predicted = rule.loss(metric, **problem.parameters)
    assert evidence.deviation(predicted, measured) < 4.5
    chosen = chosen_metric(metric, problem.parameters)
    loss = chosen.loss((problem.prior, 1 - problem.prior))
    expected = np.asarray(loss.reported(np.array([predicted])))[0]
    assert rule.reported(chosen) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", LIMITED)
@given(seed=SEEDS)
def test_no_threshold_along_the_rule_is_better(metric, seed):
    problem, _ = problem_of(metric, seed, most=6)
    rule = problem.best()
    along = evidence.Scores(*evidence.statistics_of(rule))
    least = evidence.least_loss_at_limit(problem, along)
    assert rule.loss(metric, **problem.parameters) <= least + 1e-8


@pytest.mark.parametrize("metric", RANKINGS)
@given(seed=SEEDS)
def test_no_point_of_the_roc_curve_has_a_better_direction(metric, seed):
    """Rules of many false-positive rates lie along the whole frontier."""
    problem, _ = problem_of(metric, seed, most=6)
    frontier = Frontier(problem.pair, priors={1: problem.prior, 0: 1 - problem.prior})
    best = frontier.best(metric, **problem.parameters).loss(metric, **problem.parameters)
    for rate in (0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        other = frontier.best("true_positive_rate", max_false_positive_rate=rate)
        assert best <= other.loss(metric, **problem.parameters) + 1e-9


@given(seed=SEEDS)
def test_all_of_the_curve_is_the_auc_and_a_point_of_it_the_rate(seed):
    rng = np.random.default_rng(seed)
    pair = random_moments(rng, d=3, low=-1, high=1).pair(1, 0)
    frontier = Frontier(pair)
    whole = frontier.best("partial_auc", max_fpr=1 - 1e-9)
    assert 1 - whole.loss("auc") == pytest.approx(frontier.best("auc").auc, abs=1e-6)
    # Where few rows are at the top, nothing but their order counts.
    narrow = frontier.best("partial_auc", max_fpr=1e-4)
    wide = frontier.best("partial_auc", max_fpr=0.9)
    assert narrow.loss("partial_auc", max_fpr=1e-4) <= wide.loss("partial_auc", max_fpr=1e-4) + 1e-9
    assert wide.loss("partial_auc", max_fpr=0.9) <= narrow.loss("partial_auc", max_fpr=0.9) + 1e-9


@given(seed=SEEDS)
def test_limits_that_name_the_same_point_have_the_same_rule(seed):
    """Each rate of a rule, taken as the limit, gives the rule back."""
    rng = np.random.default_rng(seed)
    pair = random_moments(rng, d=3, low=-1, high=1).pair(1, 0)
    frontier, p = Frontier(pair), pair.prior_positive
    rule = frontier.best("true_positive_rate", max_false_positive_rate=rng.uniform(0.05, 0.95))
    assume(rule.false_negative_rate > 1e-6)  # else its complement has too few digits
    found = p * rule.true_positive_rate + (1 - p) * rule.false_positive_rate
    same = [
        frontier.best("false_positive_rate", min_true_positive_rate=rule.true_positive_rate),
        frontier.best("precision_at_k", k=found),
    ]
    for own in same:
        assert own.false_positive_rate == pytest.approx(rule.false_positive_rate, abs=1e-6)
        assert own.false_negative_rate == pytest.approx(rule.false_negative_rate, abs=1e-6)


@pytest.mark.parametrize("metric", evidence.PARAMETERS)
@given(seed=SEEDS)
def test_rescaling_and_shifting_features_changes_nothing(metric, seed):
    problem, rng = problem_of(metric, seed)
    factors = 10 ** rng.uniform(-6, 6, problem.pair.n_features)
    mapped = problem.pair.affine(factors, rng.standard_normal(problem.pair.n_features))
    losses = [
        own.best().loss(metric, **problem.parameters)
        for own in (problem, problem._replace(pair=mapped))
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("metric", "value"), [("partial_auc", 0.1), ("average_precision", 0.1)])
@pytest.mark.parametrize("prior", [0.1, 0.9])
def test_one_class_for_all_rows_keeps_the_best_order(metric, value, prior):
    """Where no threshold is better than a constant answer, the direction is still the best."""
    # The rare class is the narrow one: nowhere are there more of its rows.
    spreads = np.diag([1.0, 4.0]), np.diag([8.0, 5.0])
    rare, other = (1, 0) if prior < 0.5 else (0, 1)
    moments = Moments.from_parameters(
        {rare: (1, rare * np.array([1.0, 0.7]), spreads[0]),
         other: (1, other * np.array([1.0, 0.7]), spreads[1])}
    )  # fmt: skip
    problem = evidence.Problem(moments.pair(1, 0), metric, value, prior)
    rule = problem.best()
    assert rule.is_constant
    found = evidence.loss_of_rule(problem, rule)
    assert rule.loss(metric, **problem.parameters) == pytest.approx(found, abs=1e-6)
    assert found <= evidence.least_of_starts(problem, 3, np.random.default_rng(0)) + 1e-6
    auc = Frontier(moments).best("auc").coef
    assert found < evidence.least_loss(problem, evidence.scores_along(problem.pair, auc)) - 1e-3


def test_equal_means_still_have_a_top_of_the_list():
    """The class that is spread more is at both ends."""
    moments = Moments.from_parameters(
        {0: (1, [0.0, 0.0], np.eye(2)), 1: (1, [0.0, 0.0], np.diag([25.0, 1.0]))}
    )
    rule = Frontier(moments).best("partial_auc", max_fpr=0.05)
    assert rule.reported(chosen_metric("partial_auc", {"max_fpr": 0.05})) > 0.6
    assert abs(rule.coef[1]) < 1e-6 * abs(rule.coef[0])
    assert "chance" not in rule.status


@pytest.mark.parametrize("ratio", [0.05, 0.3, 1.0, 3.0, 6.0, 20.0])
@pytest.mark.parametrize("prior", [0.01, 0.3, 0.9])
def test_precision_is_predicted_where_spreads_differ(ratio, prior):
    rng = np.random.default_rng(0)
    moments = Moments.from_parameters(
        {0: (1 - prior, [0.0], [[1.0]]), 1: (prior, [1.0], [[ratio**2]])}
    )
    rule, n = Frontier(moments).best("average_precision"), 200_000
    scores = np.concatenate([1 + ratio * rng.standard_normal(n), rng.standard_normal(n)])
    weights = np.repeat([prior, 1 - prior], n)
    y = np.repeat([1, 0], n)
    measured = average_precision_score(y, scores * np.sign(rule.coef[0]), sample_weight=weights)
    assert 1 - rule.loss("average_precision") == pytest.approx(measured, abs=4e-3)


@pytest.mark.parametrize("ratio", [0.05, 0.3, 1.0, 3.0, 6.0, 20.0, 1e3])
@pytest.mark.parametrize("max_fpr", [0.01, 0.3, 0.9])
def test_the_partial_auc_has_a_closed_form(ratio, max_fpr):
    given = evidence.Scores(1.0, 1.0, ratio)
    loss = chosen_metric("partial_auc", {"max_fpr": max_fpr}).loss((0.5, 0.5))
    found = loss.of_normal_scores(*(np.array([own]) for own in given))
    assert found[0] == pytest.approx(evidence.partial_auc_loss(given, max_fpr), abs=1e-6)


def test_k_rows_are_a_share_of_the_weight():
    moments = Moments.from_parameters(
        {0: (300, [0.0, 0.0], np.eye(2)), 1: (100, [1.0, 1.0], np.diag([2.0, 0.5]))}
    )
    by_rows = Frontier(moments).best("precision_at_k", k=100)
    by_share = Frontier(moments).best("precision_at_k", k=0.25)
    np.testing.assert_allclose(by_rows.coef, by_share.coef)
    found = 0.25 * by_rows.true_positive_rate + 0.75 * by_rows.false_positive_rate
    assert found == pytest.approx(0.25, abs=1e-8)
    with pytest.raises(ValueError, match="k: got 400, but there are 400 rows"):
        Frontier(moments).best("precision_at_k", k=400)
