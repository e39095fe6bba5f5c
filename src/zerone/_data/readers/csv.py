"""CSV files of any size, with a header, read a few megabytes at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from pyarrow import types

from zerone._data.arrow_values import is_string
from zerone._data.readers.csv_header import CsvHeader, header_of
from zerone._data.readers.source import START, Position, TablePart
from zerone._data.readers.text_encoding import UTF8, not_text
from zerone._data.readers.text_file import Text
from zerone._data.readers.text_pieces import TextPiece, text_pieces
from zerone._errors import ArgumentError


class CsvSource:
    """One or several CSV files with the same columns, in any order.

    The first megabytes decide whether a column holds numbers. The delimiter is the most frequent of
    comma, semicolon, tab and vertical bar in the header, in each file.

    Parameters
    ----------
    texts : sequence of Text
    string_columns : sequence of str
        Columns to read as strings even if they look like numbers.
    null_values : sequence of str
        Cells that mean a missing value, besides empty cells and, among numbers, the usual words
        such as NA.
    target : str or None
        The column in which integers stay integers.
    comment : str or None
        What comment lines begin with, or "none"; by default "#", where that is unambiguous.
    delimiter : str, optional
        The one of all files.
    """

    is_rereadable = True

    def __init__(
        self,
        texts: Sequence[Text],
        string_columns: Sequence[str],
        null_values: Sequence[str],
        target: str | None,
        comment: str | None = None,
        delimiter: str | None = None,
    ) -> None:
        self._texts = list(texts)
        self._target = target
        self._comment = comment
        self._nulls = pa.array(["", *null_values], pa.string())
        self._null_values = [*arrow_csv.ConvertOptions().null_values, *null_values]
        self._string_columns = list(string_columns)
        self._headers = [header_of(text, comment, delimiter) for text in self._texts]
        self._names = self._headers[0].names
        for text, header in zip(self._texts, self._headers, strict=True):
            require_same_columns(header.names, text.name, self._names, self._texts[0].name)
        self.schema: Any = self._inferred()

    @property
    def identity(self) -> Any:
        """Names, sizes and modification times of the files, and how cells are read."""
        types_of = {field.name: str(field.type) for field in self.schema}
        return {
            "files": [text.identity for text in self._texts],
            "types": types_of,
            "null_values": self._nulls.to_pylist()[1:],
            "comment": self._comment,
        }

    def parts(self, columns: Sequence[str], start: Position = START) -> Iterator[TablePart]:
        """Yield the rows from a position on, with some of the columns."""
        types_of = {name: self._type_read(name) for name in columns}
        first = start[0]
        for number in range(first, len(self._texts)):
            text, header = self._texts[number], self._headers[number]
            offset, row = start[1:] if number == first and start[1] else (header.begin, 0)
            for piece in self._pieces(number, offset):
                where = f"{text.name!r} from row {row}"
                lines = header.without_comments(piece.text, where)
                if not lines.strip():
                    continue
                rows = self._read(lines, where, header, types_of)
                row += rows.num_rows
                share = (number + piece.share) / len(self._texts)
                yield TablePart(rows, where, (number, piece.stop, row), share)

    def _pieces(self, number: int, offset: int) -> Iterator[TextPiece]:
        header = self._headers[number]
        comment = header.comment if header.is_sure else b""
        return text_pieces(self._texts[number], offset, delimiter=header.delimiter, comment=comment)

    def _inferred(self) -> Any:
        """Return the schema that the first rows suggest."""
        name, header = repr(self._texts[0].name), self._headers[0]
        first = next(self._pieces(0, header.begin), None)
        lines = b"" if first is None else header.without_comments(first.text, name)
        if not lines.strip():
            raise ArgumentError(
                "source", f"{name} has a header but no rows", "at least one row is needed"
            )
        strings = {column: pa.string() for column in self._string_columns if column in self._names}
        rows = self._read(lines, name, header, strings, self._names)
        if any(types.is_binary(field.type) for field in rows.schema):
            raise not_text(name, UTF8)
        # A column that is empty in the first rows is taken for numbers. Without a name, too, it is
        # there only because every line ends in a delimiter.
        unknown = {pa.null(): pa.float64()}
        fields = [f for f in rows.schema if f.name or not types.is_null(f.type)]
        return pa.schema([pa.field(f.name, unknown.get(f.type, f.type)) for f in fields])

    def _type_read(self, name: str) -> Any:
        found = self.schema.field(name).type
        # Integers in the first rows may be followed by fractions.
        return pa.float64() if types.is_integer(found) and name != self._target else found

    def _read(
        self,
        text: bytes,
        where: str,
        header: CsvHeader,
        column_types: dict[str, Any],
        columns: Sequence[str] | None = None,
    ) -> Any:
        """Return some lines as a batch of rows."""
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(_in_arrow_memory(text)),
                arrow_csv.ReadOptions(column_names=list(header.names)),
                arrow_csv.ParseOptions(delimiter=header.delimiter, newlines_in_values=True),
                arrow_csv.ConvertOptions(
                    column_types=column_types,
                    include_columns=list(columns or column_types),
                    null_values=self._null_values,
                ),
            )
        except pa.ArrowException as error:
            raise _unreadable(str(error), where, header) from None
        arrays = [
            self._without_nulls(column) if is_string(column.type) else column
            for column in table.columns
        ]
        return pa.table(arrays, names=table.column_names).combine_chunks().to_batches()[0]

    def _without_nulls(self, column: Any) -> Any:
        """Return strings with nulls where cells are empty or among the null values."""
        return pc.if_else(pc.is_in(column, self._nulls), pa.scalar(None, column.type), column)


def _in_arrow_memory(text: bytes) -> Any:
    """Return a copy that no Python object owns.

    An Arrow thread may be the last to release the text. If that needed Python while Python is
    exiting, the whole process would crash.
    """
    copy = pa.BufferOutputStream()
    copy.write(text)
    return copy.getvalue()


def _unreadable(problem: str, where: str, header: CsvHeader) -> ValueError:
    if "UTF8" in problem or "utf-8" in problem.lower():
        return not_text(where, UTF8)
    advice = (
        "the first rows decide the type of a column: name it in ⟨categorical⟩ if it holds "
        "categories, and list cells that mean missing values in ⟨null_values⟩"
        if "conversion error" in problem
        else "every line needs as many cells as the header"
    )
    for number, name in enumerate(header.names):
        problem = problem.replace(f"CSV column #{number}:", f"column {name!r}:")
    return ArgumentError("source", f"{where}: {problem}", advice)


def require_same_columns(
    names: Sequence[str], where: str, expected: Sequence[str], first: str
) -> None:
    """Raise if a file has other columns than the first one; their order does not matter."""
    own, first_ones = set(names), set(expected)
    lacking = [name for name in expected if name not in own]
    more = [name for name in names if name not in first_ones]
    if not lacking and not more:
        return
    columns = ", ".join(map(repr, (lacking or more)[:5]))
    raise ArgumentError(
        "source",
        f"the header of {where!r} differs from that of {first!r}: it "
        f"{'lacks' if lacking else 'also has'} {columns}",
        "all files need the same columns",
    )
