"""The normal tail of a standardised score, of which both objectives on moments are sums."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from zerone._moments.covariance import Covariance
from zerone._typing import FloatArray

_SQRT_TAU = np.sqrt(2 * np.pi)


@dataclass(frozen=True, eq=False)
class NormalTail:
    """f(x) = weight · Φ(−z),  z = x·mean / √(xᵀΣx).

    If the score x·V is normal for a random vector V with this mean and covariance, Φ(−z) is
    the probability that it is negative. f does not depend on the length of x, so everything is
    computed at x/‖x‖, without underflow or overflow.

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
        return self.weight * float(ndtr(-self._score(unit).z))

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return f(x) and ∇f(x) = −weight·φ(z)·∇z."""
        unit, size = _normalised(x)
        score = self._score(unit)
        value = self.weight * float(ndtr(-score.z))
        if score.density == 0.0:
            return value, np.zeros_like(x)
        return value, (-self.weight * score.density / size) * score.slope

    def hessian_product(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return ∇²f(x) v = weight·φ(z)·(z ∇z ∇zᵀv − ∇²z v)."""
        unit, size = _normalised(x)
        score = self._score(unit)
        if score.density == 0.0:
            return np.zeros_like(x)
        # ∇²z v, differentiating ∇z = mean/s − z Σx/s² along v.
        product_v = self._product(v) / score.sd**2
        cross = unit @ product_v
        along = score.mean @ v
        curvature = (
            (3 * score.z * cross - along) * score.product - cross * score.mean - score.z * product_v
        )
        bend = score.z * (score.slope @ v) * score.slope - curvature
        return (self.weight * score.density / size**2) * bend

    def _score(self, unit: FloatArray) -> "_Score":
        product = self._product(unit)
        variance = float(sum(c.quad(unit[: c.n_features]) for c in self.covariances))
        m = float(self.mean @ unit)
        if variance == 0.0:
            # Without spread the score is certain; a score of exactly zero counts one half.
            z = 0.0 if m == 0 else float(np.copysign(np.inf, m))
            return _Score(z, 0.0, self.mean, product, 0.0)
        sd = float(np.sqrt(variance))
        z = m / sd
        # Beyond this the density is zero.
        density = float(np.exp(-0.5 * z * z) / _SQRT_TAU) if abs(z) < 39 else 0.0
        return _Score(z, sd, self.mean / sd, product / variance, density)

    def _product(self, v: FloatArray) -> FloatArray:
        product = np.zeros_like(v)
        for covariance in self.covariances:
            d = covariance.n_features
            product[:d] += covariance.matvec(v[:d])
        return product


@dataclass(frozen=True, eq=False)
class _Score:
    """z at a unit vector, and what its derivatives need, in standard deviations."""

    z: float
    sd: float
    mean: FloatArray
    """mean/s"""
    product: FloatArray
    """Σx/s²"""
    density: float
    """φ(z); zero where there is no derivative."""

    @property
    def slope(self) -> FloatArray:
        """∇z."""
        return self.mean - self.z * self.product


def _normalised(x: FloatArray) -> tuple[FloatArray, float]:
    largest = float(np.abs(x).max())
    if largest == 0.0:
        return x, 1.0
    scaled = x / largest
    norm = float(np.linalg.norm(scaled))
    return scaled / norm, largest * norm
