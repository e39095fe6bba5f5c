"""Frontiers that differ little from a known one: the same rules as each finds alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from zerone import Frontier, Moments
from zerone.frontier import _nearby
from zerone.frontier._nearby import search_nearby
from zerone.metrics import chosen_metric

N_FEATURES = 40


@pytest.fixture
def replicates(rng):
    """Return moments of all rows, and of all but a tenth of them, with features that are rare."""
    y = (rng.random(3000) < 0.4).astype(int)
    X = rng.normal(size=(3000, N_FEATURES)) * (1 + 0.3 * y[:, None]) + 0.2 * y[:, None]
    X[:, 1] = 0.0
    X[:, 2] = np.arange(3000) % 10 == 3
    groups = np.arange(3000) % 10
    parts = [Moments.from_data(X[groups != own], y[groups != own]) for own in range(10)]
    return Moments.from_data(X, y), parts


def searched(replicates, metric):
    whole, parts = replicates
    frontiers = [Frontier(own) for own in parts]
    search_nearby(Frontier(whole), frontiers, metric)
    return frontiers, [Frontier(own) for own in parts]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("error", {}),
        ("balanced_error", {}),
        ("cost", {"false_negative_cost": 4}),
        ("f1", {}),
        ("auc", {}),
    ],
)
def test_the_same_rules_as_alone(name, params, replicates):
    metric = chosen_metric(name, params)
    for found, alone in zip(*searched(replicates, metric), strict=True):
        one, other = found.best_for(metric), alone.best_for(metric)
        assert_allclose(one.coef, other.coef, rtol=1e-8, atol=1e-9)
        assert_allclose(one.intercept, other.intercept, rtol=1e-8, atol=1e-9)
        assert_allclose(one.error, other.error, rtol=1e-12)
        assert_allclose(one.auc, other.auc, rtol=1e-9)


def test_roots_are_found_without_diagonalising(replicates, monkeypatch):
    left = []
    monkeypatch.setattr(_nearby, "search_together", lambda own, _: left.extend(own))
    searched(replicates, chosen_metric("error", {}))
    assert not left


def test_a_curve_with_two_minima_is_searched_as_a_whole(rng, monkeypatch):
    left = []
    monkeypatch.setattr(_nearby, "search_together", lambda own, _: left.extend(own))
    # The wider class is apart in two directions, of other sizes.
    scales = np.array([30.0, 0.02, *np.ones(N_FEATURES - 2)])
    y = np.arange(4000) % 2
    X = rng.normal(size=(4000, N_FEATURES)) * np.where(y[:, None], scales, 1.0)
    X[:, :2] += y[:, None] * [25.0, 2.0]
    parts = [Moments.from_data(X[own], y[own]) for own in (slice(2000), slice(2000, None))]
    frontiers = [Frontier(own) for own in parts]
    search_nearby(Frontier(Moments.from_data(X, y)), frontiers, chosen_metric("error", {}))
    assert left == frontiers
