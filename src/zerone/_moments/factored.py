"""A covariance stored as a factor, for data with more features than rows."""

import numpy as np

from zerone._moments.covariance import Covariance, ExplicitCovariance, frozen
from zerone._typing import FloatArray, IntArray


class FactoredCovariance(Covariance):
    """Σ = FᵀF + diag(noise); the rows of F are the centred, weighted training rows."""

    def __init__(self, factor: FloatArray, noise: FloatArray | None = None) -> None:
        self._factor = frozen(factor)
        self._noise = None if noise is None else frozen(noise)

    @property
    def factor(self) -> FloatArray:
        """F, of shape (n_rows, n_features)."""
        return self._factor

    @property
    def noise(self) -> FloatArray | None:
        """The diagonal term, or None."""
        return self._noise

    @property
    def carries_rows(self) -> bool:  # type: ignore[override]
        return bool(self._factor.shape[0] > 0)

    @property
    def n_features(self) -> int:
        return int(self._factor.shape[1])

    def matvec(self, v: FloatArray) -> FloatArray:
        product = self._factor.T @ (self._factor @ v)
        return product if self._noise is None else product + (self._noise * v.T).T

    def quad(self, v: FloatArray) -> FloatArray:
        value: FloatArray = ((self._factor @ v) ** 2).sum(axis=0)
        return value if self._noise is None else value + self._noise @ v**2

    def diagonal(self) -> FloatArray:
        variances: FloatArray = (self._factor**2).sum(axis=0)
        return variances if self._noise is None else variances + self._noise

    def toarray(self) -> FloatArray:
        matrix = self._factor.T @ self._factor
        if self._noise is not None:
            matrix[np.diag_indices_from(matrix)] += self._noise
        return matrix

    def select(self, features: IntArray) -> Covariance:
        noise = None if self._noise is None else self._noise[features]
        return compact(FactoredCovariance(self._factor[:, features], noise))

    def rescale(self, factors: FloatArray) -> "FactoredCovariance":
        noise = None if self._noise is None else self._noise * factors**2
        return FactoredCovariance(self._factor * factors, noise)

    def map(self, matrix: FloatArray) -> Covariance:
        mapped = compact(FactoredCovariance(self._factor @ matrix.T))
        if self._noise is None:
            return mapped
        return ExplicitCovariance(mapped.toarray() + (matrix * self._noise) @ matrix.T)

    def shrink(self, factor: float, diagonal: FloatArray) -> "FactoredCovariance":
        noise = diagonal if self._noise is None else factor * self._noise + diagonal
        kept = noise if noise.any() else None
        return FactoredCovariance(np.sqrt(factor) * self._factor, kept)


def compact(covariance: FactoredCovariance) -> Covariance:
    """Return the explicit matrix unless the factor is smaller."""
    n_rows, n_features = covariance.factor.shape
    return ExplicitCovariance(covariance.toarray()) if n_rows >= n_features else covariance
