"""What every reader of a table provides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from zerone._progress import ProgressReport, followed

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


@dataclass
class TextFacts:
    """What reading a table of text has shown, for its plan.

    Attributes
    ----------
    notes : list of (column, what was assumed, number of values, whether it is left out)
        About whole lines, the column is the name of the file.
    mixed : set of str
        Columns that are numbers in the first rows and something else in later ones.
    unnamed : set of str
        Columns without a name in the header; they are called by their number.
    null_cells : dict column -> list of str
        Cells of the first rows that mean a missing value, in columns of numbers.
    delimiter : str
        Between cells.
    decimal, thousands : str or None
        How numbers are written, if that was said.
    """

    notes: list[tuple[str, str, int | None, bool]] = field(default_factory=list)
    mixed: set[str] = field(default_factory=set)
    unnamed: set[str] = field(default_factory=set)
    null_cells: dict[str, list[str]] = field(default_factory=dict)
    delimiter: str = ","
    decimal: str | None = None
    thousands: str | None = None


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
    facts : TextFacts or None
        None for tables that are not text.
    """

    @property
    def is_rereadable(self) -> bool: ...
    @property
    def schema(self) -> Any: ...
    @property
    def identity(self) -> Any: ...
    @property
    def facts(self) -> TextFacts | None: ...

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        ...


def followed_parts(
    parts: Iterator[TablePart], progress: bool | ProgressReport | None, what: str
) -> Iterator[TablePart]:
    """Yield the parts of a table, and show the progress of ``what`` is done with them."""
    return followed(
        parts, progress, what, lambda part: int(part.rows.num_rows), lambda part: part.share
    )


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
