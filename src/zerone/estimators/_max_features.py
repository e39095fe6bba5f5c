"""The parameter ``max_features``, checked, and the columns that moments choose."""

from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from zerone._data.devices import to_host
from zerone._errors import ArgumentError
from zerone._moments.covariance import ExplicitCovariance
from zerone._moments.moments import Moments
from zerone._subsets.choice import ColumnSearch
from zerone._subsets.groups import group_names
from zerone._typing import AnyArray, FloatArray, IntArray

MaxFeatures = int | Literal["auto"] | None


def checked_max_features(given: Any) -> MaxFeatures:
    """Return ``max_features`` as it was given; raises for anything but None, a number or "auto"."""
    if given is None:
        return None
    if isinstance(given, str) and given == "auto":
        return "auto"
    if isinstance(given, bool | np.bool_) or not isinstance(given, Integral) or given < 1:
        raise ArgumentError(
            "max_features",
            f"got {given!r}, expected None, 'auto' or a number of columns of at least 1",
        )
    return int(given)


def features_of_moments(
    moments: Moments, max_features: MaxFeatures, factors: FloatArray
) -> IntArray:
    """Return the positions of the features of the best columns, by moments alone.

    Parameters
    ----------
    moments : Moments
    max_features : int
        "auto" needs rows that judge, and raises.
    factors : ndarray of shape (n_classes,)
        Of the weights of the classes.
    """
    if not isinstance(max_features, int):
        raise ArgumentError(
            "max_features",
            f"got {max_features!r}, which needs rows to hold out",
            "give a number of columns, or call fit with ⟨refine=auto⟩",
        )
    require_columns(max_features, moments)
    return ColumnSearch(moments, max_features, factors).features(max_features)


def require_columns(max_features: int, moments: Moments) -> None:
    """Raise if there are fewer columns than ``max_features``."""
    n_columns = len(group_names(moments))
    if max_features > n_columns:
        raise ArgumentError(
            "max_features",
            f"got {max_features}, and there are {n_columns} columns",
            f"give at most {n_columns}, or None for all",
        )


def selected(moments: Moments, features: IntArray) -> Moments:
    """Return explicit moments of some of the features."""
    found = moments.select(features)
    if not found.carries_rows:
        return found
    return Moments(
        {
            label: own
            if own.weight == 0
            else own.with_covariance(ExplicitCovariance(own.covariance.toarray()))
            for label, own in found.items()
        },
        found.feature_names,
    )


def support(estimator: Any) -> AnyArray:
    """Return which features of a fitted classifier have a coefficient that is not zero."""
    check_is_fitted(estimator, "coef_")
    return np.asarray((to_host(estimator.coef_) != 0).any(axis=0))
