"""Moments of sparse rows: explicit covariances for few features, implicit ones for many."""

from typing import Any

import numpy as np

from zerone._data.batch import ListedGroups
from zerone._data.windows import read_window
from zerone._kernels.accumulate import Shifted
from zerone._kernels.dense import (
    FeatureError,
    dense_moments,
    finish,
    provisional_mean,
    require_finite,
    require_finite_variances,
)
from zerone._moments.class_moments import ClassMoments
from zerone._moments.implicit import ImplicitCovariance
from zerone._typing import FloatArray, IntArray

# A feature stored in more than this share of the rows is faster as a dense column. Only such a
# feature can need a shift: otherwise its mean² is below its variance, and nothing cancels.
_DENSE_DENSITY = 0.1
_BLOCK_VALUES = 2**21
_SHIFT_ROWS = 256  # rows for the provisional mean


def sparse_class_moments(rows: Any, members: IntArray, weights: FloatArray | None) -> ClassMoments:
    """Return weight, mean and explicit covariance of some rows of a CSR array."""
    chosen = _canonical(rows, members)
    n, d = chosen.shape
    stored = np.bincount(chosen.indices, minlength=d)
    is_dense = stored > _DENSE_DENSITY * n
    if chosen.nnz > _DENSE_DENSITY * n * d or is_dense.all():
        share = None if weights is None else weights[members]
        return dense_moments(chosen, ListedGroups([np.arange(n)]), share)[0]
    many, few = np.flatnonzero(is_dense), np.flatnonzero(~is_dense)
    roots = None if weights is None else np.sqrt(weights[members])
    total = float(n) if weights is None else float(weights[members].sum())
    # As CSC: columns can be picked fast, and their transpose is CSR.
    by_column = chosen.tocsc()
    columns, dense = by_column[:, few], by_column[:, many].tocsr()
    if roots is not None:
        columns.data *= roots[columns.indices]
    sparse = columns.tocsr()
    offset, shift, scatter = np.zeros(d), np.zeros(d), np.zeros((d, d))
    with np.errstate(over="ignore", invalid="ignore"):
        offset[few] = columns.T @ (np.ones(n) if roots is None else roots) / total
        require_finite(offset)
        scatter[np.ix_(few, few)] = (columns.T @ sparse).toarray()
        if many.size:
            shift[many] = _provisional_mean(dense[:: max(1, n // _SHIFT_ROWS)], many)
            sums, square, cross = _dense_sums(dense, sparse, roots, shift[many])
            offset[many] = sums / total
            require_finite(offset)
            scatter[np.ix_(many, many)] = square
            scatter[np.ix_(few, many)] = cross
            scatter[np.ix_(many, few)] = cross.T
    return finish(Shifted(total, shift, offset, scatter))


def _dense_sums(
    dense: Any, sparse: Any, roots: FloatArray | None, shift: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return sums and products of the shifted dense columns, and their products with the others.

    ``roots`` are the square roots of the weights; ``sparse`` is already multiplied by them.
    """
    n, n_many = dense.shape
    sums, square = np.zeros(n_many), np.zeros((n_many, n_many))
    cross = np.zeros((sparse.shape[1], n_many))
    step = min(n, max(1, _BLOCK_VALUES // n_many))
    buffer, ones = np.empty((step, n_many)), np.ones(step)
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        block = read_window(dense, part.start, part.stop, buffer[: part.stop - start])
        block -= shift
        if roots is None:
            sums += ones[: len(block)] @ block
        else:
            block *= roots[part, None]
            sums += roots[part] @ block
        square += block.T @ block
        cross += sparse[part].T @ block
    return sums, square, cross


def _provisional_mean(sample: Any, features: IntArray) -> FloatArray:
    """Return the mean of a few rows of some features; errors name the original feature."""
    try:
        return provisional_mean(sample.toarray())
    except FeatureError as error:
        raise FeatureError(int(features[error.feature]), error.problem) from None


def _canonical(rows: Any, members: IntArray) -> Any:
    """Return some rows in float64, without duplicate entries."""
    chosen = rows[members].astype(np.float64, copy=False)
    chosen.sum_duplicates()
    return chosen


def implicit_class_moments(
    rows: Any, members: IntArray, weights: FloatArray | None
) -> ClassMoments:
    """Return weight, mean and implicit covariance, which stores the sparse rows."""
    chosen = _canonical(rows, members)
    share = np.ones(members.size) if weights is None else weights[members]
    total = float(share.sum())
    share = share / total
    mean = chosen.T @ share
    require_finite(mean)
    covariance = ImplicitCovariance(chosen, share, mean)
    with np.errstate(over="ignore", invalid="ignore"):
        require_finite_variances(covariance.diagonal())
    return ClassMoments(total, mean, covariance)
