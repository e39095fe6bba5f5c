"""Input of users, checked by scikit-learn's rules and read only once."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from zerone._data.containers import (
    in_memory,
    is_dask,
    is_dask_frame,
    is_foreign,
    is_frame,
    is_from,
)
from zerone._data.labels import sorted_classes
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray
from zerone.estimators._fit_rows import require_classes

_FORMATS = ["csr", "csc", "coo"]


def checked_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Return ``X`` in a form that can be read, with number and names of its features checked.

    Frames and numbers of any type are not converted. Readers check that values are finite.
    """
    if is_dask(X):
        from zerone._data.dask_partitions import dask_width

        # For an empty frame or array, scikit-learn's own check raises.
        like = X._meta if is_dask_frame(X) else np.broadcast_to(0.0, (1, dask_width(X)))
        validate_data(estimator, like, reset=reset, skip_check_array=True)
        return X
    if is_from(X, "pyspark"):
        raise ArgumentTypeError(
            "X",
            "is a Spark DataFrame",
            "fit to Moments.from_spark(frame, target=…), and predict for frame.toArrow(), or in "
            "mapInArrow",
        )
    if _is_plain(X) or (is_frame(X) and min(X.shape) > 0) or _is_on_device(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    return validate_data(
        estimator,
        in_memory(X),
        reset=reset,
        accept_sparse=_FORMATS,
        dtype="numeric",
        ensure_all_finite=False,
    )


def checked_labels(estimator: BaseEstimator, X: Any, y: Any) -> Any:
    """Return labels as a 1-D array; those of Dask collections and devices are not converted."""
    if y is None:
        validate_data(estimator, X, y)  # raises, in scikit-learn's words
    if is_dask(y) or is_dask(X) or _is_on_device(X):
        return y
    y = in_memory(y)
    labels = np.asarray(y)
    if labels.ndim != 1:
        labels = column_or_1d(y, warn=True)
    return labels


def known_classes(estimator: Any, classes: Any) -> AnyArray:
    """Return the classes of a stream, given at the first call and unchanged afterwards."""
    if not hasattr(estimator, "classes_"):
        if classes is None:
            raise ArgumentError(
                "classes", "must be given at the first call of partial_fit", "list all labels"
            )
        given = sorted_classes(classes)
        if len(given) < 2:
            raise ArgumentError("classes", f"got {given.tolist()!r}, expected at least two classes")
        require_classes(given)
        return given
    known: AnyArray = estimator.classes_
    if classes is not None and sorted_classes(classes).tolist() != known.tolist():
        raise ArgumentError(
            "classes",
            f"got {sorted_classes(classes).tolist()!r}, but earlier calls had {known.tolist()!r}",
            "give the same classes, or leave them out",
        )
    return known


def _is_plain(X: Any) -> bool:
    """Whether ``X`` is an array that scikit-learn need not check or convert."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiub" and X.size > 0


def _is_on_device(X: Any) -> bool:
    if not is_foreign(X) or X.ndim != 2 or 0 in X.shape:
        return False
    from zerone._data.devices import is_on_device

    return is_on_device(X)


def dispatched_device(X: Any) -> Any:
    """Return the device for results: that of ``X`` if array API dispatch is on, else None."""
    if not is_foreign(X):
        return None
    from zerone._data.devices import device_of, on_host

    if get_config()["array_api_dispatch"]:
        return device_of(X)
    if on_host(X) is None:
        raise ArgumentTypeError(
            "X",
            f"is an array of {type(X).__module__.partition('.')[0]} on {X.device}, and "
            "scikit-learn's array API dispatch is off",
            "switch it on with sklearn.set_config(array_api_dispatch=True), or pass a NumPy array",
        )
    return None
