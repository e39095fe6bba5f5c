"""The sum of two covariances, factored: coordinates in which it is the identity."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dlange, dpocon, dpotrf

from zerone._typing import FloatArray
from zerone.moments import TwoClassMoments

# With a reciprocal condition number below this, eigenvectors say better what is singular.
_LEAST_CONDITION = 1e-9
# What is left of a feature's variance, given those before it, is at least as much as that.
_LEAST_PIVOT = 1e-9
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
    def of(cls, pair: TwoClassMoments, *, is_certain: bool) -> "Whitening | None":
        """Return the factors; None where the sum is singular or close to it.

        Parameters
        ----------
        is_certain : bool
            Whether the condition number is estimated, too. A sum may be close to singular although
            no feature nearly follows from those before it, but only in constructed examples.
        """
        positive, negative = (m.covariance.toarray() for m in (pair.positive, pair.negative))
        variances = positive.diagonal() + negative.diagonal()
        varying = variances > 0
        unit = np.where(varying, np.sqrt(np.where(varying, variances, 1.0)), np.inf)
        matrix = standardised_sum(positive, 1.0, negative, 1.0, unit)
        size = dlange("1", matrix) if is_certain else 0.0
        factor, failed = dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
        if failed or factor.diagonal().min() ** 2 < _LEAST_PIVOT:
            return None
        if is_certain and dpocon(factor, size, uplo="L")[0] < _LEAST_CONDITION:
            return None
        return cls(unit, factor)

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
        rows += negative[part] if times_negative == 1.0 else times_negative * negative[part]
        rows *= inverse
        rows *= inverse[part, None]
    np.einsum("ii->i", result)[inverse == 0.0] = 1.0
    # The transpose of a symmetric matrix is the same matrix in the other order.
    return result.T
