"""`Covariance`, and the covariance stored as its d x d matrix."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from zerone._errors import AdviceError
from zerone._typing import AnyArray, FloatArray, IntArray


def frozen(values: AnyArray) -> FloatArray:
    """Return ``values`` as a read-only float64 array, without a copy where possible.

    The caller must not change ``values`` afterwards.
    """
    array: FloatArray = np.asarray(values, dtype=np.float64)
    array = array.view()
    array.flags.writeable = False
    return array


def exact_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ``a + b`` and its rounding error (Knuth's two-sum)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


class Covariance(ABC):
    """A symmetric positive semi-definite matrix, stored in one of three ways.

    `ExplicitCovariance` stores the d x d matrix, `ImplicitCovariance` the sparse rows it comes
    from, `FactoredCovariance` a factor. All other packages use only the methods below.

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
            raise AdviceError(
                "the matrix is read-only or computed on request and cannot be shared",
                "leave out copy=False",
            )
        return np.array(self.toarray(), dtype=dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.n_features} features>"


# Two matrices of this size take 4 GB; wider data take less memory as rows.
MOST_FEATURES = 2**14


class ExplicitCovariance(Covariance):
    """The matrix itself, read-only: for dense data with up to a few thousand features."""

    carries_rows = False

    def __init__(self, matrix: FloatArray) -> None:
        self._matrix = frozen(matrix)

    @property
    def n_features(self) -> int:
        return int(self._matrix.shape[0])

    def matvec(self, v: FloatArray) -> FloatArray:
        return self._matrix @ v

    def quad(self, v: FloatArray) -> FloatArray:
        value: FloatArray = np.maximum((v * (self._matrix @ v)).sum(axis=0), 0.0)
        return value

    def diagonal(self) -> FloatArray:
        return self._matrix.diagonal()

    def toarray(self) -> FloatArray:
        return self._matrix

    def select(self, features: IntArray) -> "ExplicitCovariance":
        return ExplicitCovariance(self._matrix[np.ix_(features, features)])

    def __getstate__(self) -> dict[str, Any]:
        # A pickle holds one triangle if the other one has the same bits.
        matrix, d = self._matrix, self.n_features
        if not np.array_equal(matrix, matrix.T, equal_nan=True):
            return {"matrix": matrix}
        return {"triangle": matrix[np.triu_indices(d)], "n_features": d}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "matrix" in state:
            matrix = state["matrix"]
        else:
            matrix = np.empty((state["n_features"], state["n_features"]))
            rows, columns = np.triu_indices(state["n_features"])
            matrix[rows, columns] = matrix[columns, rows] = state["triangle"]
        self._matrix = frozen(matrix)

    def rescale(self, factors: FloatArray) -> "ExplicitCovariance":
        return ExplicitCovariance(factors[:, None] * self._matrix * factors)

    def map(self, matrix: FloatArray) -> "ExplicitCovariance":
        return ExplicitCovariance(symmetric(matrix @ self._matrix @ matrix.T))

    def shrink(self, factor: float, diagonal: FloatArray) -> "ExplicitCovariance":
        shrunk = factor * self._matrix
        np.einsum("ii->i", shrunk)[:] += diagonal
        return ExplicitCovariance(shrunk)


def symmetric(matrix: FloatArray) -> FloatArray:
    """Return the symmetric part of a matrix that is symmetric up to rounding."""
    return matrix / 2 + matrix.T / 2
