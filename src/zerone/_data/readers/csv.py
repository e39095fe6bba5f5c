"""CSV files of any size, with a header, read a few megabytes at a time."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from pyarrow import types

from zerone._data.arrow_values import is_string
from zerone._data.readers.source import START, Position, TablePart, file_identity
from zerone._data.readers.text_pieces import text_pieces
from zerone._errors import ArgumentError

_DELIMITERS = ",;\t|"
_MARK = b"\xef\xbb\xbf"  # the byte order mark that some programs write


class CsvSource:
    """One or several CSV files with the same header.

    The first megabytes decide whether a column holds numbers. The delimiter is the most frequent of
    comma, semicolon, tab and vertical bar in the header.

    Parameters
    ----------
    paths : sequence of Path
    string_columns : sequence of str
        Columns to read as strings even if they look like numbers.
    null_values : sequence of str
        Cells that mean a missing value, besides empty cells and, among numbers, the usual words
        such as NA.
    target : str or None
        The column in which integers stay integers.
    """

    is_rereadable = True

    def __init__(
        self,
        paths: Sequence[Path],
        string_columns: Sequence[str],
        null_values: Sequence[str],
        target: str | None,
    ) -> None:
        self._paths = list(paths)
        self._target = target
        self._nulls = pa.array(["", *null_values], pa.string())
        self._null_values = [*arrow_csv.ConvertOptions().null_values, *null_values]
        self._string_columns = list(string_columns)
        headers = [_header_of(path) for path in self._paths]
        self._names, self._delimiter, _ = headers[0]
        # The same names may be written in headers of different lengths.
        self._begins = [begin for _, _, begin in headers]
        for path, (names, delimiter, _) in zip(self._paths, headers, strict=True):
            if (names, delimiter) != (self._names, self._delimiter):
                raise ArgumentError(
                    "source",
                    f"the header of {str(path)!r} differs from that of {str(self._paths[0])!r}",
                    "all files need the same columns",
                )
        self.schema: Any = self._inferred()

    @property
    def identity(self) -> Any:
        """Names, sizes and modification times of the files, and how cells are read."""
        types_of = {field.name: str(field.type) for field in self.schema}
        return {
            "files": file_identity(self._paths),
            "types": types_of,
            "null_values": self._nulls.to_pylist()[1:],
        }

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        types_of = {name: self._type_read(name) for name in columns}
        first = start[0]
        for number in range(first, len(self._paths)):
            path = self._paths[number]
            offset, row = start[1:] if number == first and start[1] else (self._begins[number], 0)
            for piece in text_pieces(path, offset, delimiter=self._delimiter):
                if not piece.text.strip():
                    continue
                where = f"{str(path)!r} from row {row}"
                rows = self._read(piece.text, where, types_of)
                row += rows.num_rows
                share = (number + piece.share) / len(self._paths)
                yield TablePart(rows, where, (number, piece.stop, row), share)

    def _inferred(self) -> Any:
        """Return the schema that the first rows suggest."""
        path = self._paths[0]
        first = next(text_pieces(path, self._begins[0], delimiter=self._delimiter), None)
        if first is None or not first.text.strip():
            raise ArgumentError(
                "source", f"{str(path)!r} has a header but no rows", "at least one row is needed"
            )
        strings = {name: pa.string() for name in self._string_columns if name in self._names}
        rows = self._read(first.text, repr(str(path)), strings, self._names)
        if any(types.is_binary(field.type) for field in rows.schema):
            raise not_utf8(repr(str(path)))
        # A column that is empty in the first rows is taken for numbers.
        unknown = {pa.null(): pa.float64()}
        return pa.schema([pa.field(f.name, unknown.get(f.type, f.type)) for f in rows.schema])

    def _type_read(self, name: str) -> Any:
        found = self.schema.field(name).type
        # Integers in the first rows may be followed by fractions.
        return pa.float64() if types.is_integer(found) and name != self._target else found

    def _read(
        self,
        text: bytes,
        where: str,
        column_types: dict[str, Any],
        columns: Sequence[str] | None = None,
    ) -> Any:
        """Return some lines as a batch of rows."""
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(_in_arrow_memory(text)),
                arrow_csv.ReadOptions(column_names=self._names),
                arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                arrow_csv.ConvertOptions(
                    column_types=column_types,
                    include_columns=list(columns or column_types),
                    null_values=self._null_values,
                ),
            )
        except pa.ArrowException as error:
            raise self._unreadable(str(error), where) from None
        arrays = [
            self._without_nulls(column) if is_string(column.type) else column
            for column in table.columns
        ]
        return pa.table(arrays, names=table.column_names).combine_chunks().to_batches()[0]

    def _without_nulls(self, column: Any) -> Any:
        """Return strings with nulls where cells are empty or among the null values."""
        return pc.if_else(pc.is_in(column, self._nulls), pa.scalar(None, column.type), column)

    def _unreadable(self, problem: str, where: str) -> ValueError:
        if "UTF8" in problem or "utf-8" in problem.lower():
            return not_utf8(where)
        advice = (
            "the first rows decide the type of a column: name it in ⟨categorical⟩ if it holds "
            "categories, and list cells that mean missing values in ⟨null_values⟩"
            if "conversion error" in problem
            else "every line needs as many cells as the header"
        )
        for number, name in enumerate(self._names):
            problem = problem.replace(f"CSV column #{number}:", f"column {name!r}:")
        return ArgumentError("source", f"{where}: {problem}", advice)


def _in_arrow_memory(text: bytes) -> Any:
    """Return a copy that no Python object owns.

    An Arrow thread may be the last to release the text. If that needed Python while Python is
    exiting, the whole process would crash.
    """
    copy = pa.BufferOutputStream()
    copy.write(text)
    return copy.getvalue()


def _header_of(path: Path) -> tuple[list[str], str, int]:
    """Return the column names, the delimiter and the byte offset of the first row."""
    first = next(text_pieces(path, size=2**16), None)
    if first is None or not first.text.strip():
        raise ArgumentError("source", f"{str(path)!r} is empty", "a header and a row are needed")
    # Some programs write an empty line first.
    text_begins = len(first.text) - len(first.text.lstrip(b"\r\n"))
    line = first.text[text_begins:].split(b"\n", 1)[0]
    try:
        text = line.removeprefix(_MARK).decode().rstrip("\r")
    except UnicodeDecodeError:
        raise not_utf8(repr(str(path))) from None
    delimiter = max(_DELIMITERS, key=text.count)
    if "\r" in text or text.count('"') % 2:
        raise ArgumentError(
            "source",
            f"the header of {str(path)!r} is not one line that ends in a newline",
            "write column names without newlines, and end every line with a newline",
        )
    names = [name.strip() for name in next(csv.reader([text], delimiter=delimiter))]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(
                "source", f"the header of {str(path)!r} has the column {name!r} twice", "rename one"
            )
    return names, delimiter, text_begins + len(line) + 1


def not_utf8(where: str) -> ValueError:
    """Return the error for a file that is not UTF-8."""
    return ArgumentError(
        "source",
        f"{where} is not UTF-8 text",
        "convert it to UTF-8 first, for example with iconv",
    )
