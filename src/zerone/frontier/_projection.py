"""Moments that keep rows, projected to a few dimensions where they are explicit."""

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
        None if nothing was reduced.
    is_exact : bool
        Whether the best rule for the reduced moments is the best for all features.
    unshrunk : Moments or None
        The moments before shrinkage, in the same dimensions; None if nothing was reduced or they
        were not given.
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
    """Project moments that keep rows to dimensions where they are explicit.

    Parameters
    ----------
    moments : Moments
    unshrunk : Moments, optional
        The same moments before shrinkage, projected as well.
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
    """Return explicit moments of ``basisᵀ x``, from which rows cannot be recovered.

    Feature names depend on the basis, so that moments of different projections cannot be merged.
    """
    projected = moments.affine(np.ascontiguousarray(basis.T))
    explicit = {label: _made_explicit(m) for label, m in projected.items()}
    return Moments(explicit, _names(basis))


def _names(basis: FloatArray) -> tuple[str, ...]:
    """Return names that are unique to the directions of a projection."""
    digest = hashlib.sha256(basis.tobytes()).hexdigest()[:8]
    return tuple(f"direction {number} of projection {digest}" for number in range(basis.shape[1]))


def _made_explicit(moments: ClassMoments) -> ClassMoments:
    if moments.weight == 0:
        return moments
    return moments.with_covariance(ExplicitCovariance(moments.covariance.toarray()))


def _factor_basis(classes: Sequence[ClassMoments]) -> FloatArray | None:
    """Return a basis of all centred rows and mean differences, which loses nothing.

    Every direction outside of it has the variance of the ridge and no difference of means, so no
    optimal rule leaves it. This needs ridges that are multiples of each other; the features are
    rescaled so that they are multiples of the identity. None if the ridges differ.
    """
    covariances = [m.covariance for m in classes if isinstance(m.covariance, FactoredCovariance)]
    if len(covariances) < len(classes):
        return None
    noises = [covariance.noise for covariance in covariances if covariance.noise is not None]
    # A mean, for rules without intercept, then the differences of the means.
    means = [classes[0].mean, *(m.minus_mean(classes[0]) for m in classes[1:])]
    stacked = np.vstack([*(covariance.factor for covariance in covariances), *means])
    unit = np.ones(classes[0].n_features)
    if noises:
        shape = noises[0]
        # A feature without ridge is harmless if it has no spread either: it is constant.
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
