"""The covariance of two groups of rows put together, or of one taken out of another."""

import numpy as np
import scipy.sparse as sp

from zerone._typing import FloatArray
from zerone.moments._covariance import Covariance
from zerone.moments._explicit import ExplicitCovariance
from zerone.moments._factored import FactoredCovariance, compact
from zerone.moments._implicit import ImplicitCovariance


def mixed_covariance(
    a: Covariance, share_a: float, b: Covariance, share_b: float, difference: FloatArray
) -> Covariance:
    """Return the covariance of a mixture of two groups (Chan, Golub & LeVeque).

    Σ = share_a Σ_a + share_b Σ_b + share_a share_b · difference differenceᵀ

    Parameters
    ----------
    share_a, share_b : float
        Shares of the total weight; they add up to one.
    difference : ndarray
        Mean of b minus mean of a.

    Rows are stacked where both sides keep rows, so that nothing d x d appears.
    """
    if isinstance(a, ExplicitCovariance) or isinstance(b, ExplicitCovariance):
        matrix = share_a * a.toarray() + share_b * b.toarray()
        matrix += np.multiply.outer(share_a * share_b * difference, difference)
        return ExplicitCovariance(matrix)
    _refuse_noise(a, b)
    if isinstance(a, ImplicitCovariance) and isinstance(b, ImplicitCovariance):
        rows_moved_apart = (b.centre - a.centre) - difference
        tolerance = 1e-9 * (np.abs(a.centre) + np.abs(b.centre))
        if np.all(np.abs(rows_moved_apart) <= tolerance):
            return ImplicitCovariance(
                sp.csr_array(sp.vstack([a.rows, b.rows], format="csr")),
                np.concatenate([share_a * a.shares, share_b * b.shares]),
                a.centre + share_b * (b.centre - a.centre),
            )
    return compact(
        FactoredCovariance(
            np.vstack(
                [
                    np.sqrt(share_a) * _factor(a),
                    np.sqrt(share_b) * _factor(b),
                    np.sqrt(share_a * share_b) * difference,
                ]
            )
        )
    )


def remaining_covariance(
    whole: Covariance, ratio_whole: float, part: Covariance, ratio_part: float, gap: FloatArray
) -> ExplicitCovariance:
    """Return what is left of ``whole`` when ``part`` is taken out of it.

    Σ = ratio_whole Σ_whole − ratio_part Σ_part − ratio_whole ratio_part · gap gapᵀ

    with the ratios relative to the weight that is left and gap the difference of the means.

    Raises
    ------
    ValueError
        If a variance would be negative by more than rounding explains, so that ``part``
        cannot have been part of ``whole``.
    """
    for covariance in (whole, part):
        if not isinstance(covariance, ExplicitCovariance) and covariance.carries_rows:
            raise ValueError(
                "these moments keep rows (implicit or factored covariance) and cannot be "
                "subtracted; compute them with covariance='explicit'"
            )
    matrix = ratio_whole * whole.toarray() - ratio_part * part.toarray()
    matrix -= np.multiply.outer(ratio_whole * ratio_part * gap, gap)
    _require_variances(matrix, ratio_whole * whole.diagonal())
    constant = matrix.diagonal() <= 0
    matrix[constant, :] = 0.0
    matrix[:, constant] = 0.0
    return ExplicitCovariance(matrix)


def _require_variances(matrix: FloatArray, scale: FloatArray) -> None:
    """Raise unless ``matrix`` is positive semi-definite up to rounding in units of ``scale``."""
    # Rounding in the subtraction is relative to the variance of the whole.
    allowed = 1e-10 * len(scale)
    varying = scale > 0
    if (matrix.diagonal()[~varying] < 0).any():
        raise _not_a_part(int(np.flatnonzero(~varying & (matrix.diagonal() < 0))[0]))
    unit = np.sqrt(scale[varying])
    standardised = matrix[np.ix_(varying, varying)] / np.multiply.outer(unit, unit)
    if (standardised.diagonal() < -allowed).any():
        position = int(np.argmin(standardised.diagonal()))
        raise _not_a_part(int(np.flatnonzero(varying)[position]))
    if standardised.size and np.linalg.eigvalsh(standardised)[0] < -allowed:
        raise ValueError(
            "subtracting leaves a negative variance along some direction; the moments taken away "
            "were not part of these moments"
        )


def _not_a_part(feature: int) -> ValueError:
    return ValueError(
        f"subtracting leaves a negative variance of feature {feature}; the moments taken away "
        "were not part of these moments"
    )


def _factor(covariance: Covariance) -> FloatArray:
    if isinstance(covariance, ImplicitCovariance):
        return covariance.to_factored().factor
    assert isinstance(covariance, FactoredCovariance)
    return covariance.factor


def _refuse_noise(*covariances: Covariance) -> None:
    for covariance in covariances:
        if getattr(covariance, "noise", None) is not None:
            raise ValueError(
                "moments with a ridge cannot be merged while they keep rows; merge first, then "
                "add the ridge"
            )
