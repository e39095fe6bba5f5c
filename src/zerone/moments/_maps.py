"""What may be done to the features of moments: checked before it is done to every class."""

from typing import Any

import numpy as np

from zerone._typing import FloatArray


def checked_map(matrix: Any, offset: Any, n_features: int) -> tuple[FloatArray, FloatArray | None]:
    """Return an affine map of features: a matrix, or a vector for a diagonal one, and an offset."""
    linear = np.asarray(matrix, dtype=np.float64)
    if linear.ndim not in (1, 2) or linear.shape[-1] != n_features or not len(linear):
        raise ValueError(
            f"matrix: has shape {linear.shape}, expected (k, {n_features}), or "
            f"({n_features},) for a diagonal"
        )
    shift = None if offset is None else np.asarray(offset, dtype=np.float64)
    if shift is not None and shift.shape != linear.shape[:1]:
        raise ValueError(f"offset: has shape {shift.shape}, expected {linear.shape[:1]}")
    for name, values in (("matrix", linear), ("offset", shift)):
        if values is not None and not np.isfinite(values).all():
            raise ValueError(f"{name}: contains NaN or infinity")
    return linear, shift


def checked_variances(variance: Any, n_features: int) -> FloatArray:
    """Return what is added to each variance, for a number or one per feature."""
    added = np.asarray(variance, dtype=np.float64)
    if added.ndim > 1 or (added.ndim == 1 and added.shape != (n_features,)):
        raise ValueError(f"variance: has shape {added.shape}, expected a number or ({n_features},)")
    if not (np.isfinite(added).all() and (added >= 0).all()):
        raise ValueError("variance: expected finite numbers that are not negative")
    return np.array(np.broadcast_to(added, (n_features,)))
