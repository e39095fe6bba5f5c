import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from zerone import Moments
from zerone._refine.candidates import MeasuredScores
from zerone._refine.held_out import HeldOutRows
from zerone.metrics import chosen_metric


@pytest.fixture
def measured(rng):
    n = 200
    signs = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    scores = rng.standard_normal(n) + signs
    rows = HeldOutRows(np.arange(n) % 4, signs, np.ones(n))
    counts = rows.count(scores[None])
    # The moments that the rows had before they were held out differ from the scores' own.
    features = 1.1 * scores[:, None] - 0.5
    pair = Moments.from_data(features, np.where(signs > 0, "yes", "no")).pair("yes", "no")
    found = MeasuredScores.of_candidate(np.ones(1), 0.5, rows, scores, pair, counts, 0)
    return found, scores, signs > 0


def rates(scores, positive, threshold):
    answers = scores > threshold
    return (~answers[positive]).mean(), answers[~positive].mean()


def test_means_and_variances(measured):
    found, scores, positive = measured
    assert found.scored.negative_score == pytest.approx(scores[~positive].mean() - 0.5)
    statistics = found.scored.statistics
    assert statistics.gap == pytest.approx(scores[positive].mean() - scores[~positive].mean())
    assert statistics.sd_positive == pytest.approx(scores[positive].std())
    assert found.scored.weights == (positive.sum(), (~positive).sum())
    assert found.scored.labels == ("yes", "no")


def test_what_the_normal_model_predicts_goes_by_the_moments(measured):
    found, scores, positive = measured
    predicted = found.predicted
    assert predicted.coef is found.scored.coef
    assert predicted.negative_score == pytest.approx(1.1 * scores[~positive].mean() - 0.5)
    gap = scores[positive].mean() - scores[~positive].mean()
    assert predicted.statistics.gap == pytest.approx(1.1 * gap)
    assert predicted.statistics.sd_negative == pytest.approx(1.1 * scores[~positive].std())
    assert predicted.labels == ("yes", "no")


def test_rates_and_auc(measured):
    found, scores, positive = measured
    for cut in (0, 17, 100, 200):
        miss, alarm = rates(scores, positive, found.thresholds[cut])
        assert found.false_negative_rates[cut] == pytest.approx(miss)
        assert found.false_positive_rates[cut] == pytest.approx(alarm)
    assert found.auc == pytest.approx(roc_auc_score(positive, scores))


@pytest.mark.parametrize(
    ("metric", "parameters", "loss"),
    [
        ("error", {}, lambda m, a: 0.2 * m + 0.8 * a),
        ("balanced_error", {}, lambda m, a: (m + a) / 2),
        ("f1", {}, lambda m, a: 1 - 2 * 0.2 * (1 - m) / (2 * 0.2 * (1 - m)
                                                                + 0.2 * m + 0.8 * a)),
        ("fbeta", {"beta": 2.0}, lambda m, a: 1 - 5 * 0.2 * (1 - m) / (5 * 0.2 * (1 - m)
                                                                       + 4 * 0.2 * m + 0.8 * a)),
        ("cost", {"false_negative_cost": 3.0, "false_positive_cost": 1.0},
         lambda m, a: 0.6 * m + 0.8 * a),
        ("true_positive_rate", {"max_false_positive_rate": 0.1},
         lambda m, a: m if a <= 0.1 else np.inf),
        ("false_positive_rate", {"min_true_positive_rate": 0.9},
         lambda m, a: a if 1 - m >= 0.9 - 1e-12 else np.inf),
    ],
)  # fmt: skip
def test_the_best_threshold_for_every_metric(measured, metric, parameters, loss):
    found, scores, positive = measured
    with np.errstate(invalid="ignore"):
        expected = min(loss(*rates(scores, positive, t)) for t in found.thresholds)
    value, threshold = found.best(chosen_metric(metric, parameters), (0.2, 0.8))
    assert value == pytest.approx(expected)
    assert loss(*rates(scores, positive, threshold)) == pytest.approx(expected)
    assert found.rates_at(threshold) == pytest.approx(rates(scores, positive, threshold))


def test_auc_takes_the_threshold_of_least_error(measured):
    found, _, _ = measured
    loss, threshold = found.best(chosen_metric("auc"), (0.3, 0.7))
    assert loss == pytest.approx(1 - found.auc)
    assert threshold == found.best(chosen_metric("error"), (0.3, 0.7))[1]
