"""Held-out scores as a fitted classifier keeps them: in few bins."""

import numpy as np
import pytest

from zerone import Moments
from zerone._refine.candidates import MeasuredScores
from zerone._refine.held_out import HeldOutRows
from zerone._refine.kept import KeptScores, _short, coarse
from zerone.metrics import chosen_metric

METRICS = [
    ("error", {}),
    ("balanced_error", {}),
    ("f1", {}),
    ("cost", {"false_negative_cost": 20.0, "false_positive_cost": 1.0}),
    ("true_positive_rate", {"max_false_positive_rate": 0.01}),
    ("false_positive_rate", {"min_true_positive_rate": 0.95}),
    ("auc", {}),
    ("partial_auc", {"max_fpr": 0.05}),
]


def measured(n, gap, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    scores = rng.standard_normal(n) + gap * signs
    rows = HeldOutRows(np.arange(n) % 4, signs, np.ones(n) if weights is None else weights)
    counts = rows.count(scores[None])
    pair = Moments.from_data(scores[:, None] - 0.5, np.where(signs > 0, "yes", "no"))
    return MeasuredScores.of_candidate(
        np.ones(1), 0.5, rows, scores, pair.pair("yes", "no"), counts, 0
    )


@pytest.mark.parametrize(("metric", "parameters"), METRICS)
def test_no_loss_is_lost_where_all_runs_of_a_class_fit(metric, parameters):
    full = measured(600, gap=1.6)
    few = coarse(full, 128)
    assert len(few.values) <= 128
    chosen = chosen_metric(metric, parameters)
    assert few.best(chosen, (0.3, 0.7))[0] == pytest.approx(full.best(chosen, (0.3, 0.7))[0])
    assert few.auc == pytest.approx(full.auc)


@pytest.mark.parametrize(("metric", "parameters"), METRICS)
@pytest.mark.parametrize("n", [1900, 50_000])
def test_little_loss_is_lost_otherwise(metric, parameters, n):
    full = measured(n, gap=0.8)
    few = coarse(full, 128)
    assert len(few.values) <= 128
    chosen, priors = chosen_metric(metric, parameters), (0.3, 0.7)
    lost = few.best(chosen, priors)[0] - full.best(chosen, priors)[0]
    # A limit is kept at the nearest edge inside it.
    most = {"true_positive_rate": 0.01, "false_positive_rate": 0.01, "partial_auc": 0.005}
    assert abs(lost) < most.get(metric, 0.002)


def test_the_edge_of_a_threshold_is_kept():
    full = measured(50_000, gap=0.5)
    for threshold in (-2.0, 0.0, 0.3):
        few = coarse(full, 8, threshold)
        assert len(few.values) <= 8
        assert few.rates_at(threshold) == pytest.approx(full.rates_at(threshold))


@pytest.mark.parametrize("weights", [None, "uneven"])
def test_what_is_kept_can_be_read_back(weights):
    rng = np.random.default_rng(1)
    given = None if weights is None else rng.uniform(0.5, 2.0, 300)
    one, other = measured(300, 1.0, weights=given), measured(300, 0.5, 2, given)
    kept = KeptScores.of([(one, other), None], [0.0, 0.0], np.array([[3.0], [0.0]]))
    assert kept.columns(1, ("yes", "no")) is None
    first, second = kept.columns(0, ("yes", "no"))
    for found, expected in ((first, coarse(one, 128).scaled(3.0)), (second, coarse(other, 128))):
        assert found.scored.coef == pytest.approx(expected.scored.coef)
        assert found.offset == expected.offset
        assert found.scored.labels == ("yes", "no")
        for name in ("values", "thresholds", "positive", "negative"):
            np.testing.assert_allclose(
                getattr(found, name), getattr(expected, name), rtol=1e-6, atol=1e-12
            )
        for own, true in (
            (found.scored, expected.scored), (found.predicted, expected.predicted)
        ):  # fmt: skip
            assert own.negative_score == pytest.approx(true.negative_score, rel=1e-5)
            assert own.statistics.gap == pytest.approx(true.statistics.gap, rel=1e-6)
            assert own.statistics.sd_positive == pytest.approx(true.statistics.sd_positive)


def test_counts_far_below_one_are_kept():
    counts = np.array([1e-9, 2e-9, 0.0])
    assert _short(counts) == pytest.approx(counts)
    assert _short(np.array([3.0, 1.0 + 1e-9])).tolist() == [3, 1]
