"""Every entry of the table of metrics: its two forms agree, and a new one needs no other change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import log_ndtr, ndtr
from sklearn.metrics import recall_score
from tests.helpers import gaussian_rows

from evidence.problems import random_moments
from zerone import Frontier, ZeroOneClassifier
from zerone.metrics import METRICS, FixedRate, Metric, Ranking, WeightedError, chosen_metric

SEEDS = st.integers(0, 2**32 - 1)


def drawn_metric(name, rng):
    """A metric with parameters by chance, and priors by chance."""
    parameters = {}
    for own in METRICS[name].parameters:
        if own.endswith("_rate"):
            parameters[own] = rng.uniform(0.02, 0.98)
        else:
            parameters[own] = np.exp(rng.uniform(-3, 3))
    prior = rng.uniform(0.01, 0.99)
    return chosen_metric(name, parameters), (prior, 1 - prior)


def has_log_form(name):
    form = drawn_metric(name, np.random.default_rng(0))[0].on_frontier((0.5, 0.5))
    return not isinstance(form, FixedRate | Ranking)


WITH_LOG_FORM = [name for name in METRICS if has_log_form(name)]


def test_the_table():
    assert {"error", "balanced_error", "f1", "fbeta", "cost"} <= set(WITH_LOG_FORM)
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.description


@pytest.mark.parametrize("name", WITH_LOG_FORM)
@given(seed=SEEDS)
def test_the_loss_of_rates_is_the_loss_on_the_frontier(name, seed):
    rng = np.random.default_rng(seed)
    metric, priors = drawn_metric(name, rng)
    # Rates of 1e-300 and less are there only as logarithms.
    z_positive, z_negative = rng.uniform(-6, 36, (2, 50))
    found = np.exp(metric.on_frontier(priors).log_loss(z_positive, z_negative))
    expected = metric.losses(ndtr(-z_positive), ndtr(-z_negative), priors)
    assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("name", WITH_LOG_FORM)
def test_the_logarithm_stays_finite_where_rates_are_zero(name, rng):
    metric, priors = drawn_metric(name, rng)
    form, z = metric.on_frontier(priors), np.array([40.0, 300.0])
    assert (ndtr(-z) == 0).all()
    for own in (form.log_loss(z, z), form.log_weight_ratio(z, z)):
        assert np.isfinite(own).all()
    assert np.diff(form.log_loss(z, z))[0] < -1000


@pytest.mark.parametrize("name", WITH_LOG_FORM)
@given(seed=SEEDS)
def test_the_weights_are_the_slopes_of_the_loss(name, seed):
    rng = np.random.default_rng(seed)
    metric, priors = drawn_metric(name, rng)
    z_positive, z_negative = rng.uniform(-2.5, 2.5, (2, 20))
    miss, alarm = ndtr(-z_positive), ndtr(-z_negative)

    def slope(step_miss, step_alarm):
        above = metric.losses(miss + step_miss, alarm + step_alarm, priors)
        below = metric.losses(miss - step_miss, alarm - step_alarm, priors)
        return (above - below) / (2 * (step_miss + step_alarm))

    steps = 1e-3 * np.minimum(miss, 1 - miss), 1e-3 * np.minimum(alarm, 1 - alarm)
    expected = np.log(slope(steps[0], 0.0)) - np.log(slope(0.0, steps[1]))
    found = metric.on_frontier(priors).log_weight_ratio(z_positive, z_negative)
    assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_it_falls_when_either_rate_falls(name, seed):
    rng = np.random.default_rng(seed)
    metric, priors = drawn_metric(name, rng)
    form = metric.on_frontier(priors)
    miss, alarm = rng.random((2, 200))
    better = rng.uniform(0, 0.999, 200)
    before = metric.losses(miss, alarm, priors)
    fewer_missed = metric.losses(better * miss, alarm, priors)
    fewer_alarms = metric.losses(miss, better * alarm, priors)
    if not isinstance(form, FixedRate):
        assert (fewer_missed < before).all()
        assert (fewer_alarms < before).all()
        return
    # Beyond the limit the one rate has to fall first; within it the other one counts.
    assert (fewer_missed <= before).all()
    assert (fewer_alarms <= before).all()
    limited, counted = (miss, fewer_alarms) if form.of_positive else (alarm, fewer_missed)
    within = limited <= (1 - form.rate if form.of_positive else form.rate)
    assert (counted[within] < before[within]).all()
    assert before[within].max(initial=0.0) <= before[~within].min(initial=1.0)


@pytest.mark.parametrize(
    ("name", "parameters", "error", "message"),
    [
        ("accuracy", {}, ValueError, r"metric: got 'accuracy', expected one of \['error'"),
        (5, {}, ValueError, "metric: got 5"),
        ("error", {"beta": 1}, TypeError, "takes no parameter 'beta'; its parameters are: none"),
        ("fbeta", {}, TypeError, "'fbeta' needs the parameter 'beta'"),
        ("fbeta", {"beta": "a"}, ValueError, "expected numbers"),
        ("fbeta", {"beta": 0}, ValueError, "beta: got 0"),
        ("cost", {"false_negative_cost": 1, "false_positive_cost": np.inf}, ValueError,
         "false_positive_cost: got inf, expected a positive finite number"),
        ("true_positive_rate", {"max_false_positive_rate": 1}, ValueError,
         "max_false_positive_rate: got 1.0, expected a rate between 0 and 1"),
    ],
)  # fmt: skip
def test_wrong_names_and_parameters(name, parameters, error, message):
    with pytest.raises(error, match=message):
        chosen_metric(name, parameters)


# -- metrics that somebody adds ----------------------------------------------------------------


class GeometricLoss:
    """1 − √(true-positive rate · true-negative rate)."""

    def log_loss(self, z_positive, z_negative):
        return np.log(-np.expm1((log_ndtr(z_positive) + log_ndtr(z_negative)) / 2))

    def log_weight_ratio(self, z_positive, z_negative):
        return log_ndtr(z_negative) - log_ndtr(z_positive)


NEW = {
    "geometric": Metric(
        "geometric",
        "one minus the geometric mean of the rates of right answers",
        lambda miss, alarm, priors: 1 - np.sqrt((1 - miss) * (1 - alarm)),
        lambda priors: GeometricLoss(),
        has_several_classes=True,
    ),
    "careful": Metric(
        "careful",
        "error in which one class counts more",
        lambda miss, alarm, priors, weight: weight * priors[0] * miss + priors[1] * alarm,
        lambda priors, weight: WeightedError(weight * priors[0], priors[1]),
        {"weight": 3.0},
    ),
}


@pytest.fixture(params=NEW)
def added(request, monkeypatch):
    """A metric that the table did not have, and its losses."""
    monkeypatch.setitem(METRICS, request.param, NEW[request.param])
    return chosen_metric(request.param)


@pytest.mark.parametrize("seed", range(5))
def test_the_frontier_finds_the_best_rule_for_a_new_one(added, seed):
    rng = np.random.default_rng(seed)
    pair = random_moments(rng, d=3, low=-1, high=1).pair(1, 0)
    rule = Frontier(pair).best(added.metric.name)
    shares = np.array([pair.positive.weight, pair.negative.weight])
    priors = tuple(shares / shares.sum())
    found = added.losses(rule.false_negative_rate, rule.false_positive_rate, priors)
    if added.metric.name == "careful":
        same = Frontier(pair).best("cost", false_negative_cost=3.0, false_positive_cost=1.0)
        assert_allclose(rule.coef, same.coef, rtol=1e-9)
        assert rule.intercept == pytest.approx(same.intercept)
    # No other rule is better: directions around the best one and everywhere, many thresholds.
    near = rule.coef + np.linalg.norm(rule.coef) * 0.1 * rng.standard_normal((300, 3))
    best = np.inf
    for w in [rule.coef, *near, *rng.standard_normal((300, 3))]:
        means = [w @ m.mean for m in (pair.positive, pair.negative)]
        sds = [np.sqrt(m.covariance.quad(w)) for m in (pair.positive, pair.negative)]
        b = -np.linspace(min(means) - 3 * max(sds), max(means) + 3 * max(sds), 400)
        miss, alarm = ndtr(-(means[0] + b) / sds[0]), ndtr((means[1] + b) / sds[1])
        best = min(best, added.losses(miss, alarm, priors).min())
    assert found <= best + 1e-12
    assert found == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("refine", ["auto", None])
def test_classifiers_can_be_turned_to_a_new_one(added, refine):
    X, _, rng = gaussian_rows(3, n=3000)
    y = (rng.random(3000) < 0.1).astype(int)
    X = rng.standard_normal((3000, 3)) + 1.5 * y[:, None]
    model = ZeroOneClassifier(refine=refine).fit(X, y)
    turned = model.retarget(added.metric.name)
    assert turned.refine_ == model.refine_

    def loss(one):
        right = recall_score(y, one.predict(X)), recall_score(1 - y, 1 - one.predict(X))
        return float(added.losses(1 - right[0], 1 - right[1], (y.mean(), 1 - y.mean())))

    assert loss(turned) < loss(model) - 0.01
    # And to its rows' own best threshold nearly nothing is missing.
    scores = turned.decision_function(X)
    edges = np.quantile(scores, np.linspace(0, 1, 500))
    miss = np.array([(scores[y == 1] <= edge).mean() for edge in edges])
    alarm = np.array([(scores[y == 0] > edge).mean() for edge in edges])
    best = added.losses(miss, alarm, (y.mean(), 1 - y.mean())).min()
    assert best <= loss(turned) <= best + 0.02
    with pytest.raises(TypeError, match="takes no parameter 'beta'"):
        model.retarget(added.metric.name, beta=1)


@pytest.mark.parametrize("refine", ["auto", None])
def test_only_some_make_sense_for_several_classes(added, refine):
    X, y, _ = gaussian_rows(4, n=600, classes=3)
    model = ZeroOneClassifier(refine=refine).fit(X, y)
    if added.metric.has_several_classes:
        assert model.retarget(added.metric.name).score(X, y) > 0.4
        return
    with pytest.raises(ValueError, match="with 3 classes it must be one of"):
        model.retarget(added.metric.name)


def test_f1_has_no_beta():
    assert chosen_metric("f1").losses(np.array([0.2]), np.array([0.1]), (0.3, 0.7)) == (
        chosen_metric("fbeta", {"beta": 1}).losses(np.array([0.2]), np.array([0.1]), (0.3, 0.7))
    )
    with pytest.raises(TypeError, match="'f1' takes no parameter 'beta'"):
        chosen_metric("f1", {"beta": 2})
