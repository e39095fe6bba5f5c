"""JSON Lines of any size: every line has an object, whose keys are columns."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import json as arrow_json
from pyarrow import types

from zerone._data.readers.source import START, Position, TablePart, TextFacts
from zerone._data.readers.text_file import Text
from zerone._data.readers.text_pieces import text_pieces
from zerone._errors import ArgumentError


class JsonlSource:
    """One or several files of JSON Lines.

    The first megabytes of each file decide which columns there are and of which types. A key that
    a line does not have is a missing value.

    Parameters
    ----------
    texts : sequence of Text
    string_columns : sequence of str
        Columns of categories: integers stay integers, and dates strings.
    target : str or None
        Likewise.
    """

    is_rereadable = True

    def __init__(
        self,
        texts: Sequence[Text],
        string_columns: Sequence[str],
        target: str | None,
        facts: TextFacts | None = None,
    ) -> None:
        self._texts = list(texts)
        self.facts = TextFacts() if facts is None else facts
        self._exact = {*string_columns, target}
        self.schema: Any = pa.schema([])
        for text in self._texts:
            self.schema = self._joined(_first_schema(text), text.name)
        fields = [pa.field(own.name, self._type_read(own)) for own in self.schema]
        self.schema = pa.schema(fields)

    @property
    def identity(self) -> Any:
        """Names, sizes and modification times of the files, and the types of columns."""
        return {
            "files": [text.identity for text in self._texts],
            "types": {field.name: str(field.type) for field in self.schema},
        }

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        wanted = pa.schema([self.schema.field(name) for name in columns])
        for number in range(start[0], len(self._texts)):
            text = self._texts[number]
            offset, row = start[1:] if number == start[0] else (0, 0)
            for piece in text_pieces(text, offset):
                lines = piece.text.removeprefix(BOM_UTF8)
                if not lines.strip():
                    continue
                where = f"{text.name!r} from row {row}"
                rows = self._read(lines, where, wanted)
                row += rows.num_rows
                share = (number + piece.share) / len(self._texts)
                yield TablePart(rows, where, (number, piece.stop, row), share)

    def _joined(self, schema: Any, name: str) -> Any:
        try:
            return pa.unify_schemas([self.schema, schema], promote_options="permissive")
        except pa.ArrowException as error:
            raise ArgumentError(
                "source",
                f"{name!r} has another type of values than the files before ({error})",
                "write values of one type for each key",
            ) from None

    def _type_read(self, field: Any) -> Any:
        if field.name in self._exact:
            return pa.string() if types.is_temporal(field.type) else field.type
        # Integers in the first rows may be followed by fractions; a key that only has null there
        # is taken for numbers.
        is_number = types.is_integer(field.type) or types.is_null(field.type)
        return pa.float64() if is_number else field.type

    def _read(self, lines: bytes, where: str, wanted: Any) -> Any:
        """Return some lines as a batch of rows."""
        try:
            table = _parsed(lines, wanted, "infer")
        except pa.ArrowException:
            # Perhaps a column that is not wanted has values of several types.
            try:
                table = _parsed(lines, wanted, "ignore")
            except pa.ArrowException as error:
                raise _unreadable(error, where) from None
        for name in table.column_names:
            if name not in self.schema.names:
                raise ArgumentError(
                    "source",
                    f"{where}: the key {name!r} is not among those of the first rows",
                    "write it in one of the first rows, too; null will do",
                )
        return table.select(wanted.names).combine_chunks().to_batches()[0]


def _first_schema(text: Text) -> Any:
    """Return the schema that the first rows of a file suggest."""
    first = next(text_pieces(text), None)
    lines = b"" if first is None else first.text.removeprefix(BOM_UTF8)
    if not lines.strip():
        raise ArgumentError("source", f"{text.name!r} is empty", "at least one row is needed")
    try:
        return _parsed(lines, None, "infer").schema
    except pa.ArrowException as error:
        raise _unreadable(error, repr(text.name)) from None


def _parsed(lines: bytes, schema: Any, unexpected: str) -> Any:
    # A copy that no Python object owns, as in `csv`; one block, so that types are those of all.
    copy = pa.BufferOutputStream()
    copy.write(lines)
    return arrow_json.read_json(
        pa.BufferReader(copy.getvalue()),
        arrow_json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected),
    )


def _unreadable(error: Exception, where: str) -> ArgumentError:
    return ArgumentError(
        "source",
        f"{where}: {error}",
        "write one complete JSON object in each line, with values of one type for each key",
    )
