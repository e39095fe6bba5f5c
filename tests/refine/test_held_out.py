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


def thresholds_between(scores):
    places = np.unique(scores)
    return np.concatenate([[-np.inf], (places[1:] + places[:-1]) / 2, [np.inf]])


def least_error(rows, scores, chosen):
    return min(error_at(rows, scores, cut, chosen) for cut in thresholds_between(scores))


@given(seed=st.integers(0, 2**32 - 1), weighted=st.booleans(), discrete=st.booleans())
def test_errors_have_the_best_threshold_of_the_other_splits(seed, weighted, discrete):
    rows, scores = held_out_rows(np.random.default_rng(seed), 40, 3, weighted, discrete)
    counts = rows.count(scores)
    found = counts.crossfit_errors()
    elsewhere = counts.errors_elsewhere()
    for column, own in enumerate(scores):
        possible = [[], [], []]
        for split in range(3):
            others = rows.splits != split
            least = least_error(rows, own, others)
            cuts = thresholds_between(own)
            best = [c for c in cuts if error_at(rows, own, c, others) <= least + 1e-9]
            possible[split] = [error_at(rows, own, c, ~others) for c in best]
        assert sum(map(min, possible)) - 1e-9 <= found[column] * rows.total
        assert found[column] * rows.total <= sum(map(max, possible)) + 1e-9
    weight = np.bincount(rows.splits, rows.weights, 3)
    # The losses elsewhere, weighted by the rows elsewhere, add up to twice the loss.
    np.testing.assert_allclose(elsewhere @ (rows.total - weight) / rows.total, 2 * found)


@pytest.mark.parametrize("n_positive", [2, 60])
def test_losses_elsewhere_leave_a_split_out(rng, n_positive):
    signs = np.repeat([1.0, -1.0], [n_positive, 90])
    splits = np.concatenate([np.arange(n_positive), np.arange(90)]) % 3
    rows = HeldOutRows(splits, signs, np.ones(len(signs)))
    scores = rng.standard_normal((2, len(signs))) + 0.5 * signs
    elsewhere = rows.count(scores).ranking_losses_elsewhere()
    assert elsewhere.shape == (2, 3)
    for column, own in enumerate(scores):
        for split in range(3):
            parts = [(rows.splits == k) & (rows.splits != split) for k in range(3) if k != split]
            if n_positive == 2:  # some splits have no positive row: all pairs of the others count
                parts = [rows.splits != split]
            pairs = [(signs[p] > 0).sum() * (signs[p] < 0).sum() for p in parts]
            lost = [
                n * (1 - roc_auc_score(signs[p], own[p])) for n, p in zip(pairs, parts, strict=True)
            ]
            assert elsewhere[column, split] == pytest.approx(sum(lost) / sum(pairs))


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


def test_ties_are_one_bin():
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    scores = np.array([0.5, 0.5 + 1e-12, 2.0, -1.0])
    rows = HeldOutRows(np.array([0, 1, 0, 1]), signs, np.ones(4))
    assert rows.count(scores[None]).lower.shape[1] == 3
