"""Standardised rows in every form have the same scores and gradients."""

import array_api_strict
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from zerone._refine.blocks import DenseBlock, DeviceBlock, SparseBlock
from zerone._refine.standard import StandardRows
from zerone.objectives import SmoothedError

MEMBERS = np.array([5, 1, 0, *range(10, 300)])


def standard_rows(rng, density=1.0, shift=0.0, kind=np.asarray):
    X = rng.standard_normal((300, 12)) * rng.uniform(0.1, 30, 12)
    X[rng.random(X.shape) >= density] = 0.0
    X += shift
    mean, variance = X[MEMBERS].mean(axis=0), X[MEMBERS].var(axis=0)
    return StandardRows.of(kind(X), MEMBERS, mean, variance), (X[MEMBERS] - mean) / np.sqrt(
        variance
    )


def assert_products(block, expected, rng, tolerance):
    directions, slopes = rng.standard_normal((3, 12)), rng.standard_normal((3, len(MEMBERS)))
    assert block.n_coordinates == 12
    found = (
        block.scores(directions),
        block.gradient(slopes),
        block.scores_of(directions, slice(7, 90)),
    )
    wanted = directions @ expected.T, slopes @ expected, directions @ expected[7:90].T
    chosen = np.array([2, 3, 80])
    for own, given in zip(
        (*found, block.part(chosen).scores(directions)),
        (*wanted, directions @ expected[chosen].T),
        strict=True,
    ):
        assert own.dtype == np.float64
        assert_allclose(own, given, atol=tolerance * np.abs(given).max())


@pytest.mark.parametrize("is_single", [False, True])
def test_dense_rows(rng, is_single):
    rows, expected = standard_rows(rng)
    block = rows.block(MEMBERS, is_single=is_single)
    assert isinstance(block, DenseBlock)
    assert_products(block, expected, rng, 1e-5 if is_single else 1e-12)


@pytest.mark.parametrize("shift", [0.0, -3.7])
def test_mostly_equal_columns_are_sparse_differences(rng, shift):
    """Indicators are sparse whatever they were shifted and scaled by."""
    rows, expected = standard_rows(rng, 0.1, shift)
    block = rows.block(MEMBERS)
    assert isinstance(block, SparseBlock)
    assert block.n_stored < 0.15 * expected.size
    assert_products(block, expected, rng, 1e-12)


def test_sparse_rows(rng):
    rows, expected = standard_rows(rng, 0.1, kind=sp.csr_array)
    assert isinstance(rows.block(MEMBERS), SparseBlock)
    assert_products(rows.block(MEMBERS), expected, rng, 1e-12)
    rows, expected = standard_rows(rng, 0.5, kind=sp.csr_array)
    assert isinstance(rows.block(MEMBERS), DenseBlock)
    assert_products(rows.block(MEMBERS), expected, rng, 1e-12)


def test_rows_on_a_device(rng):
    device = array_api_strict.Device("device1")
    rows, expected = standard_rows(rng, kind=lambda X: array_api_strict.asarray(X, device=device))
    block = rows.block(MEMBERS)
    assert isinstance(block, DeviceBlock)
    assert_products(block, expected, rng, 1e-5)


def test_fewer_rows_than_features_are_rotated_into_their_span(rng):
    X = rng.standard_normal((8, 20))
    members = np.arange(8)
    rows = StandardRows.of(X, members, X.mean(axis=0), X.var(axis=0))
    directions = rng.standard_normal((2, rows.n_coordinates))
    coef, constants = rows.for_features(directions)
    scores = rows.block(members).scores(directions)
    assert_allclose(scores, coef @ X.T + constants[:, None], atol=1e-12)


def test_a_device_evaluates_the_smoothed_error_itself(rng):
    """Losses and slopes are those of the host."""
    device = array_api_strict.Device("device1")
    rows, expected = standard_rows(rng, kind=lambda X: array_api_strict.asarray(X, device=device))
    signs, weights = rng.choice([-1.0, 1.0], len(MEMBERS)), rng.random((3, len(MEMBERS)))
    loss = SmoothedError(signs, weights / weights.sum(axis=1, keepdims=True), 0.3)
    directions, offsets = rng.standard_normal((3, 12)), rng.standard_normal(3)
    blocks = DenseBlock(expected.T.copy()), rows.block(MEMBERS)
    for host, there in zip(
        *(own.evaluated(loss, directions, offsets) for own in blocks), strict=True
    ):
        assert_allclose(there, host, atol=1e-5)
