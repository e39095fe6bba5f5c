"""What every reader of a table provides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

Position: TypeAlias = tuple[int, int, int]
"""Where reading continues: file number, position in the file (row, batch or byte offset), row.

For an iterable of batches: a hash of the batches so far, their number, and their rows.
"""

START: Position = (0, 0, 0)


@dataclass(frozen=True, eq=False)
class TablePart:
    """Some consecutive rows of a table, a pyarrow.RecordBatch.

    ``where`` says which rows these are, for messages. Reading continues at ``position``; ``share``
    of the table has been read so far, these rows included.
    """

    rows: Any
    where: str
    position: Position
    share: float | None


class TableSource(Protocol):
    """A table that is read in parts of limited size, always in the same order.

    Attributes
    ----------
    is_rereadable : bool
        Whether it can be read more than once.
    schema : pyarrow.Schema
    identity : plain values or None
        Changes when the table changes, as far as can be seen without reading it. None where it
        cannot be seen; then there are no checkpoints.
    """

    @property
    def is_rereadable(self) -> bool: ...
    @property
    def schema(self) -> Any: ...
    @property
    def identity(self) -> Any: ...

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        ...


def rows_per_part(n_columns: int) -> int:
    """Return how many rows are read at once: about 32 MB of numbers at most."""
    return max(2**10, min(2**17, 2**22 // max(n_columns, 1)))


def file_identity(paths: Sequence[Path]) -> list[dict[str, str | int]]:
    """Return names, sizes and modification times of files."""
    found = [(path.resolve(), path.stat()) for path in paths]
    return [
        {"file": str(path), "bytes": stat.st_size, "modified": stat.st_mtime_ns}
        for path, stat in found
    ]
