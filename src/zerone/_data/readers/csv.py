"""CSV files: a header, then rows of any length in total, read some megabytes at a time."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from pyarrow import types

from zerone._data.arrow_values import is_text
from zerone._data.readers.source import START, Position, TablePart, file_identity
from zerone._data.readers.text_pieces import text_pieces
from zerone._errors import ArgumentError

_DELIMITERS = ",;\t|"
_MARK = b"\xef\xbb\xbf"  # that some programs begin UTF-8 with


class CsvSource:
    """One or several files of comma-separated values with the same header.

    Whether a column holds numbers is told by the first megabytes. The delimiter is the one of
    comma, semicolon, tab and bar that the header has most of.

    Parameters
    ----------
    paths : sequence of Path
    string_columns : sequence of str
        Columns that are text, whatever they look like.
    null_values : sequence of str
        Cells that mean a missing value, besides empty ones and, among numbers, what programs
        usually write for them.
    target : str or None
        A column whose whole numbers stay whole.
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
        # A header of the same names may still take other bytes.
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
        """Names, sizes and times of the files, and how cells are read."""
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
            place, row = start[1:] if number == first and start[1] else (self._begins[number], 0)
            for piece in text_pieces(path, place, delimiter=self._delimiter):
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
            raise ArgumentError("source", f"{str(path)!r} has a header and no rows")
        texts = {name: pa.string() for name in self._string_columns if name in self._names}
        rows = self._read(first.text, repr(str(path)), texts, self._names)
        if any(types.is_binary(field.type) for field in rows.schema):
            raise not_utf8(repr(str(path)))
        # Nothing in the first rows is a missing number, as far as one can tell.
        unknown = {pa.null(): pa.float64()}
        return pa.schema([pa.field(f.name, unknown.get(f.type, f.type)) for f in rows.schema])

    def _type_read(self, name: str) -> Any:
        found = self.schema.field(name).type
        # What looks like whole numbers in the first rows may have fractions later.
        return pa.float64() if types.is_integer(found) and name != self._target else found

    def _read(
        self,
        text: bytes,
        where: str,
        column_types: dict[str, Any],
        columns: Sequence[str] | None = None,
    ) -> Any:
        """Return the rows of some lines."""
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
            self._without_nulls(column) if is_text(column.type) else column
            for column in table.columns
        ]
        return pa.table(arrays, names=table.column_names).combine_chunks().to_batches()[0]

    def _without_nulls(self, column: Any) -> Any:
        """Return text with missing values where cells are empty or say so."""
        return pc.if_else(pc.is_in(column, self._nulls), pa.scalar(None, column.type), column)

    def _unreadable(self, problem: str, where: str) -> ValueError:
        if "UTF8" in problem or "utf-8" in problem.lower():
            return not_utf8(where)
        advice = (
            "columns are taken to hold what they hold in the first rows: give it as ⟨categorical⟩ "
            "if it holds categories, and what stands for missing values as ⟨null_values⟩"
            if "conversion error" in problem
            else "every line needs as many cells as the header"
        )
        for number, name in enumerate(self._names):
            problem = problem.replace(f"CSV column #{number}:", f"column {name!r}:")
        return ArgumentError("source", f"{where}: {problem}", advice)


def _in_arrow_memory(text: bytes) -> Any:
    """Return a copy that no Python object owns.

    A thread of Arrow's may be the last to let the text go. Had Python to be asked then, and were
    Python about to exit, the thread would be ended inside C++, and the process with it.
    """
    copy = pa.BufferOutputStream()
    copy.write(text)
    return copy.getvalue()


def _header_of(path: Path) -> tuple[list[str], str, int]:
    """Return the names of the columns, the delimiter, and where the rows begin."""
    first = next(text_pieces(path, size=2**16), None)
    if first is None or not first.text.strip():
        raise ArgumentError("source", f"{str(path)!r} is empty")
    # Some programs leave the first line empty.
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
            "write names without newlines, and lines that end in one",
        )
    names = [name.strip() for name in next(csv.reader([text], delimiter=delimiter))]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(
                "source", f"the header of {str(path)!r} names the column {name!r} twice"
            )
    return names, delimiter, text_begins + len(line) + 1


def not_utf8(where: str) -> ValueError:
    """Return the error for text in another encoding."""
    return ArgumentError(
        "source",
        f"{where} is not UTF-8 text",
        "convert it first, for example with iconv from the encoding that it has",
    )
