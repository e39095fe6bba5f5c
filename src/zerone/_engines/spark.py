"""Moments of a Spark DataFrame: executors sum its partitions, and only sums leave them."""

import functools
import itertools
import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from zerone._data.columns.numeric import NumericColumn
from zerone._data.containers import is_from
from zerone._data.encoding import Encoding
from zerone._data.labelled import labelled_table
from zerone._data.table_options import TableOptions
from zerone._engines.scan import ScanError
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._moments.moments import Moments

# Spark passes 10,000 rows at a time, too few for the kernel: 20 columns take 2.7 times as long.
_BYTES_AT_ONCE = 2**24
# The driver merges this many sums.
_LAST_SUMS = 8
# From this many features on, sums are large enough to merge on the executors first.
_WIDE = 256
_SUMS = "part int, moments binary, problem string"
# Advice for errors of Spark itself.
_HINTS = {
    "No module named": "set PYSPARK_PYTHON to a Python that has zerone before the session starts",
    "AMBIGUOUS_REFERENCE": "names differ in case only: rename a column, or set "
    "spark.sql.caseSensitive",
}


def moments_from_spark(frame: Any, options: TableOptions) -> Moments:
    """Return the moments of a Spark DataFrame; see `Moments.from_spark` for the parameters."""
    if not is_from(frame, "pyspark", "DataFrame") or not hasattr(frame, "mapInArrow"):
        raise ArgumentTypeError(
            "frame", f"got {type(frame).__name__}, expected a pyspark.sql.DataFrame"
        )
    if frame.isStreaming:
        raise ArgumentTypeError(
            "frame",
            "is a streaming DataFrame, which has no end",
            "compute the moments of every batch in foreachBatch, and add them",
        )
    target, weight, encoding = options.target, options.weight, options.encoding
    features = _checked_features(frame.schema, options)
    names = [*features, *options.other_columns]
    sum_rows = functools.partial(
        _sum_rows,
        names=names,
        target=target,
        columns=features if encoding is None else None,
        weight=weight,
        encoding=encoding,
    )
    n_features = len(features) if encoding is None else encoding.n_features
    try:
        sums = _selected(frame, names, weight).mapInArrow(sum_rows, _SUMS)
        rows = _few(sums, n_features).collect()
    except Exception as error:
        # Spark raises errors of Python, of Java (py4j) or of a server (Connect).
        raise _failure(error) from error
    for row in rows:
        if row.problem is not None:
            raise _refused(row.problem)
    total = _total(row.moments for row in rows)
    if total is None:
        raise ArgumentError(
            "frame",
            "all sample weights are zero, or the frame is empty",
            "at least one row with a positive weight is needed",
        )
    return total


# -- on the driver -------------------------------------------------------------------------------


def _checked_features(schema: Any, options: TableOptions) -> list[str]:
    """Return the columns of the features; raises if a name or a type is wrong."""
    import pyarrow as pa
    from pyspark.sql.types import BooleanType, NumericType, StringType

    # Names are checked as for any other table, here an empty one with the same columns.
    empty = pa.schema([(name, pa.float64()) for name in schema.names]).empty_table()
    table: Any = labelled_table(empty, options)
    target, weight, encoding = table.target, options.weight, options.encoding
    features: list[str] = table.options.columns
    types = {field.name: field.dataType for field in schema.fields}
    kinds = (NumericType, BooleanType)
    if not isinstance(types[target], (*kinds, StringType)):
        raise ArgumentTypeError(
            "target",
            f"column {target!r} has type {types[target].simpleString()}",
            "convert it: classes are strings, integers or booleans",
        )
    if weight is not None and not isinstance(types[weight], kinds):
        raise ArgumentTypeError(
            "weight", f"column {weight!r} has type {types[weight].simpleString()}, expected numbers"
        )
    for column in map(NumericColumn, features) if encoding is None else encoding.columns:
        own = types[column.name]
        if isinstance(column, NumericColumn) and not isinstance(own, kinds):
            found = own.simpleString()
            if encoding is None:
                raise ArgumentTypeError(
                    "columns",
                    f"{column.name!r} has type {found}, expected numbers or booleans",
                    f"⟨leave out⟩, or {_advice(own)}",
                )
            raise ArgumentTypeError(
                "encoding",
                f"takes column {column.name!r} for numbers, but it has type {found}",
                "convert it, or make the encoding from rows of this frame",
            )
    return features


def _advice(kind: Any) -> str:
    """Return the advice for a column that does not hold numbers."""
    from pyspark.sql.types import StringType

    if isinstance(kind, StringType):
        return (
            "pass encoding=Moments.from_table(sample, target=...).encoding, made from a sample of "
            "the rows"
        )
    return "convert it first: a date to days since a fixed date, an array to columns"


def _selected(frame: Any, names: Sequence[str], weight: str | None) -> Any:
    """Return the needed columns, renamed to c0, c1, …, of the rows whose weight is not zero."""
    from pyspark.sql.functions import col

    # Quoted, because a dot in a name means a field of a structure, also in mapInArrow.
    quoted = [col("`" + name.replace("`", "``") + "`") for name in names]
    rows = frame.select(*(own.alias(f"c{number}") for number, own in enumerate(quoted)))
    if weight is None:
        return rows
    # Rows with a missing weight stay: they raise an error later.
    return rows.filter(~col(f"c{len(names) - 1}").cast("double").eqNullSafe(0.0))


def _few(sums: Any, n_features: int) -> Any:
    """Return at most a few sums, merged on the executors.

    The number of partitions may be unknown before Spark runs. So Spark chooses how many tasks
    merge: by its setting for shuffles, and fewer if execution is adaptive, the default.
    """
    # By the partition number and not by the sum: a task that is repeated with its rows in another
    # order must send its sum to the same task.
    if n_features > _WIDE:
        sums = sums.repartition("part").mapInArrow(_merge, _SUMS)
    return sums.repartition("part").coalesce(_LAST_SUMS).mapInArrow(_merge, _SUMS)


def _refused(packed: str) -> Exception:
    """Return the error for rows that a partition could not sum."""
    problem, advice = json.loads(packed)
    if "⟨not strict⟩" in advice:
        advice = "fill it first, or pass an ⟨encoding⟩ made from rows of this frame"
    return ArgumentError("frame", problem, advice)


def _failure(error: Exception) -> Exception:
    """Return the error to raise if Spark itself failed."""
    text = str(error)
    # The first line of a traceback that is not indented is the error message.
    _, found, after = text.rpartition("Traceback (most recent call last):\n")
    lines = [line for line in (after if found else text).splitlines() if line.strip()]
    # Java's own error follows a colon at the beginning of a line.
    java = next((line[1:].rpartition("Exception: ")[2] for line in lines if line[0] == ":"), "")
    last = next((line for line in lines if not line[0].isspace()), "")
    reason = (last if found else java or last).strip() or type(error).__name__
    for sign, advice in _HINTS.items():
        if sign in text:
            reason += f" ({advice})"
    return RuntimeError(f"frame: Spark failed while summing: {reason}; no sums were kept")


# -- on the executors ----------------------------------------------------------------------------


def _sum_rows(
    batches: Iterator[Any],
    names: list[str],
    target: str | None,
    columns: list[str] | None,
    weight: str | None,
    encoding: Encoding | None,
) -> Iterator[Any]:
    """Yield the moments of a partition as one row; nothing if it is empty."""
    import pyarrow as pa

    parts = _combined(batches, names)
    first = next(parts, None)
    if first is None:
        return
    reader = pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], parts))
    try:
        moments = Moments.from_table(
            reader,
            target=target,
            columns=columns,
            weight=weight,
            encoding=encoding,
            # Without an encoding, partitions must not decide for themselves.
            strict=encoding is None,
            progress=False,
            n_jobs=1,
        )
    except (ValueError, TypeError) as error:
        # A ScanError has the moments of earlier rows, which are lost here with the executor.
        yield _row(None, error.reason if isinstance(error, ScanError) else error)
        return
    yield _row(moments)


def _combined(batches: Iterator[Any], names: list[str]) -> Iterator[Any]:
    """Yield larger batches, with the original column names."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            held.append(pa.RecordBatch.from_arrays(batch.columns, names=names))
        if sum(own.nbytes for own in held) >= _BYTES_AT_ONCE:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()
            held = []
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def _merge(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sum of many moments as one row, or the first problem."""
    found: list[bytes] = []
    for batch in batches:
        for row in batch.to_pylist():
            if row["problem"] is not None:
                yield _arrow_row(row["part"], None, row["problem"])
                return
            found.append(row["moments"])
    total = _total(found)
    if total is not None:
        yield _row(total)


def _total(packed: Iterable[bytes]) -> Moments | None:
    """Return the sum of moments; None if there are none."""
    total: Moments | None = None
    for one in packed:
        moments: Moments = pickle.loads(one)
        total = moments if total is None else total + moments
    return total


def _row(moments: Moments | None, error: Exception | None = None) -> Any:
    """Return the row that a partition sends: its moments, or its error."""
    packed = None if moments is None else pickle.dumps(moments, protocol=5)
    if error is None:
        return _arrow_row(_partition(), packed, None)
    problem = getattr(error, "problem", str(error)).replace("\n", " ")
    argument = f"{error.argument}: " if isinstance(error, ArgumentError) else ""
    told = (f"partition {_partition()}: {argument}{problem}", getattr(error, "advice", ""))
    return _arrow_row(_partition(), None, json.dumps(told))


def _arrow_row(part: int, packed: bytes | None, problem: str | None) -> Any:
    """Return one row of the table that partitions send."""
    import pyarrow as pa

    arrays = [
        pa.array([part], pa.int32()),
        pa.array([packed], pa.binary()),
        pa.array([problem], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(arrays, names=["part", "moments", "problem"])


def _partition() -> int:
    from pyspark import TaskContext

    context: Any = TaskContext.get()
    return int(context.partitionId())
