"""From the columns of a table to features."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.arrow_values import filtered
from zerone._data.columns.column import Column, Reading
from zerone._data.encoding import Encoding
from zerone._data.readers.open import closed_on_failure
from zerone._data.readers.stream import StreamSource
from zerone._data.windows import ColumnTable
from zerone._errors import ArgumentError
from zerone._typing import AnyArray


def encode(rows: Any, encoding: Encoding, reading: Reading) -> tuple[Any, Encoding]:
    """Return the features of some rows, and their encoding.

    The encoding has an indicator for every column with missing values so far, and new categories
    if it may grow. Features are sparse rows if a column is hashed, otherwise a table of columns.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        Columns that are not there are taken for missing values.
    encoding : Encoding
    reading : Reading
    """
    blocks: list[Any] = []
    columns: list[Column] = []
    position = {name: place for place, name in enumerate(rows.schema.names)}
    for column in encoding.columns:
        if column.name not in position:
            blocks.append(column.absent(rows.num_rows))
            columns.append(column)
            continue
        own, used = column.encoded(rows.column(position[column.name]), reading)
        blocks.append(own)
        columns.append(used)
    used_encoding = replace(encoding, columns=tuple(columns))
    if any(map(sp.issparse, blocks)):
        return sp.hstack([_sparse(own) for own in blocks], format="csr"), used_encoding
    features = [feature for own in blocks for feature in own]
    return ColumnTable(features, rows.num_rows), used_encoding


def _sparse(block: Any) -> Any:
    if sp.issparse(block):
        return block
    return sp.csr_array(np.stack(block, axis=1).astype(np.float64))


def reading_of(encoding: Encoding, unknown: Any, where: str, **given: Any) -> Reading:
    """Return how rows are read under an encoding; see `Reading` for the other parameters."""
    return Reading(unknown, encoding.strict, encoding.null_values, where, **given)


def encode_frame(
    frame: Any,
    encoding: Encoding,
    reading: Reading,
    present: AnyArray | None = None,
) -> tuple[Any, Encoding]:
    """Return the features of a frame in memory, or of its rows where ``present`` is true."""
    source = StreamSource(frame)
    with closed_on_failure(source):
        found = columns_to_read(encoding, source.schema, reading)
    rows = source.read(found)
    if present is not None:
        rows = filtered(rows, present)
    return encode(rows, encoding, reading)


def columns_to_read(encoding: Encoding, schema: Any, reading: Reading) -> Sequence[str]:
    """Return the columns of an encoding that a table has.

    For predictions that are not strict, a missing column is one of missing values, which is told;
    otherwise it is an error, and so are columns of which none is there.
    """
    available = set(schema.names)
    lacking = [name for name in encoding.column_names if name not in available]
    found = [name for name in encoding.column_names if name in available]
    if lacking and (encoding.strict or reading.unknown != "accept" or not found):
        raise ArgumentError(
            "source",
            f"there is no column {lacking[0]!r}, which the encoding reads",
            f"the table has {', '.join(map(repr, schema.names))}",
        )
    for name in lacking:
        reading.surprises.add_column(name, "is not there: all values are missing")
    return found
