"""Intervals of shares, ratios and metrics of rates: derivatives, invariances, coverage."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest
from sklearn import metrics as sk

from zerone._uncertainty import ratios
from zerone._uncertainty.intervals import mean_interval, share_interval
from zerone._uncertainty.rates import rate_interval
from zerone.metrics import METRICS, chosen_metric

FIGURES = {
    "error": ratios.error(3),
    "accuracy": ratios.accuracy(3),
    "recall": ratios.recall(3, 1),
    "precision": ratios.precision(3, 1),
    "f_score": ratios.f_score(3, 1, 2.0),
    "mean_f1": ratios.mean_f1(3),
    "balanced_error": ratios.balanced_error(3),
    "cost": ratios.cost(np.array([[0.0, 1, 2], [3, 0, 4], [5, 6, 0]])),
}
COUNTS = np.array([[40.0, 5, 3], [6, 30, 9], [2, 8, 50]])
CELLS = np.array([[0.28, 0.05, 0.03], [0.06, 0.2, 0.05], [0.02, 0.06, 0.25]])
RATES = {
    "error": {},
    "balanced_error": {},
    "f1": {},
    "fbeta": {"beta": 2.0},
    "cost": {"false_negative_cost": 5.0},
    "true_positive_rate": {"max_false_positive_rate": 0.2},
    "false_positive_rate": {"min_true_positive_rate": 0.7},
    "precision": {"min_recall": 0.5},
    "recall": {"min_precision": 0.5},
}


@pytest.mark.parametrize("name", FIGURES)
def test_slopes_by_finite_differences(name):
    figure, step = FIGURES[name], 1e-5
    slopes = figure.slopes(COUNTS)
    for cell in np.ndindex(3, 3):
        change = np.zeros((3, 3))
        change[cell] = step
        numerical = (figure.value(COUNTS + change) - figure.value(COUNTS - change)) / (2 * step)
        assert slopes[cell] == pytest.approx(numerical, abs=1e-8)
    # More rows of the same kind change nothing.
    assert (slopes * COUNTS).sum() == pytest.approx(0, abs=1e-12)


def test_values_are_those_of_scikit_learn():
    counts = COUNTS.astype(int)
    truth, predicted = np.indices((3, 3)).reshape(2, -1).repeat(counts.ravel(), axis=1)
    wanted = {
        "error": sk.zero_one_loss(truth, predicted),
        "accuracy": sk.accuracy_score(truth, predicted),
        "recall": sk.recall_score(truth, predicted, average=None)[1],
        "precision": sk.precision_score(truth, predicted, average=None)[1],
        "f_score": sk.fbeta_score(truth, predicted, beta=2, average=None)[1],
        "mean_f1": sk.f1_score(truth, predicted, average="macro"),
        "balanced_error": 1 - sk.balanced_accuracy_score(truth, predicted),
    }
    for name, value in wanted.items():
        assert FIGURES[name].value(COUNTS) == pytest.approx(value)
    assert_allclose(ratios.joint_counts(truth, [predicted], 3, None), COUNTS)


def test_a_share_of_rows_has_wilsons_interval():
    wanted = binomtest(33, 153).proportion_ci(method="wilson")
    assert_allclose(ratios.error(3).interval(COUNTS), (wanted.low, wanted.high))
    nothing = binomtest(0, 90).proportion_ci(method="wilson")
    perfect = np.diag([30.0, 30.0, 30.0])
    assert_allclose(ratios.error(3).interval(perfect), (nothing.low, nothing.high))
    low, high = ratios.balanced_error(3).interval(perfect)
    assert low == 0.0
    assert high == pytest.approx(nothing.high)


@pytest.mark.parametrize("name", FIGURES)
def test_coverage(name):
    figure, rng = FIGURES[name], np.random.default_rng(0)
    truth, hits = figure.value(CELLS), 0
    for counts in rng.multinomial(300, CELLS.ravel(), 500):
        low, high = figure.interval(counts.reshape(3, 3))
        hits += low <= truth <= high
    assert 0.925 <= hits / 500 <= 0.975


def test_shares_of_nothing_are_left_out():
    counts = np.array([[5.0, 1, 0], [2, 9, 0], [0, 0, 0]])
    assert not ratios.recall(3, 2).interval(counts).is_known
    assert np.isnan(ratios.recall(3, 2).value(counts))
    assert ratios.balanced_error(3).value(counts) == pytest.approx((1 / 6 + 2 / 11) / 2)


@pytest.mark.parametrize("name", ["error", "mean_f1", "precision"])
def test_paired_differences_cover(name):
    rng, figure, hits = np.random.default_rng(1), FIGURES[name], 0
    for _ in range(1000):
        truth = rng.integers(0, 3, 300)
        # Two models that err on different rows as often.
        easy = rng.random(300) < 0.6
        guesses = [np.where(easy, truth, rng.integers(0, 3, 300)) for _ in range(2)]
        counts = ratios.joint_counts(truth, guesses, 3, None)
        difference, (low, high) = ratios.paired_difference(figure, counts)
        assert low <= difference <= high
        hits += low <= 0 <= high
    assert 0.93 <= hits / 1000 <= 0.97


def test_a_pair_of_the_same_model_has_no_difference():
    truth = np.array([0, 0, 1, 1, 2, 2])
    counts = ratios.joint_counts(truth, [truth, truth], 3, None)
    assert ratios.paired_difference(ratios.error(3), counts) == (0.0, (0.0, 0.0))


class TestRates:
    def test_all_metrics_of_rates_are_covered(self):
        of_rates = {name for name, own in METRICS.items() if not own.is_ranking}
        assert of_rates == set(RATES)

    @pytest.mark.parametrize("name", RATES)
    def test_coverage(self, name):
        metric = chosen_metric(name, RATES[name])
        rng, hits = np.random.default_rng(0), 0
        cells = np.array([0.28, 0.12, 0.09, 0.51])  # positives right and wrong, negatives wrong …

        def reported(rates, priors):
            loss = metric.loss(priors)
            return float(loss.reported(loss.losses(*(np.array([own]) for own in rates))[0]))

        truth = reported((0.12 / 0.4, 0.09 / 0.6), (0.4, 0.6))
        for right, missed, wrong, other in rng.multinomial(300, cells, 500):
            counts = float(right + missed), float(wrong + other)
            low, high = rate_interval(metric, (missed / counts[0], wrong / counts[1]), counts)
            hits += low <= truth <= high
        assert 0.925 <= hits / 500 <= 0.975

    def test_the_error_has_wilsons_interval(self):
        found = rate_interval(chosen_metric("error"), (0.3, 0.1), (50.0, 150.0))
        wanted = binomtest(30, 200).proportion_ci(method="wilson")
        assert_allclose(found, (wanted.low, wanted.high), atol=1e-9)

    @pytest.mark.parametrize(
        ("name", "figure"),
        [("f1", ratios.f_score(2, 1)), ("balanced_error", ratios.balanced_error(2))],
    )
    def test_both_ways_agree(self, name, figure):
        counts = np.array([[100.0, 20], [15, 45]])
        found = rate_interval(chosen_metric(name), (15 / 60, 20 / 120), (60.0, 120.0))
        assert_allclose(sorted(found), figure.interval(counts), atol=1e-7)

    def test_a_class_without_rows_tells_nothing(self):
        assert not rate_interval(chosen_metric("f1"), (0.0, 0.1), (0.0, 10.0)).is_known


def test_shares_that_are_not_numbers_tell_nothing():
    assert not share_interval(float("nan"), 0.1, 10).is_known
    assert not share_interval(0.5, 0.1, 0).is_known
    assert str(share_interval(0.5, 0.25 / 100, 100)) == "0.4038 to 0.5962"


def test_means_of_weighted_rows_are_those_of_repeated_rows():
    rng = np.random.default_rng(0)
    values, counts = rng.standard_normal(50), rng.integers(1, 4, 50)
    found = mean_interval(values, counts.astype(float))
    assert_allclose(found, mean_interval(np.repeat(values, counts)))
    assert not mean_interval(values[:1]).is_known
