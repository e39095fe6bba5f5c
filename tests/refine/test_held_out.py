"""Errors, AUCs and thresholds of held-out rows against plain loops and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from zerone._refine import held_out as _held_out
from zerone._refine.held_out import HeldOutRows


def held_out_rows(rng, n=120, n_splits=3, weighted=True, discrete=False):
    signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    scores = rng.standard_normal((4, n)) + 0.7 * signs
    if discrete:
        scores = np.round(2 * scores) / 2
    weights = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    return HeldOutRows(rng.integers(0, n_splits, n), signs, weights), scores


def error_at(rows, scores, threshold, chosen):
    wrong = (scores > threshold) != (rows.signs > 0)
    return rows.weights[chosen & wrong].sum()


def least_error(rows, scores, chosen):
    places = np.unique(scores)
    cuts = np.concatenate([[-np.inf], (places[1:] + places[:-1]) / 2, [np.inf]])
    return min(error_at(rows, scores, cut, chosen) for cut in cuts)


@given(seed=st.integers(0, 2**32 - 1), weighted=st.booleans(), discrete=st.booleans())
def test_thresholds_are_the_best_of_the_other_splits(seed, weighted, discrete):
    rows, scores = held_out_rows(np.random.default_rng(seed), 40, 3, weighted, discrete)
    counts = rows.count(scores)
    thresholds = counts.split_thresholds()
    expected = np.zeros(len(scores))
    for column, own in enumerate(scores):
        for split in range(thresholds.shape[1]):
            others = rows.splits != split
            threshold = thresholds[column, split]
            best = least_error(rows, own, others)
            assert error_at(rows, own, threshold, others) == pytest.approx(best)
            expected[column] += error_at(rows, own, threshold, ~others)
    np.testing.assert_allclose(counts.crossfit_errors(), expected / rows.total, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), weighted=st.booleans(), discrete=st.booleans())
def test_one_sort_gives_the_best_threshold(seed, weighted, discrete):
    rows, scores = held_out_rows(np.random.default_rng(seed), 40, 3, weighted, discrete)
    everything = np.ones(40, dtype=bool)
    for own in scores:
        found = error_at(rows, own, rows.threshold(own), everything)
        assert found == pytest.approx(least_error(rows, own, everything))


@pytest.mark.parametrize("discrete", [False, True])
def test_ranking_is_that_of_scikit_learn_within_each_split(rng, discrete):
    rows, scores = held_out_rows(rng, discrete=discrete)
    losses = rows.count(scores).ranking_losses()
    for own, loss in zip(scores, losses, strict=True):
        total = lost = 0.0
        for split in range(3):
            chosen = rows.splits == split
            signs, weights = rows.signs[chosen], rows.weights[chosen]
            pairs = weights[signs > 0].sum() * weights[signs < 0].sum()
            total += pairs
            lost += pairs * (1 - roc_auc_score(signs, own[chosen], sample_weight=weights))
        assert loss == pytest.approx(lost / total)


def test_bins_come_close_to_sorting(rng, monkeypatch):
    rows, scores = held_out_rows(rng, n=1500, weighted=False)
    exact = rows.count(scores)
    monkeypatch.setattr(_held_out, "_SORTED", 0.0)
    binned = rows.count(scores)
    assert binned.positive.shape[2] < 1200
    np.testing.assert_allclose(binned.ranking_losses(), exact.ranking_losses(), atol=5e-4)
    np.testing.assert_allclose(binned.crossfit_errors(), exact.crossfit_errors(), atol=0.01)


def test_the_weight_and_not_the_rows_decides_between_sorting_and_bins(rng):
    rows, scores = held_out_rows(rng, n=100, weighted=False)
    heavy = HeldOutRows(rows.splits, rows.signs, np.full(100, 100.0))
    exact, binned = rows.count(scores), heavy.count(scores)
    assert exact.positive.shape[2] == 100
    assert (exact.lower == exact.upper).all()
    assert (binned.lower < binned.upper).all()


def test_bins_are_narrow_wherever_the_scores_are(rng, monkeypatch):
    """An outlier must not put all others into one bin."""
    rows, scores = held_out_rows(rng, n=1500, weighted=False)
    exact = rows.count(scores)
    monkeypatch.setattr(_held_out, "_SORTED", 0.0)
    for unit in (1e-6, 1e-3, 1e3):
        moved = unit * scores
        moved[:, 0] = 1e5
        binned = rows.count(moved)
        np.testing.assert_allclose(binned.ranking_losses(), exact.ranking_losses(), atol=0.003)
        np.testing.assert_allclose(binned.crossfit_errors(), exact.crossfit_errors(), atol=0.015)
        assert (binned.lower < binned.upper).all()
        inside = (moved[0][:, None] >= binned.lower[0]) & (moved[0][:, None] < binned.upper[0])
        assert (inside.sum(axis=1) == 1).all()


def test_very_many_rows_of_small_weight_are_counted_in_bins(rng):
    n = 30_000
    signs = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    rows = HeldOutRows(np.arange(n) % 2, signs, np.full(n, 1 / n))
    assert rows.count(rng.standard_normal((1, n))).positive.shape[2] < 3000


def test_splits_with_one_class_are_ranked_all_together(rng):
    signs = np.repeat([1.0, -1.0], [40, 60])
    scores = rng.standard_normal((2, 100)) + signs
    rows = HeldOutRows(np.repeat([0, 1, 2, 3], 25), signs, np.ones(100))
    expected = [1 - roc_auc_score(signs, own) for own in scores]
    np.testing.assert_allclose(rows.count(scores).ranking_losses(), expected)


def test_class_weights_are_not_evidence(rng):
    """Doubling the weight of both classes, or scaling it, leaves the verdict to the rows."""
    signs = np.where(rng.random(300) < 0.3, 1.0, -1.0)
    scores = rng.standard_normal((30, 300)) + 0.35 * signs
    plain = HeldOutRows(np.arange(300) % 5, signs, np.ones(300))
    factored = HeldOutRows(np.arange(300) % 5, signs, np.full(300, 5.0), (5.0, 5.0))
    one = plain.count(scores).improve_on_one_answer()
    assert 0 < one.sum() < 30 or one.all()
    assert (one == factored.count(scores).improve_on_one_answer()).all()


def test_no_threshold_between_ties():
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    scores = np.array([0.5, 0.5 + 1e-12, 2.0, -1.0])
    rows = HeldOutRows(np.array([0, 1, 0, 1]), signs, np.ones(4))
    assert rows.threshold(scores) in (1.25 + 0.5e-12, -0.25, 1.25, 2.0)
    assert rows.count(scores[None]).lower.shape[1] == 3


def test_equal_thresholds_do_not_depend_on_which_class_is_positive(rng):
    for _ in range(20):
        rows, scores = held_out_rows(rng, n=30, weighted=False)
        mirrored = HeldOutRows(rows.splits, -rows.signs, rows.weights)
        for own in scores:
            assert mirrored.threshold(-own) == pytest.approx(-rows.threshold(own))


@pytest.mark.parametrize(("positive", "at_most"), [(0.05, 4), (0.3, 50)])
def test_scores_without_information_rarely_beat_one_answer(positive, at_most):
    """The rarer the class, the more evidence is needed."""
    rng = np.random.default_rng(0)
    beaten = 0
    for _ in range(200):
        signs = np.where(rng.random(400) < positive, 1.0, -1.0)
        rows = HeldOutRows(np.arange(400) % 5, signs, np.ones(400))
        counts = rows.count(rng.standard_normal((1, 400)))
        beaten += int(counts.improve_on_one_answer()[0])
    assert beaten <= at_most


def test_a_handful_of_rows_that_are_all_right_beats_one_answer():
    signs = np.repeat([1.0, -1.0], [3, 30])
    rows = HeldOutRows(np.arange(33) % 3, signs, np.ones(33))
    assert rows.count(signs[None] + 0.01 * np.arange(33)).improve_on_one_answer()[0]
