"""Text files of any size as pieces of whole lines, also compressed."""

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    path: Path, start: int = 0, *, quoted: bool = False, size: int = _PIECE_BYTES
) -> Iterator[TextPiece]:
    """Yield a file's lines, some megabytes at a time, from a byte on that begins a line.

    Parameters
    ----------
    path : Path
        Decompressed by its ending.
    start : int
        In bytes of text.
    quoted : bool
        Whether a line may go on after a newline between double quotes.
    """
    total = max(path.stat().st_size, 1)
    with path.open("rb") as raw, _decompressed(path, raw) as file:
        _skip(file, start)
        stop, text, wanted = start, b"", size
        while True:
            # Where a piece ends depends on nothing but where it begins, so that a scan which goes
            # on from there reads the same pieces as one that was never stopped.
            read = _read(file, wanted - len(text), path)
            text += read
            cut = len(text) if not read else _end_of_last_line(text, quoted)
            if not cut and len(text) > _PATIENCE * size:
                # A quote that stands for inches, not for the beginning of a cell.
                cut = _end_of_last_line(text, quoted=False)
            if cut:
                stop += cut
                yield TextPiece(text[:cut], stop, raw.tell() / total)
            text = text[cut:]
            wanted = size if cut else wanted + size
            if not read:
                return


def _read(file: Any, n_bytes: int, path: Path) -> bytes:
    try:
        read: bytes = file.read(n_bytes)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise ValueError(f"source: {str(path)!r} is damaged ({error})") from None
    return read


def _decompressed(path: Path, raw: Any) -> Any:
    opener = OPENERS.get(path.suffix)
    return raw if opener is None else opener(raw, "rb")


def _skip(file: Any, n_bytes: int) -> None:
    # Compressed files do this by reading up to there.
    if n_bytes:
        file.seek(n_bytes)


def _end_of_last_line(text: bytes, quoted: bool) -> int:
    """Return where the last whole line ends; 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if not quoted or text.count(b'"', 0, end) % 2 == 0:
        return end
    # Between quotes: back to a newline before which all of them are closed.
    cut = end
    while cut:
        last = text.rfind(b'"', 0, cut)
        newline = text.rfind(b"\n", 0, last + 1) + 1 if last >= 0 else cut
        if text.count(b'"', 0, newline) % 2 == 0:
            return newline
        cut = newline
    return end
