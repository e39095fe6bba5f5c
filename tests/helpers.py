"""Shared by the tests of the estimators."""

import numpy as np
from numpy.testing import assert_allclose


def assert_same_classifier(a, b, tolerance=1e-9):
    scale = np.abs(b.coef_).max(axis=1, keepdims=True)
    assert_allclose(a.coef_ / scale, b.coef_ / scale, atol=tolerance)
    assert_allclose(a.intercept_, b.intercept_, rtol=tolerance, atol=tolerance)
    assert a.classes_.tolist() == b.classes_.tolist()


def gaussian_rows(seed, n=120, d=3, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, d)) * (1 + y[:, None]) + y[:, None] * rng.standard_normal(d)
    return X, y, rng
