"""The moments of a known distribution, checked."""

from typing import Any

import numpy as np

from zerone._errors import ArgumentError
from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import ExplicitCovariance, symmetric
from zerone._typing import FloatArray, Label


def known_class(label: Label, given: Any) -> ClassMoments:
    """Return class moments from a tuple (weight, mean, covariance)."""

    def wrong(problem: str, advice: str = "") -> ArgumentError:
        return ArgumentError("parameters", f"class {label!r} {problem}", advice)

    try:
        weight, mean, covariance = given
    except (TypeError, ValueError):
        raise wrong(f"has {given!r}, expected a tuple (weight, mean, covariance)") from None
    if not (np.isfinite(weight) and weight > 0):
        raise wrong(f"has weight {weight!r}, expected a positive finite number")
    centre: FloatArray = np.array(mean, dtype=np.float64)
    matrix: FloatArray = np.array(covariance, dtype=np.float64)
    if centre.ndim != 1 or centre.size == 0:
        raise wrong(f"has a mean of shape {centre.shape}, expected (n_features,)")
    square = (centre.size, centre.size)
    if matrix.shape != square:
        raise wrong(f"has a covariance of shape {matrix.shape}, expected {square}")
    if not (np.isfinite(centre).all() and np.isfinite(matrix).all()):
        raise wrong("contains NaN or infinity", "pass finite numbers")
    scale = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
    size = np.multiply.outer(scale, scale)
    if (np.abs(matrix - matrix.T) > 1e-8 * size + 1e-300).any():
        raise wrong("has a covariance that is not symmetric", "pass (C + C.T) / 2")
    matrix = symmetric(matrix)
    unit = np.where(scale > 0, scale, 1.0)
    standardised = matrix / np.multiply.outer(unit, unit)
    if (matrix.diagonal() < 0).any() or (
        np.linalg.eigvalsh(standardised)[0] < -1e-10 * centre.size
    ):
        raise wrong(
            "has a covariance that is not positive semi-definite",
            "its eigenvalues must not be negative",
        )
    return ClassMoments(float(weight), centre, ExplicitCovariance(matrix))
