"""A table that is kept in memory after the first pass, if it is small."""

from collections.abc import Iterator, Sequence
from typing import Any

from zerone._data.readers.source import START, Position, TablePart, TextFacts

# Parsing text takes far longer than reading it again from memory, and a fit reads a table three
# or four times: to plan its columns, for its moments, and for the rows to refine on.
_MOST_BYTES = 2**26


class RememberedSource:
    """A table in files that remembers the parts of a complete pass, up to 64 MB."""

    is_rereadable = True

    def __init__(self, source: Any) -> None:
        self._source = source
        self._parts: list[TablePart] | None = None

    @property
    def schema(self) -> Any:
        """The columns and their types."""
        return self._source.schema

    @property
    def identity(self) -> Any:
        """Changes when the files change."""
        return self._source.identity

    @property
    def facts(self) -> TextFacts | None:
        """What reading the text has shown."""
        facts: TextFacts | None = self._source.facts
        return facts

    def read_as_strings(self, names: Sequence[str]) -> None:
        """Read some columns as strings from now on."""
        self._parts = None
        self._source.read_as_strings(names)

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        kept = self._parts
        if kept is not None and (not kept or set(columns) <= set(kept[0].rows.schema.names)):
            for part in kept:
                if part.position > start:
                    rows = part.rows.select(list(columns))
                    yield TablePart(rows, part.where, part.position, part.share)
            return
        found: list[TablePart] | None = [] if start == START else None
        n_bytes = 0
        for part in self._source.parts(columns, start):
            if found is not None:
                n_bytes += part.rows.nbytes
                found.append(part)
                if n_bytes > _MOST_BYTES:
                    found = None
            yield part
        if found is not None:
            self._parts = found
