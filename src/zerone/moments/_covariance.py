"""What every representation of a class covariance can do."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from zerone._typing import FloatArray, IntArray


class Covariance(ABC):
    """A symmetric positive semi-definite matrix, stored in one of three ways.

    `ExplicitCovariance` holds the d x d matrix, `ImplicitCovariance` the sparse rows it
    comes from, `FactoredCovariance` a short wide factor. Everything above the moments
    uses only the methods below, so it works for all of them.

    ``np.asarray(covariance)`` or ``covariance.toarray()`` forms the matrix.
    """

    carries_rows: bool
    """Whether training rows could be read back from this object."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features d."""

    @abstractmethod
    def matvec(self, v: FloatArray) -> FloatArray:
        """Return the product with a vector, or with each column of a (d, k) array."""

    @abstractmethod
    def quad(self, v: FloatArray) -> FloatArray:
        """Return vᵀΣv, never negative, for a vector or for each column of a (d, k) array."""

    @abstractmethod
    def diagonal(self) -> FloatArray:
        """Return the variances."""

    @abstractmethod
    def toarray(self) -> FloatArray:
        """Return the d x d matrix."""

    @abstractmethod
    def select(self, features: IntArray) -> "Covariance":
        """Return the covariance of some of the features."""

    @abstractmethod
    def rescale(self, factors: FloatArray) -> "Covariance":
        """Return the covariance after multiplying each feature by a factor."""

    @abstractmethod
    def map(self, matrix: FloatArray) -> "Covariance":
        """Return the covariance of ``matrix @ x``, for a (k, d) matrix."""

    @abstractmethod
    def shrink(self, factor: float, diagonal: FloatArray) -> "Covariance":
        """Return ``factor * Σ + diag(diagonal)``."""

    def trace(self) -> float:
        """Return the sum of the variances."""
        return float(self.diagonal().sum())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("the matrix is read-only or formed on request; it cannot be shared")
        return np.array(self.toarray(), dtype=dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.n_features} features>"
