"""The first lines of a CSV file: comments, column names, the delimiter."""

import csv
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from zerone._data.readers.formats import require_no_markup
from zerone._data.readers.source import TextFacts
from zerone._data.readers.text_encoding import UTF8, not_text
from zerone._data.readers.text_file import Text
from zerone._data.readers.text_pieces import cell_or_comment, text_pieces
from zerone._data.table_files import NO_COMMENT
from zerone._errors import ArgumentError

_DELIMITERS = ",;\t|"
_USUAL_COMMENT = "#"


@dataclass(frozen=True)
class CsvHeader:
    """How the rows of a CSV file are to be read.

    Attributes
    ----------
    names : tuple of str
    delimiter : str
    begin : int
        Byte offset of the first row.
    comment : bytes
        What comment lines begin with; empty if there are none.
    is_sure : bool
        Whether all lines that begin so are comments. Otherwise only those with another number of
        cells than the header are; of the others it cannot be known.
    """

    names: tuple[str, ...]
    delimiter: str
    begin: int
    comment: bytes
    is_sure: bool

    def without_comments(self, text: bytes, where: str) -> bytes:
        """Return some lines without the comments among them."""
        mark = self.comment
        # The mark alone first: most texts have none, and one byte is found ten times as fast.
        if not mark or mark not in text:
            return text
        if not (text.startswith(mark) or b"\n" + mark in text):
            return text
        kept, end = [], 0
        for match in cell_or_comment(self.delimiter, mark).finditer(text):
            if match["comment"] is None:
                continue
            if not self.is_sure:
                self._require_no_row(match["comment"], where)
            kept.append(text[end : match.start()])
            end = match.end()
        return b"".join([*kept, text[end:]])

    def _require_no_row(self, line: bytes, where: str) -> None:
        text = line.decode(errors="replace").rstrip()
        n_cells = len(_cells(text, self.delimiter))
        if n_cells != len(self.names) and text.count('"') % 2 == 0:
            return
        mark = self.comment.decode()
        raise ArgumentError(
            "file comment",
            f"{where}: the line {text[:80]!r} may be a comment or a row",
            f"⟨file comment={mark}⟩ says that such lines are comments, "
            f"⟨file comment={NO_COMMENT}⟩ that they are rows",
        )


def header_of(
    text: Text,
    comment: str | None,
    delimiter: str | None = None,
    facts: TextFacts | None = None,
) -> CsvHeader:
    """Return the header of a CSV file.

    Parameters
    ----------
    comment : str or None
        What comment lines begin with, "none", or None if that is to be found.
    delimiter : str, optional
        By default the most frequent one in the header.
    facts : TextFacts, optional
        Notes names that were found or changed. Without it, columns need names that are distinct.
    """
    first = next(text_pieces(text, size=2**16), None)
    content = b"" if first is None else first.text.removeprefix(BOM_UTF8)
    if first is None or not content.strip():
        raise ArgumentError("source", f"{text.name!r} is empty", "a header and a row are needed")
    mark = "" if comment == NO_COMMENT else comment or _USUAL_COMMENT
    comments, lines = _first_lines(content, mark, text.name)
    if comment is None and comments and _is_header(comments[-1], lines, text.name):
        lines, comments = comments[-1:], comments[:-1]
    if not lines:
        raise ArgumentError(
            "source",
            f"{text.name!r} begins with comments only",
            f"if the first line is the header, say ⟨file comment={NO_COMMENT}⟩",
        )
    line, end = lines[0]
    require_no_markup(line, text.name)
    delimiter = delimiter or _delimiter_of(line)
    if "\r" in line or line.count('"') % 2:
        raise ArgumentError(
            "source",
            f"the header of {text.name!r} is not one line that ends in a newline",
            "write column names without newlines, and end every line with a newline",
        )
    names = [name.strip() for name in _cells(line, delimiter)]
    if facts is not None:
        names = _completed(names, _cells_below(content[end:], delimiter), text.name, facts)
    require_distinct(names, text.name)
    is_sure = comment is not None or bool(comments)
    begin = len(first.text) - len(content) + end
    return CsvHeader(tuple(names), delimiter, begin, mark.encode(), is_sure)


def _cells_below(content: bytes, delimiter: str) -> list[str]:
    """Return the cells of the first row."""
    line = next((own for own, _ in _lines(content) if own.strip()), b"")
    return _cells(line.decode(errors="replace").rstrip("\r"), delimiter)


def _completed(names: list[str], below: list[str], where: str, facts: TextFacts) -> list[str]:
    """Return a name of its own for every column, with notes of those that were made up."""
    if len(below) == len(names) + 1:
        # Every line but the header ends in a delimiter, or R has written the names of the rows.
        names = ["", *names] if below[-1] else [*names, ""]
    if not names[-1] and below and not below[-1]:
        # Every line ends in a delimiter.
        return [*_completed(names[:-1], below[:-1], where, facts), ""]
    found: list[str] = []
    taken = set(names)
    for number, name in enumerate(names, 1):
        own = name or f"column {number}"
        repeat = 2
        while own in found or (own != name and own in taken):
            own, repeat = f"{name or f'column {number}'} ({repeat})", repeat + 1
        found.append(own)
        if not name:
            facts.unnamed.add(own)
            facts.notes.append(
                (own, "has no name in the header, and is called by its number", None, False)
            )
        elif own != name:
            facts.notes.append((own, f"is another column named {name!r}", None, False))
    return found


def require_distinct(names: Sequence[str], where: str) -> None:
    """Raise if a column name occurs twice."""
    seen = set()
    for name in names:
        if name in seen:
            raise ArgumentError(
                "source", f"the header of {where!r} has the column {name!r} twice", "rename one"
            )
        seen.add(name)


_Line = tuple[str, int]
"""A line without its end, and the byte offset after it."""


def _first_lines(content: bytes, mark: str, name: str) -> tuple[list[_Line], list[_Line]]:
    """Return the comments at the top, and the first line that is none."""
    comments: list[_Line] = []
    for line, end in _lines(content):
        try:
            text = line.decode().rstrip("\r")
        except UnicodeDecodeError:
            raise not_text(repr(name), UTF8) from None
        if not text:
            continue  # some programs write an empty line first
        if not mark or not text.startswith(mark):
            return comments, [(text, end)]
        comments.append((text, end))
    return comments, []


def _lines(content: bytes) -> Iterator[tuple[bytes, int]]:
    begin = 0
    while begin < len(content):
        end = content.find(b"\n", begin)
        end = len(content) if end < 0 else end
        yield content[begin:end], end + 1
        begin = end + 1


def _is_header(last: _Line, following: list[_Line], name: str) -> bool:
    """Whether the last comment line is the header, as in ``#id,age,pay``."""
    line = last[0]
    delimiter = _delimiter_of(line)
    n_cells = len(_cells(line, delimiter))
    if n_cells < 2 or not following:
        return n_cells > 1 and not following
    cells = _cells(following[0][0], delimiter)
    if len(cells) != n_cells:
        return False
    if any(map(_is_number, cells)):
        return True  # that line is a row, because no column has a number for its name
    raise ArgumentError(
        "file comment",
        f"the header of {name!r} may be {line[:80]!r} or the line below",
        f"⟨file comment={NO_COMMENT}⟩ says that it is the first line, "
        f"⟨file comment={_USUAL_COMMENT}⟩ that lines that begin so are comments",
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _delimiter_of(line: str) -> str:
    return max(_DELIMITERS, key=line.count)


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])
