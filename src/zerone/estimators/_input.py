"""Tables and labels as users have them: checked by scikit-learn's rules, read only once."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.validation import validate_data

from zerone._typing import AnyArray, FloatArray
from zerone.sources import (
    ColumnTable,
    dask_width,
    in_memory,
    is_dask,
    is_dask_frame,
    is_foreign,
    is_frame,
    is_from,
    is_on_device,
    one_array,
    read_columns,
    read_frame,
    read_window,
)

_FORMATS = ["csr", "csc", "coo"]
# Rows that are converted and scored at once, in values.
_BLOCK_VALUES = 2**16


def checked_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Return ``X`` as it can be read, with the number and names of its features checked.

    Frames and numbers of any type stay as they are. Whether values are finite is left to those
    who read them.
    """
    if is_dask(X):
        # Of an empty frame, or of an array of no size, scikit-learn finds out the same.
        like = X._meta if is_dask_frame(X) else np.broadcast_to(0.0, (1, dask_width(X)))
        validate_data(estimator, like, reset=reset, skip_check_array=True)
        return X
    if is_from(X, "pyspark"):
        raise TypeError(
            "X: is a Spark DataFrame; fit to Moments.from_spark(frame, target=…), and predict for "
            "frame.toArrow(), or in mapInArrow"
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


def _is_plain(X: Any) -> bool:
    """Whether ``X`` is an array in which scikit-learn would find nothing to check or convert."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiub" and X.size > 0


def _is_on_device(X: Any) -> bool:
    return is_foreign(X) and X.ndim == 2 and 0 not in X.shape and is_on_device(X)


def checked_labels(estimator: BaseEstimator, X: Any, y: Any) -> Any:
    """Return labels as a 1-D array, or as they are where the rows are elsewhere."""
    if y is None:
        validate_data(estimator, X, y)  # raises, in scikit-learn's words
    if is_dask(y) or is_dask(X) or _is_on_device(X):
        return y
    y = in_memory(y)
    labels = np.asarray(y)
    if labels.ndim != 1:
        labels = column_or_1d(y, warn=True)
    return labels


def require_classes(classes: AnyArray) -> None:
    """Raise if the distinct labels are those of a regression."""
    if classes.dtype.kind not in "fO":
        return
    fractions = [
        label
        for label in classes.tolist()
        if isinstance(label, float) and not label.is_integer()  # infinity is none, too
    ]
    if fractions:
        raise ValueError(
            "y: Unknown label type: continuous. Classes are whole numbers or text, got "
            f"{fractions[0]}; a classifier cannot fit a regression"
        )


def scores_of(
    estimator: BaseEstimator, X: Any, coef: FloatArray, intercept: FloatArray
) -> FloatArray:
    """Return the scores of rows: one column for each rule, or a vector for a single one.

    One product with the rows; those of another type than float64 are converted in passing.

    Parameters
    ----------
    coef : ndarray of shape (n_rules, n_features)
    intercept : ndarray of shape (n_rules,)
    """
    rows = checked_table(estimator, X, reset=False)
    if is_frame(rows):
        array = one_array(rows)
        rows = read_frame(rows)[0] if array is None else array
    return row_scores(estimator, rows, coef, intercept)


def row_scores(
    estimator: BaseEstimator, rows: Any, coef: FloatArray, intercept: FloatArray
) -> FloatArray:
    """Return the scores of rows that were checked before; see `scores_of`."""
    weights, constant = (coef[0], intercept[0]) if len(coef) == 1 else (coef.T, intercept)
    with np.errstate(invalid="ignore", over="ignore"):
        if sp.issparse(rows) or (isinstance(rows, np.ndarray) and rows.dtype == np.float64):
            scores: FloatArray = rows @ weights
        else:
            scores = _scores_by_block(rows, weights)
        scores += constant
    if not np.isfinite(scores).all():
        # A value that is not finite shows in the score of its row, whatever the coefficients.
        dense = np.asarray(rows) if isinstance(rows, ColumnTable) else rows
        assert_all_finite(dense, estimator_name=type(estimator).__name__, input_name="X")
    return scores


def _scores_by_block(rows: Any, weights: FloatArray) -> FloatArray:
    n, d = rows.shape
    scores = np.empty((n, *weights.shape[1:]))
    step = max(1, min(n, _BLOCK_VALUES // d))
    values = np.empty(step * d)
    for start in range(0, n, step):
        stop = min(start + step, n)
        own = values[: (stop - start) * d]
        if isinstance(rows, ColumnTable):
            block = read_columns(rows, start, stop, own.reshape(d, -1)).T
        else:
            block = read_window(rows, start, stop, own.reshape(-1, d))
        np.matmul(block, weights, out=scores[start:stop])
    return scores
