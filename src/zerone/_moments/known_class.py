"""The moments of a known distribution, checked."""

from typing import Any

import numpy as np

from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import ExplicitCovariance, symmetric
from zerone._typing import FloatArray, Label


def known_class(label: Label, given: Any) -> ClassMoments:
    """Return class moments from a tuple (weight, mean, covariance)."""
    where = f"parameters: class {label!r}"
    try:
        weight, mean, covariance = given
    except (TypeError, ValueError):
        raise ValueError(
            f"{where} has {given!r}, expected a tuple (weight, mean, covariance)"
        ) from None
    if not (np.isfinite(weight) and weight > 0):
        raise ValueError(f"{where} has weight {weight!r}, expected a positive finite number")
    centre: FloatArray = np.array(mean, dtype=np.float64)
    matrix: FloatArray = np.array(covariance, dtype=np.float64)
    if centre.ndim != 1 or centre.size == 0:
        raise ValueError(f"{where} has a mean of shape {centre.shape}, expected (n_features,)")
    if matrix.shape != (centre.size, centre.size):
        raise ValueError(
            f"{where} has a covariance of shape {matrix.shape}, expected "
            f"{(centre.size, centre.size)}"
        )
    if not (np.isfinite(centre).all() and np.isfinite(matrix).all()):
        raise ValueError(f"{where} contains NaN or infinity")
    scale = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
    size = np.multiply.outer(scale, scale)
    if (np.abs(matrix - matrix.T) > 1e-8 * size + 1e-300).any():
        raise ValueError(f"{where} has a covariance that is not symmetric")
    matrix = symmetric(matrix)
    unit = np.where(scale > 0, scale, 1.0)
    standardised = matrix / np.multiply.outer(unit, unit)
    if (matrix.diagonal() < 0).any() or (
        np.linalg.eigvalsh(standardised)[0] < -1e-10 * centre.size
    ):
        raise ValueError(
            f"{where} has a covariance that is not positive semi-definite: some direction has a "
            "negative variance"
        )
    return ClassMoments(float(weight), centre, ExplicitCovariance(matrix))
