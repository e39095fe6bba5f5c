"""Arrow files (IPC, also called Feather), whose batches can be read in any order."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from zerone._data.readers.source import START, Position, TablePart, file_identity, rows_per_part
from zerone._errors import ArgumentError


class ArrowFileSource:
    """One or several Arrow files with the same schema."""

    is_rereadable = True
    facts = None

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = list(paths)
        self.schema: Any = None
        for path in self._paths:
            with self._open(path) as reader:
                if self.schema is None:
                    self.schema = reader.schema
                elif reader.schema != self.schema:
                    raise ArgumentError(
                        "source",
                        f"the schema of {str(path)!r} differs from that of {str(self._paths[0])!r}",
                        "convert one of them, or read them separately and add the moments",
                    )

    @property
    def identity(self) -> Any:
        """Names, sizes and modification times of the files."""
        return file_identity(self._paths)

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        positions = [self.schema.get_field_index(name) for name in columns]
        step = rows_per_part(len(columns))
        for number in range(start[0], len(self._paths)):
            path = self._paths[number]
            # A position in a file is a batch number and a row within that batch.
            first, skipped = start[1:] if number == start[0] else (0, 0)
            with self._open(path) as reader:
                for index in range(first, reader.num_record_batches):
                    batch = self._batch(reader, index, path).select(positions)
                    begin = skipped if index == first else 0
                    share = (number + (index + 1) / reader.num_record_batches) / len(self._paths)
                    for row in range(begin, batch.num_rows, step):
                        rows = batch.slice(row, step)
                        stop = row + rows.num_rows
                        after = (index, stop) if stop < batch.num_rows else (index + 1, 0)
                        where = f"{str(path)!r}, batch {index} from row {row}"
                        yield TablePart(rows, where, (number, *after), share)

    def _open(self, path: Path) -> Any:
        try:
            return pa.ipc.open_file(str(path))
        except (pa.ArrowException, OSError) as error:
            raise ArgumentError(
                "source", f"{str(path)!r} is not a complete Arrow file ({error})", "write it again"
            ) from None

    def _batch(self, reader: Any, index: int, path: Path) -> Any:
        try:
            return reader.get_batch(index)
        except (pa.ArrowException, OSError) as error:
            raise ArgumentError(
                "source", f"{str(path)!r} is damaged ({error})", "write it again"
            ) from None
