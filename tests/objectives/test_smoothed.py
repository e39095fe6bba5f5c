"""The smoothed losses of rows: slopes by finite differences, pairs by brute force."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from zerone.objectives._smoothed_error import SmoothedError
from zerone.objectives._smoothed_ranking import SmoothedRanking

BANDWIDTHS = [1.0, 0.5, 0.25, 0.12, 0.06]


@pytest.fixture
def rows(rng):
    """Scores and weights of three models, the first forty rows positive."""
    scores = rng.standard_normal((3, 300)) * [[1.0], [0.5], [2.0]]
    scores[:, :40] += 0.8
    weights = rng.random((3, 300)) * (rng.random((3, 300)) < 0.8)
    return scores, weights


def numerical_slopes(value, scores, model, columns, step):
    found = []
    for column in columns:
        shifted = [scores.copy(), scores.copy()]
        shifted[0][model, column] -= step
        shifted[1][model, column] += step
        found.append((value(shifted[1])[model] - value(shifted[0])[model]) / (2 * step))
    return np.array(found)


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_the_error_is_the_formula_and_its_slopes_are_derivatives(rows, bandwidth):
    scores, weights = rows
    signs = np.repeat([1.0, -1.0], [40, 260])
    loss = SmoothedError(signs, weights, bandwidth)
    values, slopes = loss.value_and_slopes(scores)
    expected = (weights * expit(-1.7 * signs * scores / bandwidth)).sum(axis=1)
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    for model in range(3):
        numerical = numerical_slopes(
            lambda z: loss.value_and_slopes(z)[0], scores, model, range(0, 300, 7), 1e-6
        )
        np.testing.assert_allclose(slopes[model, ::7], numerical, atol=1e-6 / bandwidth)


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
@pytest.mark.parametrize("n_positive", [1, 40])
def test_the_ranking_loss_is_that_of_all_pairs(rows, bandwidth, n_positive):
    scores, weights = rows
    weights = weights + 0.01  # a single positive must count
    values, slopes = SmoothedRanking(n_positive, weights, bandwidth).value_and_slopes(scores)
    for model in range(3):
        z, w = scores[model], weights[model]
        pairs = w[:n_positive, None] * w[None, n_positive:]
        pairs = pairs / pairs.sum()
        wrong = expit(-1.7 * (z[:n_positive, None] - z[None, n_positive:]) / bandwidth)
        assert values[model] == pytest.approx((pairs * wrong).sum(), abs=1e-4)
        by_pair = -1.7 / bandwidth * pairs * wrong * (1 - wrong)
        expected = np.concatenate([by_pair.sum(axis=1), -by_pair.sum(axis=0)])
        largest = np.abs(expected).max()
        np.testing.assert_allclose(slopes[model], expected, atol=1e-3 * largest)


@pytest.mark.parametrize("bandwidth", [0.5, 0.12])
def test_ranking_slopes_are_derivatives(rows, bandwidth):
    scores, weights = rows
    loss = SmoothedRanking(40, weights, bandwidth)
    _, slopes = loss.value_and_slopes(scores)
    # The value is smooth only from bin to bin, so the step spans several.
    numerical = numerical_slopes(
        lambda z: loss.value_and_slopes(z)[0], scores, 0, range(0, 300, 7), bandwidth / 4
    )
    np.testing.assert_allclose(slopes[0, ::7], numerical, atol=0.02 * np.abs(slopes[0]).max())


def test_small_bandwidths_count_rows_and_pairs(rows):
    scores, _ = rows
    signs = np.repeat([1.0, -1.0], [40, 260])
    even = np.full((3, 300), 1 / 300)
    errors, _ = SmoothedError(signs, even, 1e-6).value_and_slopes(scores)
    np.testing.assert_allclose(errors, (np.sign(scores) != signs).mean(axis=1), atol=1e-9)
    losses, _ = SmoothedRanking(40, even, 0.005).value_and_slopes(scores)
    np.testing.assert_allclose(losses, [1 - roc_auc_score(signs, z) for z in scores], atol=2e-3)


def test_mirrored_scores_have_mirrored_slopes(rows):
    scores, weights = rows
    values, slopes = SmoothedRanking(40, weights, 0.25).value_and_slopes(scores)
    turned = (
        np.hstack([scores[:, 40:], scores[:, :40]]),
        np.hstack([weights[:, 40:], weights[:, :40]]),
    )
    mirrored, mirrored_slopes = SmoothedRanking(260, turned[1], 0.25).value_and_slopes(-turned[0])
    np.testing.assert_allclose(mirrored, values, rtol=1e-9)
    back = -np.hstack([mirrored_slopes[:, 260:], mirrored_slopes[:, :260]])
    np.testing.assert_allclose(back, slopes, atol=1e-12)


def test_far_scores_need_no_memory(rows):
    scores, weights = rows
    far = scores.copy()
    far[0, 0] = 1e12
    values, slopes = SmoothedRanking(40, weights, 0.06).value_and_slopes(far)
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()
