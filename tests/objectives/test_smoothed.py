"""The smoothed losses of rows: slopes by finite differences, pairs by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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


@pytest.mark.parametrize("max_fpr", [1.0, 0.1])
def test_far_scores_need_no_memory(rows, max_fpr):
    scores, weights = rows
    far = scores.copy()
    far[0, 0] = 1e12
    values, slopes = SmoothedRanking(40, weights, 0.06, max_fpr).value_and_slopes(far)
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()


# -- the top of the list ---------------------------------------------------------------------------


def top_shares(scores, shares, most):
    """Which part of each row is among the highest share; of equal rows the same part."""
    kept = np.empty_like(shares)
    for own in np.unique(scores):
        above, here = shares[scores > own].sum(), scores == own
        kept[here] = np.clip((most - above) / max(shares[here].sum(), 1e-300), 0, 1)
    return kept * shares


def top_loss(scores, weights, n_positive, bandwidth, most):
    """The sum over all pairs of a positive and one of the top negatives, and its slopes."""
    shares = [own / own.sum() for own in (weights[:n_positive], weights[n_positive:])]
    top = top_shares(scores[n_positive:], shares[1], most) / most
    distance = scores[:n_positive, None] - scores[None, n_positive:]
    wrong = expit(-1.7 * distance / bandwidth)
    pairs = np.multiply.outer(shares[0], top)
    by_pair = -1.7 / bandwidth * pairs * wrong * (1 - wrong)
    return (pairs * wrong).sum(), np.concatenate([by_pair.sum(axis=1), -by_pair.sum(axis=0)])


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
@pytest.mark.parametrize("n_positive", [1, 40])
@pytest.mark.parametrize("most", [0.05, 0.3, 0.9])
def test_the_loss_at_the_top_is_that_of_all_pairs(rows, bandwidth, n_positive, most):
    scores, weights = rows
    weights = weights + 0.01
    loss = SmoothedRanking(n_positive, weights, bandwidth, most)
    values, slopes = loss.value_and_slopes(scores)
    for model in range(3):
        z = scores[model]
        value, expected = top_loss(z, weights[model], n_positive, bandwidth, most)
        assert values[model] == pytest.approx(value, abs=2e-3)
        # A row at the edge of the top is shared by two points of the grid.
        share = weights[model][n_positive:] / weights[model][n_positive:].sum()
        edge = z[n_positive:][top_shares(z[n_positive:], share, most) > 0].min()
        away = np.arange(300) < n_positive
        away |= np.abs(z - edge) > bandwidth / 4
        # All of the slope of a single positive may come from the row at the edge.
        close = (0.1 if n_positive == 1 else 0.03) * np.abs(expected).max() + 1e-12
        np.testing.assert_allclose(slopes[model][away], expected[away], atol=close)


@pytest.mark.parametrize("bandwidth", [1.0, 0.25])
@pytest.mark.parametrize("most", [0.1, 0.6])
def test_slopes_at_the_top_are_derivatives(rows, bandwidth, most):
    """All scores move at once, along several directions: rows enter and leave the top."""
    scores, weights = rows
    loss = SmoothedRanking(40, weights, bandwidth, most)
    slopes = loss.value_and_slopes(scores)[1]
    rng = np.random.default_rng(0)
    size = np.linalg.norm(slopes, axis=1)
    for _ in range(5):
        step = rng.standard_normal(scores.shape)
        # Scores of a linear rule move most where they are large.
        step = bandwidth / 8 * (0.3 * step + scores)
        ends = [loss.value_and_slopes(scores + sign * step)[0] for sign in (1, -1)]
        expected = (ends[0] - ends[1]) / 2
        found = (slopes * step).sum(axis=1)
        assert (np.abs(found - expected) < 0.02 * size * np.linalg.norm(step, axis=1)).all()


@given(seed=st.integers(0, 2**32 - 1), most=st.floats(0.02, 1.0))
def test_small_bandwidths_have_the_partial_auc(seed, most):
    rng = np.random.default_rng(seed)
    signs = np.repeat([1, 0], [30, 70])
    scores = rng.standard_normal((1, 100)) + 0.8 * signs
    # No two rows are within a few bandwidths.
    scores[:, np.argsort(scores[0])] += 0.02 * np.arange(100)
    weights = rng.uniform(0.2, 1, (1, 100))
    loss = float(SmoothedRanking(30, weights, 0.002, most).value_and_slopes(scores)[0][0])
    found = 1 - loss
    if most < 1:
        least = most / 2
        found = (1 + (found - least) / (1 - least)) / 2
    expected = roc_auc_score(signs, scores[0], max_fpr=most, sample_weight=weights[0])
    assert found == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("most", [1.0, 0.2])
def test_weights_equal_repetition_and_zero_leaves_out(rng, most):
    counts = rng.integers(0, 3, 100)
    counts[[0, 99]] = 1
    scores = rng.standard_normal((1, 100)) + 0.8 * (np.arange(100) < 30)
    twice = np.repeat(np.arange(100), counts)
    n_positive = int(counts[:30].sum())
    weighted = SmoothedRanking(30, counts[None].astype(float), 0.25, most)
    repeated = SmoothedRanking(n_positive, np.ones((1, len(twice))), 0.25, most)
    values, slopes = weighted.value_and_slopes(scores)
    same, parts = repeated.value_and_slopes(scores[:, twice])
    np.testing.assert_allclose(values, same, rtol=1e-9)
    added = np.bincount(twice, parts[0], 100)
    np.testing.assert_allclose(slopes[0], added, atol=1e-12)


@pytest.mark.parametrize("most", [1.0, 0.2])
def test_only_differences_of_scores_count_and_not_the_order_of_rows(rows, most):
    scores, weights = rows
    loss = SmoothedRanking(40, weights, 0.25, most)
    values, slopes = loss.value_and_slopes(scores)
    moved, same = loss.value_and_slopes(scores + 0.37)
    np.testing.assert_allclose(moved, values, atol=5e-4)
    np.testing.assert_allclose(same, slopes, atol=0.02 * np.abs(slopes).max())
    order = np.concatenate([np.arange(40)[::-1], np.arange(40, 300)[::-1]])
    turned = SmoothedRanking(40, weights[:, order], 0.25, most).value_and_slopes(scores[:, order])
    np.testing.assert_allclose(turned[0], values, rtol=1e-9)
    np.testing.assert_allclose(turned[1], slopes[:, order], atol=1e-12)
