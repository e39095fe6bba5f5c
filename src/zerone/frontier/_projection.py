"""Moments that keep rows, brought down to a few dimensions in which they are explicit."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr

from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import ExplicitCovariance
from zerone._moments.factored import FactoredCovariance
from zerone._moments.moments import Moments
from zerone._typing import FloatArray
from zerone.frontier._krylov_space import KrylovSpace
from zerone.rules._rule import LinearRule

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
    unshrunk : Moments or None
        What the moments were before they were shrunk, in the same few dimensions; None where
        nothing was reduced or they were not given.
    """

    moments: Moments
    basis: FloatArray | None = None
    is_exact: bool = True
    unshrunk: Moments | None = None

    def lifted(self, rule: LinearRule) -> LinearRule:
        """Return a rule for the reduced moments as a rule for the features."""
        if self.basis is None:
            return rule
        rule = replace(rule, coef=self.basis @ rule.coef)
        if self.is_exact or rule.is_constant:
            return rule
        where = f"{self.basis.shape[1]} Krylov dimensions of the wide data"
        return replace(rule, status=f"The best rule within {where} was found.")


def reduced_moments(moments: Moments, unshrunk: Moments | None = None) -> Reduction:
    """Bring moments that keep rows down to dimensions in which they are explicit.

    Parameters
    ----------
    moments : Moments
    unshrunk : Moments, optional
        The same before they were shrunk, to be projected too.
    """
    classes = [m for m in moments.values() if m.weight > 0]
    if not any(m.covariance.carries_rows for m in classes):
        return Reduction(moments)
    basis = _factor_basis(classes)
    if basis is not None:
        both = [None if m is None else projected_moments(m, basis) for m in (moments, unshrunk)]
        assert both[0] is not None
        return Reduction(both[0], basis, unshrunk=both[1])
    has_matrix = any(isinstance(m.covariance, ExplicitCovariance) for m in classes)
    if has_matrix or moments.n_features <= _AFFORDABLE:
        explicit = {label: _made_explicit(m) for label, m in moments.items()}
        return Reduction(Moments(explicit, moments.feature_names))
    space = KrylovSpace.of(classes)
    return Reduction(
        _seen_in(space, moments),
        space.basis,
        is_exact=False,
        unshrunk=None if unshrunk is None else _seen_in(space, unshrunk),
    )


def _seen_in(space: KrylovSpace, moments: Moments) -> Moments:
    """Return the moments in a Krylov space."""
    present = [m for m in moments.values() if m.weight > 0]
    projected = iter(space.projected(present))
    n_directions = space.basis.shape[1]
    return Moments(
        {
            label: next(projected) if m.weight > 0 else ClassMoments.empty(n_directions)
            for label, m in moments.items()
        },
        _names(space.basis),
    )


def projected_moments(moments: Moments, basis: FloatArray) -> Moments:
    """Return explicit moments of ``basisᵀ x``; no row can be read back from them.

    The features are named after the basis, so that moments of different projections refuse to
    merge.
    """
    projected = moments.affine(np.ascontiguousarray(basis.T))
    explicit = {label: _made_explicit(m) for label, m in projected.items()}
    return Moments(explicit, _names(basis))


def _names(basis: FloatArray) -> tuple[str, ...]:
    """Return names of the directions of a projection, which no other has."""
    digest = hashlib.sha256(basis.tobytes()).hexdigest()[:8]
    return tuple(f"direction {number} of projection {digest}" for number in range(basis.shape[1]))


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
