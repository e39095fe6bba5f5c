"""A covariance as its d x d matrix."""

import numpy as np

from zerone._typing import FloatArray, IntArray
from zerone.moments._arrays import frozen
from zerone.moments._covariance import Covariance

# Two matrices of this size take 4 GB; from here on rows are smaller.
MOST_FEATURES = 2**14


class ExplicitCovariance(Covariance):
    """The matrix itself, read-only. Right for dense data up to a few thousand features."""

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
