"""Frontiers searched together, beside the same ones searched alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from zerone import Frontier, Moments
from zerone.frontier._together import search_together
from zerone.metrics import chosen_metric

SEEDS = st.integers(0, 2**32 - 1)


def moments_of(rng, d):
    """Two classes of any scale, sometimes far apart, nearly equal, or alike in one direction."""
    classes = {}
    for label in (0, 1):
        root = rng.standard_normal((d, d)) * np.exp(rng.uniform(-2, 2, d))
        mean = rng.choice([0.1, 1.0, 10.0]) * rng.standard_normal(d)
        classes[label] = (float(rng.uniform(0.05, 1)), mean, root @ root.T + 1e-3 * np.eye(d))
    if rng.random() < 0.2:
        classes[1] = (classes[1][0], classes[0][1] + np.eye(d)[0], classes[0][2])
    return Moments.from_parameters(classes)


@given(seed=SEEDS, name=st.sampled_from(["error", "balanced_error"]))
@settings(deadline=None)
def test_rules_are_those_of_each_frontier(seed, name):
    rng = np.random.default_rng(seed)
    problems = [moments_of(rng, int(rng.integers(1, 4))) for _ in range(8)]
    metric = chosen_metric(name)
    together = [Frontier(own) for own in problems]
    search_together(together, [metric] * len(problems))
    for frontier, own in zip(together, problems, strict=True):
        rule, alone = frontier.best_for(metric), Frontier(own).best_for(metric)
        assert rule.loss(name) == pytest.approx(alone.loss(name), rel=1e-9, abs=1e-12)
        assert rule.is_constant == alone.is_constant
        if not rule.is_constant:
            size = np.abs(alone.coef).max()
            assert_allclose(rule.coef / size, alone.coef / size, atol=1e-5)


def test_others_are_left_as_they_are(rng):
    usual = [moments_of(rng, 3) for _ in range(2)]
    singular = Moments.from_parameters(
        {
            0: (1, np.zeros(3), np.diag([1.0, 1.0, 0.0])),
            1: (1, np.ones(3), np.diag([1.0, 2.0, 0.0])),
        }
    )
    for metric in (chosen_metric("f1"), chosen_metric("auc")):
        frontiers = [Frontier(own) for own in usual]
        search_together(frontiers, [metric] * 2)
        assert not any(own._known for own in frontiers)
    frontiers = [Frontier(own) for own in (*usual, singular)]
    error = chosen_metric("error")
    search_together(frontiers, [error] * 3)
    assert not any(own._known for own in frontiers)
    assert frontiers[2].best_for(error).error == 0
