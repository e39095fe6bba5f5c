"""Moments that keep rows, brought down to a few dimensions in which they are explicit."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr

from zerone._typing import FloatArray
from zerone.moments import (
    ClassMoments,
    ExplicitCovariance,
    FactoredCovariance,
    Moments,
)
from zerone.rules import LinearRule

# Krylov steps for wide sparse data. With the ridge that such data needs, 8 to 12 already give
# the test accuracy of 32 on imdb, spamassassin and rcv1_small.
KRYLOV_STEPS = 16


# Up to this many features a d x d matrix is cheaper than an approximation.
_AFFORDABLE = 1_000


@dataclass(frozen=True, eq=False)
class Reduction:
    """Explicit moments of ``basisᵀ x``.

    A direction found for the reduced moments is ``basis @ direction`` for the features.

    Attributes
    ----------
    moments : Moments
    basis : ndarray of shape (n_features, n_reduced) or None
        None where nothing was reduced.
    is_exact : bool
        Whether the best rule for the reduced moments is the best for all features.
    """

    moments: Moments
    basis: FloatArray | None = None
    is_exact: bool = True

    def lifted(self, rule: LinearRule) -> LinearRule:
        """Return a rule for the reduced moments as a rule for the features."""
        if self.basis is None:
            return rule
        rule = replace(rule, coef=self.basis @ rule.coef)
        if self.is_exact or rule.is_constant:
            return rule
        where = f"{self.basis.shape[1]} Krylov dimensions of the wide data"
        return replace(rule, status=f"The best rule within {where} was found.")


def reduced_moments(moments: Moments) -> Reduction:
    """Bring moments that keep rows down to dimensions in which they are explicit."""
    classes = [m for m in moments.values() if m.weight > 0]
    if not any(m.covariance.carries_rows for m in classes):
        return Reduction(moments)
    basis = _factor_basis(classes)
    is_exact = basis is not None
    if basis is None:
        has_matrix = any(isinstance(m.covariance, ExplicitCovariance) for m in classes)
        if has_matrix or moments.n_features <= _AFFORDABLE:
            explicit = {label: _made_explicit(m) for label, m in moments.items()}
            return Reduction(Moments(explicit, moments.feature_names))
        basis = krylov_basis(classes, KRYLOV_STEPS)
    return Reduction(projected_moments(moments, basis), basis, is_exact)


def projected_moments(moments: Moments, basis: FloatArray) -> Moments:
    """Return explicit moments of ``basisᵀ x``; no row can be read back from them.

    The features are named after the basis, so that moments of different projections refuse to
    merge.
    """
    projected = moments.affine(np.ascontiguousarray(basis.T))
    digest = hashlib.sha256(basis.tobytes()).hexdigest()[:8]
    names = tuple(f"direction {number} of projection {digest}" for number in range(basis.shape[1]))
    return Moments({label: _made_explicit(m) for label, m in projected.items()}, names)


def _made_explicit(moments: ClassMoments) -> ClassMoments:
    if moments.weight == 0:
        return moments
    return moments.with_covariance(ExplicitCovariance(moments.covariance.toarray()))


def _factor_basis(classes: Sequence[ClassMoments]) -> FloatArray | None:
    """Return a basis of all centred rows and mean differences, in which nothing is lost.

    Outside of it every direction has the same variance, that of the ridge, and no difference
    of means, so no optimal rule leaves it. That needs ridges of one shape, which are made
    round by rescaling the features; None where they are not.
    """
    covariances = [m.covariance for m in classes if isinstance(m.covariance, FactoredCovariance)]
    if len(covariances) < len(classes):
        return None
    noises = [covariance.noise for covariance in covariances if covariance.noise is not None]
    # The mean itself, for rules without intercept, then what the classes differ by.
    means = [classes[0].mean, *(m.minus_mean(classes[0]) for m in classes[1:])]
    stacked = np.vstack([*(covariance.factor for covariance in covariances), *means])
    unit = np.ones(classes[0].n_features)
    if noises:
        shape = noises[0]
        # A feature without ridge does no harm where it has no spread either: it is constant.
        varying = shape > 0
        rest = stacked[:, ~varying]
        if len(noises) < len(classes) or np.delete(rest, -len(means), axis=0).any():
            return None
        ratios = np.array([noise[varying] / shape[varying] for noise in noises])
        if not np.allclose(ratios, ratios[:, :1], rtol=1e-9):
            return None
        unit[varying] = np.sqrt(shape[varying])
        stacked[:, ~varying] = 0.0
    stacked /= unit
    basis: FloatArray = qr(stacked.T, mode="economic", overwrite_a=True, check_finite=False)[0]
    return basis / unit[:, None]


def krylov_basis(classes: Sequence[ClassMoments], steps: int) -> FloatArray:
    """Return an orthonormal basis of Δ, PΔ, P²Δ, … for the pooled within-class covariance P.

    Δ are the differences of the means: one for two classes, K − 1 for K. The same space serves
    every point of the frontier and every ridge. Full reorthogonalisation; stops early when the
    space is exhausted.
    """
    total = sum(m.weight for m in classes)

    def pooled(v: FloatArray) -> FloatArray:
        product: FloatArray = np.sum(
            [m.weight / total * m.covariance.matvec(v) for m in classes], axis=0
        )
        return product

    start = np.column_stack([m.minus_mean(classes[0]) for m in classes[1:]])
    if not start.any():
        # Equal means: the variances alone must tell.
        variances = [m.covariance.diagonal() for m in classes]
        start = np.column_stack([v - variances[0] for v in variances[1:]])
    if not start.any():
        start = np.ones((classes[0].n_features, 1))
    block = _new_directions(start, np.empty((start.shape[0], 0)))
    basis = block
    for _ in range(steps - 1):
        block = _new_directions(pooled(block), basis)
        if block.shape[1] == 0:
            break
        basis = np.hstack([basis, block])
    return basis


def _new_directions(block: FloatArray, basis: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what ``block`` adds to ``basis``."""
    sizes = np.linalg.norm(block, axis=0)
    for _ in range(2):
        block = block - basis @ (basis.T @ block)
    left = np.linalg.norm(block, axis=0) > 1e-10 * sizes
    if not left.any():
        return block[:, :0]
    vectors, triangle, _ = qr(block[:, left], mode="economic", pivoting=True)
    weights = np.abs(np.diagonal(triangle))
    new: FloatArray = vectors[:, weights > 1e-10 * weights[0]]
    return new
