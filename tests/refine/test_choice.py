"""What held-out rows decide about several pairs at once, beside what they decide about each."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from zerone._refine.candidates import Candidates
from zerone._refine.choice import Combination, FirstLook
from zerone._refine.evidence import HeldOutRule
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import ErrorJudge, RankingJudge
from zerone._refine.together import solved_together
from zerone.metrics import AUCLoss

SEEDS = st.integers(0, 2**32 - 1)


def held_out_rows(rng, n):
    n_positive = int(rng.integers(3, n - 3))
    signs = np.repeat([1.0, -1.0], [n_positive, n - n_positive])
    units = float(rng.integers(1, 3)), float(rng.integers(1, 3))
    weights = rng.integers(1, 3, n) * np.where(signs > 0, *units)
    if rng.random() < 0.3:  # of equal weight
        weights = np.where(signs > 0, 1 / n_positive, 1 / (n - n_positive)) * n
        units = n / n_positive, n / (n - n_positive)
    return HeldOutRows(rng.permutation(np.arange(n) % 5), signs, weights, units)


def candidates(rng, rows, n_candidates):
    strength = rng.choice([0.0, 0.3, 2.0])
    scores = rng.standard_normal((n_candidates, len(rows.signs))) + strength * rows.signs
    if rng.random() < 0.3:  # ties
        scores = scores.round(1)
    return Candidates(rows, scores, rng.standard_normal((n_candidates, 4)), lambda d: (d, d[:, 0]))


def problems(seed, n_pairs=7):
    """First looks and combinations of pairs that have 40 to 50 rows."""
    rng = np.random.default_rng(seed)
    looks, combinations, judge = [], [], ErrorJudge()
    for _ in range(n_pairs):
        rows = held_out_rows(rng, int(rng.integers(40, 50)))
        frontier, polished = candidates(rng, rows, 5), candidates(rng, rows, 3)
        rules = [
            HeldOutRule(own.directions[0], float(rng.normal()), own.scores[0])
            for own in (candidates(rng, rows, 1) for _ in range(2))
        ]
        looks.append(FirstLook(frontier, judge, float(rng.choice([1e-9, 0.3137]))))
        combinations.append(Combination(rules, [frontier, polished], judge))
    return looks, combinations


@given(seed=SEEDS)
def test_first_looks_are_those_of_each_pair(seed):
    looks, _ = problems(seed)
    assert len({own.kind for own in looks}) == 1
    for own, found in zip(looks, FirstLook.solved_together(looks), strict=True):
        expected = own.solved()
        assert (found.best, found.polishes) == (expected.best, expected.polishes)
        if expected.polishes:
            assert_allclose(found.thresholds, expected.thresholds, atol=1e-9)


@given(seed=SEEDS)
def test_combinations_are_those_of_each_pair(seed):
    _, combinations = problems(seed)
    for own, found in zip(combinations, solved_together(combinations), strict=True):
        (rule, weights), (one, expected) = found, own.solved()
        assert_allclose(weights, expected, atol=1e-9)
        assert_allclose(rule.direction, one.direction, atol=1e-8)
        assert rule.intercept == pytest.approx(one.intercept, abs=1e-8)
        assert_allclose(rule.scores, one.scores, atol=1e-8)


@given(seed=SEEDS)
def test_losses_of_the_first_look_need_not_be_found_again(seed):
    looks, combinations = problems(seed)
    known = [own.losses for own in FirstLook.solved_together(looks)]
    again = [replace(own, known=one) for own, one in zip(combinations, known, strict=True)]
    both = (Combination.solved_together(own) for own in (combinations, again))
    for (rule, weights), (one, expected) in zip(*both, strict=True):
        assert_allclose(weights, expected)
        assert_allclose(rule.scores, one.scores, atol=1e-12)


def test_other_pairs_are_judged_alone():
    looks, _ = problems(0, 1)
    frontier = looks[0].frontier
    assert FirstLook(frontier, RankingJudge(AUCLoss()), 0.0).kind is None
    # Scores of so many rows are counted in bins.
    many = replace(frontier.held_out, weights=100 * frontier.held_out.weights)
    assert FirstLook(replace(frontier, held_out=many), ErrorJudge(), 0.0).kind is None
