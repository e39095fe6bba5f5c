"""The weights of rules by their held-out evidence, for every metric."""

import numpy as np
import pytest

from zerone._refine.evidence import HeldOutRule, combined
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import ErrorJudge, judge_of
from zerone.metrics import WeightedError, chosen_metric

JUDGED = {
    "error": {},
    "f1": {},
    "fbeta": {"beta": 2.0},
    "true_positive_rate": {"max_false_positive_rate": 0.15},
    "false_positive_rate": {"min_true_positive_rate": 0.85},
    "precision": {"min_recall": 0.5},
    "recall": {"min_precision": 0.6},
    "precision_at_k": {"k": 0.2},
    "auc": {},
    "partial_auc": {"max_fpr": 0.2},
    "average_precision": {},
}


def judge(name, priors=(0.4, 0.6)):
    return judge_of(chosen_metric(name, JUDGED[name]).loss(priors))


def rows_of(rng, n=200, positive=0.4, n_splits=5):
    signs = np.where(rng.random(n) < positive, 1.0, -1.0)
    signs[:4] = [1, 1, -1, -1]
    return HeldOutRows(np.arange(n) % n_splits, signs, np.ones(n))


def rule(scores, intercept=0.0):
    return HeldOutRule(np.ones(1), intercept, np.asarray(scores))


def priors_of(rows):
    return rows.positive / rows.total, rows.negative / rows.total


@pytest.mark.parametrize("metric", JUDGED)
def test_clear_evidence_decides_and_weak_evidence_does_not(rng, metric):
    rows = rows_of(rng, 4000, 0.5)
    good = rng.standard_normal(4000) + 1.5 * rows.signs
    bad = rng.standard_normal(4000)
    _, weights = combined([rule(good), rule(bad)], rows, judge(metric, priors_of(rows)))
    assert weights[0] > 0.99
    few = rows_of(rng, 20, 0.5)
    close = [rng.standard_normal(20) + few.signs for _ in range(2)]
    _, weights = combined([rule(own) for own in close], few, judge(metric, priors_of(few)))
    assert 0.01 < weights[0] < 0.99


@pytest.mark.parametrize("metric", JUDGED)
def test_scales_and_the_order_of_rules_do_not_matter(rng, metric):
    rows = rows_of(rng, 300, 0.3)
    scores = [rng.standard_normal(300) + 0.7 * rows.signs for _ in range(3)]
    own = judge(metric, priors_of(rows))
    found, weights = combined([rule(one) for one in scores], rows, own)
    assert weights.sum() == pytest.approx(1)
    _, scaled = combined([rule(9 * one) for one in scores], rows, own)
    np.testing.assert_allclose(scaled, weights, rtol=1e-6)
    same, turned = combined([rule(one) for one in scores[::-1]], rows, own)
    np.testing.assert_allclose(turned[:3], weights[:3][::-1], rtol=1e-9)
    np.testing.assert_allclose(same.scores, found.scores, rtol=1e-9)
    # Nor does the order of rows.
    order = rng.permutation(300)
    mixed = HeldOutRows(rows.splits[order], rows.signs[order], rows.weights[order])
    _, same = combined([rule(one[order]) for one in scores], mixed, own)
    np.testing.assert_allclose(same, weights, rtol=1e-6)


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_names_and_class_weights_do_not_matter(rng, metric):
    rows = rows_of(rng, 300, 0.3)
    scores = [rng.standard_normal(300) + 0.7 * rows.signs for _ in range(3)]
    own = judge(metric)
    found, weights = combined([rule(one) for one in scores], rows, own)
    mirrored = HeldOutRows(rows.splits, -rows.signs, rows.weights)
    swapped, same = combined([rule(-one) for one in scores], mirrored, own)
    np.testing.assert_allclose(same, weights, rtol=1e-9)
    np.testing.assert_allclose(swapped.scores, -found.scores, atol=1e-9)
    factored = HeldOutRows(rows.splits, rows.signs, np.full(300, 5.0), (5.0, 5.0))
    _, same = combined([rule(one) for one in scores], factored, own)
    np.testing.assert_allclose(same, weights, rtol=1e-9)


@pytest.mark.parametrize("metric", JUDGED)
def test_class_weights_are_no_rows(rng, metric):
    """Rows that weigh five times as much in the loss are not five times as many rows."""
    rows = rows_of(rng, 300, 0.3)
    scores = [rng.standard_normal(300) + 0.7 * rows.signs for _ in range(3)]
    own = judge(metric, priors_of(rows))
    _, weights = combined([rule(one) for one in scores], rows, own)
    factored = HeldOutRows(rows.splits, rows.signs, np.full(300, 5.0), (5.0, 5.0))
    _, same = combined([rule(one) for one in scores], factored, own)
    np.testing.assert_allclose(same, weights, rtol=1e-6)


@pytest.mark.parametrize("metric", JUDGED)
def test_weights_equal_repetition(rng, metric):
    rows = rows_of(rng, 150, 0.4)
    counts = rng.integers(1, 4, 150)
    scores = [rng.standard_normal(150) + rows.signs for _ in range(3)]
    twice = np.repeat(np.arange(150), counts)
    weighted = HeldOutRows(rows.splits, rows.signs, counts.astype(float))
    repeated = HeldOutRows(rows.splits[twice], rows.signs[twice], np.ones(len(twice)))
    own = judge(metric, priors_of(weighted))
    _, a = combined([rule(one) for one in scores], weighted, own)
    _, b = combined([rule(one[twice]) for one in scores], repeated, own)
    np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("weights", [(0.4, 0.6), (0.5, 0.5)])
def test_weighted_errors_have_the_judge_of_errors(weights):
    assert isinstance(judge_of(WeightedError(*weights)), ErrorJudge)


@pytest.mark.parametrize("n", [300, 1000])
@pytest.mark.parametrize("metric", JUDGED)
def test_standard_errors_are_those_of_resampling(metric, n):
    """The paired error of a difference, against many samples of rows."""
    rng, own = np.random.default_rng(0), judge(metric)
    differences, errors = [], []
    for _ in range(400):
        signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
        rows = HeldOutRows(np.zeros(n, dtype=int), signs, np.ones(n))
        first = rng.standard_normal(n) + signs
        second = first + 0.5 * rng.standard_normal(n)
        losses, found = own.evidence(np.array([first, second / second.std()]), rows)
        assert found.min() == 0.0
        assert found[losses.argmin()] == 0.0
        differences.append(losses[1] - losses[0])
        errors.append(found.max())
    assert np.mean(differences) > 0.5 * np.std(differences)  # the second one is worse
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.2)


@pytest.mark.parametrize("metric", ["auc", "partial_auc", "average_precision"])
def test_standard_errors_with_few_different_scores(metric):
    """Scores of a few indicators are often equal."""
    rng, own, n = np.random.default_rng(1), judge(metric), 500
    differences, errors = [], []
    for _ in range(400):
        signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
        rows = HeldOutRows(np.zeros(n, dtype=int), signs, np.ones(n))
        indicators = rng.random((3, n)) < 0.4 + 0.2 * signs
        scores = np.array([[1.0, 0.6, 0.3], [1.0, 0.2, -0.1]]) @ indicators
        losses, found = own.evidence(scores, rows)
        differences.append(losses[1] - losses[0])
        errors.append(found.max())
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.2)


@pytest.mark.parametrize("metric", JUDGED)
def test_rows_held_out_repeatedly_tell_no_more(rng, metric):
    rows = rows_of(rng, 400)
    scores = np.array([rng.standard_normal(400) + rows.signs for _ in range(2)])
    own = judge(metric, priors_of(rows))
    once = own.evidence(scores, rows)[1]
    thrice = HeldOutRows(
        np.tile(rows.splits, 3), np.tile(rows.signs, 3), np.tile(rows.weights, 3), repeats=3.0
    )
    again = own.evidence(np.tile(scores, 3), thrice)[1]
    np.testing.assert_allclose(again, once, rtol=1e-6)


def test_scores_without_information_fall_back_to_one_answer():
    """On noise the constant answer takes most decisions of a rare class."""
    rng = np.random.default_rng(0)
    predicted = []
    for _ in range(50):
        rows = rows_of(rng, 400, 0.05)
        found, _ = combined([rule(rng.standard_normal(400) - 1.5)], rows, ErrorJudge())
        predicted.append((found.scores > 0).mean())
    assert np.mean(predicted) < 0.08


def test_a_handful_of_rows_that_are_all_right_beats_one_answer():
    signs = np.repeat([1.0, -1.0], [3, 30])
    rows = HeldOutRows(np.arange(33) % 3, signs, np.ones(33))
    found, weights = combined([rule(signs + 0.01 * np.arange(33))], rows, ErrorJudge())
    assert weights[-1] < 0.05
    assert ((found.scores > 0) == (signs > 0)).all()
