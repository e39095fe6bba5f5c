"""Dask collections: rows, labels and weights, partition by partition beside each other.

Dask is not imported by importing zerone: a collection can only be passed by somebody who has
imported it already.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zerone._data.containers import in_memory, is_dask, is_dask_frame, is_from
from zerone._data.frames import read_frame
from zerone._data.labels import lossless_array
from zerone._errors import ArgumentError, ArgumentTypeError

# Columns that travel beside the features of a frame.
_LABELS, _WEIGHTS = "zerone labels", "zerone weights"
_NAMES = ("y", "sample_weight")


def dask_width(X: Any) -> int:
    """Return the number of features of a Dask collection; raises if it is no table."""
    if not is_from(X, "dask", "Array", "DataFrame"):
        raise ArgumentTypeError(
            "X",
            f"is a {type(X).__name__} of Dask",
            "expected an array or a data frame: dask.array.from_delayed makes one",
        )
    if X.ndim != 2 or not isinstance(X.shape[1], int | np.integer) or X.shape[1] == 0:
        raise ArgumentError(
            "X",
            "expected a table of rows and features (2-D), got a Dask collection of shape "
            f"{X.shape}",
        )
    if is_dask_frame(X):
        # Of the empty frame that stands for its partitions: columns that are no numbers.
        read_frame(X._meta)
    return int(X.shape[1])


def whole_rows(X: Any) -> Any:
    """Return a Dask array whose blocks are not cut between features."""
    return X.rechunk({1: X.shape[1]}) if len(X.chunks[1]) > 1 else X


def per_partition(
    job: Callable[..., Any], X: Any, y: Any, sample_weight: Any, *arguments: Any
) -> list[Any]:
    """Return what a function says of every partition, delayed.

    It is called with the rows, the labels and the weights of a partition (None where there are
    none), the number of the partition, and further arguments. Whether a partition has as many
    labels as rows is only known then.
    """
    dask_width(X)
    given = (y,) if sample_weight is None else (y, sample_weight)
    import dask

    if not is_dask_frame(X):
        parts = _of_array(X, given)
    elif all(map(_is_series, given)):
        parts = _of_frame(X, given)
    else:
        parts = _of_frame_and_arrays(X, given)
    delayed = dask.delayed(_applied)
    return [delayed(job, part, number, arguments) for number, part in enumerate(parts)]


def has_no_rows(rows: Any, weights: Any) -> bool:
    """Whether a partition has no rows that count."""
    return rows.shape[0] == 0 or (weights is not None and not bool((weights != 0).any()))


def _is_series(values: Any) -> bool:
    return is_from(values, "dask", "Series") or (is_dask_frame(values) and values.shape[1] == 1)


def _of_frame(X: Any, given: tuple[Any, ...]) -> list[Any]:
    """Return the partitions of a frame with its labels and weights, row by row.

    In one frame: Dask reads small files together, how many depends on the columns, and partitions
    of columns that are optimised one by one may not fit together.
    """
    import dask

    columns = [values[values.columns[0]] if is_dask_frame(values) else values for values in given]
    names = (_LABELS, _WEIGHTS)[: len(columns)]
    for name, values in zip(_NAMES, columns, strict=False):
        _require_partitions(name, values.npartitions, X.npartitions)
    meta = X._meta.assign(**{n: v._meta for n, v in zip(names, columns, strict=True)})
    together = X.map_partitions(
        _side_by_side, *columns, names=names, meta=meta, align_dataframes=False
    )
    take = dask.delayed(_taken_apart)
    return [take(part, len(columns)) for part in together.to_delayed()]


def _side_by_side(rows: Any, *columns: Any, names: tuple[str, ...]) -> Any:
    """Return a frame with more columns, by position: an index may mean nothing."""
    for name, values in zip(_NAMES, columns, strict=False):
        if len(values) != len(rows):
            raise ArgumentError(
                name,
                f"a partition has {len(values)} values for {len(rows)} rows of X",
                "one per row is needed",
            )
    return rows.assign(**{n: v.array for n, v in zip(names, columns, strict=True)})


def _taken_apart(part: Any, n_beside: int) -> tuple[Any, ...]:
    """Return the features, the labels and the weights of one partition."""
    rows = part.iloc[:, : part.shape[1] - n_beside]
    return rows, part[_LABELS], part[_WEIGHTS] if n_beside == 2 else None


def _of_frame_and_arrays(X: Any, given: tuple[Any, ...]) -> list[Any]:
    """Return the partitions of a frame with labels and weights that are no columns."""
    beside = [_beside(values, X, name) for values, name in zip(given, _NAMES, strict=False)]
    columns = [X.to_delayed(optimize_graph=False), *(v.to_delayed().ravel() for v in beside)]
    return [(*part, None)[:3] for part in zip(*columns, strict=True)]


def _of_array(X: Any, given: tuple[Any, ...]) -> list[Any]:
    """Return the blocks of an array with its labels and weights.

    Blockwise, so that Dask can make one task of that and of what makes the blocks. With features
    as a dimension of the result, too: without it Dask would copy every block.
    """
    import dask.array as da

    X = whole_rows(X)
    if all(_has_known_chunks(values) for values in (X, *given)):
        X = _grouped(X)
    beside = [_beside(values, X, name) for values, name in zip(given, _NAMES, strict=False)]
    pairs = [part for values in beside for part in (values, "i")]
    blocks = da.blockwise(
        _together, "ij", X, "ij", *pairs, align_arrays=False, meta=np.empty((0, 0))
    )
    return list(blocks.to_delayed().ravel())


def _together(rows: Any, labels: Any, weights: Any = None) -> tuple[Any, ...]:
    return rows, labels, weights


def _applied(job: Any, part: tuple[Any, ...], number: int, arguments: tuple[Any, ...]) -> Any:
    return job(*part, number, *arguments)


def _grouped(X: Any) -> Any:
    """Return an array in which small blocks are put together.

    As long as they have fewer rows than two classes have sums: then it is cheaper to bring rows
    together than sums, and no more travels than without.
    """
    chunks, enough = X.chunks[0], 2 * X.shape[1]
    if not isinstance(X._meta, np.ndarray):
        return X
    grouped: list[int] = []
    for n in chunks:
        if grouped and grouped[-1] + n <= enough:
            grouped[-1] += n
        else:
            grouped.append(n)
    return X if len(grouped) == len(chunks) else X.rechunk({0: tuple(grouped)})


def _has_known_chunks(values: Any) -> bool:
    """Whether all partitions are of known size, or what is in memory can be cut like them."""
    if not is_dask(values):
        return True
    return is_from(values, "dask", "Array") and not any(n != n for n in values.chunks[0])


def _beside(values: Any, X: Any, name: str) -> Any:
    """Return one value per row as a Dask array with partitions like those of the rows."""
    import dask.array as da

    chunks = (np.nan,) * X.npartitions if is_dask_frame(X) else X.chunks[0]
    is_known = not any(n != n for n in chunks)
    if not is_dask(values):
        if not is_known:
            raise ArgumentTypeError(
                name,
                f"is a {type(values).__name__}, and X has unknown chunk sizes",
                "call compute_chunk_sizes() on an array, or pass a Dask collection with the same "
                "partitions",
            )
        array = lossless_array(in_memory(values))
        values = da.from_array(array, chunks=-1) if array.ndim else array
    elif _is_series(values):
        column = values[values.columns[0]] if is_dask_frame(values) else values
        parts = column.to_delayed(optimize_graph=False)
        unknown = [da.from_delayed(part, (np.nan,), meta=np.empty(0)) for part in parts]
        values = da.concatenate(unknown)
    elif not is_from(values, "dask", "Array"):
        raise ArgumentTypeError(
            name, f"is a {type(values).__name__} of Dask", "expected an array or a series"
        )
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ArgumentError(
            name, f"expected one value per row (1-D), got an array of shape {values.shape}"
        )
    return _aligned(values, chunks, is_known, name)


def _aligned(values: Any, chunks: Sequence[float], is_known: bool, name: str) -> Any:
    """Return an array with the given chunks; raises if it cannot have them."""
    if is_known and not any(n != n for n in values.chunks[0]):
        if values.shape[0] != sum(chunks):
            raise ArgumentError(
                name,
                f"has {values.shape[0]} values for {sum(chunks)} rows of X",
                "one per row is needed",
            )
        return values.rechunk((tuple(chunks),))
    _require_partitions(name, len(values.chunks[0]), len(chunks))
    return values


def _require_partitions(name: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise ArgumentError(
            name,
            f"has {found} partitions, and X has {wanted}",
            "repartition one of them so that rows and values lie side by side",
        )
