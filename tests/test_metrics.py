"""Every entry of the table of metrics: its forms agree, and a new one needs no other change."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm
from sklearn.metrics import average_precision_score, recall_score, roc_auc_score
from tests.helpers import gaussian_rows

from evidence.problems import random_moments
from zerone import Frontier, ZeroOneClassifier
from zerone.metrics import METRICS, Limit, Metric, RateLoss, WeightedError, chosen_metric

SEEDS = st.integers(0, 2**32 - 1)


def drawn_metric(name, rng):
    """A metric with parameters by chance, and priors by chance."""
    parameters = {
        own: np.exp(rng.uniform(-3, 3))
        if own == "beta" or own.endswith("_cost")
        else rng.uniform(0.02, 0.98)
        for own in METRICS[name].parameters
    }
    prior = rng.uniform(0.01, 0.99)
    return chosen_metric(name, parameters), (prior, 1 - prior)


def drawn_loss(name, rng):
    """The loss of a metric by chance; "f1 of pairs" is that of two of several classes."""
    metric, priors = drawn_metric(name.removesuffix(" of pairs"), rng)
    return (metric.for_classes(3) if name.endswith("of pairs") else metric).loss(priors)


def is_rate_loss(name):
    return isinstance(drawn_loss(name, np.random.default_rng(0)), RateLoss)


OF_RATES = [*filter(is_rate_loss, METRICS), "f1 of pairs"]
OF_RANKING = [name for name in METRICS if name not in OF_RATES]
LIMITED = [name for name in OF_RATES if drawn_loss(name, np.random.default_rng(0)).limit]
UNLIMITED = [name for name in OF_RATES if name not in LIMITED]


def test_the_table():
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.description
    assert {"error", "balanced_error", "f1", "fbeta", "cost"} <= set(UNLIMITED)
    assert set(LIMITED) == {
        "true_positive_rate", "false_positive_rate", "precision", "recall", "precision_at_k",
    }  # fmt: skip
    assert set(OF_RANKING) == {"auc", "partial_auc", "average_precision"}


# -- losses of the two rates -----------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_RATES)
@given(seed=SEEDS)
def test_the_loss_of_rates_is_the_loss_on_the_frontier(name, seed):
    rng = np.random.default_rng(seed)
    loss = drawn_loss(name, rng)
    # Rates of 1e-300 and less are there only as logarithms.
    z_positive, z_negative = rng.uniform(-3, 36, (2, 50))
    expected = loss.losses(ndtr(-z_positive), ndtr(-z_negative))
    assert_allclose(np.exp(loss.log_loss(z_positive, z_negative)), expected, rtol=1e-9)


@pytest.mark.parametrize("name", OF_RATES)
def test_the_logarithm_stays_finite_where_rates_are_zero(name, rng):
    loss, z = drawn_loss(name, rng), np.array([40.0, 300.0])
    assert (ndtr(-z) == 0).all()
    assert np.diff(loss.log_loss(z, z))[0] < -1000
    ratio = loss.log_weight_ratio(z, z)
    assert ratio.shape == (2,)
    if name in ("true_positive_rate", "recall", "precision_at_k"):
        assert (ratio == np.inf).all()  # only false negatives count
    elif name == "false_positive_rate":
        assert (ratio == -np.inf).all()
    else:
        assert np.isfinite(ratio).all()


def numerical_slopes(loss, miss, alarm):
    """Central differences, with steps that stay between zero and one."""
    steps = 1e-3 * np.minimum(miss, 1 - miss), 1e-3 * np.minimum(alarm, 1 - alarm)
    by_miss = loss.losses(miss + steps[0], alarm) - loss.losses(miss - steps[0], alarm)
    by_alarm = loss.losses(miss, alarm + steps[1]) - loss.losses(miss, alarm - steps[1])
    return by_miss / (2 * steps[0]), by_alarm / (2 * steps[1])


@pytest.mark.parametrize("name", OF_RATES)
@given(seed=SEEDS)
def test_the_slopes_are_those_of_the_loss(name, seed):
    rng = np.random.default_rng(seed)
    loss = drawn_loss(name, rng)
    z_positive, z_negative = rng.uniform(-2.5, 2.5, (2, 20))
    rates = ndtr(-z_positive), ndtr(-z_negative)
    expected, found = numerical_slopes(loss, *rates), loss.slopes(*rates)
    for own, numerical in zip(found, expected, strict=True):
        assert_allclose(own, numerical, rtol=1e-4)
    with np.errstate(divide="ignore"):
        ratio = np.log(found[0]) - np.log(found[1])
    assert_allclose(loss.log_weight_ratio(z_positive, z_negative), ratio, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", OF_RATES)
@given(seed=SEEDS)
def test_it_falls_when_either_rate_falls(name, seed):
    rng = np.random.default_rng(seed)
    loss = drawn_loss(name, rng)
    miss, alarm = rng.uniform(0.001, 1, (2, 200))
    better = rng.uniform(0, 0.999, 200)
    before = loss.losses(miss, alarm)
    after = loss.losses(better * miss, alarm), loss.losses(miss, better * alarm)
    if loss.limit is None:
        assert (after[0] < before).all()
        assert (after[1] < before).all()
        assert_allclose(loss.limited_losses(miss, alarm), before, rtol=0)
        return
    assert (after[0] <= before).all()
    assert (after[1] <= before).all()
    assert ((after[0] < before) | (after[1] < before)).all()
    # A rule beyond the limit is worse than any within it.
    limited, within = loss.limited_losses(miss, alarm), loss.limit.excess(miss, alarm) <= 0
    assert_allclose(limited[within], before[within], rtol=0)
    assert limited[within].max(initial=0.0) <= limited[~within].min(initial=np.inf)
    assert (np.diff(limited[~within][loss.limit.excess(miss, alarm)[~within].argsort()]) >= 0).all()


def precision_of(miss, alarm, priors):
    right = priors[0] * (1 - miss)
    return right / (right + priors[1] * alarm)


KEEPS = {
    "true_positive_rate": lambda m, a, p, most: a <= most,
    "false_positive_rate": lambda m, a, p, least: 1 - m >= least,
    "precision": lambda m, a, p, least: 1 - m >= least,
    "recall": lambda m, a, p, least: precision_of(m, a, p) >= least,
    "precision_at_k": lambda m, a, p, k: p[0] * (1 - m) + p[1] * a <= k,
}


@pytest.mark.parametrize("name", LIMITED)
@given(seed=SEEDS)
def test_limits_mean_what_their_names_say(name, seed):
    rng = np.random.default_rng(seed)
    metric, priors = drawn_metric(name, rng)
    loss, value = metric.loss(priors), next(iter(metric.parameters.values()))
    miss, alarm = rng.random((2, 200)) ** rng.uniform(0.3, 3)
    excess = loss.limit.excess(miss, alarm)
    assert ((excess <= 0) == KEEPS[name](miss, alarm, priors, value)).all()


@given(seed=SEEDS)
def test_what_is_reported(seed):
    rng = np.random.default_rng(seed)
    miss, alarm = rng.random((2, 1))

    def found(name):
        metric, priors = drawn_metric(name, rng)
        loss = metric.loss(priors)
        return float(loss.reported(loss.losses(miss, alarm))[0]), metric.parameters, priors

    p = float(1 - miss[0]), float(alarm[0])
    value, _, priors = found("error")
    assert value == pytest.approx(priors[0] * (1 - p[0]) + priors[1] * p[1])
    assert found("balanced_error")[0] == pytest.approx((1 - p[0] + p[1]) / 2)
    value, own, priors = found("cost")
    costs = own["false_negative_cost"] * (1 - p[0]), own["false_positive_cost"] * p[1]
    assert value == pytest.approx(priors[0] * costs[0] + priors[1] * costs[1])
    for name in ("f1", "fbeta"):
        value, own, priors = found(name)
        square, recall = own.get("beta", 1.0) ** 2, p[0]
        precision = float(precision_of(miss, alarm, priors)[0])
        expected = (1 + square) * precision * recall / (square * precision + recall)
        assert value == pytest.approx(expected)
    assert found("true_positive_rate")[0] == pytest.approx(p[0])
    assert found("recall")[0] == pytest.approx(p[0])
    assert found("false_positive_rate")[0] == pytest.approx(p[1])
    value, _, priors = found("precision")
    assert value == pytest.approx(precision_of(miss, alarm, priors)[0])
    value, own, priors = found("precision_at_k")
    assert value == pytest.approx(min(priors[0] * p[0] / own["k"], 1.0))


def test_f1_of_several_classes_is_the_mean_over_the_classes(rng):
    prior, miss, alarm = rng.random(3)[:, None]
    one = chosen_metric("f1").loss((prior, 1 - prior))
    other = chosen_metric("f1").loss((1 - prior, prior))
    both = chosen_metric("f1").for_classes(3).loss((prior, 1 - prior))
    expected = (one.losses(miss, alarm) + other.losses(alarm, miss)) / 2
    assert_allclose(both.losses(miss, alarm), expected)
    assert_allclose(both.reported(both.losses(miss, alarm)), 1 - expected)


@pytest.mark.parametrize("name", LIMITED)
@given(seed=SEEDS)
def test_at_a_limit_weights_are_slopes_while_the_threshold_moves(name, seed):
    """Rates change a little at every threshold; the threshold moves until the limit is kept."""
    rng = np.random.default_rng(seed)
    loss = drawn_loss(name, rng)
    gap, sd, at = rng.uniform(0, 3), np.exp(rng.uniform(-1, 1)), rng.uniform(-1, 3)
    positive, negative = norm(gap, sd), norm()

    def rates(threshold, change=(0.0, 0.0)):
        miss, alarm = positive.cdf(threshold) + change[0], negative.sf(threshold) + change[1]
        return np.array([miss]), np.array([alarm])

    # The bound is such that this threshold just keeps it.
    limit = replace(loss.limit, bound=0.0)
    loss = replace(loss, limit=replace(limit, bound=float(limit.excess(*rates(at))[0])))
    densities = np.array([positive.pdf(at)]), np.array([negative.pdf(at)])
    found = [float(own[0]) for own in loss.weights_at(*rates(at), *densities)]

    def value(change):
        def excess(threshold):
            return float(loss.limit.excess(*rates(threshold, change))[0])

        ends = at - 0.02, at + 0.02
        assume(excess(ends[0]) * excess(ends[1]) < 0)
        moved = brentq(excess, *ends, xtol=1e-14, rtol=1e-14)
        return float(loss.losses(*rates(moved, change))[0])

    smallest = float(min(*rates(at), *(1 - own for own in rates(at)))[0])
    assume(smallest > 1e-3)
    step = 1e-4 * smallest
    expected = []
    for own in ((step, 0.0), (0.0, step)):
        other = -own[0], -own[1]
        expected.append((value(own) - value(other)) / (2 * step))
    slopes = [float(own[0]) for own in loss.slopes(*rates(at))]
    falls = loss.limit.negative * densities[1][0] - loss.limit.positive * densities[0][0]
    rises = slopes[0] * densities[0][0] - slopes[1] * densities[1][0]
    assume(abs(falls) > 1e-3 and abs(rises) < 1e3 * abs(falls))
    # If the loss would fall on the other side of the limit, the limit counts.
    counted = expected if rises * falls > 0 else slopes
    assert_allclose(found, counted, rtol=5e-3, atol=1e-3 * max(slopes))


@pytest.mark.parametrize("name", UNLIMITED)
def test_without_a_limit_weights_are_the_slopes(name, rng):
    loss, rates = drawn_loss(name, rng), tuple(rng.random((2, 5)))
    for found, slope in zip(
        loss.weights_at(*rates, *rng.random((2, 5))), loss.slopes(*rates), strict=True
    ):
        assert_allclose(found, slope, rtol=0)


def random_roc(rng, n=12):
    """Rates at rising thresholds."""
    missed, wrong = (np.cumsum(rng.random(n) * (rng.random(n) < 0.7)) + 1e-9 for _ in range(2))
    miss, below = (np.concatenate([[0.0], own / own[-1]]) for own in (missed, wrong))
    return miss, 1 - below


@pytest.mark.parametrize("name", OF_RATES)
@given(seed=SEEDS)
def test_the_least_loss_of_a_roc_curve(name, seed):
    rng = np.random.default_rng(seed)
    loss, curves = drawn_loss(name, rng), [random_roc(rng) for _ in range(3)]
    found = loss.least_on_roc(*(np.array(own) for own in zip(*curves, strict=True)))
    assert found.shape == (3,)
    for (miss, alarm), least in zip(curves, found, strict=True):
        if loss.limit is None:
            assert least == pytest.approx(loss.losses(miss, alarm).min(), abs=0)
            continue
        # At a limit, between two points: some rows of equal score are predicted positive.
        place = np.linspace(0, len(miss) - 1, 20_001)
        points = [np.interp(place, np.arange(len(miss)), own) for own in (miss, alarm)]
        losses, excess = loss.losses(*points), loss.limit.excess(*points)
        assert least <= loss.limited_losses(*points).min() + 1e-9
        if least <= 1:
            # Between two of these points the excess changes by no more than this.
            nearly = excess <= np.abs(np.diff(excess)).max()
            assert losses[nearly].min() - 0.01 <= least


def test_the_excess_of_a_limit():
    limit = Limit(2.0, 3.0, 1.0)
    miss, alarm = np.array([0.0, 0.2, 0.5]), np.array([0.0, 0.2, 0.1])
    assert_allclose(limit.excess(miss, alarm), [-1.0, 0.0, 0.3], atol=1e-15)


@pytest.mark.parametrize("name", LIMITED)
@given(seed=SEEDS)
def test_the_logarithm_of_an_excess_has_its_sign(name, seed):
    rng = np.random.default_rng(seed)
    limit = drawn_loss(name, rng).limit
    z = rng.uniform(-3, 3, (2, 50))
    excess = limit.excess(ndtr(-z[0]), ndtr(-z[1]))
    clear = np.abs(excess) > 1e-9
    assert (np.sign(limit.log_excess(*z)) == np.sign(excess))[clear].all()


@pytest.mark.parametrize("name", LIMITED)
def test_the_logarithm_of_an_excess_is_a_number_for_all_rules(name, rng):
    limit = drawn_loss(name, rng).limit
    ends = np.array([np.inf, 1e9, 40.0, 0.0, -40.0, -1e9, -np.inf])
    found = limit.log_excess(ends, -ends)
    assert not np.isnan(found).any()
    # Always positive and always negative: one of them keeps the limit.
    assert (found[[0, -1]] <= 0).any()


# -- losses of the order of the scores -------------------------------------------------------------


def scored_rows(rng, n=150, step=0.0):
    """Labels, scores, weights, shares in bins of equal scores, and the priors."""
    y = np.append([0, 1], rng.random(n - 2) < rng.uniform(0.1, 0.9)).astype(int)
    scores = rng.standard_normal(n) + rng.uniform(0, 2) * y
    if step:
        scores = np.round(scores / step) * step
    weights = rng.uniform(0.1, 2, n)
    bins = np.unique(scores, return_inverse=True)[1]
    masses = [np.bincount(bins[y == k], weights[y == k], bins.max() + 1) for k in (1, 0)]
    prior = masses[0].sum() / weights.sum()
    shares = [own / own.sum() for own in masses]
    return y, scores, weights, shares, (prior, 1 - prior)


def roc_of(positive, negative):
    miss = np.concatenate([[0.0], np.cumsum(positive)])
    above = np.concatenate([np.cumsum(negative[::-1])[::-1], [0.0]])
    return np.minimum(miss, 1.0), np.minimum(above, 1.0)


@given(seed=SEEDS, step=st.sampled_from([0.0, 0.5]), max_fpr=st.floats(0.01, 0.99))
def test_ranking_losses_are_those_of_scikit_learn(seed, step, max_fpr):
    rng = np.random.default_rng(seed)
    y, scores, weights, shares, priors = scored_rows(rng, step=step)

    def reported(name, **parameters):
        loss = chosen_metric(name, parameters).loss(priors)
        return float(loss.reported(loss.of_roc(*roc_of(*shares))))

    def judged(function, **arguments):
        return pytest.approx(function(y, scores, sample_weight=weights, **arguments), abs=1e-9)

    assert reported("auc") == judged(roc_auc_score)
    assert reported("partial_auc", max_fpr=max_fpr) == judged(roc_auc_score, max_fpr=max_fpr)
    assert reported("average_precision") == judged(average_precision_score)


@given(seed=SEEDS)
def test_precision_at_k_is_that_of_the_first_k_rows(seed):
    rng = np.random.default_rng(seed)
    y, scores = scored_rows(rng)[:2]
    k = int(rng.integers(1, len(y)))
    priors = y.mean(), 1 - y.mean()
    shares = [(y[np.argsort(scores)] == label) / (y == label).sum() for label in (1, 0)]
    loss = chosen_metric("precision_at_k", {"k": k}).for_weight(len(y)).loss(priors)
    found = loss.reported(loss.least_on_roc(*roc_of(*shares)))
    assert float(found) == pytest.approx(y[np.argsort(-scores)][:k].mean())


@pytest.mark.parametrize("name", OF_RANKING)
def test_several_roc_curves_at_once(name, rng):
    loss = drawn_loss(name, rng)
    curves = [random_roc(rng) for _ in range(4)]
    both = np.array(curves).transpose(1, 0, 2).reshape(2, 2, 2, -1)
    expected = [float(loss.of_roc(*own)) for own in curves]
    assert_allclose(loss.of_roc(*both), np.reshape(expected, (2, 2)), rtol=1e-12)


@pytest.mark.parametrize("name", OF_RANKING)
@given(seed=SEEDS, step=st.sampled_from([0.0, 0.5]))
def test_lost_parts_are_derivatives_by_the_shares_in_bins(name, seed, step):
    """A small share of a class moves from one bin to another."""
    rng = np.random.default_rng(seed)
    shares = scored_rows(rng, 40, step)[3]
    loss = drawn_loss(name, rng)
    if name == "partial_auc":
        # Not where the edge of the top would move into another bin.
        above = np.cumsum(shares[1][::-1])
        assume(np.abs(above - loss.max_fpr).min() > 1e-4)
    parts = loss.lost_parts(*shares)
    change = 1e-6
    for side in (0, 1):
        filled = np.flatnonzero(shares[side] > 10 * change)
        for source, target in rng.choice(filled, (10, 2)):

            def value(amount, side=side, source=source, target=target):
                own = [part.copy() for part in shares]
                own[side][source] -= amount
                own[side][target] += amount
                return float(loss.of_roc(*roc_of(*own)))

            expected = (value(change) - value(-change)) / (2 * change)
            found = parts[side][target] - parts[side][source]
            assert found == pytest.approx(expected, abs=1e-4 + 1e-4 * np.abs(parts[side]).max())


def normal_scores(rng, spread=1.5):
    """Distance of the means and both standard deviations."""
    return rng.uniform(-0.5, 3), *np.exp(rng.uniform(-spread, spread, 2))


@pytest.mark.parametrize("name", OF_RANKING)
@given(seed=SEEDS)
def test_the_loss_of_normal_scores_is_that_of_their_roc_curve(name, seed):
    rng = np.random.default_rng(seed)
    loss = drawn_loss(name, rng)
    scores = [normal_scores(rng) for _ in range(3)]
    found = loss.of_normal_scores(*np.array(scores).T)
    assert found.shape == (3,)
    z = np.linspace(-9, 9, 20_001)
    for own, (gap, sd_positive, sd_negative) in zip(found, scores, strict=True):
        thresholds = np.sort(np.concatenate([gap + sd_positive * z, sd_negative * z]))
        miss, alarm = ndtr((thresholds - gap) / sd_positive), ndtr(-thresholds / sd_negative)
        ends = [[0.0], [1.0]], [[1.0], [0.0]]
        roc = [
            np.concatenate([ends[0][k], rate, ends[1][k]]) for k, rate in ((0, miss), (1, alarm))
        ]
        assert own == pytest.approx(float(loss.of_roc(*roc)), abs=1e-4)


@pytest.mark.parametrize("name", OF_RANKING)
def test_the_loss_of_normal_scores_is_that_of_a_simulation(name, rng):
    metric, priors = drawn_metric(name, rng)
    gap, sd_positive, sd_negative = normal_scores(rng)
    loss, n = metric.loss(priors), 5000
    y, weights = np.repeat([1, 0], n), np.repeat(priors, n)

    def measured():
        drawn = [gap + sd_positive * rng.standard_normal(n), sd_negative * rng.standard_normal(n)]
        both = np.concatenate(drawn)
        if name == "average_precision":
            return average_precision_score(y, both, sample_weight=weights)
        return roc_auc_score(y, both, max_fpr=metric.parameters.get("max_fpr"))

    values = np.array([measured() for _ in range(30)])
    given = (np.array([own]) for own in (gap, sd_positive, sd_negative))
    predicted = float(loss.reported(loss.of_normal_scores(*given))[0])
    assert abs(predicted - values.mean()) < 4 * values.std() / np.sqrt(30) + 1e-4


# -- names and parameters --------------------------------------------------------------------------

MATRIX = [[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]]


@pytest.mark.parametrize(
    ("name", "parameters", "error", "message"),
    [
        ("accuracy", {}, ValueError, r"metric: got 'accuracy', expected one of \['error'.*'auc'"),
        (5, {}, ValueError, "metric: got 5"),
        ("error", [], TypeError, "metric_params: got list, expected a mapping"),
        ("error", {"beta": 1}, TypeError, "takes no parameter 'beta'; its parameters are: none"),
        ("f1", {"beta": 2}, TypeError, "'f1' takes no parameter 'beta'"),
        ("partial_auc", {"min_recall": 0.5}, TypeError,
         "takes no parameter 'min_recall'; its parameters are: max_fpr"),
        ("fbeta", {}, TypeError, "'fbeta' needs the parameter 'beta'"),
        ("precision_at_k", {}, TypeError, "'precision_at_k' needs the parameter 'k'"),
        ("fbeta", {"beta": "a"}, ValueError, "expected numbers"),
        ("recall", {"min_precision": None}, ValueError, "expected numbers"),
        ("fbeta", {"beta": 0}, ValueError, "beta: got 0"),
        ("fbeta", {"beta": np.nan}, ValueError, "beta: got nan"),
        ("cost", {"false_negative_cost": 1, "false_positive_cost": np.inf}, ValueError,
         "false_positive_cost: got inf, expected a positive finite number"),
        ("cost", {"false_negative_cost": -1}, ValueError, "false_negative_cost: got -1"),
        ("cost", {}, TypeError, "'cost' needs to know the costs; give false_negative_cost"),
        ("cost", {"cost_matrix": MATRIX, "false_negative_cost": 2}, TypeError,
         "'cost' takes .*cost_matrix.* or 'false_negative_cost', not both"),
        ("cost", {"cost_matrix": [[0, 1, 2], [3, 0, 4]]}, ValueError, "a row for each class"),
        ("cost", {"cost_matrix": [[0]]}, ValueError, "a row for each class"),
        ("cost", {"cost_matrix": [[0, 1], [2]]}, ValueError, "a row for each class"),
        ("cost", {"cost_matrix": "a"}, ValueError, "a row for each class"),
        ("cost", {"cost_matrix": [[0, np.nan], [1, 0]]}, ValueError, "expected finite numbers"),
        ("cost", {"cost_matrix": [[1, 1], [1, 0]]}, ValueError, "right predictions cost 0"),
        ("cost", {"cost_matrix": [[0, -1], [1, 0]]}, ValueError, "right predictions cost 0"),
        ("cost", {"cost_matrix": [[0, 0], [1, 0]]}, ValueError, "all others more than 0"),
    ],
)  # fmt: skip
def test_wrong_names_and_parameters(name, parameters, error, message):
    with pytest.raises(error, match=message):
        chosen_metric(name, parameters)


RATES = [
    (name, own)
    for name, metric in METRICS.items()
    for own in metric.parameters
    if own.startswith(("min_", "max_"))
]


@pytest.mark.parametrize(("name", "parameter"), RATES)
@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, np.nan])
def test_rates_are_between_zero_and_one(name, parameter, value):
    with pytest.raises(ValueError, match=f"{parameter}: got .*, expected a rate between 0 and 1"):
        chosen_metric(name, {parameter: value})


@pytest.mark.parametrize("k", [0, -3, 1.5, np.nan, True, 0.0])
def test_k_is_a_count_or_a_share(k):
    with pytest.raises(ValueError, match=r"k: got .*, expected a number of rows, or a share"):
        chosen_metric("precision_at_k", {"k": k})


def test_a_number_of_rows_becomes_a_share():
    for k in (50, np.int64(50)):
        of_rows = chosen_metric("precision_at_k", {"k": k})
        assert of_rows.for_weight(400.0).parameters == {"k": 0.125}
    share = chosen_metric("precision_at_k", {"k": 0.3})
    assert share.for_weight(2.0) == share
    assert chosen_metric("error").for_weight(2.0) == chosen_metric("error")
    for total in (50.0, 12.0):
        with pytest.raises(ValueError, match=f"k: got 50, but there are {total:g} rows"):
            of_rows.for_weight(total)


def test_the_other_cost_is_one(rng):
    miss, alarm = rng.random((2, 10))
    for parameters, expected in [
        ({"false_negative_cost": 7}, 0.3 * 7 * miss + 0.7 * alarm),
        ({"false_positive_cost": 7}, 0.3 * miss + 0.7 * 7 * alarm),
        ({"false_negative_cost": 2, "false_positive_cost": 3}, 0.3 * 2 * miss + 0.7 * 3 * alarm),
    ]:
        found = chosen_metric("cost", parameters).losses(miss, alarm, (0.3, 0.7))
        assert_allclose(found, expected)


def test_a_matrix_has_the_costs_of_each_pair():
    metric = chosen_metric("cost", {"cost_matrix": np.array(MATRIX)})
    for classes in (2, 4):
        with pytest.raises(ValueError, match=f"has 3 rows, but there are {classes} classes"):
            metric.for_classes(classes)
    own = metric.for_classes(3)
    for negative, positive in ((0, 1), (0, 2), (1, 2)):
        # A row that is of the later class, and is predicted as the earlier one.
        missed, wrong = MATRIX[positive][negative], MATRIX[negative][positive]
        loss = own.for_pair(negative, positive).loss((0.4, 0.6))
        found = loss.losses(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        assert_allclose(found, [0.4 * missed, 0.6 * wrong])
    two = chosen_metric("cost", {"cost_matrix": [[0, 2], [7, 0]]}).for_classes(2).for_pair(0, 1)
    assert two.parameters == {"false_negative_cost": 7.0, "false_positive_cost": 2.0}


@pytest.mark.parametrize("name", METRICS)
def test_which_metrics_are_for_several_classes(name, rng):
    metric = drawn_metric(name, rng)[0]
    assert metric.for_classes(2) == metric
    assert metric.for_pair(0, 1) == metric
    if name in ("error", "balanced_error", "f1", "auc"):
        assert metric.for_classes(3).is_of_pairs
        assert metric.for_classes(3).for_pair(0, 2).is_of_pairs
        return
    message = "with 3 classes give it a cost_matrix" if name == "cost" else "must be one of"
    with pytest.raises(ValueError, match=f"metric: '{name}' is for two classes.*{message}"):
        metric.for_classes(3)


@pytest.mark.parametrize("name", METRICS)
def test_what_a_metric_says_of_itself(name, rng):
    metric = drawn_metric(name, rng)[0]
    assert metric.name == name
    assert metric.has_limit == (name in LIMITED)
    rankings = {"auc", "partial_auc", "average_precision", "precision_at_k"}
    assert metric.is_ranking == (name in rankings)
    # Only if nothing changes when both classes change places.
    assert metric.needs_positive == (name not in ("error", "balanced_error", "auc"))


def test_metrics_in_words():
    assert chosen_metric("f1").describe() == "f1"
    assert (
        chosen_metric("recall", {"min_precision": 0.9}).describe() == "recall (min_precision=0.9)"
    )
    cost = chosen_metric("cost", {"false_negative_cost": 10})
    assert cost.describe() == "cost (false_negative_cost=10, false_positive_cost=1)"
    matrix = chosen_metric("cost", {"cost_matrix": MATRIX})
    assert matrix.describe() == "cost (cost_matrix)"
    assert not matrix.needs_positive
    assert cost.needs_positive


@pytest.mark.parametrize("name", METRICS)
def test_losses_of_thresholds(name, rng):
    """A metric of the ranking leaves the threshold to the error."""
    metric, priors = drawn_metric(name, rng)
    rates = tuple(rng.random((2, 50)))
    expected = priors[0] * rates[0] + priors[1] * rates[1]
    if name not in OF_RANKING:
        expected = metric.loss(priors).limited_losses(*rates)
    assert_allclose(metric.losses(*rates, priors), expected)


# -- metrics that somebody adds ----------------------------------------------------------------


class GeometricLoss(RateLoss):
    """1 − √(true-positive rate · true-negative rate)."""

    def losses(self, false_negative_rate, false_positive_rate):
        return 1 - np.sqrt((1 - false_negative_rate) * (1 - false_positive_rate))

    def slopes(self, false_negative_rate, false_positive_rate):
        right = 1 - false_negative_rate, 1 - false_positive_rate
        both = np.maximum(np.sqrt(right[0] * right[1]), 1e-100)
        return right[1] / (2 * both), right[0] / (2 * both)

    def log_loss(self, z_positive, z_negative):
        return np.log(-np.expm1((log_ndtr(z_positive) + log_ndtr(z_negative)) / 2))

    def log_weight_ratio(self, z_positive, z_negative):
        return log_ndtr(z_negative) - log_ndtr(z_positive)


NEW = {
    "geometric": Metric(
        "geometric",
        "geometric mean",
        "one minus the geometric mean of the rates of right answers",
        lambda priors: GeometricLoss(),
        loss_of_pairs=lambda priors: GeometricLoss(),
    ),
    "careful": Metric(
        "careful",
        "careful error",
        "error in which one class counts more",
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
    rule = Frontier(pair).best(added.name)
    shares = np.array([pair.positive.weight, pair.negative.weight])
    priors = tuple(shares / shares.sum())
    found = added.losses(
        np.array(rule.false_negative_rate), np.array(rule.false_positive_rate), priors
    )
    assert rule.loss(added.name) == pytest.approx(float(found))
    if added.name == "careful":
        same = Frontier(pair).best("cost", false_negative_cost=3.0)
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


def rare_rows(rng, n=3000):
    y = (rng.random(n) < 0.1).astype(int)
    return rng.standard_normal((n, 3)) + 1.5 * y[:, None], y


def loss_and_best(metric, model, X, y):
    """The loss of predictions, and that of the best threshold along the same scores."""
    priors, scores = (y.mean(), 1 - y.mean()), model.decision_function(X)
    right = recall_score(y, model.predict(X)), recall_score(1 - y, 1 - model.predict(X))
    shares = [(y[np.argsort(scores)] == label) / (y == label).sum() for label in (1, 0)]
    own = metric.losses(*(np.array([1 - one]) for one in right), priors)
    return float(own[0]), float(metric.losses(*roc_of(*shares), priors).min())


@pytest.mark.parametrize("refine", ["auto", None])
def test_classifiers_can_be_turned_to_a_new_one(added, refine, rng):
    X, y = rare_rows(rng)
    model = ZeroOneClassifier(refine=refine).fit(X, y)
    turned = model.retarget(added.name)
    assert turned.refine_ == model.refine_
    before, (after, best) = loss_and_best(added, model, X, y)[0], loss_and_best(added, turned, X, y)
    assert after < before - 0.003
    # And to its rows' own best threshold nearly nothing is missing.
    assert best - 1e-9 <= after <= best + 0.02
    with pytest.raises(TypeError, match="takes no parameter 'beta'"):
        model.retarget(added.name, beta=1)


@pytest.mark.parametrize("refine", ["auto", "frontier", None])
def test_classifiers_can_be_fitted_for_a_new_one(added, refine, rng):
    X, y = rare_rows(rng)
    model = ZeroOneClassifier(metric=added.name, refine=refine).fit(X, y)
    plain = ZeroOneClassifier(refine=refine).fit(X, y)
    own, best = loss_and_best(added, model, X, y)
    assert own < loss_and_best(added, plain, X, y)[0] - 0.003
    assert best - 1e-9 <= own <= best + 0.02
    assert model.expected_metric_ == pytest.approx(own, abs=0.02)
    if refine is not None:
        assert model.held_out_metric_ == pytest.approx(own, abs=0.02)


@pytest.mark.parametrize("refine", ["auto", None])
def test_only_some_make_sense_for_several_classes(added, refine):
    X, y, _ = gaussian_rows(4, n=600, classes=3)
    model = ZeroOneClassifier(refine=refine).fit(X, y)
    fitted = ZeroOneClassifier(metric=added.name, refine=refine)
    if added.metric.loss_of_pairs is not None:
        assert model.retarget(added.name).score(X, y) > 0.4
        assert fitted.fit(X, y).score(X, y) > 0.4
        return
    for action in (lambda: model.retarget(added.name), lambda: fitted.fit(X, y)):
        with pytest.raises(ValueError, match="with 3 classes it must be one of"):
            action()


def test_f1_has_no_beta():
    rates = np.array([0.2]), np.array([0.1])
    f1, fbeta = chosen_metric("f1"), chosen_metric("fbeta", {"beta": 1})
    assert f1.losses(*rates, (0.3, 0.7)) == fbeta.losses(*rates, (0.3, 0.7))
