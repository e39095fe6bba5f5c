"""Which features are meant, and whether two sides have the same ones."""

from typing import TYPE_CHECKING, Any

import numpy as np

from zerone._typing import IntArray

if TYPE_CHECKING:
    from zerone.moments._moments import Moments


def common_names(a: "Moments", b: "Moments", verb: str) -> tuple[str, ...] | None:
    """Return the feature names of two moments that are to be put together.

    A side without names is taken to have the same features in the same order.
    """
    if a.n_features != b.n_features:
        raise ValueError(
            f"cannot {verb} moments of {b.n_features} features with moments of "
            f"{a.n_features}; select the same features first"
        )
    if a.feature_names is None or b.feature_names is None:
        return a.feature_names or b.feature_names
    for position, names in enumerate(zip(a.feature_names, b.feature_names, strict=True)):
        if names[0] != names[1]:
            raise ValueError(
                f"cannot {verb}: feature {position} is {names[0]!r} in one and {names[1]!r} in "
                "the other; bring the features into the same order with select"
            )
    return a.feature_names


def feature_positions(features: Any, n_features: int, names: tuple[str, ...] | None) -> IntArray:
    """Return the positions of features given by position, mask or name."""
    chosen = np.asarray(features)
    if chosen.ndim != 1 or chosen.size == 0:
        raise ValueError(
            f"features: expected a non-empty list of positions or names, got {features!r}"
        )
    if chosen.dtype == bool:
        if chosen.size != n_features:
            raise ValueError(
                f"features: the mask has {chosen.size} entries for {n_features} features"
            )
        if not chosen.any():
            raise ValueError("features: the mask selects no feature")
        return np.flatnonzero(chosen)
    if chosen.dtype.kind in "US" or chosen.dtype == object:
        if names is None:
            raise ValueError("features: got names, but these moments have no feature names")
        for name in chosen.tolist():
            if names.count(name) != 1:
                how_many = "no feature" if name not in names else "more than one feature"
                raise ValueError(f"features: there is {how_many} named {name!r}")
        return np.array([names.index(name) for name in chosen.tolist()], dtype=np.intp)
    if chosen.dtype.kind not in "iu" or (chosen < 0).any() or (chosen >= n_features).any():
        raise ValueError(
            f"features: expected positions from 0 to {n_features - 1}, got {features!r}"
        )
    return chosen.astype(np.intp)
