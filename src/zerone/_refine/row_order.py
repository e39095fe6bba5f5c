"""An order of rows that belongs to the rows: not to their positions, labels or units.

Folds that are dealt in this order, and sums that are made in it, do not change when rows are
permuted or come from another source; rows that repeat stay together.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.batch import Batch
from zerone._typing import FloatArray, IntArray

# Of more rows the positions deal the folds: it makes no difference there.
_MAX_ORDERED_ROWS = 100_000
# Keys that agree to so many digits are the same: sums in another order round differently.
_DIGITS = 9
_BLOCK_VALUES = 2**17


def ordered_groups(batch: Batch) -> IntArray | None:
    """Return `row_groups` of a batch; None if it has too many rows."""
    if batch.rows.shape[0] > _MAX_ORDERED_ROWS:
        return None
    return row_groups(batch.with_array().rows, batch.weights)


def row_groups(rows: Any, weights: FloatArray | None) -> IntArray:
    """Return for each row the number of its group in the order; rows that repeat share one.

    Rows are ordered by a fixed projection of the standardised columns. A column's coefficient
    belongs to its skewness and kurtosis, not to its position.

    Parameters
    ----------
    rows : ndarray or csr array of shape (n_rows, n_features)
    weights : ndarray of shape (n_rows,) or None
        Rows of weight zero get a group, too, but have no influence.
    """
    counts: FloatArray = np.ones(rows.shape[0]) if weights is None else weights
    share = counts / counts.sum()
    with np.errstate(all="ignore"):
        project = _sparse_projection if sp.issparse(rows) else _dense_projection
        projection = project(rows, share)
        size = share @ np.abs(projection)
        keys = np.round(projection / (size if size > 0 else 1.0), _DIGITS)
    groups = np.unique(keys, return_inverse=True)[1]
    return np.asarray(groups, dtype=np.intp)


def _dense_projection(rows: Any, share: FloatArray) -> FloatArray:
    n, d = rows.shape
    step = max(1, _BLOCK_VALUES // d)
    blocks = [slice(start, start + step) for start in range(0, n, step)]
    mean = np.asarray(sum(share[block] @ rows[block] for block in blocks), dtype=np.float64)
    # Of size one before they are squared: squares of large numbers overflow.
    size = np.max([np.abs(rows[block] - mean).max(axis=0) for block in blocks], axis=0)
    inverse = np.divide(1.0, size, out=np.zeros(d), where=size > 0)
    powers = np.zeros((3, d))
    for block in blocks:
        centred = (rows[block] - mean) * inverse
        square = centred * centred
        powers[0] += share[block] @ square
        centred *= square
        powers[1] += share[block] @ centred
        square *= square
        powers[2] += share[block] @ square
    coefficients = _coefficients(*powers) * inverse
    # Sums over each row by itself: products of matrices may round rows differently.
    return np.concatenate(
        [np.einsum("nd,d->n", rows[block] - mean, coefficients) for block in blocks]
    )


def _sparse_projection(rows: Any, share: FloatArray) -> FloatArray:
    first = rows.astype(np.float64)
    size = abs(first).max(axis=0).toarray().ravel()
    first = first @ sp.diags_array(np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0))
    squares = first.multiply(first).tocsr()
    mean, second = first.T @ share, squares.T @ share
    third = squares.multiply(first).T @ share
    fourth = squares.multiply(squares).T @ share
    variance = second - mean**2
    variance[variance < 1e-14 * second] = 0.0
    coefficients = _coefficients(
        variance,
        third - 3 * mean * second + 2 * mean**3,
        fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4,
    )
    return np.asarray(first @ coefficients - coefficients @ mean)


def _coefficients(variance: FloatArray, third: FloatArray, fourth: FloatArray) -> FloatArray:
    """Return the coefficients of centred columns, from their central moments."""
    varies = variance > 0
    inverse = np.where(varies, 1 / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
    # On a scale on which large values, too, keep their digits: rare indicators have large ones.
    shape = np.round(np.arcsinh([third * inverse**3, fourth * inverse**4]), _DIGITS)
    draws = np.random.RandomState(0).standard_normal(len(variance))
    coefficients = np.empty_like(draws)
    coefficients[np.lexsort(shape)] = draws
    return np.asarray(coefficients * inverse)
