"""Rounded moments: the same bits for the same rows, and hardly another matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import gaussian_rows

from zerone import Moments
from zerone._moments.rounding import rounded_pair


@given(seed=st.integers(0, 2**32 - 1), unit=st.sampled_from([1e-6, 1.0, 1e6]))
def test_hardly_anything_moves_and_nothing_becomes_negative(seed, unit):
    rng = np.random.default_rng(seed)
    X = unit * rng.standard_normal((30, 4)) @ rng.standard_normal((4, 4)) + 5 * unit
    X[:, 3] = X[:, 0] - X[:, 1]  # singular
    y = np.arange(30) % 2
    pair = Moments.from_data(X, y).pair(1, 0)
    rounded = rounded_pair(pair)
    for a, b in ((pair.positive, rounded.positive), (pair.negative, rounded.negative)):
        scale = np.sqrt(np.outer(*[2 * np.diag(a.covariance.toarray())] * 2)) + unit**2
        assert (np.abs(a.covariance.toarray() - b.covariance.toarray()) <= 1e-10 * scale).all()
        assert np.linalg.eigvalsh(b.covariance.toarray() / unit**2).min() > -1e-14
        np.testing.assert_allclose(b.mean, a.mean, atol=1e-10 * np.sqrt(scale.max()))


def test_weights_and_repetition_give_the_same_bits(rng):
    X, y, _ = gaussian_rows(0)
    weights = rng.integers(1, 4, len(y))
    twice = rng.permutation(np.repeat(np.arange(len(y)), weights))
    weighted, repeated = (
        rounded_pair(m.pair(*sorted(m)[::-1]))
        for m in (
            Moments.from_data(X, y, sample_weight=weights),
            Moments.from_data(X[twice], y[twice]),
        )
    )
    assert (weighted.positive.mean == repeated.positive.mean).all()
    a, b = weighted.negative.covariance.toarray(), repeated.negative.covariance.toarray()
    assert (a == b).all()


def test_moments_that_hold_rows_stay_as_they_are(rng):
    X = rng.standard_normal((6, 40))
    pair = Moments.from_data(X, [0, 1] * 3, covariance="factored").pair(1, 0)
    assert rounded_pair(pair) is pair


def test_a_constant_feature_stays_constant(rng):
    X = np.column_stack([rng.standard_normal(20), np.full(20, 3.0)])
    rounded = rounded_pair(Moments.from_data(X, np.arange(20) % 2).pair(1, 0))
    assert rounded.positive.covariance.toarray()[1, 1] == 0.0
    assert rounded.delta[1] == pytest.approx(0.0)
