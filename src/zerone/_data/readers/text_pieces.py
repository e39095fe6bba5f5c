"""Text files of any size as pieces of whole lines, also compressed."""

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
# Pieces that a cell between quotes may go on for.
_PATIENCE = 4


@dataclass(frozen=True, eq=False)
class TextPiece:
    """Whole lines of a file.

    Attributes
    ----------
    text : bytes
    stop : int
        Bytes of the file, as text, up to and with this piece.
    share : float
        Of the file as it is on disk.
    """

    text: bytes
    stop: int
    share: float


def text_pieces(
    path: Path, start: int = 0, *, delimiter: str | None = None, size: int = _PIECE_BYTES
) -> Iterator[TextPiece]:
    """Yield a file's lines, some megabytes at a time, from a byte on that begins a line.

    Parameters
    ----------
    path : Path
        Decompressed by its ending.
    start : int
        In bytes of text.
    delimiter : str, optional
        Between cells, which may hold newlines if they stand between double quotes. None where a
        line is a line.
    """
    total = max(path.stat().st_size, 1)
    with path.open("rb") as raw, _decompressed(path, raw) as file:
        # Compressed files do this by reading up to there.
        file.seek(start)
        stop, text, wanted = start, b"", size
        while True:
            # Where a piece ends depends on nothing but where it begins, so that a scan which goes
            # on from there reads the same pieces as one that was never stopped.
            read = _read(file, wanted - len(text), path)
            text += read
            cut = len(text) if not read else _end_of_last_line(text, delimiter)
            if not cut and len(text) > _PATIENCE * size:
                # A quote that is never closed; whoever reads the lines will say so.
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
        raise ArgumentError("source", f"{str(path)!r} is damaged ({error})") from None
    return read


def _end_of_last_line(text: bytes, delimiter: str | None) -> int:
    """Return where the last whole line ends; 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if delimiter is None or b'"' not in text:
        return end
    # A quote opens a cell only where a cell begins: elsewhere it stands for itself, or for inches.
    edge = re.escape(delimiter.encode())
    quoted = re.compile(rb"(?:\A|(?<=[\n\r" + edge + rb']))"(?:[^"]|"")*+(?:"|\Z)')
    for start, stop in reversed([match.span() for match in quoted.finditer(text)]):
        if stop < end:
            break
        if start < end:
            end = text.rfind(b"\n", 0, start) + 1
    return end
