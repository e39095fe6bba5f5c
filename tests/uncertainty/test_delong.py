"""DeLong's standard errors, against a reference that compares all pairs of rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from zerone._uncertainty.class_aucs import one_vs_one_interval, one_vs_rest_interval
from zerone._uncertainty.delong import delong
from zerone._uncertainty.intervals import share_interval
from zerone._uncertainty.rankings import ranking_interval, score_bins
from zerone.metrics import AUCLoss, AveragePrecisionLoss, PartialAUCLoss


def reference(is_positive, scores):
    """AUCs and their covariance from all pairs, as in the paper of DeLong and others."""
    parts = []
    for own in scores:
        difference = own[is_positive][:, None] - own[~is_positive][None, :]
        kernel = (difference > 0) + 0.5 * (difference == 0)
        parts.append((kernel.mean(axis=1), kernel.mean(axis=0)))
    v10, v01 = (np.array([part[side] for part in parts]) for side in (0, 1))
    covariance = np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]
    return v10.mean(axis=1), np.atleast_2d(covariance)


def problem(seed, n=150, n_scores=3, ties=True):
    rng = np.random.default_rng(seed)
    is_positive = rng.random(n) < 0.3
    is_positive[:2], is_positive[2:4] = True, False
    scores = rng.standard_normal((n_scores, n)) + is_positive
    return is_positive, np.round(scores, 1) if ties else scores


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_reference(seed, ties):
    is_positive, scores = problem(seed, ties=ties)
    found = delong(is_positive, scores)
    values, covariance = reference(is_positive, scores)
    assert_allclose(found.values, values, atol=1e-12)
    assert_allclose(found.covariance, covariance, atol=1e-12)
    assert found.values[0] == pytest.approx(roc_auc_score(is_positive, scores[0]), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_weights_equal_repetition(seed):
    is_positive, scores = problem(seed)
    counts = np.random.default_rng(seed).integers(0, 4, len(is_positive))
    counts[:4] = 2
    found = delong(is_positive, scores, counts.astype(float))
    repeated = np.repeat(np.arange(len(counts)), counts)
    values, covariance = reference(is_positive[repeated], scores[:, repeated])
    assert_allclose(found.values, values, atol=1e-12)
    assert_allclose(found.covariance, covariance, atol=1e-12)
    same = delong(is_positive[repeated], scores[:, repeated])
    assert_allclose(found.interval(), same.interval(), atol=1e-12)


def test_order_scale_and_sign_do_not_matter():
    is_positive, scores = problem(0)
    found = delong(is_positive, scores)
    order = np.random.default_rng(1).permutation(len(is_positive))
    mixed = delong(is_positive[order], 7 * scores[:, order] - 3)
    assert_allclose(found.covariance, mixed.covariance, atol=1e-13)
    turned = delong(~is_positive, -scores)
    assert_allclose(found.values, turned.values, atol=1e-13)
    assert_allclose(found.covariance, turned.covariance, atol=1e-13)


def test_a_model_does_not_differ_from_itself():
    is_positive, scores = problem(0)
    found = delong(is_positive, scores[[0, 0]])
    assert_allclose(found.difference_interval(), (0, 0), atol=1e-8)
    low, high = delong(is_positive, scores).difference_interval()
    assert low < high


def test_ends_stay_in_range_and_single_rows_tell_nothing():
    is_positive = np.arange(40) < 20
    low, high = delong(is_positive, -np.arange(40.0)).interval()
    assert 0.7 < low < high == 1.0
    assert not delong(np.arange(9) < 1, np.arange(9.0)).interval().is_known
    assert np.isnan(delong(np.zeros(9, dtype=bool), np.arange(9.0)).values[0])


def test_difference_covers():
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        is_positive = rng.random(200) < 0.4
        common = rng.standard_normal(200) + is_positive
        scores = common + 0.5 * rng.standard_normal((2, 200))
        low, high = delong(is_positive, scores).difference_interval()
        hits += low <= 0 <= high
    assert 0.92 <= hits / 400 <= 0.98


def test_rankings_in_bins_are_those_of_rows():
    is_positive, scores = problem(0, n=400, n_scores=1)
    found = delong(is_positive, scores)
    counts = float(is_positive.sum()), float((~is_positive).sum())
    bins = score_bins(is_positive, scores[0])
    interval = ranking_interval(AUCLoss(), 1 - found.values[0], *bins, counts)
    assert_allclose(interval, found.interval(), atol=1e-12)


@pytest.mark.parametrize("loss", [PartialAUCLoss(0.2), AveragePrecisionLoss(0.4, 0.6)])
def test_rankings_cover(loss):
    rng = np.random.default_rng(0)

    def sample(n):
        is_positive = np.arange(n) < 0.4 * n
        return is_positive, rng.standard_normal(n) + 1.2 * is_positive

    def value_of(bins):
        missed = np.append(0.0, np.cumsum(bins[0]))
        return float(loss.of_roc(missed, 1 - np.append(0.0, np.cumsum(bins[1]))))

    truth = float(loss.reported(value_of(score_bins(*sample(400_000)))))
    hits = 0
    for _ in range(300):
        is_positive, scores = sample(400)
        bins = score_bins(is_positive, scores)
        low, high = ranking_interval(loss, value_of(bins), *bins, (160.0, 240.0))
        hits += low <= truth <= high
    assert 0.91 <= hits / 300 <= 0.99


class TestSeveralClasses:
    def sample(self, n=240, seed=0):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, n)
        return truth, rng.standard_normal((n, 3)) + np.eye(3)[truth]

    def test_two_classes_have_delongs_interval(self):
        is_positive, scores = problem(0, n_scores=1)
        both = np.column_stack([-scores[0], scores[0]])
        wanted = delong(is_positive, scores).interval()
        for found in (
            one_vs_rest_interval(is_positive.astype(int), both),
            one_vs_one_interval(is_positive.astype(int), both),
        ):
            assert_allclose(found, wanted, atol=1e-12)

    @pytest.mark.parametrize("way", ["ovr", "ovo"])
    def test_coverage(self, way):
        def interval(truth, scores):
            return (one_vs_rest_interval if way == "ovr" else one_vs_one_interval)(truth, scores)

        many, hits = self.sample(100_000, 1), 0
        true = np.mean(
            [delong(many[0] == label, many[1][:, label]).values[0] for label in range(3)]
        )
        for seed in range(200):
            low, high = interval(*self.sample(seed=seed + 2))
            hits += low <= true <= high
        assert 0.91 <= hits / 200 <= 0.99

    @pytest.mark.parametrize("n_classes", [3, 5, 7])
    def test_perfect_scores_have_an_interval(self, n_classes):
        truth = np.repeat(np.arange(n_classes), 20)
        scores = np.eye(n_classes)[truth]
        wanted = share_interval(1.0, 0.0, 20)
        assert_allclose(one_vs_rest_interval(truth, scores), wanted)
        # The mean over pairs is a sum of fractions, a little less than one.
        assert_allclose(one_vs_one_interval(truth, scores), wanted)

    def test_weights_equal_repetition(self):
        truth, scores = self.sample()
        counts = np.random.default_rng(3).integers(1, 4, len(truth))
        repeated = np.repeat(np.arange(len(truth)), counts)
        assert_allclose(
            one_vs_rest_interval(truth, scores, counts.astype(float)),
            one_vs_rest_interval(truth[repeated], scores[repeated]),
            atol=1e-12,
        )
