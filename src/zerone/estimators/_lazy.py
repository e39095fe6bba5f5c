"""Lazy predictions for Dask collections."""

from typing import Any

import numpy as np

from zerone._data.containers import in_memory, is_dask_frame
from zerone._data.dask_partitions import per_partition, whole_rows
from zerone._errors import ArgumentError
from zerone._typing import AnyArray
from zerone.estimators._prediction import is_right


def lazily(estimator: Any, method: str, X: Any) -> Any:
    """Return the results of a method as a Dask array, computed on request.

    Parameters
    ----------
    estimator : fitted classifier
        Must not change any more. Sent to the workers once, not once per partition.
    method : str
    X : Dask array or data frame
        With the number and names of features checked.
    """
    import dask
    import dask.array as da

    sent = dask.delayed(estimator, pure=False)
    empty = _empty(estimator, method)
    if is_dask_frame(X):
        said = dask.delayed(_said)
        shape = (np.nan, *empty.shape[1:])
        parts = [
            da.from_delayed(said(part, sent, method, empty), shape, meta=empty)
            # As many partitions as the frame has, so that both can be combined.
            for part in X.to_delayed(optimize_graph=False)
        ]
        return da.concatenate(parts)
    rows = whole_rows(X)
    # Two dimensions, the second removed later if needed: to drop it here, Dask would copy rows.
    table = empty if empty.ndim == 2 else empty[:, None]
    chunks = (rows.chunks[0], (table.shape[1],))
    said = rows.map_blocks(
        _said_in_columns, sent, method, empty, dtype=empty.dtype, chunks=chunks, meta=table
    )
    return said if empty.ndim == 2 else said[:, 0]


def _empty(estimator: Any, method: str) -> AnyArray:
    """Return the result of a method for no rows."""
    n_classes = len(estimator.classes_)
    if method == "predict":
        return np.empty(0, dtype=estimator.classes_.dtype)
    is_score = method == "decision_function" and n_classes == 2
    return np.empty(0) if is_score else np.empty((0, n_classes))


def _said(rows: Any, estimator: Any, method: str, empty: AnyArray) -> AnyArray:
    """Return the result of a method for one partition."""
    return getattr(estimator, method)(rows) if rows.shape[0] else empty


def _said_in_columns(rows: Any, estimator: Any, method: str, empty: AnyArray) -> AnyArray:
    """Return the result of a method for one partition, as a table."""
    said = _said(rows, estimator, method, empty)
    return said if said.ndim == 2 else said[:, None]


def lazy_accuracy(estimator: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """Return the accuracy on a Dask collection, counted on the workers."""
    import dask

    sent = dask.delayed(estimator, pure=False)
    counts = per_partition(_right_of, X, y, sample_weight, sent)
    right, total = np.sum(dask.compute(counts)[0], axis=0).tolist()
    if total == 0:
        raise ArgumentError(
            "X", "all sample weights are zero, or X is empty", "give at least one row with weight"
        )
    return float(right / total)


def _right_of(
    rows: Any, labels: Any, weights: Any, number: int, estimator: Any
) -> tuple[float, float]:
    """Return the weight of the rows that are predicted right, and of all rows."""
    if rows.shape[0] == 0:
        return 0.0, 0.0
    share = np.ones(rows.shape[0]) if weights is None else np.asarray(in_memory(weights)).ravel()
    answers = estimator.predict(rows)
    right = is_right(estimator, np.asarray(in_memory(labels)).ravel(), answers)
    return float(share[right].sum()), float(share.sum())
