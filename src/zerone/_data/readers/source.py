"""What every format of table offers to those who read it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

Position: TypeAlias = tuple[int, int, int]
"""Where reading goes on: number of the file, place in it (rows or bytes), rows of it before.

Of batches: a digest of those before, how many they are, how many rows they have.
"""

START: Position = (0, 0, 0)


@dataclass(frozen=True, eq=False)
class TablePart:
    """Some consecutive rows of a table.

    Attributes
    ----------
    rows : pyarrow.RecordBatch
    where : str
        Which rows these are, for messages.
    position : tuple
        Where reading goes on after them.
    share : float or None
        Of the whole table, how much has been read with them.
    """

    rows: Any
    where: str
    position: Position
    share: float | None


class TableSource(Protocol):
    """A table that is read in parts of bounded size, always in the same order.

    Attributes
    ----------
    is_rereadable : bool
        Whether it can be read more than once.
    schema : pyarrow.Schema
    identity : plain values or None
        Changes when the table does, as far as one can tell without reading it; None where one
        cannot tell, so that a scan cannot go on.
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
    """Return how many rows are read at once: at most some 32 MB of numbers."""
    return max(2**10, min(2**17, 2**22 // max(n_columns, 1)))


def file_identity(paths: Sequence[Path]) -> list[dict[str, str | int]]:
    """Return names, sizes and times of files."""
    found = [(path.resolve(), path.stat()) for path in paths]
    return [
        {"file": str(path), "bytes": stat.st_size, "modified": stat.st_mtime_ns}
        for path, stat in found
    ]
