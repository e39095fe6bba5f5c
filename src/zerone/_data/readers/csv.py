"""CSV files of any size, with a header, read a few megabytes at a time."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from pyarrow import types

from zerone._data.arrow_values import is_string
from zerone._data.cells.null_cells import AMONG_NUMBERS, AMONG_STRINGS
from zerone._data.readers.csv_header import CsvHeader, header_of
from zerone._data.readers.source import START, Position, TablePart, TextFacts
from zerone._data.readers.text_encoding import UTF8, not_text
from zerone._data.readers.text_file import Text
from zerone._data.readers.text_pieces import TextPiece, text_pieces
from zerone._errors import ArgumentError

# So many lines with another number of cells than the header are mistakes, not another format.
_FEW_RAGGED = 3
_MOST_RAGGED = 0.02


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
    strict : bool
        Whether a column that is not of one type, or a second one of the same name, is an error.
    target : str or None
        The column in which integers stay integers.
    comment : str or None
        What comment lines begin with, or "none"; by default "#", where that is unambiguous.
    delimiter : str, optional
        The one of all files.
    leaves_out_lines : bool
        Whether lines with too few or too many cells are left out; otherwise they are an error.
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
        strict: bool = False,
        leaves_out_lines: bool = False,
        facts: TextFacts | None = None,
    ) -> None:
        self._texts = list(texts)
        self._target = target
        self._comment = comment
        self._strict = strict
        self._leaves_out_lines = leaves_out_lines
        self._nulls = pa.array(["", *null_values], pa.string())
        known = arrow_csv.ConvertOptions().null_values if strict else AMONG_NUMBERS
        self._null_values = list(dict.fromkeys((*known, *null_values)))
        self._string_columns = list(string_columns)
        self._ragged: dict[str, int] = {}
        self.facts = TextFacts() if facts is None else facts
        self._headers = [
            header_of(text, comment, delimiter, None if strict else self.facts)
            for text in self._texts
        ]
        self.facts.delimiter = self._headers[0].delimiter
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
            "strict": self._strict,
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
        if not self._strict:
            self._find_null_cells(rows, lines, name, header)
        # A column that is empty in the first rows is taken for numbers. Without a name, too, it is
        # there only because every line ends in a delimiter.
        words = self._with_words(rows, lines, name, header)
        codes = self._with_leading_zeros(rows, lines, name, header)
        # These lines are counted again when they are read.
        self._ragged.clear()
        fields = []
        for own in rows.schema:
            if not types.is_null(own.type):
                fields.append(pa.field(own.name, pa.string()) if own.name in codes else own)
            elif own.name:
                fields.append(
                    pa.field(own.name, pa.string() if own.name in words else pa.float64())
                )
        return pa.schema(fields)

    def _with_leading_zeros(
        self, rows: Any, lines: bytes, where: str, header: CsvHeader
    ) -> set[str]:
        """Return columns of digits that are names rather than numbers, such as the code 01234."""
        if self._strict:
            return set()
        whole = [f.name for f in rows.schema if types.is_integer(f.type) and f.name != self._target]
        if not whole:
            return set()
        text = self._read(lines, where, header, dict.fromkeys(whole, pa.string()))
        return {
            name
            for name in whole
            if pc.any(pc.match_substring_regex(text.column(name), r"^\s*0[0-9]+\s*$")).as_py()
        }

    def _with_words(self, rows: Any, lines: bytes, where: str, header: CsvHeader) -> set[str]:
        """Return columns without a value that hold words, which mean missing only among numbers."""
        if self._strict:
            return set()
        empty = [f.name for f in rows.schema if types.is_null(f.type) and f.name]
        if not empty:
            return set()
        text = self._read(lines, where, header, dict.fromkeys(empty, pa.string()))
        usual = pa.array([*AMONG_STRINGS, *self._nulls.to_pylist()], pa.string())
        return {
            name
            for name in empty
            if not pc.all(pc.is_in(text.column(name).drop_null(), usual)).as_py()
        }

    def _find_null_cells(self, rows: Any, lines: bytes, where: str, header: CsvHeader) -> None:
        """Note which cells among numbers mean a missing value."""
        with_nulls = {
            field.name: pa.string()
            for field, column in zip(rows.schema, rows.columns, strict=True)
            if column.null_count and not is_string(field.type)
        }
        if not with_nulls:
            return
        text = self._read(lines, where, header, with_nulls)
        usual = pa.array([own for own in self._null_values if own], pa.string())
        for name in with_nulls:
            cells = pc.unique(text.column(name))
            found = cells.filter(pc.is_in(cells, usual)).to_pylist()
            if found:
                self.facts.null_cells[name] = found

    def read_as_strings(self, names: Sequence[str]) -> None:
        """Read some columns as strings from now on."""
        self._string_columns += names
        for name in names:
            at = self.schema.get_field_index(name)
            self.schema = self.schema.set(at, pa.field(name, pa.string()))
        self.facts.mixed -= set(names)

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
        """Return some lines as a batch of rows.

        Unless strict, a column that does not have its type after all comes as strings.
        """
        column_types, wanted = dict(column_types), list(columns or column_types)
        n_ragged = 0

        def left_out(row: Any) -> str:
            nonlocal n_ragged
            n_ragged += 1
            return "skip"

        while True:
            n_ragged = 0
            try:
                table = arrow_csv.read_csv(
                    pa.BufferReader(_in_arrow_memory(text)),
                    arrow_csv.ReadOptions(column_names=list(header.names)),
                    arrow_csv.ParseOptions(
                        delimiter=header.delimiter,
                        newlines_in_values=True,
                        invalid_row_handler=left_out if self._leaves_out_lines else None,
                    ),
                    arrow_csv.ConvertOptions(
                        column_types=column_types,
                        include_columns=wanted,
                        null_values=self._null_values,
                    ),
                )
                break
            except pa.ArrowException as error:
                name = None if self._strict else _unconverted(str(error), header)
                if name is None or column_types.get(name) == pa.string():
                    raise _unreadable(str(error), where, header) from None
                column_types[name] = pa.string()
                self.facts.mixed.add(name)
        if n_ragged:
            self._note_ragged(where, n_ragged, table.num_rows)
        arrays = [
            self._without_nulls(column) if is_string(column.type) else column
            for column in table.columns
        ]
        return pa.table(arrays, names=table.column_names).combine_chunks().to_batches()[0]

    def _note_ragged(self, where: str, n_ragged: int, n_rows: int) -> None:
        """Note lines that were left out; raise if they are too many to be mistakes."""
        if n_ragged > max(_FEW_RAGGED, n_rows * _MOST_RAGGED):
            raise ArgumentError(
                "source",
                f"{where}: {n_ragged:,} lines have more or fewer cells than the header, and "
                f"{n_rows:,} have as many",
                "every line needs as many cells as the header",
            )
        if where not in self._ragged:
            self._ragged[where] = n_ragged
            said = "lines with more or fewer cells than the header are left out"
            self.facts.notes[:] = [own for own in self.facts.notes if own[1] != said]
            n_ragged = sum(self._ragged.values())
            self.facts.notes.append((self._texts[0].name, said, n_ragged, False))

    def _without_nulls(self, column: Any) -> Any:
        """Return strings with nulls where cells are empty or among the null values."""
        return pc.if_else(pc.is_in(column, self._nulls), pa.scalar(None, column.type), column)


def _unconverted(problem: str, header: CsvHeader) -> str | None:
    """Return the column that could not be converted; None for another problem."""
    found = re.search(r"In CSV column #(\d+): .*conversion error", problem, re.DOTALL)
    return None if found is None else header.names[int(found[1])]


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
