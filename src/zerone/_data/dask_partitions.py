"""The rows, labels and weights of every partition of a Dask collection.

zerone does not import Dask: whoever passes a collection has imported it already.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zerone._data.containers import in_memory, is_dask, is_dask_frame, is_from
from zerone._data.frames import read_frame
from zerone._data.labels import lossless_array
from zerone._errors import ArgumentError, ArgumentTypeError

# Columns added to a frame for the labels and the weights.
_LABELS, _WEIGHTS = "zerone labels", "zerone weights"
_NAMES = ("y", "sample_weight")


def dask_width(X: Any) -> int:
    """Return the number of features of a Dask collection; raises if it is not a table."""
    if not is_from(X, "dask", "Array", "DataFrame"):
        raise ArgumentTypeError(
            "X",
            f"got a Dask {type(X).__name__}, expected a Dask array or data frame",
            "make one, for example with dask.array.from_delayed",
        )
    if X.ndim != 2 or not isinstance(X.shape[1], int | np.integer) or X.shape[1] == 0:
        raise ArgumentError(
            "X",
            f"got a Dask collection of shape {X.shape}, expected rows and features (2-D)",
        )
    if is_dask_frame(X):
        # Raises for columns that are not numbers; _meta is an empty frame with the same columns.
        read_frame(X._meta)
    return int(X.shape[1])


def whole_rows(X: Any) -> Any:
    """Return a Dask array in which every block has all features."""
    return X.rechunk({1: X.shape[1]}) if len(X.chunks[1]) > 1 else X


def per_partition(
    job: Callable[..., Any], X: Any, y: Any, sample_weight: Any, *arguments: Any
) -> list[Any]:
    """Return the delayed results of a function for every partition.

    Its arguments are the rows, labels and weights of the partition (None without weights), the
    number of the partition, and ``arguments``. Only then is it known whether a partition has as
    many labels as rows.
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
    """Whether a partition is empty, or all its weights are zero."""
    return rows.shape[0] == 0 or (weights is not None and not bool((weights != 0).any()))


def _is_series(values: Any) -> bool:
    return is_from(values, "dask", "Series") or (is_dask_frame(values) and values.shape[1] == 1)


def _of_frame(X: Any, given: tuple[Any, ...]) -> list[Any]:
    """Return the partitions of a frame with its labels and weights.

    All are columns of one frame. Dask may combine small files, and how many depends on the
    columns, so partitions of separate collections might not match.
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
    """Return a frame with added columns, matched by position and not by index."""
    for name, values in zip(_NAMES, columns, strict=False):
        if len(values) != len(rows):
            raise ArgumentError(
                name,
                f"a partition has {len(values)} values for {len(rows)} rows of X",
                "one value per row is needed",
            )
    return rows.assign(**{n: v.array for n, v in zip(names, columns, strict=True)})


def _taken_apart(part: Any, n_beside: int) -> tuple[Any, ...]:
    """Return the features, the labels and the weights of one partition."""
    rows = part.iloc[:, : part.shape[1] - n_beside]
    return rows, part[_LABELS], part[_WEIGHTS] if n_beside == 2 else None


def _of_frame_and_arrays(X: Any, given: tuple[Any, ...]) -> list[Any]:
    """Return the partitions of a frame with labels and weights that are arrays."""
    beside = [_beside(values, X, name) for values, name in zip(given, _NAMES, strict=False)]
    columns = [X.to_delayed(optimize_graph=False), *(v.to_delayed().ravel() for v in beside)]
    return [(*part, None)[:3] for part in zip(*columns, strict=True)]


def _of_array(X: Any, given: tuple[Any, ...]) -> list[Any]:
    """Return the blocks of an array with its labels and weights.

    Blockwise, so that Dask can fuse this with the task that makes a block. The result keeps the
    dimension of the features; without it Dask would copy every block.
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
    """Return an array in which small blocks are joined.

    A joined block has at most twice as many rows as features: sending its rows then costs no more
    than sending the sums of two classes.
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
    """Whether all chunk sizes are known; values in memory can be split into any chunks."""
    if not is_dask(values):
        return True
    return is_from(values, "dask", "Array") and not any(n != n for n in values.chunks[0])


def _beside(values: Any, X: Any, name: str) -> Any:
    """Return one value per row as a Dask array with the same partitions as the rows."""
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
            name,
            f"got a Dask {type(values).__name__}, expected a Dask array or series",
            "convert it first",
        )
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ArgumentError(
            name, f"got an array of shape {values.shape}, expected one value per row (1-D)"
        )
    return _aligned(values, chunks, is_known, name)


def _aligned(values: Any, chunks: Sequence[float], is_known: bool, name: str) -> Any:
    """Return an array with the given chunks; raises if it cannot have them."""
    if is_known and not any(n != n for n in values.chunks[0]):
        if values.shape[0] != sum(chunks):
            raise ArgumentError(
                name,
                f"has {values.shape[0]} values for {sum(chunks)} rows of X",
                "one value per row is needed",
            )
        return values.rechunk((tuple(chunks),))
    _require_partitions(name, len(values.chunks[0]), len(chunks))
    return values


def _require_partitions(name: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise ArgumentError(
            name,
            f"has {found} partitions, but X has {wanted}",
            "repartition one of them so that both have the same rows in each partition",
        )
