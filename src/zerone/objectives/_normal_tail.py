"""The one formula both objectives are made of: the normal tail of a standardised score."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from zerone._typing import FloatArray
from zerone.moments import Covariance

_SQRT_TAU = np.sqrt(2 * np.pi)


@dataclass(frozen=True, eq=False)
class NormalTail:
    """f(x) = weight · Φ(−z),  z = x·mean / √(xᵀΣx).

    If the score x·V is normal for a random vector V with this mean and covariance, Φ(−z) is
    the probability that it is negative. f does not change when x is multiplied by a positive
    number, so everything is computed at x/‖x‖ and nothing under- or overflows with its scale.

    With an intercept, x = (w, b) and V = (features, 1): the covariance acts on w only.

    Parameters
    ----------
    weight : float
    mean : ndarray of shape (n_parameters,)
    covariances : tuple of Covariance
        Σ is their sum, acting on the first parameters.
    """

    weight: float
    mean: FloatArray
    covariances: tuple[Covariance, ...]

    def value(self, x: FloatArray) -> float:
        """Return f(x)."""
        unit, _ = _normalised(x)
        return self.weight * float(ndtr(-self._score(unit)[0]))

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return f(x) and ∇f(x) = −weight·φ(z)·∇z."""
        unit, size = _normalised(x)
        z, s, product = self._score(unit)
        value = self.weight * float(ndtr(-z))
        density = _density(z)
        if density == 0.0:
            return value, np.zeros_like(x)
        slope = self._score_gradient(z, s, product)
        return value, (-self.weight * density / size) * slope

    def hessian_product(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return ∇²f(x) v = weight·φ(z)·(z ∇z ∇zᵀv − ∇²z v)."""
        unit, size = _normalised(x)
        z, s, product = self._score(unit)
        density = _density(z)
        if density == 0.0:
            return np.zeros_like(x)
        slope = self._score_gradient(z, s, product)
        product_v = self._product(v)
        cross = unit @ product_v
        # ∇²z v, from ∇z = mean/s − (z/s²) Σx
        curvature = (
            -(cross * self.mean + (self.mean @ v) * product) / s**3
            - (z / s**2) * product_v
            + (3 * z * cross / s**4) * product
        )
        return (self.weight * density / size**2) * (z * (slope @ v) * slope - curvature)

    def _score(self, unit: FloatArray) -> tuple[float, float, FloatArray]:
        """Return z, s = √(xᵀΣx) and Σx."""
        product = self._product(unit)
        variance = float(sum(c.quad(unit[: c.n_features]) for c in self.covariances))
        s = float(np.sqrt(variance))
        m = float(self.mean @ unit)
        if s > 0:
            return m / s, s, product
        # No spread: the score is certain. A score of exactly zero is as good as a coin.
        return (0.0 if m == 0 else float(np.copysign(np.inf, m))), s, product

    def _score_gradient(self, z: float, s: float, product: FloatArray) -> FloatArray:
        if s == 0.0:
            return np.zeros_like(product)
        return self.mean / s - (z / s**2) * product

    def _product(self, v: FloatArray) -> FloatArray:
        product = np.zeros_like(v)
        for covariance in self.covariances:
            d = covariance.n_features
            product[:d] += covariance.matvec(v[:d])
        return product


def _density(z: float) -> float:
    return float(np.exp(-0.5 * z * z) / _SQRT_TAU) if abs(z) < 39 else 0.0


def _normalised(x: FloatArray) -> tuple[FloatArray, float]:
    largest = float(np.abs(x).max())
    if largest == 0.0:
        return x, 1.0
    scaled = x / largest
    norm = float(np.linalg.norm(scaled))
    return scaled / norm, largest * norm
