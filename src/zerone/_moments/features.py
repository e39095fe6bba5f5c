"""Checked arguments for selecting and transforming the features of moments."""

from typing import Any

import numpy as np

from zerone._errors import ArgumentError
from zerone._typing import FloatArray, IntArray


def feature_positions(features: Any, n_features: int, names: tuple[str, ...] | None) -> IntArray:
    """Return the positions of features given by position, mask or name."""
    chosen = np.asarray(features)
    if chosen.ndim != 1 or chosen.size == 0:
        raise ArgumentError(
            "features", f"got {features!r}, expected a non-empty list of positions or names"
        )
    if chosen.dtype == bool:
        if chosen.size != n_features:
            raise ArgumentError(
                "features",
                f"the mask has {chosen.size} entries for {n_features} features",
                "one entry per feature is needed",
            )
        if not chosen.any():
            raise ArgumentError("features", "the mask selects no feature", "select at least one")
        return np.flatnonzero(chosen)
    if chosen.dtype.kind in "US" or chosen.dtype == object:
        if names is None:
            raise ArgumentError(
                "features", "got names, but these moments have no feature names", "use positions"
            )
        for name in chosen.tolist():
            if names.count(name) != 1:
                how_many = "no feature" if name not in names else "more than one feature"
                raise ArgumentError(
                    "features", f"there is {how_many} named {name!r}", "see feature_names"
                )
        return np.array([names.index(name) for name in chosen.tolist()], dtype=np.intp)
    if chosen.dtype.kind not in "iu" or (chosen < 0).any() or (chosen >= n_features).any():
        raise ArgumentError(
            "features", f"got {features!r}, expected positions from 0 to {n_features - 1}"
        )
    return chosen.astype(np.intp)


def checked_map(matrix: Any, offset: Any, n_features: int) -> tuple[FloatArray, FloatArray | None]:
    """Return an affine map of features: a matrix, or the vector of a diagonal, and an offset."""
    linear = np.asarray(matrix, dtype=np.float64)
    if linear.ndim not in (1, 2) or linear.shape[-1] != n_features or not len(linear):
        raise ArgumentError(
            "matrix",
            f"has shape {linear.shape}, expected (k, {n_features}), or ({n_features},) for a "
            "diagonal",
        )
    shift = None if offset is None else np.asarray(offset, dtype=np.float64)
    if shift is not None and shift.shape != linear.shape[:1]:
        raise ArgumentError("offset", f"has shape {shift.shape}, expected {linear.shape[:1]}")
    for name, values in (("matrix", linear), ("offset", shift)):
        if values is not None and not np.isfinite(values).all():
            raise ArgumentError(name, "contains NaN or infinity", "pass finite numbers")
    return linear, shift


def checked_variances(variance: Any, n_features: int) -> FloatArray:
    """Return what is added to the variance of each feature."""
    added = np.asarray(variance, dtype=np.float64)
    if added.ndim > 1 or (added.ndim == 1 and added.shape != (n_features,)):
        raise ArgumentError(
            "variance", f"has shape {added.shape}, expected a number or ({n_features},)"
        )
    if not (np.isfinite(added).all() and (added >= 0).all()):
        raise ArgumentError(
            "variance", f"got {variance!r}, expected finite numbers that are not negative"
        )
    return np.array(np.broadcast_to(added, (n_features,)))
