"""Moments rounded to a grid, so that the same rows give the same bits.

Weights and repeated rows, or rows in another order, give moments that differ in the last digits.
A solver that stops early, or in a flat valley, turns these into differences that users see.
"""

import numpy as np

from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import ExplicitCovariance
from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray

# Steps of the grid for each standard deviation: twelve digits are kept.
_STEPS = 2.0**40


def rounded_pair(pair: TwoClassMoments) -> TwoClassMoments:
    """Return two classes with rounded means and covariances; as they are if these hold rows."""
    classes = pair.positive, pair.negative
    if any(m.covariance.carries_rows for m in classes):
        return pair
    variances = sum(m.covariance.diagonal() for m in classes)
    # A power of two, which changes no digit.
    unit = np.where(variances > 0, 2.0 ** np.frexp(np.sqrt(variances))[1], 1.0)
    positive, negative = (_rounded(m, unit) for m in classes)
    return TwoClassMoments(
        positive, negative, pair.positive_label, pair.negative_label, pair.feature_names
    )


def _rounded(moments: ClassMoments, unit: FloatArray) -> ClassMoments:
    covariance = _on_grid(moments.covariance.toarray() / unit / unit[:, None])
    # Rounding moves eigenvalues by less than this; none becomes negative.
    diagonal = covariance.diagonal()
    np.fill_diagonal(covariance, diagonal + np.where(diagonal > 0, len(diagonal) / _STEPS, 0.0))
    mean = _on_grid((moments.mean + moments.mean_correction) / unit) * unit
    return ClassMoments(moments.weight, mean, ExplicitCovariance(covariance * unit * unit[:, None]))


def _on_grid(values: FloatArray) -> FloatArray:
    return np.asarray(np.round(values * _STEPS) / _STEPS)
