"""Whether moments describe groups so small that they reveal single rows."""

import numpy as np

from zerone._errors import ArgumentError
from zerone._moments.class_moments import ClassMoments
from zerone._moments.encoded import category_features
from zerone._moments.moments import Moments
from zerone._typing import AnyArray

# Tolerance for counts, which are computed from shares.
_ROUNDING = 1e-6


def require_counts(moments: Moments, min_count: float) -> None:
    """Raise if a class, or its rows with or without some category, weigh less than ``min_count``.

    The mean of a group of one row is that row, and the covariances of a category's indicator
    reveal the mean of the rows that have the category.
    """
    if not min_count >= 0:
        raise ArgumentError("min_count", f"got {min_count!r}, expected a number of at least 0")
    names = moments.feature_names or tuple(f"feature {i}" for i in range(moments.n_features))
    for label, own in moments.items():
        if 0 < own.weight < min_count - _ROUNDING:
            raise ArgumentError(
                "min_count",
                f"class {label!r} has a weight of {own.weight:g}, less than {min_count:g}",
                "merge with other moments first, or leave the class out",
            )
        if own.weight == 0:
            continue
        categories = np.flatnonzero(category_features(moments) | _is_binary(own))
        with_category = own.weight * own.mean[categories]
        for counts, which in ((with_category, "with"), (own.weight - with_category, "without")):
            few = (counts > _ROUNDING) & (counts < min_count - _ROUNDING)
            if few.any():
                position = int(np.argmax(few))
                raise ArgumentError(
                    "min_count",
                    f"class {label!r} has {counts[position]:g} rows {which} "
                    f"{names[categories[position]]!r}, less than {min_count:g}",
                    "merge with other moments first, combine infrequent categories with a smaller "
                    "⟨max_categories⟩, or ⟨leave out⟩",
                )


def _is_binary(moments: ClassMoments) -> AnyArray:
    """Return which features are 0 or 1 in every row, as their variance shows."""
    mean, variance = moments.mean, moments.covariance.diagonal()
    inside = (mean > 0) & (mean < 1)
    return inside & (np.abs(variance - mean * (1 - mean)) <= _ROUNDING * mean * (1 - mean))
