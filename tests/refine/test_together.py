"""Problems of several pairs, solved together, beside the same ones solved alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from zerone._refine.blocks import DenseBlock
from zerone._refine.logistic import Logistic
from zerone._refine.polish import Polish, Stages, smoothed_error
from zerone._refine.together import run_alone, run_together, solved_together
from zerone._refine.training_rows import TrainingRows


def training_rows(rng, n, d=3, dtype=np.float64):
    signs = np.repeat([1.0, -1.0], [n // 3, n - n // 3])
    values = rng.exponential(size=(d, n)) - 1 + 0.8 * (signs > 0) * np.arange(d)[:, None]
    splits = np.arange(n) % 3
    weights = np.array([splits != 0, splits != 1, splits >= 0], dtype=float)
    return TrainingRows(DenseBlock(values.astype(dtype)), signs, weights)


def logistic(rng, n, **kind):
    rows = training_rows(rng, n, **kind)
    d = rows.block.n_coordinates
    return Logistic(rows, np.zeros((3, d + 1)), np.eye(d), (1.0,))


def polish(rng, n, narrowest=0.1, **kind):
    rows = training_rows(rng, n, **kind)
    start = np.ones((3, rows.block.n_coordinates))
    stages = Stages((0.5, 0.25, 0.12), narrowest)
    whitener = np.triu(np.eye(start.shape[1]) + 0.1)
    return Polish(smoothed_error, stages, rows, whitener, start, np.array([0.1, 0.0, -0.1]))


@pytest.mark.parametrize("make", [logistic, polish])
def test_they_are_those_solved_alone(make, rng):
    kinds = [{}, {}, {"d": 2}, {}, {"d": 2}, {"dtype": np.float32}]
    problems = [
        make(rng, n, **kind) for n, kind in zip((60, 66, 60, 90, 70, 60), kinds, strict=True)
    ]
    if make is polish:
        problems += [polish(rng, 60, narrowest=0.2), polish(rng, 60, narrowest=0.2)]
        # So many rows that wide bandwidths use a part of them.
        problems += [polish(rng, 24_000), polish(rng, 24_000)]
    for problem, found in zip(problems, solved_together(problems), strict=True):
        expected = problem.solved()
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_steps_get_the_solutions_of_their_own_problems(rng):
    def steps(problems):
        total = 0.0
        for problem in problems:
            solution = yield problem
            total += float(solution[-1].sum())
        return total

    work = [[logistic(rng, 60) for _ in range(size)] for size in (2, 0, 1, 3)]
    together = run_together([steps(own) for own in work])
    assert_allclose(together, [run_alone(steps(own)) for own in work], rtol=1e-8)
    assert together[1] == 0.0
