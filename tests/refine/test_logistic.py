"""Ridge logistic models of all folds at once, beside scikit-learn's."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from zerone._refine.blocks import DenseBlock
from zerone._refine.logistic import Logistic, _factor, _Penalised
from zerone._refine.training_rows import TrainingRows


def rows(rng, n=400, d=5):
    signs = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    values = rng.standard_normal((d, n)) + 0.5 * signs * np.arange(d)[:, None] / d
    values -= values.mean(axis=1, keepdims=True)
    values /= values.std(axis=1, keepdims=True)
    return values, signs


@pytest.mark.parametrize("penalty", [1.0, 100.0])
def test_scores_are_those_of_scikit_learn(rng, penalty):
    values, signs = rows(rng)
    weights = rng.integers(0, 3, (2, 400)).astype(float)
    start = np.zeros((2, 6))
    covariance = values @ values.T / 400
    training = TrainingRows(DenseBlock(values), signs, weights)
    (found,) = Logistic(training, start, covariance, [penalty]).solved()
    for own, weight in zip(found, weights, strict=True):
        twin = LogisticRegression(C=1 / penalty, tol=1e-8).fit(values.T, signs, weight)
        expected = twin.decision_function(values.T)
        assert np.std(own[:-1] @ values + own[-1] - expected) < 0.05 * np.std(expected)


def test_slopes_are_those_of_finite_differences(rng):
    values, signs = rows(rng, 60, 3)
    weights = rng.random((2, 60))
    weights /= weights.sum(axis=1, keepdims=True)
    factor = _factor(values @ values.T / 60, np.array(0.02), np.array(0.24))
    problem = _Penalised(DenseBlock(values), signs, weights, np.full((2, 4), 0.02), factor)
    point = rng.standard_normal((2, 4))
    _, gradient = problem(point)
    for model in range(2):

        def value(own, model=model):
            moved = point.copy()
            moved[model] = own
            return problem(moved)[0][model]

        numeric = approx_fprime(point[model], value, 1e-7)
        np.testing.assert_allclose(gradient[model], numeric, atol=1e-5)
