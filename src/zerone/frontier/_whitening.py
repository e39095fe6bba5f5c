"""The sum of two covariances, factored: coordinates in which it is the identity."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpocon, dpotrf

from zerone._typing import FloatArray
from zerone.moments import TwoClassMoments

# With a reciprocal condition number below this, eigenvectors say better what is singular.
_LEAST_CONDITION = 1e-9
# So that each row of a sum goes through the cache once.
_ROWS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Whitening:
    """S = Σ₊ + Σ₋ = U LLᵀ U with U the diagonal of its standard deviations.

    In units of their own, features can be scaled as one likes and nothing changes.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        Standard deviations; infinite for features without any spread, which drop out.
    factor : ndarray of shape (n_features, n_features)
        L; only its lower triangle counts.
    """

    unit: FloatArray
    factor: FloatArray

    @classmethod
    def of(cls, pair: TwoClassMoments) -> "Whitening | None":
        """Return the factors; None where the sum is singular or close to it."""
        positive, negative = (m.covariance.toarray() for m in (pair.positive, pair.negative))
        variances = positive.diagonal() + negative.diagonal()
        varying = variances > 0
        unit = np.where(varying, np.sqrt(np.where(varying, variances, 1.0)), np.inf)
        matrix = standardised_sum(positive, 1.0, negative, 1.0, unit)
        largest = float(np.abs(matrix).sum(axis=0).max())
        factor, failed = dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
        if failed:
            return None
        condition, _ = dpocon(factor, largest, uplo="L")
        return cls(unit, factor) if condition > _LEAST_CONDITION else None

    def whitened(self, v: FloatArray) -> FloatArray:
        """Return L⁻¹U⁻¹v: a mean difference in whitened coordinates."""
        result: FloatArray = dtrsv(self.factor, v / self.unit, lower=1, overwrite_x=1)
        return result

    def direction(self, v: FloatArray) -> FloatArray:
        """Return U⁻¹L⁻ᵀv: a whitened direction for the features."""
        result: FloatArray = dtrsv(self.factor, v, lower=1, trans=1) / self.unit
        return result


def standardised_sum(
    positive: FloatArray,
    times_positive: float,
    negative: FloatArray,
    times_negative: float,
    unit: FloatArray,
) -> FloatArray:
    """Return a weighted sum of two covariances in units of the features, in Fortran order.

    Features without spread get a one on the diagonal, so that they hurt no factorisation.
    """
    inverse = 1 / unit
    result = np.empty(positive.shape)
    for start in range(0, len(result), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        rows = np.multiply(positive[part], times_positive, out=result[part])
        rows += times_negative * negative[part]
        rows *= inverse
        rows *= inverse[part, None]
    np.einsum("ii->i", result)[inverse == 0.0] = 1.0
    # The transpose of a symmetric matrix is the same matrix in the other order.
    return result.T
