"""Errors against exact rational arithmetic, in units of the standard deviations."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from zerone import Moments


def exact_covariance(X):
    """The population covariance of the given floats, exactly, then rounded once."""
    n, d = X.shape
    columns = [[Fraction(float(value)) for value in column] for column in X.T]
    means = [sum(column) / n for column in columns]
    centred = [[value - mean for value in c] for c, mean in zip(columns, means, strict=True)]
    return np.array(
        [
            [float(sum(a * b for a, b in zip(centred[i], centred[j], strict=True)) / n)
             for j in range(d)]
            for i in range(d)
        ]
    )  # fmt: skip


def covariance_error(found, expected):
    sd = np.sqrt(np.diagonal(expected))
    return np.abs((np.asarray(found) - expected) / np.outer(sd, sd)).max()


def rows_of_mean(ratio, rng, n=300, d=3):
    return rng.standard_normal((n, d)) * [1.0, 1e3, 1e-3] + ratio * np.array([1.0, 1e3, 1e-3])


@pytest.mark.parametrize("ratio", [0, 1e3, 1e6, 1e8])
@pytest.mark.parametrize("kind", ["explicit", "factored", "sparse"])
def test_one_shot(ratio, kind, rng):
    X = rows_of_mean(ratio, rng)
    rows = sp.csr_array(X) if kind == "sparse" else X
    covariance = "factored" if kind == "factored" else "explicit"
    moments = Moments.from_data(rows, np.zeros(len(X)), covariance=covariance)
    assert covariance_error(moments[0].covariance, exact_covariance(X)) < 1e-12


def test_classes_far_apart(rng):
    a, b = rows_of_mean(0, rng), rows_of_mean(1e6, rng)
    order = rng.permutation(600)
    X, y = np.vstack([a, b])[order], np.repeat([0, 1], 300)[order]
    moments = Moments.from_data(X, y)
    assert covariance_error(moments[0].covariance, exact_covariance(a)) < 1e-13
    assert covariance_error(moments[1].covariance, exact_covariance(b)) < 1e-13


def test_a_misleading_sample_of_rows_is_noticed(rng):
    # The rows that the provisional mean is taken from are exactly the unusual ones.
    X = rng.standard_normal((256 * 64, 1))
    X[::64] += 1e9
    moments = Moments.from_data(X, np.zeros(len(X)))
    assert covariance_error(moments[0].covariance, exact_covariance(X)) < 1e-13


@pytest.mark.parametrize(("ratio", "bound"), [(0, 1e-10), (1e3, 1e-10), (1e8, 1e-6)])
@pytest.mark.parametrize("order", ["as given", "sorted", "backwards", "tree", "one by one"])
def test_merging_equals_one_shot(ratio, bound, order, rng):
    X = rows_of_mean(ratio, rng)
    if order == "sorted":
        X = X[np.argsort(X[:, 0])]
    cuts = np.sort(rng.choice(np.arange(1, 300), 12, replace=False))
    if order == "one by one":
        cuts = np.arange(1, 300)
    parts = [Moments.from_data(rows, np.zeros(len(rows))) for rows in np.split(X, cuts)]
    if order == "backwards":
        parts.reverse()
    while order == "tree" and len(parts) > 1:
        parts = [sum(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    merged = sum(parts)
    expected = exact_covariance(X)
    assert covariance_error(merged[0].covariance, expected) < bound
    # The mean is the exact one, rounded once or twice.
    exact_mean = np.array([math.fsum(column) for column in X.T]) / len(X)
    assert_allclose(merged[0].mean, exact_mean, rtol=5e-16, atol=1e-14)


@pytest.mark.parametrize("weight_ratio", [1, 1e2, 1e4])
@pytest.mark.parametrize("larger_goes", [False, True])
def test_subtracting_undoes_merging(weight_ratio, larger_goes, rng):
    a = Moments.from_data(rows_of_mean(1, rng), np.zeros(300))
    b = Moments.from_data(
        rows_of_mean(1, rng), np.zeros(300), sample_weight=np.full(300, weight_ratio)
    )
    kept, gone = (a, b) if larger_goes else (b, a)
    left = (a + b) - gone
    assert left[0].weight == pytest.approx(kept[0].weight, rel=1e-10)
    expected = np.asarray(kept[0].covariance)
    assert covariance_error(left[0].covariance, expected) < 1e-10
