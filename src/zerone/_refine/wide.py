"""Candidates for wide sparse rows: a small Krylov space for every split."""

from typing import Any

import numpy as np

from zerone._data.batch import read_batch
from zerone._kernels.batch_moments import batch_moments
from zerone._moments.shrinkage import shrink_moments
from zerone._refine.candidates import Candidates
from zerone._refine.folds import Folds
from zerone._refine.held_out import HeldOutRows
from zerone._refine.models import SHARES, pooled_covariance
from zerone._typing import FloatArray, IntArray
from zerone.frontier._krylov_space import KrylovSpace

# In mean eigenvalues of the pooled covariance; too small a ridge is harmful.
_RIDGES = (3.0, 1.0, 0.3)


def wide_candidates(
    rows: Any,
    members: IntArray,
    signs: FloatArray,
    weights: FloatArray | None,
    folds: Folds,
    held_out: HeldOutRows,
    shrinkage: Any,
) -> Candidates:
    """Return points of the frontier with several ridges.

    One space for all splits would use the labels of held-out rows.

    Parameters
    ----------
    rows : csr array
    members : ndarray of int
        The rows of the two classes.
    signs, weights : ndarray of shape (n_members,)
    folds : Folds
        Of the members.
    held_out : HeldOutRows
    shrinkage : "auto", number or None
        "auto" tries several ridges.
    """
    own = rows[members]
    share = np.ones(len(members)) if weights is None else weights
    share = share / share.sum()
    scores, mean_direction = [], 0.0
    for train, test in zip(folds.train, folds.test, strict=True):
        trained = folds.rows_in(train)
        basis, directions = _candidates_of_split(
            own[trained],
            signs[trained],
            None if weights is None else weights[trained],
            shrinkage,
        )
        # In the scale of all rows, which uses no labels.
        projected = own @ basis
        centred = projected - share @ projected
        covariance = (centred.T * share) @ centred
        spread = np.sqrt(np.einsum("cr,cr->c", directions @ covariance, directions))
        directions = directions / np.maximum(spread, np.finfo(float).tiny)[:, None]
        scores.append(directions @ centred[folds.rows_in(test)].T)
        mean_direction = mean_direction + directions @ basis.T / folds.n_splits
    centre = own.T @ share
    return Candidates(
        held_out,
        np.hstack(scores),
        np.asarray(mean_direction),
        lambda chosen: (chosen, -chosen @ centre),
    )


def _candidates_of_split(
    rows: Any, signs: FloatArray, weights: FloatArray | None, shrinkage: Any
) -> tuple[FloatArray, FloatArray]:
    """Return the space of one split and the candidates in it, of any length."""
    moments = batch_moments(read_batch(rows, signs, weights), "implicit")
    n_rows, n_features = moments.weight, moments.n_features
    trace = sum(m.weight / n_rows * m.covariance.trace() for m in moments.values())
    ridges = [ridge * trace / min(n_rows, n_features) for ridge in _RIDGES]
    if shrinkage != "auto":
        # The fit itself warns of classes with a single row, with their labels.
        moments, ridges = shrink_moments(moments, shrinkage, warns=False)[0], [0.0]
    classes = [moments[1.0], moments[-1.0]]
    space = KrylovSpace.of(classes)
    both = space.projected(classes)
    pooled = pooled_covariance(both)
    pooled_trace = float(np.trace(pooled))
    plus, minus = (_with_trace(m.covariance.toarray(), pooled, pooled_trace) for m in both)
    least = 1e-10 * pooled_trace if pooled_trace > 0 else 1.0
    matrices = np.array(
        [
            share * plus + (1 - share) * minus + max(ridge, least) * np.eye(len(pooled))
            for ridge in ridges
            for share in SHARES
        ]
    )
    solved = np.linalg.solve(matrices, (both[0].mean - both[1].mean)[:, None])[..., 0]
    return space.basis, np.asarray(
        solved if solved.any() else np.ones_like(solved), dtype=np.float64
    )


def _with_trace(covariance: FloatArray, pooled: FloatArray, pooled_trace: float) -> FloatArray:
    """Return a covariance scaled to the trace of the pooled one; the pooled one if it is zero."""
    own = float(np.trace(covariance))
    return covariance * (pooled_trace / own) if own > 1e-12 * pooled_trace else pooled
