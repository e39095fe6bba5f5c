"""Frames, query results and streams, read through the Arrow C stream interface."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from zerone._data.containers import is_frame, is_from
from zerone._data.readers.source import START, Position, TablePart, rows_per_part
from zerone._errors import ArgumentError, ArgumentTypeError


class StreamSource:
    """Any object with ``__arrow_c_stream__``: a frame, a query result, a reader."""

    facts = None

    def __init__(self, source: Any) -> None:
        self._source = source
        # These return a new stream every time; others may be generators.
        self.is_rereadable = is_frame(source) or any(
            is_from(source, library) for library in ("duckdb", "_duckdb")
        )
        self._n_rows = _length(source)
        self._reader: Any = self._opened()
        self.schema: Any = self._reader.schema
        names = self.schema.names
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError("source", f"two columns are named {name!r}", "rename one")

    @property
    def identity(self) -> Any:
        """None: changes of an object in memory cannot be seen."""
        return None

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        reader = self._taken_reader()
        row, wanted = 0, start[2]
        step = rows_per_part(len(columns))
        positions = [self.schema.get_field_index(name) for name in columns]
        try:
            for batch in reader:
                chosen = batch.select(positions)
                for first in range(max(0, wanted - row), chosen.num_rows, step):
                    rows = chosen.slice(first, step)
                    stop = row + first + rows.num_rows
                    share = stop / self._n_rows if self._n_rows else None
                    where = f"the stream from row {row + first}"
                    yield TablePart(rows, where, (0, stop, stop), share)
                row += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            raise ArgumentError(
                "source", f"the stream broke off after row {row} ({error})", "open it again"
            ) from None

    def read(self, columns: Sequence[str]) -> Any:
        """Return all rows, with some of the columns, as one batch."""
        table = self._taken_reader().read_all().select(list(columns)).combine_chunks()
        batches = table.to_batches()
        if batches:
            return batches[0]
        empty = [
            pa.array([], f.type) if not pa.types.is_dictionary(f.type) else _no_categories(f.type)
            for f in table.schema
        ]
        return pa.RecordBatch.from_arrays(empty, schema=table.schema)

    def close(self) -> None:
        """Close a stream that was not read: some libraries allow only one at a time."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _taken_reader(self) -> Any:
        reader, self._reader = self._reader, None
        if reader is not None:
            return reader
        if not self.is_rereadable:
            raise ArgumentError(
                "source",
                "this stream has been read already and cannot be read again",
                "open it again",
            )
        return self._opened()

    def _opened(self) -> Any:
        try:
            if is_from(self._source, "pandas"):
                # The stream of pandas would turn the index into a column.
                frame = with_one_type(self._source)
                return pa.Table.from_pandas(frame, preserve_index=False).to_reader()
            return pa.RecordBatchReader.from_stream(self._source)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise ArgumentTypeError(
                "source",
                f"the columns of this {type(self._source).__name__} have no Arrow type ({error})",
                "give every column a name of its own and values of one type",
            ) from None


def with_one_type(frame: Any) -> Any:
    """Return a pandas frame with strings for objects of several types, which Arrow has not."""
    if not frame.columns.is_unique:
        return frame
    changed = {}
    for name in frame.columns:
        column = frame[name]
        if getattr(getattr(column, "dtype", None), "kind", "") != "O":
            continue
        try:
            pa.array(column, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            kinds = {type(value) for value in column.dropna()}
            if kinds <= {str, int, float, bool} or any(own is str for own in kinds):
                changed[name] = column.map(str, na_action="ignore")
    return frame.assign(**changed) if changed else frame


def _no_categories(arrow_type: Any) -> Any:
    indices = pa.array([], arrow_type.index_type)
    return pa.DictionaryArray.from_arrays(indices, pa.array([], arrow_type.value_type))


def _length(source: Any) -> int | None:
    try:
        return len(source)
    except (TypeError, NotImplementedError):
        return None
