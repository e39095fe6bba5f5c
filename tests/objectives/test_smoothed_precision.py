"""The smoothed average precision: against the sum over all pairs, and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import average_precision_score

from zerone.objectives import SmoothedAveragePrecision

BANDWIDTHS = [1.0, 0.5, 0.25, 0.12, 0.06]


def pairwise(scores, weights, n_positive, bandwidth, prior):
    """The loss of one model by its definition, and its derivatives by the scores."""
    shares = np.concatenate([own / own.sum() for own in np.split(weights, [n_positive])])
    factors = shares * np.repeat([prior, 1 - prior], [n_positive, len(scores) - n_positive])
    # By (positive row, other row): how much of the other lies above.
    above = expit(1.7 * (scores[None, :] - scores[:n_positive, None]) / bandwidth)
    right = above[:, :n_positive] @ factors[:n_positive]
    wrong = above[:, n_positive:] @ factors[n_positive:]
    found, own = right + wrong, shares[:n_positive]
    rises = 1.7 / bandwidth * above * (1 - above) * factors
    by_above = np.repeat(
        np.array([-wrong, right]) / found**2, [n_positive, len(scores) - n_positive], axis=0
    )
    changes = own[:, None] * by_above.T * rises
    slopes = changes.sum(axis=0)
    slopes[:n_positive] -= changes.sum(axis=1)
    return own @ (wrong / found), slopes


@pytest.fixture
def rows(rng):
    """Scores and weights of three models, the first forty rows positive."""
    scores = rng.standard_normal((3, 300)) * [[1.0], [0.5], [2.0]]
    scores[:, :40] += 0.8
    weights = rng.random((3, 300)) * (rng.random((3, 300)) < 0.8)
    return scores, weights


def test_the_slopes_of_the_definition_are_derivatives(rng):
    """What the other tests compare with."""
    scores, weights = rng.standard_normal(30), rng.random(30)
    slopes = pairwise(scores, weights, 8, 0.3, 0.2)[1]
    for column in range(30):
        step = 1e-6 * (np.arange(30) == column)
        ends = [pairwise(scores + s * step, weights, 8, 0.3, 0.2)[0] for s in (1, -1)]
        assert slopes[column] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-8)


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
@pytest.mark.parametrize("n_positive", [1, 40, 299])
@pytest.mark.parametrize("prior", [0.01, 0.3, 0.97])
def test_it_is_the_sum_over_all_pairs(rows, bandwidth, n_positive, prior):
    scores, weights = rows
    weights = weights + 0.01  # a single positive must count
    loss = SmoothedAveragePrecision(n_positive, weights, bandwidth, prior)
    values, slopes = loss.value_and_slopes(scores)
    for model in range(3):
        value, expected = pairwise(scores[model], weights[model], n_positive, bandwidth, prior)
        assert values[model] == pytest.approx(value, abs=3e-4)
        np.testing.assert_allclose(slopes[model], expected, atol=5e-3 * np.abs(expected).max())


@pytest.mark.parametrize("bandwidth", [0.5, 0.12])
def test_slopes_are_derivatives_of_values(rows, bandwidth):
    scores, weights = rows
    loss = SmoothedAveragePrecision(40, weights, bandwidth, 0.2)
    slopes = loss.value_and_slopes(scores)[1]
    assert (slopes[weights == 0] == 0).all()
    rng = np.random.default_rng(0)
    for _ in range(5):
        step = bandwidth / 8 * rng.standard_normal(scores.shape)
        ends = [loss.value_and_slopes(scores + sign * step)[0] for sign in (1, -1)]
        found = (slopes * step).sum(axis=1)
        size = np.linalg.norm(slopes, axis=1) * np.linalg.norm(step, axis=1)
        assert (np.abs(found - (ends[0] - ends[1]) / 2) < 0.01 * size).all()


@given(seed=st.integers(0, 2**32 - 1), prior=st.floats(0.02, 0.98))
def test_a_small_bandwidth_is_nearly_scikit_learns(seed, prior):
    """Of each positive row, half counts as found before itself."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [40, 80])
    scores = rng.standard_normal(120) + y
    # No two rows within a few bandwidths: the smoothed order is the order.
    scores[np.argsort(scores)] += 0.02 * np.arange(120)
    weights = rng.uniform(0.2, 1, 120)
    loss = SmoothedAveragePrecision(40, weights[None], 0.001, prior)
    found = 1 - float(loss.value_and_slopes(scores[None])[0][0])
    shares = [weights[y == k] / weights[y == k].sum() for k in (1, 0)]
    both = np.concatenate([prior * shares[0], (1 - prior) * shares[1]])
    # Each positive as two halves, the second of which is right below all others of its score.
    expected = 0.0
    for row in range(40):
        above = scores > scores[row]
        right = both[above & (y == 1)].sum() + both[row] / 2
        expected += shares[0][row] * right / (right + both[above & (y == 0)].sum())
    assert found == pytest.approx(expected, abs=2e-3)
    real = average_precision_score(y, scores, sample_weight=both)
    assert abs(found - real) < 0.1


def test_weights_equal_repetition_and_zero_leaves_out(rng):
    counts = rng.integers(0, 3, 100)
    counts[[0, 99]] = 1
    scores = rng.standard_normal((1, 100)) + 0.8 * (np.arange(100) < 30)
    twice, n_positive = np.repeat(np.arange(100), counts), int(counts[:30].sum())
    weighted = SmoothedAveragePrecision(30, counts[None].astype(float), 0.25, 0.3)
    repeated = SmoothedAveragePrecision(n_positive, np.ones((1, len(twice))), 0.25, 0.3)
    values, slopes = weighted.value_and_slopes(scores)
    same, parts = repeated.value_and_slopes(scores[:, twice])
    np.testing.assert_allclose(values, same, rtol=1e-9)
    np.testing.assert_allclose(slopes[0], np.bincount(twice, parts[0], 100), atol=1e-12)


def test_only_differences_of_scores_count_and_not_the_order_of_rows(rows):
    scores, weights = rows
    loss = SmoothedAveragePrecision(40, weights, 0.25, 0.1)
    values, slopes = loss.value_and_slopes(scores)
    moved, same = loss.value_and_slopes(scores + 0.37)
    np.testing.assert_allclose(moved, values, atol=5e-4)
    np.testing.assert_allclose(same, slopes, atol=0.01 * np.abs(slopes).max())
    order = np.concatenate([np.arange(40)[::-1], np.arange(40, 300)[::-1]])
    turned = SmoothedAveragePrecision(40, weights[:, order], 0.25, 0.1)
    found = turned.value_and_slopes(scores[:, order])
    np.testing.assert_allclose(found[0], values, rtol=1e-9)
    np.testing.assert_allclose(found[1], slopes[:, order], atol=1e-12)
    # Of several models each is on its own.
    alone = SmoothedAveragePrecision(40, weights[1:2], 0.25, 0.1)
    single = alone.value_and_slopes(scores[1:2])
    np.testing.assert_allclose(single[0], values[1:2], atol=1e-9)


def test_the_best_and_the_worst_order():
    scores = np.repeat([[2.0], [-2.0]], [10, 90], axis=0).T
    weights = np.ones((1, 100))
    best = SmoothedAveragePrecision(10, weights, 0.06, 0.1).value_and_slopes(scores)[0]
    worst = SmoothedAveragePrecision(10, weights, 0.06, 0.1).value_and_slopes(-scores)[0]
    assert best[0] == pytest.approx(0, abs=1e-9)
    assert worst[0] == pytest.approx(0.9 / 0.95, abs=1e-4)  # the positives count one half


def test_far_scores_are_finite(rows):
    scores, weights = rows
    far = scores.copy()
    far[0, 0], far[1, 50] = 1e12, -1e12
    values, slopes = SmoothedAveragePrecision(40, weights, 0.06, 0.2).value_and_slopes(far)
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()
    assert slopes[0, 0] == slopes[1, 50] == 0
