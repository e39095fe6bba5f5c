"""Text files of any size in pieces of complete lines, also compressed files."""

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zerone._errors import ArgumentError

OPENERS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".bz2": bz2.open, ".gz": gzip.open}

_PIECE_BYTES = 2**23
# How many pieces a quoted cell may span.
_PATIENCE = 4


@dataclass(frozen=True, eq=False)
class TextPiece:
    """Complete lines of a file.

    ``stop`` is the byte offset of their end, after decompression, and ``share`` the share of the
    file on disk that has been read so far.
    """

    text: bytes
    stop: int
    share: float


def text_pieces(
    path: Path, start: int = 0, *, delimiter: str | None = None, size: int = _PIECE_BYTES
) -> Iterator[TextPiece]:
    """Yield the lines of a file, a few megabytes at a time.

    Parameters
    ----------
    path : Path
        Its extension says whether it is compressed.
    start : int
        Byte offset of the first line, after decompression.
    delimiter : str, optional
        Between cells, which may hold newlines inside double quotes. None for text without cells.
    """
    total = max(path.stat().st_size, 1)
    with path.open("rb") as raw, _decompressed(path, raw) as file:
        # In a compressed file this reads everything before.
        file.seek(start)
        stop, text, wanted = start, b"", size
        while True:
            # The end of a piece depends only on its start, so that a scan that continues from a
            # checkpoint reads the same pieces as an uninterrupted one.
            read = _read(file, wanted - len(text), path)
            text += read
            cut = len(text) if not read else _end_of_last_line(text, delimiter)
            if not cut and len(text) > _PATIENCE * size:
                # A quote that is never closed: an error when the lines are parsed.
                cut = _end_of_last_line(text, None)
            if cut:
                stop += cut
                yield TextPiece(text[:cut], stop, raw.tell() / total)
            text = text[cut:]
            wanted = size if cut else wanted + size
            if not read:
                return


def _decompressed(path: Path, raw: Any) -> Any:
    opener = OPENERS.get(path.suffix)
    return raw if opener is None else opener(raw, "rb")


def _read(file: Any, n_bytes: int, path: Path) -> bytes:
    try:
        read: bytes = file.read(n_bytes)
    except (OSError, EOFError, lzma.LZMAError) as error:
        problem = f"{str(path)!r} is damaged ({error})"
        raise ArgumentError("source", problem, "write it again") from None
    return read


def _end_of_last_line(text: bytes, delimiter: str | None) -> int:
    """Return the byte offset of the end of the last complete line; 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if delimiter is None or b'"' not in text:
        return end
    # A quote opens a cell only at its start; elsewhere it is a character like any other.
    edge = re.escape(delimiter.encode())
    quoted = re.compile(rb"(?:\A|(?<=[\n\r" + edge + rb']))"(?:[^"]|"")*+(?:"|\Z)')
    for start, stop in reversed([match.span() for match in quoted.finditer(text)]):
        if stop < end:
            break
        if start < end:
            end = text.rfind(b"\n", 0, start) + 1
    return end
