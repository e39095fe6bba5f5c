"""How far features can be replaced by others, from moments."""

import numpy as np

from zerone._moments.moments import Moments
from zerone._typing import FloatArray

# Eigenvalues of the correlations below this are zero: exact sums, as of all indicators of a column.
_ZERO = 1e-8


def variance_inflation(moments: Moments) -> FloatArray:
    """Return by what factor other features inflate the variance of each coefficient.

    The diagonal of the pseudo-inverse of the correlation matrix: 1 without correlations, and not
    raised by exact sums, which penalties solve in the same way for every sample. NaN for constant
    features.
    """
    present = [own for own in moments.values() if own.weight > 0]
    total = sum(own.weight for own in present)
    shares = np.array([own.weight / total for own in present])
    away = np.array([own.minus_mean(present[0]) for own in present])
    away -= shares @ away
    covariance = (away.T * shares) @ away
    for share, own in zip(shares, present, strict=True):
        covariance += share * own.covariance.toarray()
    deviations = np.sqrt(np.diagonal(covariance))
    varying = deviations > 0
    chosen = np.ix_(varying, varying)
    scale = deviations[varying]
    inverse = np.linalg.pinv(covariance[chosen] / np.outer(scale, scale), _ZERO, hermitian=True)
    found = np.full(len(deviations), np.nan)
    found[varying] = np.diagonal(inverse)
    return found
