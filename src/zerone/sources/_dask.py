"""Dask collections: rows, labels and weights, partition by partition beside each other.

Dask is not imported by importing zerone: a collection can only be passed by somebody who has
imported it already.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from zerone.sources._frames import is_from, read_frame

# Smaller partitions are summed together: less work would not be worth a task.
_TASK_BYTES = 2**26


def is_dask(X: object) -> bool:
    """Whether ``X`` is a Dask array or data frame."""
    return is_from(X, "dask")


def dask_width(X: Any) -> int:
    """Return the number of features of a Dask collection; raises if it is no table."""
    if not is_from(X, "dask", "Array", "DataFrame"):
        raise TypeError(
            f"X: is a {type(X).__name__} of Dask; expected an array or a data frame: "
            "dask.array.from_delayed makes one"
        )
    if X.ndim != 2 or not isinstance(X.shape[1], int | np.integer) or X.shape[1] == 0:
        raise ValueError(
            f"X: expected a table of rows and features (2-D), got a Dask collection of shape "
            f"{X.shape}"
        )
    if is_dask_frame(X):
        # Of the empty frame that stands for its partitions: columns that are no numbers.
        read_frame(X._meta)
    return int(X.shape[1])


def is_dask_frame(X: Any) -> bool:
    """Whether a Dask collection is a data frame."""
    return is_from(X, "dask", "DataFrame")


def whole_rows(X: Any) -> Any:
    """Return a Dask array whose blocks are not cut between features."""
    return X.rechunk({1: X.shape[1]}) if len(X.chunks[1]) > 1 else X


def dask_parts(X: Any, y: Any, sample_weight: Any = None) -> list[list[tuple[Any, Any, Any]]]:
    """Return the delayed partitions (rows, labels, weights), in groups that are worth a task.

    Weights are None where there are none. Whether partitions have as many labels as rows is only
    known when they are read.
    """
    dask_width(X)
    if is_dask_frame(X):
        rows = X.to_delayed()
        sizes = [math.inf] * len(rows)
    else:
        X = whole_rows(X)
        rows = X.to_delayed().ravel().tolist()
        # Of sparse blocks and of filtered ones nobody knows the size before they are read.
        row_bytes = X.shape[1] * X.dtype.itemsize if isinstance(X._meta, np.ndarray) else math.inf
        sizes = [n * row_bytes if n == n else math.inf for n in X.chunks[0]]
    labels = _beside(y, X, len(rows), "y")
    weights: Sequence[Any] = [None] * len(rows)
    if sample_weight is not None:
        weights = _beside(sample_weight, X, len(rows), "sample_weight")
    groups: list[list[tuple[Any, Any, Any]]] = []
    room = 0.0
    for part, size in zip(zip(rows, labels, weights, strict=True), sizes, strict=True):
        if room < size:
            groups.append([])
            room = _TASK_BYTES
        groups[-1].append(part)
        room -= size
    return groups


def _beside(values: Any, X: Any, n_parts: int, name: str) -> Sequence[Any]:
    """Return one value per row in partitions like those of the rows."""
    chunks = None if is_dask_frame(X) else X.chunks[0]
    if not is_dask(values):
        return _cut(values, chunks, name)
    if is_from(values, "dask", "Series", "DataFrame"):
        found: Sequence[Any] = values.to_delayed()
    elif not is_from(values, "dask", "Array"):
        raise TypeError(
            f"{name}: is a {type(values).__name__} of Dask; expected an array or a series"
        )
    else:
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise ValueError(
                f"{name}: expected one value per row (1-D), got a Dask array of {values.ndim} "
                "dimensions"
            )
        known = chunks is not None and not any(n != n for n in (*chunks, *values.chunks[0]))
        if known and chunks is not None and values.shape[0] != sum(chunks):
            raise ValueError(
                f"{name}: has {values.shape[0]} values for {sum(chunks)} rows of X; one per row "
                "is needed"
            )
        found = (values.rechunk((chunks,)) if known else values).to_delayed().ravel().tolist()
    if len(found) != n_parts:
        raise ValueError(
            f"{name}: has {len(found)} partitions, and X has {n_parts}; repartition one of them so "
            "that rows and values lie side by side"
        )
    return found


def _cut(values: Any, chunks: Sequence[float] | None, name: str) -> Sequence[Any]:
    """Return values in memory, cut at the ends of partitions."""
    if chunks is None or any(n != n for n in chunks):
        raise TypeError(
            f"{name}: is a {type(values).__name__}, and nobody knows how many rows the partitions "
            "of X have; pass a Dask collection with the same partitions"
        )
    array = np.asarray(values)
    ends = np.cumsum([0, *chunks]).astype(int).tolist()
    if array.ndim < 1 or len(array) != ends[-1]:
        raise ValueError(
            f"{name}: has shape {array.shape}, expected ({ends[-1]},), one value per row of X"
        )
    return [array[low:high] for low, high in pairwise(ends)]
