"""Candidates for wide sparse rows: every split in a small Krylov space of its own."""

from typing import Any

import numpy as np

from zerone._typing import FloatArray, IntArray
from zerone.frontier import KRYLOV_STEPS, krylov_basis, projected_moments
from zerone.moments import Moments
from zerone.refine._candidates import Candidates
from zerone.refine._folds import Folds
from zerone.refine._held_out import HeldOutRows
from zerone.refine._models import SHARES, merged
from zerone.refine._shrinkage import shrink_moments

# In mean eigenvalues of the pooled covariance; too small a ridge hurts.
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

    A space for all splits together would know the labels of the rows that are held out.

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
    scores, directions, offsets = [], [], []
    for train, test in zip(folds.train, folds.test, strict=True):
        trained, left = folds.rows_in(train), folds.rows_in(test)
        model = _WideModel(
            rows[members[trained]],
            signs[trained],
            None if weights is None else weights[trained],
            shrinkage,
        )
        scores.append(model.directions @ (rows[members[left]] @ model.basis).T)
        scores[-1] += model.offsets[:, None]
        directions.append(model.directions @ model.basis.T)
        offsets.append(model.offsets)
    return Candidates(
        held_out,
        np.hstack(scores),
        np.mean(directions, axis=0),
        np.mean(offsets, axis=0),
        lambda chosen: (chosen, np.zeros(len(chosen))),
    )


class _WideModel:
    """Candidates of one split, in its own space.

    Attributes
    ----------
    basis : ndarray of shape (n_features, n_dimensions)
    directions : ndarray of shape (n_candidates, n_dimensions)
    offsets : ndarray of shape (n_candidates,)
    """

    def __init__(
        self, rows: Any, signs: FloatArray, weights: FloatArray | None, shrinkage: Any
    ) -> None:
        moments = Moments.from_data(rows, signs, sample_weight=weights, covariance="implicit")
        n_rows, n_features = moments.weight, moments.n_features
        trace = sum(m.weight / n_rows * m.covariance.trace() for m in moments.values())
        ridges = [ridge * trace / min(n_rows, n_features) for ridge in _RIDGES]
        if shrinkage != "auto":
            moments, ridges = shrink_moments(moments, shrinkage)[0], [0.0]
        self.basis = krylov_basis(list(moments.values()), KRYLOV_STEPS)
        projected = projected_moments(moments, self.basis)
        positive, negative = (
            (m.weight, m.mean, m.covariance.toarray()) for m in (projected[1.0], projected[-1.0])
        )
        total = merged([positive, negative])
        pooled = (positive[0] * positive[2] + negative[0] * negative[2]) / total[0]
        level = float(np.trace(pooled))
        plus, minus = (_levelled(c[2], pooled, level) for c in (positive, negative))
        identity = np.eye(len(pooled))
        matrices = np.array(
            [
                share * plus + (1 - share) * minus + max(ridge, 1e-10 * level) * identity
                for ridge in ridges
                for share in SHARES
            ]
        )
        solved = np.linalg.solve(matrices, (positive[1] - negative[1])[:, None])[..., 0]
        if not solved.any():
            solved = np.ones_like(solved)
        variances = np.einsum("cr,rs,cs->c", solved, total[2], solved)
        spread = np.sqrt(np.maximum(variances, np.finfo(float).tiny))
        self.directions: FloatArray = solved / spread[:, None]
        self.offsets: FloatArray = -self.directions @ total[1]


def _levelled(covariance: FloatArray, pooled: FloatArray, level: float) -> FloatArray:
    """Return a covariance brought to the trace of the pooled one, or the latter if it has none."""
    own = float(np.trace(covariance))
    return covariance * (level / own) if own > 1e-12 * level else pooled
