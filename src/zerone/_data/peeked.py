"""A stream whose first rows can be looked at before all of it is read."""

from collections.abc import Iterator, Sequence
from typing import Any

from zerone._data.readers.source import START, Position, TablePart


class PeekedSource:
    """A stream that can be read only once; its first part can be read before, too.

    Parameters
    ----------
    source : TableSource
    columns : sequence of str
        All columns that will be read.
    """

    is_rereadable = False
    facts = None
    identity = None

    def __init__(self, source: Any, columns: Sequence[str]) -> None:
        self.schema = source.schema
        self._parts = source.parts(columns)
        self._first: TablePart | None = next(self._parts, None)

    def peeked(self, columns: Sequence[str]) -> Iterator[TablePart]:
        """Yield the first rows, if there are any."""
        if self._first is not None:
            yield _selected(self._first, columns)

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield all rows, once."""
        if self._first is not None:
            first, self._first = self._first, None
            yield _selected(first, columns)
        for part in self._parts:
            yield _selected(part, columns)


def _selected(part: TablePart, columns: Sequence[str]) -> TablePart:
    return TablePart(part.rows.select(list(columns)), part.where, part.position, part.share)
