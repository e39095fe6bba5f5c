"""Thresholds of least smoothed loss along held-out scores, and thresholds at limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from zerone._refine.held_out import HeldOutRows
from zerone._refine.thresholds import (
    ThresholdGrid,
    bandwidth,
    counted_threshold,
    median,
    size_of,
    smoothed_cut,
)
from zerone.metrics import chosen_metric

SEEDS = st.integers(0, 2**32 - 1)
UNLIMITED = {"f1": {}, "fbeta": {"beta": 2.0}, "error": {}}
LIMITED = {
    "true_positive_rate": {"max_false_positive_rate": 0.15},
    "false_positive_rate": {"min_true_positive_rate": 0.85},
    "precision": {"min_recall": 0.5},
    "recall": {"min_precision": 0.6},
    "precision_at_k": {"k": 0.2},
}

# Of a precision neither rate alone keeps the limit, so rows are not counted.
COUNTED = [name for name in LIMITED if name != "recall"]


def rows_of(rng, n=200, positive=0.4, n_splits=5):
    signs = np.where(rng.random(n) < positive, 1.0, -1.0)
    signs[:4] = [1, 1, -1, -1]
    return HeldOutRows(np.arange(n) % n_splits, signs, np.ones(n))


def loss_of(name, rows):
    parameters = {**UNLIMITED, **LIMITED}[name]
    return chosen_metric(name, parameters).loss(
        (rows.positive / rows.total, rows.negative / rows.total)
    )


class TestThresholds:
    @given(seed=st.integers(0, 2**32 - 1), h=st.sampled_from([0.1, 0.3, 0.7]))
    def test_no_other_threshold_has_a_lower_smoothed_error(self, seed, h):
        rng = np.random.default_rng(seed)
        rows = rows_of(rng)
        scores = 3 + 2 * (rng.standard_normal(200) + rows.signs)
        grid = ThresholdGrid(scores, rows.weights, h)
        spread = np.median(np.abs(scores - np.median(scores))) / 0.6745

        def smoothed(threshold):
            return expit(-1.7 * rows.signs * (scores - threshold) / (h * spread)).sum()

        found = smoothed(grid.threshold(scores, rows.signs))
        others = [smoothed(t) for t in np.linspace(scores.min(), scores.max(), 400)]
        # The grid shares a row between two points, an eighth of a bandwidth apart.
        assert found <= min(others) + 0.01 * len(scores) * h

    @given(seed=st.integers(0, 2**32 - 1), odd=st.booleans())
    def test_names_of_classes_units_and_repetition_do_not_matter(self, seed, odd):
        rng = np.random.default_rng(seed)
        n = 60 + odd
        signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
        scores, weights = rng.standard_normal(n) + signs, rng.integers(1, 4, n).astype(float)

        def threshold(scores, signs, weights):
            return ThresholdGrid(scores, weights, 0.3).threshold(scores, signs * weights)

        expected = threshold(scores, signs, weights)
        assert threshold(-scores, -signs, weights) == pytest.approx(-expected, abs=1e-9)
        assert threshold(7 * scores, signs, weights) == pytest.approx(7 * expected, abs=1e-9)
        twice = np.repeat(np.arange(n), weights.astype(int))
        repeated = threshold(scores[twice], signs[twice], np.ones(len(twice)))
        assert repeated == pytest.approx(expected, abs=1e-9)

    def test_two_classes_apart_are_parted_in_the_middle(self):
        scores = np.concatenate([np.linspace(-6, -5, 50), np.linspace(5, 6, 50)])
        grid = ThresholdGrid(scores, np.ones(100), 0.1)
        assert grid.threshold(scores, np.repeat([-1.0, 1.0], 50)) == pytest.approx(0, abs=0.5)

    def test_one_score_for_all(self):
        signs = np.array([1.0, -1.0, -1.0])
        grid = ThresholdGrid(np.full(3, 2.0), np.ones(3), 0.5)
        assert grid.threshold(np.full(3, 2.0), signs) > 2.0

    def test_the_bandwidth_falls_with_the_weight_of_the_rarer_class(self, rng):
        rows = rows_of(rng, 1000, 0.1)
        rarer = rows.positive
        assert bandwidth(rows) == pytest.approx(0.7 * rarer ** (-1 / 3))
        weighted = HeldOutRows(rows.splits, rows.signs, 5 * rows.weights, (5.0, 5.0))
        assert bandwidth(weighted) == pytest.approx(bandwidth(rows))  # class weights are no rows
        assert bandwidth(rows, 8.0) == pytest.approx(0.35)
        assert bandwidth(rows, 1e9) == bandwidth(rows)


def smoothed_rates(scores, rows, threshold, width):
    """Both rates by their definition."""
    positive = rows.signs > 0
    wrong = rows.weights * expit(-1.7 * rows.signs * (scores - threshold) / width)
    return (
        np.array([wrong[positive].sum() / rows.positive]),
        np.array([wrong[~positive].sum() / rows.negative]),
    )


class TestSmoothedCut:
    @pytest.mark.parametrize("name", [*UNLIMITED, *LIMITED])
    @given(seed=SEEDS, h=st.sampled_from([0.15, 0.4]))
    def test_the_loss_is_that_of_the_threshold(self, name, seed, h):
        rng = np.random.default_rng(seed)
        rows = rows_of(rng)
        scores = 3 + 2 * (rng.standard_normal(200) + rows.signs)
        loss = loss_of(name, rows)
        cut = smoothed_cut(scores, rows, loss, h)
        assert cut.width == pytest.approx(h * size_of(scores - np.median(scores), rows.weights))
        rates = smoothed_rates(scores, rows, cut.threshold, cut.width)
        assert cut.loss == pytest.approx(loss.losses(*rates)[0], abs=5e-3)
        others = np.linspace(scores.min() - 1, scores.max() + 1, 300)
        found = [smoothed_rates(scores, rows, t, cut.width) for t in others]
        if loss.limit is None:
            least = min(loss.losses(*own)[0] for own in found)
            slopes = loss.slopes(*rates)
            np.testing.assert_allclose(cut.weights, [own[0] for own in slopes], rtol=0.05)
        else:
            # Within the limit, up to what the grid shares between two points.
            assert loss.limit.excess(*rates)[0] < 5e-3
            inside = [own for own in found if loss.limit.excess(*own)[0] <= 0]
            least = min(loss.losses(*own)[0] for own in inside)
        assert cut.loss <= least + 5e-3

    @pytest.mark.parametrize("name", [*UNLIMITED, *LIMITED])
    @given(seed=SEEDS)
    def test_units_and_repetition_do_not_matter(self, name, seed):
        rng = np.random.default_rng(seed)
        rows = rows_of(rng, 80)
        counts = rng.integers(1, 4, 80)
        rows = HeldOutRows(rows.splits, rows.signs, counts.astype(float))
        scores, loss = rng.standard_normal(80) + rows.signs, loss_of(name, rows)
        expected = smoothed_cut(scores, rows, loss, 0.3)
        scaled = smoothed_cut(7 * scores + 2, rows, loss, 0.3)
        assert scaled.threshold == pytest.approx(7 * expected.threshold + 2, abs=1e-6)
        assert scaled.loss == pytest.approx(expected.loss, abs=1e-9)
        np.testing.assert_allclose(scaled.weights, expected.weights, rtol=1e-5)
        twice = np.repeat(np.arange(80), counts)
        repeated = HeldOutRows(rows.splits[twice], rows.signs[twice], np.ones(len(twice)))
        same = smoothed_cut(scores[twice], repeated, loss, 0.3)
        assert same.threshold == pytest.approx(expected.threshold, abs=1e-9)
        np.testing.assert_allclose(same.weights, expected.weights, rtol=1e-6)

    def test_a_limit_far_out(self, rng):
        """A rate of one in a thousand lies in the tail of the scores."""
        rows = rows_of(rng, 20_000, 0.5)
        scores = rng.standard_normal(20_000) + 3 * (rows.signs > 0)
        scores[:5] += 1e3  # and outliers do no harm
        loss = chosen_metric("true_positive_rate", {"max_false_positive_rate": 1e-3}).loss(
            (0.5, 0.5)
        )
        assert smoothed_cut(scores, rows, loss, 0.05).threshold == pytest.approx(3.1, abs=0.4)
        assert counted_threshold(scores, rows, loss) == pytest.approx(3.1, abs=0.4)


class TestCountedThresholds:
    @pytest.mark.parametrize("name", COUNTED)
    @given(seed=SEEDS)
    def test_the_limit_is_kept_but_for_half_a_row(self, name, seed):
        rng = np.random.default_rng(seed)
        rows = rows_of(rng, 150)
        scores, loss = rng.standard_normal(150) + rows.signs, loss_of(name, rows)
        threshold = counted_threshold(scores, rows, loss)
        rates = [np.array([own]) for own in rows.rates(scores, threshold)]
        half = 0.51 / rows.positive * abs(loss.limit.positive)
        half += 0.51 / rows.negative * abs(loss.limit.negative)
        assert loss.limit.excess(*rates)[0] <= half
        # No threshold that keeps the limit is better by more than a row.
        cuts = np.concatenate([[-np.inf], (np.sort(scores)[1:] + np.sort(scores)[:-1]) / 2])
        every = [[np.array([r]) for r in rows.rates(scores, cut)] for cut in cuts]
        least = min(float(loss.limited_losses(*own)[0]) for own in every)
        row = 1.01 / min(rows.positive, rows.negative)
        assert loss.losses(*rates)[0] <= least + row * max(1, loss.slopes(*rates)[1][0])

    @pytest.mark.parametrize("name", COUNTED)
    @given(seed=SEEDS)
    def test_the_order_of_rows_and_repetition_do_not_matter(self, name, seed):
        rng = np.random.default_rng(seed)
        rows = rows_of(rng, 100)
        counts = rng.integers(1, 4, 100)
        rows = HeldOutRows(rows.splits, rows.signs, counts.astype(float))
        # Many scores are equal.
        scores, loss = np.round(2 * rng.standard_normal(100) + rows.signs) / 2, loss_of(name, rows)
        expected = counted_threshold(scores, rows, loss)
        order = rng.permutation(np.repeat(np.arange(100), counts))
        mixed = HeldOutRows(rows.splits[order], rows.signs[order], np.ones(len(order)))
        assert counted_threshold(scores[order], mixed, loss) == pytest.approx(expected, abs=1e-9)
        scaled = counted_threshold(4 * scores + 1, rows, loss)
        assert scaled == pytest.approx(4 * expected + 1, abs=1e-9)

    def test_the_classes_mirrored(self, rng):
        rows = rows_of(rng, 150)
        scores = rng.standard_normal(150) + rows.signs
        one = chosen_metric("true_positive_rate", {"max_false_positive_rate": 0.2})
        other = chosen_metric("false_positive_rate", {"min_true_positive_rate": 0.8})
        mirrored = HeldOutRows(rows.splits, -rows.signs, rows.weights)
        found = counted_threshold(scores, rows, one.loss((0.4, 0.6)))
        turned = counted_threshold(-scores, mirrored, other.loss((0.6, 0.4)))
        assert turned == pytest.approx(-found, abs=1e-9)


@given(seed=SEEDS)
def test_median_and_size(seed):
    rng = np.random.default_rng(seed)
    values, counts = rng.standard_normal(rng.integers(1, 30)), None
    counts = rng.integers(1, 4, len(values))
    repeated = np.repeat(values, counts)
    assert median(values, counts.astype(float)) == pytest.approx(np.median(repeated))
    size = np.median(np.abs(repeated)) / 0.6745
    assert size_of(values, counts.astype(float)) == pytest.approx(size)
    assert size_of(np.array([0.0, 0.0, 2.0]), np.ones(3)) == pytest.approx(2 / np.sqrt(3))
    assert size_of(np.zeros(3), np.ones(3)) == 1.0
