"""Whether moments describe groups so small that rows could be read off them."""

import numpy as np

from zerone._errors import ArgumentError
from zerone._moments.class_moments import ClassMoments
from zerone._moments.encoded import category_features
from zerone._moments.moments import Moments
from zerone._typing import AnyArray

# Counts are computed from shares; what is this close to a whole number is one.
_ROUNDING = 1e-6


def require_counts(moments: Moments, min_count: float) -> None:
    """Raise if a class, or the rows of a class with or without some category, are too few.

    The mean of a group of one row is that row, and the covariances of a category's indicator tell
    the mean of the rows that have the category.

    Parameters
    ----------
    moments : Moments
    min_count : float
        The least total weight of a group; groups without rows are no groups.
    """
    if not min_count >= 0:
        raise ArgumentError(
            "min_count", f"got {min_count!r}, expected a number that is not negative"
        )
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
                    "merge with other moments first, count infrequent categories together by a "
                    "smaller ⟨max_categories⟩, or leave the column out",
                )


def _is_binary(moments: ClassMoments) -> AnyArray:
    """Return which features are zero or one in every row: their variance tells."""
    mean, variance = moments.mean, moments.covariance.diagonal()
    inside = (mean > 0) & (mean < 1)
    return inside & (np.abs(variance - mean * (1 - mean)) <= _ROUNDING * mean * (1 - mean))
