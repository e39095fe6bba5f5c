"""JSON Lines of any size: every line has an object, whose keys are columns."""

import json
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
    strict : bool
        Whether values of several types for one key, or a key that comes late, are an error.
        Otherwise such values are read as strings, and such a key is left out.
    """

    is_rereadable = True

    def __init__(
        self,
        texts: Sequence[Text],
        string_columns: Sequence[str],
        target: str | None,
        facts: TextFacts | None = None,
        strict: bool = False,
    ) -> None:
        self._texts = list(texts)
        self._strict = strict
        self.facts = TextFacts() if facts is None else facts
        self._exact = {*string_columns, target}
        self.schema: Any = pa.schema([])
        for text in self._texts:
            self.schema = self._joined(self._first_schema(text), text.name)
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

    def read_as_strings(self, names: Sequence[str]) -> None:
        """Read some columns as strings from now on."""
        for name in names:
            at = self.schema.get_field_index(name)
            self.schema = self.schema.set(at, pa.field(name, pa.string()))
        self.facts.mixed -= set(names)

    def _joined(self, schema: Any, name: str) -> Any:
        try:
            return pa.unify_schemas([self.schema, schema], promote_options="permissive")
        except pa.ArrowException as error:
            if not self._strict:
                return _with_strings(self.schema, schema)
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
                if self._strict:
                    raise _unreadable(error, where) from None
                table = self._of_any_types(lines, where, wanted)
        for name in table.column_names:
            if name not in self.schema.names:
                self._refuse_or_note(name, where)
        return table.select(wanted.names).combine_chunks().to_batches()[0]

    def _refuse_or_note(self, name: str, where: str) -> None:
        """Raise for a key that comes late, or note that it is left out."""
        if self._strict:
            raise ArgumentError(
                "source",
                f"{where}: the key {name!r} is not among those of the first rows",
                "write it in one of the first rows, too; null will do",
            )
        note = (name, "it is in none of the first rows", None, True)
        if note not in self.facts.notes:
            self.facts.notes.append(note)

    def _first_schema(self, text: Text) -> Any:
        """Return the schema that the first rows of a file suggest."""
        first = next(text_pieces(text), None)
        lines = b"" if first is None else first.text.removeprefix(BOM_UTF8)
        if not lines.strip():
            raise ArgumentError("source", f"{text.name!r} is empty", "at least one row is needed")
        try:
            return _parsed(lines, None, "infer").schema
        except pa.ArrowException as error:
            if self._strict:
                raise _unreadable(error, repr(text.name)) from None
            return self._of_any_types(lines, repr(text.name), pa.schema([])).schema

    def _of_any_types(self, lines: bytes, where: str, wanted: Any) -> Any:
        """Return lines in which a key has values of several types; these become strings.

        Keys besides the wanted ones have the types of their values.
        """
        rows = _objects(lines, where)
        names = dict.fromkeys([*wanted.names, *(key for row in rows for key in row)])
        columns = []
        for name in names:
            values = [row.get(name) for row in rows]
            given = wanted.field(name).type if name in wanted.names else None
            try:
                columns.append(pa.array(values, given))
            except (pa.ArrowException, OverflowError, TypeError, ValueError):
                columns.append(pa.array([*map(_string_of, values)], pa.string()))
                if given is not None and not types.is_string(given):
                    self.facts.mixed.add(name)
        return pa.table(columns, names=list(names))


def _with_strings(one: Any, other: Any) -> Any:
    """Return the columns of both schemas; strings where their types cannot be joined."""
    fields = {field.name: field for field in one}
    for field in other:
        known = fields.setdefault(field.name, field)
        try:
            both = [pa.schema([known]), pa.schema([field])]
            fields[field.name] = pa.unify_schemas(both, promote_options="permissive").field(0)
        except pa.ArrowException:
            fields[field.name] = pa.field(field.name, pa.string())
    return pa.schema(list(fields.values()))


def _objects(lines: bytes, where: str) -> list[dict[str, Any]]:
    """Return the object of each line that is not blank."""
    found = []
    for line in lines.splitlines():
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _unreadable(error, where) from None
        if not isinstance(row, dict):
            raise _unreadable(ValueError("a line is not an object"), where)
        found.append(row)
    return found


def _string_of(value: Any) -> str | None:
    """Return a value of any type as a string; strings stay as they are."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


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
