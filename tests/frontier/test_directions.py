"""`Frontier.directions`: both ways of computing them solve their equation."""

import numpy as np
import pytest

from evidence.problems import random_moments
from zerone import Frontier


@pytest.mark.parametrize("is_diagonalised", [False, True])
def test_directions_solve_their_equation(is_diagonalised):
    rng = np.random.default_rng(0)
    shares = np.array([0.0, 0.3, 1.0])
    for _ in range(20):
        moments = random_moments(rng, low=-1.0, high=1.0)
        frontier = Frontier(moments)
        if is_diagonalised:
            frontier.roc_curve(3)
        pair = frontier.pair
        if not pair.delta.any():
            continue
        positive, negative = (m.covariance.toarray() for m in (pair.positive, pair.negative))
        for a, w in zip(shares, frontier.directions(shares, 1 - shares), strict=True):
            solved = np.linalg.solve(a * positive + (1 - a) * negative, pair.delta)
            cosine = w @ solved / np.linalg.norm(w) / np.linalg.norm(solved)
            assert cosine == pytest.approx(1.0, abs=1e-6)
