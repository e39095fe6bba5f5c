"""Thresholds of least smoothed error, and the weights of rules by their held-out evidence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from zerone._refine.evidence import HeldOutRule, ThresholdGrid, bandwidth, combined
from zerone._refine.held_out import HeldOutRows


def rows_of(rng, n=200, positive=0.4, n_splits=5):
    signs = np.where(rng.random(n) < positive, 1.0, -1.0)
    signs[:4] = [1, 1, -1, -1]
    return HeldOutRows(np.arange(n) % n_splits, signs, np.ones(n))


def rule(scores, intercept=0.0):
    return HeldOutRule(np.ones(1), intercept, np.asarray(scores))


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


class TestWeights:
    @pytest.mark.parametrize("metric", ["error", "auc"])
    def test_clear_evidence_decides_and_weak_evidence_does_not(self, rng, metric):
        rows = rows_of(rng, 2000, 0.5)
        good = rng.standard_normal(2000) + 1.5 * rows.signs
        bad = rng.standard_normal(2000)
        _, weights = combined([rule(good), rule(bad)], rows, metric)
        assert weights[0] > 0.999
        few = rows_of(rng, 20, 0.5)
        close = [rng.standard_normal(20) + few.signs for _ in range(2)]
        _, weights = combined([rule(own) for own in close], few, metric)
        assert 0.02 < weights[0] < 0.98

    @pytest.mark.parametrize("metric", ["error", "auc"])
    def test_scales_names_and_class_weights_do_not_matter(self, rng, metric):
        rows = rows_of(rng, 300, 0.3)
        scores = [rng.standard_normal(300) + 0.7 * rows.signs for _ in range(3)]
        found, weights = combined([rule(own) for own in scores], rows, metric)
        _, scaled = combined([rule(9 * own) for own in scores], rows, metric)
        np.testing.assert_allclose(scaled, weights, rtol=1e-9)
        mirrored = HeldOutRows(rows.splits, -rows.signs, rows.weights)
        swapped, same = combined([rule(-own) for own in scores], mirrored, metric)
        np.testing.assert_allclose(same, weights, rtol=1e-9)
        np.testing.assert_allclose(swapped.scores, -found.scores, atol=1e-9)
        factored = HeldOutRows(rows.splits, rows.signs, np.full(300, 5.0), (5.0, 5.0))
        _, same = combined([rule(own) for own in scores], factored, metric)
        np.testing.assert_allclose(same, weights, rtol=1e-9)

    def test_weights_equal_repetition(self, rng):
        rows = rows_of(rng, 150, 0.4)
        counts = rng.integers(1, 4, 150)
        scores = [rng.standard_normal(150) + rows.signs for _ in range(3)]
        twice = np.repeat(np.arange(150), counts)
        weighted = HeldOutRows(rows.splits, rows.signs, counts.astype(float))
        repeated = HeldOutRows(rows.splits[twice], rows.signs[twice], np.ones(len(twice)))
        for metric in ("error", "auc"):
            _, a = combined([rule(own) for own in scores], weighted, metric)
            _, b = combined([rule(own[twice]) for own in scores], repeated, metric)
            np.testing.assert_allclose(a, b, rtol=1e-9)

    def test_standard_errors_are_those_of_resampling(self):
        """The paired error of a difference, against many samples of rows."""
        from zerone._refine.evidence import _ranking_evidence, _smooth_evidence

        rng = np.random.default_rng(0)
        differences, errors = {"error": [], "auc": []}, {"error": [], "auc": []}
        for _ in range(400):
            signs = np.where(rng.random(300) < 0.4, 1.0, -1.0)
            rows = HeldOutRows(np.zeros(300, dtype=int), signs, np.ones(300))
            first = rng.standard_normal(300) + signs
            pair = [rule(first), rule(first + 0.5 * rng.standard_normal(300))]
            for metric, evidence in (("error", _smooth_evidence), ("auc", _ranking_evidence)):
                losses, own = evidence(pair, rows)
                differences[metric].append(losses[1] - losses[0])
                errors[metric].append(own.max())
        for metric in errors:
            assert np.mean(errors[metric]) == pytest.approx(np.std(differences[metric]), rel=0.15)

    def test_scores_without_information_fall_back_to_one_answer(self):
        """On noise the constant answer takes most decisions of a rare class."""
        rng = np.random.default_rng(0)
        predicted = []
        for _ in range(50):
            rows = rows_of(rng, 400, 0.05)
            found, _ = combined([rule(rng.standard_normal(400) - 1.5)], rows, "error")
            predicted.append((found.scores > 0).mean())
        assert np.mean(predicted) < 0.08

    def test_a_handful_of_rows_that_are_all_right_beats_one_answer(self):
        signs = np.repeat([1.0, -1.0], [3, 30])
        rows = HeldOutRows(np.arange(33) % 3, signs, np.ones(33))
        found, weights = combined([rule(signs + 0.01 * np.arange(33))], rows, "error")
        assert weights[-1] < 0.05
        assert ((found.scores > 0) == (signs > 0)).all()
