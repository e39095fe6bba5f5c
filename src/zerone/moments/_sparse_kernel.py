"""Moments of sparse rows: explicit for few features, implicit for many."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._typing import FloatArray, IntArray
from zerone.moments._accumulate import Shifted
from zerone.moments._class_moments import ClassMoments
from zerone.moments._dense_kernel import (
    dense_moments,
    finish,
    provisional_mean,
    require_finite,
    require_finite_variances,
)
from zerone.moments._implicit import ImplicitCovariance

# Above this share of stored entries, dense blocks are faster than sparse products.
_DENSE_DENSITY = 0.1
# A feature stored in at most half of the rows has mean² ≤ variance, so nothing cancels when it
# is summed unshifted; the others are made dense and shifted.
_SHIFTED_DENSITY = 0.5
_BLOCK_VALUES = 2**20


def sparse_class_moments(rows: Any, members: IntArray, weights: FloatArray | None) -> ClassMoments:
    """Return weight, mean and explicit covariance of some rows of a CSR array."""
    chosen = rows[members].astype(np.float64)
    chosen.sum_duplicates()
    share = np.ones(members.size) if weights is None else weights[members]
    n, d = chosen.shape
    stored = np.bincount(chosen.indices, minlength=d) / n
    shifted = np.flatnonzero(stored > _SHIFTED_DENSITY)
    if chosen.nnz > _DENSE_DENSITY * n * d or shifted.size == d:
        return dense_moments(chosen, [np.arange(n)], share)[0]
    plain = np.flatnonzero(stored <= _SHIFTED_DENSITY)
    total = float(share.sum())
    root = np.sqrt(share)
    few = chosen[:, plain]
    few_rooted = sp.csr_array(few.multiply(root[:, None]))
    offset, shift = np.zeros(d), np.zeros(d)
    offset[plain] = few.T @ share / total
    require_finite(offset)
    scatter = np.zeros((d, d))
    with np.errstate(over="ignore", invalid="ignore"):
        scatter[np.ix_(plain, plain)] = (few_rooted.T @ few_rooted).toarray()
    if shifted.size:
        many = chosen[:, shifted]
        shift[shifted] = provisional_mean(many, np.arange(n))
        step = max(1, _BLOCK_VALUES // shifted.size)
        cross = np.zeros((plain.size, shifted.size))
        square = np.zeros((shifted.size, shifted.size))
        for start in range(0, n, step):
            part = slice(start, start + step)
            with np.errstate(invalid="ignore", over="ignore"):
                block = (many[part].toarray() - shift[shifted]) * root[part, None]
                offset[shifted] += root[part] @ block / total
                cross += few_rooted[part].T @ block
                square += block.T @ block
        require_finite(offset)
        scatter[np.ix_(plain, shifted)] = cross
        scatter[np.ix_(shifted, plain)] = cross.T
        scatter[np.ix_(shifted, shifted)] = square
    return finish(Shifted(total, shift, offset, scatter))


def implicit_class_moments(
    rows: Any, members: IntArray, weights: FloatArray | None
) -> ClassMoments:
    """Return weight, mean and implicit covariance: the sparse rows are kept."""
    chosen = rows[members].astype(np.float64)
    chosen.sum_duplicates()
    share = np.ones(members.size) if weights is None else weights[members]
    total = float(share.sum())
    share = share / total
    mean = chosen.T @ share
    require_finite(mean)
    covariance = ImplicitCovariance(chosen, share, mean)
    with np.errstate(over="ignore", invalid="ignore"):
        require_finite_variances(covariance.diagonal())
    return ClassMoments(total, mean, covariance)
