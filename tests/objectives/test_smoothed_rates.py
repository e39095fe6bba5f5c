"""Losses of smoothed rates: by their definition, at limits, and their slopes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit

from zerone.metrics import chosen_metric
from zerone.objectives import SmoothedRates

SEEDS = st.integers(0, 2**32 - 1)
N, N_POSITIVE = 120, 40
UNLIMITED = {
    "error": {},
    "f1": {},
    "fbeta": {"beta": 2.0},
    "cost": {"false_negative_cost": 5.0},
}
LIMITED = {
    "true_positive_rate": {"max_false_positive_rate": 0.1},
    "false_positive_rate": {"min_true_positive_rate": 0.8},
    "precision": {"min_recall": 0.5},
    "recall": {"min_precision": 0.7},
    "precision_at_k": {"k": 0.2},
}


def loss_of(name, prior=0.3):
    return chosen_metric(name, {**UNLIMITED, **LIMITED}[name]).loss((prior, 1 - prior))


def models_of(rng, n=N, n_positive=N_POSITIVE):
    """Scores and weights of three models; some rows are left out."""
    scores = rng.standard_normal((3, n)) * [[1.0], [0.5], [1.5]]
    scores[:, :n_positive] += [[1.5], [1.0], [2.0]]
    weights = rng.random((3, n)) * (rng.random((3, n)) < 0.8)
    weights[:, [0, -1]] = 0.5
    return scores, weights


def smoothed_rates(scores, weights, threshold, bandwidth, n_positive=N_POSITIVE):
    """Both rates of one model, by their definition."""
    shares = [own / own.sum() for own in (weights[:n_positive], weights[n_positive:])]
    wrong = [
        expit(-1.7 * (scores[:n_positive] - threshold) / bandwidth),
        expit(1.7 * (scores[n_positive:] - threshold) / bandwidth),
    ]
    return [np.array([own @ part]) for own, part in zip(shares, wrong, strict=True)]


@pytest.mark.parametrize("name", UNLIMITED)
@given(seed=SEEDS, bandwidth=st.sampled_from([0.5, 0.25, 0.06]))
def test_without_a_limit_the_threshold_is_zero(name, seed, bandwidth):
    scores, weights = models_of(np.random.default_rng(seed))
    loss = loss_of(name)
    values, slopes = SmoothedRates(N_POSITIVE, weights, bandwidth, loss).value_and_slopes(scores)
    assert slopes.shape == scores.shape
    assert (slopes[weights == 0] == 0).all()
    for model in range(3):
        rates = smoothed_rates(scores[model], weights[model], 0.0, bandwidth)
        assert values[model] == pytest.approx(loss.losses(*rates)[0], rel=1e-12)


def at_limit(loss, scores, weights, bandwidth):
    """The best loss of thresholds that keep the limit, and its threshold."""

    def excess(threshold):
        return loss.limit.excess(*smoothed_rates(scores, weights, threshold, bandwidth))[0]

    grid = np.linspace(scores.min() - 1, scores.max() + 1, 2000)
    over = np.array([excess(t) for t in grid])
    crossings = np.flatnonzero((over[1:] > 0) != (over[:-1] > 0))
    roots = [brentq(excess, grid[k], grid[k + 1], xtol=1e-13) for k in crossings]
    losses = [loss.losses(*smoothed_rates(scores, weights, t, bandwidth))[0] for t in roots]
    best = int(np.argmin(losses))
    return losses[best], roots[best]


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("bandwidth", [0.5, 0.12])
@pytest.mark.parametrize("seed", range(3))
def test_at_a_limit_the_threshold_keeps_it(name, bandwidth, seed):
    scores, weights = models_of(np.random.default_rng(seed))
    loss = loss_of(name)
    smoothed = SmoothedRates(N_POSITIVE, weights, bandwidth, loss)
    values = smoothed.value_and_slopes(scores)[0]
    for model in range(3):
        threshold = smoothed.thresholds[model]
        rates = smoothed_rates(scores[model], weights[model], threshold, bandwidth)
        assert loss.limit.excess(*rates)[0] == pytest.approx(0, abs=1e-7)
        assert values[model] == pytest.approx(loss.losses(*rates)[0], abs=1e-6)
        expected, best = at_limit(loss, scores[model], weights[model], bandwidth)
        assert values[model] == pytest.approx(expected, abs=1e-6)
        assert threshold == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("name", {**UNLIMITED, **LIMITED})
@pytest.mark.parametrize("bandwidth", [0.5, 0.12])
@pytest.mark.parametrize("seed", range(3))
def test_slopes_are_derivatives(name, bandwidth, seed):
    """At a limit the threshold moves along."""
    scores, weights = models_of(np.random.default_rng(seed))
    loss = loss_of(name)

    def value(scores):
        return SmoothedRates(N_POSITIVE, weights, bandwidth, loss, start).value_and_slopes(scores)

    first = SmoothedRates(N_POSITIVE, weights, bandwidth, loss)
    first.value_and_slopes(scores)
    start = first.thresholds
    slopes, h = value(scores)[1], 1e-4
    largest = np.abs(slopes).max(axis=1)
    for column in range(0, N, 7):
        step = h * (np.arange(N) == column)
        expected = (value(scores + step)[0] - value(scores - step)[0]) / (2 * h)
        np.testing.assert_allclose(slopes[:, column], expected, atol=1e-3 * largest.max())
        if loss.limit is not None:
            continue
        np.testing.assert_allclose(slopes[:, column], expected, atol=1e-5 * largest.max())


@pytest.mark.parametrize("name", {**UNLIMITED, **LIMITED})
def test_small_bandwidths_count_rows(name, rng):
    scores, weights = models_of(rng)
    # Ten bandwidths apart, so that only the row at a limit is counted in part.
    scores = (np.argsort(np.argsort(scores, axis=1), axis=1) - 70.5) / 10
    loss = loss_of(name)
    values = SmoothedRates(N_POSITIVE, weights, 0.01, loss).value_and_slopes(scores)[0]
    for model in range(3):
        if loss.limit is None:
            rates = smoothed_rates(scores[model], weights[model], 0.0, 1e-4)
            assert values[model] == pytest.approx(loss.losses(*rates)[0], abs=1e-4)
            continue
        order = np.argsort(scores[model])
        shares = []
        for own in (slice(None, N_POSITIVE), slice(N_POSITIVE, None)):
            part = np.zeros(N)
            part[own] = weights[model, own] / weights[model, own].sum()
            shares.append(np.append(0.0, np.cumsum(part[order])).clip(max=1.0))
        counted = loss.least_on_roc(shares[0], 1 - shares[1])
        # Within the limit on recall the precision may be still higher.
        assert values[model] >= float(counted) - 1e-3
        if name != "precision":
            assert values[model] == pytest.approx(float(counted), abs=1e-3)


@pytest.mark.parametrize("name", LIMITED)
@given(seed=SEEDS, shift=st.floats(-30, 30), bandwidth=st.sampled_from([0.5, 0.12]))
def test_at_a_limit_only_differences_of_scores_count(name, seed, shift, bandwidth):
    scores, weights = models_of(np.random.default_rng(seed))
    loss = loss_of(name)
    one, other = (SmoothedRates(N_POSITIVE, weights, bandwidth, loss) for _ in range(2))
    values, slopes = one.value_and_slopes(scores)
    moved, same = other.value_and_slopes(scores + shift)
    np.testing.assert_allclose(other.thresholds - shift, one.thresholds, atol=1e-5)
    np.testing.assert_allclose(moved, values, atol=1e-6)
    np.testing.assert_allclose(same, slopes, atol=1e-4 * np.abs(slopes).max())


@pytest.mark.parametrize("name", LIMITED)
def test_the_threshold_follows_from_the_last_one(name, rng):
    scores, weights = models_of(rng)
    loss = loss_of(name)
    followed = SmoothedRates(N_POSITIVE, weights, 0.25, loss)
    for _ in range(5):
        values = followed.value_and_slopes(scores)[0]
        anew = SmoothedRates(N_POSITIVE, weights, 0.25, loss).value_and_slopes(scores)[0]
        np.testing.assert_allclose(values, anew, atol=1e-6)
        scores = scores + 0.1 * rng.standard_normal(scores.shape) + 0.3


@pytest.mark.parametrize("name", {**UNLIMITED, **LIMITED})
def test_weights_equal_repetition_and_the_order_of_rows_does_not_matter(name, rng):
    counts = rng.integers(0, 3, N)
    counts[[0, -1]] = 1
    scores = models_of(rng)[0][:1]
    twice, n_positive = np.repeat(np.arange(N), counts), int(counts[:N_POSITIVE].sum())
    loss = loss_of(name)
    values, slopes = SmoothedRates(
        N_POSITIVE, counts[None].astype(float), 0.25, loss
    ).value_and_slopes(scores)
    order = np.concatenate(
        [rng.permutation(n_positive), n_positive + rng.permutation(len(twice) - n_positive)]
    )
    repeated = SmoothedRates(n_positive, np.ones((1, len(twice))), 0.25, loss)
    same, parts = repeated.value_and_slopes(scores[:, twice[order]])
    np.testing.assert_allclose(values, same, rtol=1e-7)
    added = np.bincount(twice[order], parts[0], N)
    np.testing.assert_allclose(slopes[0], added, atol=1e-6 * np.abs(slopes).max())


def test_the_classes_mirrored():
    """The rate of one class at that of the other, and the same with the classes swapped."""
    scores, weights = models_of(np.random.default_rng(0))
    one = chosen_metric("true_positive_rate", {"max_false_positive_rate": 0.2}).loss((0.5, 0.5))
    other = chosen_metric("false_positive_rate", {"min_true_positive_rate": 0.8}).loss((0.5, 0.5))
    values, slopes = SmoothedRates(N_POSITIVE, weights, 0.25, one).value_and_slopes(scores)
    turned = [np.hstack([own[:, N_POSITIVE:], own[:, :N_POSITIVE]]) for own in (scores, weights)]
    n = N - N_POSITIVE
    same, mirrored = SmoothedRates(n, turned[1], 0.25, other).value_and_slopes(-turned[0])
    np.testing.assert_allclose(same, values, atol=1e-7)
    np.testing.assert_allclose(np.hstack([mirrored[:, n:], mirrored[:, :n]]), -slopes, atol=1e-6)
