"""Texts of any size in pieces of complete lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from zerone._data.readers.compression import DAMAGED, damaged
from zerone._data.readers.text_file import Text

_PIECE_BYTES = 2**23
# How many pieces a quoted cell may span.
_PATIENCE = 4


@dataclass(frozen=True, eq=False)
class TextPiece:
    """Complete lines of a text, in UTF-8.

    ``stop`` is the byte offset of their end, unpacked and in UTF-8, and ``share`` the share of the
    file on disk that has been read so far.
    """

    text: bytes
    stop: int
    share: float


def text_pieces(
    source: Text,
    start: int = 0,
    *,
    delimiter: str | None = None,
    comment: bytes = b"",
    size: int = _PIECE_BYTES,
) -> Iterator[TextPiece]:
    """Yield the lines of a text, a few megabytes at a time.

    Parameters
    ----------
    source : Text
    start : int
        Byte offset of the first line, unpacked and in UTF-8.
    delimiter : str, optional
        Between cells, which may hold newlines inside double quotes. None for text without cells.
    comment : bytes, optional
        What comment lines begin with; quotes in them mean nothing.
    """
    with source.opened() as file:
        # In a file that is compressed or not UTF-8, this reads everything before.
        file.stream.seek(start)
        stop, text, wanted = start, b"", size
        while True:
            # The end of a piece depends only on its start, so that a scan that continues from a
            # checkpoint reads the same pieces as an uninterrupted one.
            read = _read(file.stream, wanted - len(text), source)
            text += read
            cut = len(text) if not read else _end_of_last_line(text, delimiter, comment)
            if not cut and len(text) > _PATIENCE * size:
                # A quote that is never closed: an error when the lines are parsed.
                cut = _end_of_last_line(text, None)
            if cut:
                stop += cut
                yield TextPiece(text[:cut], stop, file.share())
            text = text[cut:]
            wanted = size if cut else wanted + size
            if not read:
                return


def _read(stream: Any, n_bytes: int, source: Text) -> bytes:
    try:
        read: bytes = stream.read(n_bytes)
    except DAMAGED as error:
        raise damaged(repr(source.name), error) from None
    return read


def cell_or_comment(delimiter: str, comment: bytes = b"") -> re.Pattern[bytes]:
    """Return a pattern that finds quoted cells and comment lines, the latter as a group."""
    # A quote opens a cell only at its start; elsewhere it is a character like any other.
    edge = re.escape(delimiter.encode())
    line = rb"(?:\A|(?<=\n))" + re.escape(comment) + rb"[^\n]*\n?" if comment else rb"(?!)"
    quoted = rb"(?:\A|(?<=[\n\r" + edge + rb']))"(?:[^"]|"")*+(?:"|\Z)'
    return re.compile(rb"(?P<comment>" + line + rb")|" + quoted)


def _end_of_last_line(text: bytes, delimiter: str | None, comment: bytes = b"") -> int:
    """Return the byte offset of the end of the last complete line; 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if delimiter is None or b'"' not in text:
        return end
    found = cell_or_comment(delimiter, comment).finditer(text)
    quoted = [match.span() for match in found if match["comment"] is None]
    for start, stop in reversed(quoted):
        if stop < end:
            break
        if start < end:
            end = text.rfind(b"\n", 0, start) + 1
    return end
