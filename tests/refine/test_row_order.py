"""The order of rows: it belongs to them, not to positions, units or storage."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from zerone._refine.row_order import row_groups


@given(seed=st.integers(0, 2**32 - 1))
def test_positions_units_columns_and_storage_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.exponential(1.0, (40, 4)) * (rng.random((40, 4)) < 0.7)
    weights = rng.integers(1, 4, 40).astype(float)
    expected = row_groups(X, weights)
    order, columns = rng.permutation(40), rng.permutation(4)
    assert (row_groups(X[order], weights[order]) == expected[order]).all()
    assert (row_groups(X[:, columns], weights) == expected).all()
    unit = np.exp(rng.uniform(-5, 5, 4))
    assert (row_groups(unit * X + 3 * unit, weights) == expected).all()
    assert (row_groups(sp.csr_array(X), weights) == expected).all()
    twice = np.repeat(np.arange(40), weights.astype(int))
    assert (row_groups(X[twice], None) == expected[twice]).all()


def test_rows_that_repeat_share_a_group_and_others_do_not(rng):
    X = rng.choice([-1.0, 1.0], (200, 8))
    groups = row_groups(X, None)
    for a, b in rng.integers(0, 200, (500, 2)):
        assert (groups[a] == groups[b]) == (X[a] == X[b]).all()
