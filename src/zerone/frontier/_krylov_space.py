"""A few directions that separate wide sparse classes, and moments projected onto them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import ExplicitCovariance
from zerone._moments.implicit import ImplicitCovariance
from zerone._typing import FloatArray

# Steps for wide sparse data. More steps gain nothing with the ridge that such data needs
# (evidence/krylov_steps.py).
KRYLOV_STEPS = 8


@dataclass(frozen=True, eq=False)
class KrylovSpace:
    """An orthonormal basis of Δ, PΔ, P²Δ, … for the pooled within-class covariance P.

    Δ are the differences of the means: one for two classes, K − 1 for K classes. The same space is
    used for every point of the frontier and every ridge.

    Attributes
    ----------
    basis : ndarray of shape (n_features, n_directions)
    scores : list of ndarray of shape (n_class_rows, n_directions), or None
        Of the centred rows of each class, a by-product; None for a class without sparse rows.
    """

    basis: FloatArray
    scores: list[FloatArray | None]

    @classmethod
    def of(cls, classes: Sequence[ClassMoments], steps: int = KRYLOV_STEPS) -> "KrylovSpace":
        """Build the space with full reorthogonalisation; stop early when it is exhausted."""
        total = sum(m.weight for m in classes)
        block = _new_directions(_start(classes), np.empty((classes[0].n_features, 0)))
        basis = [block]
        scores: list[list[FloatArray]] = [[] for _ in classes]
        for step in range(steps):
            products = [_scores(m, block) for m in classes]
            for own, product in zip(scores, products, strict=True):
                if product is not None:
                    own.append(product)
            if step == steps - 1:
                break
            image = np.zeros_like(block)
            for m, product in zip(classes, products, strict=True):
                image += m.weight / total * _image(m, block, product)
            block = _new_directions(image, np.hstack(basis))
            if block.shape[1] == 0:
                break
            basis.append(block)
        return cls(np.hstack(basis), [np.hstack(own) if own else None for own in scores])

    def projected(self, classes: Sequence[ClassMoments]) -> list[ClassMoments]:
        """Return explicit moments of ``basisᵀ x`` for the same classes, shrunk or not."""
        return [_projected(m, self.basis, own) for m, own in zip(classes, self.scores, strict=True)]


def _scores(moments: ClassMoments, block: FloatArray) -> FloatArray | None:
    covariance = moments.covariance
    if isinstance(covariance, ImplicitCovariance):
        return covariance.centred_product(block)
    return None


def _image(moments: ClassMoments, block: FloatArray, scores: FloatArray | None) -> FloatArray:
    """Return the product of a class covariance and a block with known scores."""
    covariance = moments.covariance
    if scores is not None and isinstance(covariance, ImplicitCovariance):
        return covariance.image(scores, block)
    return covariance.matvec(block)


def _projected(moments: ClassMoments, basis: FloatArray, scores: FloatArray | None) -> ClassMoments:
    covariance = moments.covariance
    if scores is not None and isinstance(covariance, ImplicitCovariance):
        mapped = covariance.map_centred(scores, basis)
    else:
        mapped = ExplicitCovariance(covariance.map(np.ascontiguousarray(basis.T)).toarray())
    mean, correction = basis.T @ moments.mean, basis.T @ moments.mean_correction
    return ClassMoments(moments.weight, mean, mapped, correction)


def _start(classes: Sequence[ClassMoments]) -> FloatArray:
    """Return differences of the means, or of the variances if the means are equal."""
    differences = np.column_stack([m.minus_mean(classes[0]) for m in classes[1:]])
    if differences.any():
        return differences
    variances = [m.covariance.diagonal() for m in classes]
    differences = np.column_stack([v - variances[0] for v in variances[1:]])
    return differences if differences.any() else np.ones((classes[0].n_features, 1))


def _new_directions(block: FloatArray, basis: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what ``block`` adds to ``basis``."""
    sizes = np.linalg.norm(block, axis=0)
    for _ in range(2):
        block = block - basis @ (basis.T @ block)
    left = np.linalg.norm(block, axis=0) > 1e-10 * sizes
    if not left.any():
        return block[:, :0]
    if block.shape[1] == 1:
        return block / np.linalg.norm(block)
    vectors, triangle, _ = qr(block[:, left], mode="economic", pivoting=True)
    weights = np.abs(np.diagonal(triangle))
    new: FloatArray = vectors[:, weights > 1e-10 * weights[0]]
    return new
