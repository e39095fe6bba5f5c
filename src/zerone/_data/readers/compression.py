"""Compressed files, recognised by their first bytes, whatever their names say."""

import bz2
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zerone._errors import ArgumentError

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""File extensions of compressed files, after the extension of the format."""

DAMAGED = (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile)
"""What decompression raises for a damaged or truncated file."""

ZIP = b"PK\x03\x04"
# The first four bytes of a zip file without members.
EMPTY_ZIP = b"PK\x05\x06"


def decompressed(raw: Any, path: Path) -> Any:
    """Return a file of decompressed bytes, or the file itself if it is not compressed."""
    head = raw.read(10)
    raw.seek(0)
    for beginning, opener in _OPENERS.items():
        if re.match(beginning, head, re.DOTALL):
            return opener(raw, path)
    return raw


def _open_zstd(raw: Any, path: Path) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(
            f"reading {str(path)!r} needs pyarrow; install it with pip install 'zerone[arrow]'"
        ) from None
    return _ForwardOnly(pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"))


class _ForwardOnly:
    """A stream that reaches a later offset by reading up to it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, n_bytes: int) -> bytes:
        """Return exactly so many bytes, fewer only at the end."""
        found: list[bytes] = []
        while n_bytes > 0:
            some = self._stream.read(n_bytes)
            if not some:
                break
            found.append(some)
            n_bytes -= len(some)
        return b"".join(found)

    def seek(self, offset: int) -> None:
        """Skip bytes from the beginning on."""
        skip(self, offset)

    def __enter__(self) -> "_ForwardOnly":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()


def skip(stream: Any, n_bytes: int) -> None:
    """Read so many bytes in small pieces, and forget them."""
    while n_bytes > 0:
        some = stream.read(min(n_bytes, 2**20))
        if not some:
            return
        n_bytes -= len(some)


_OPENERS: dict[bytes, Callable[[Any, Path], Any]] = {
    rb"\x1f\x8b": lambda raw, path: gzip.GzipFile(fileobj=raw),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": lambda raw, path: bz2.BZ2File(raw),
    rb"\xfd7zXZ\x00": lambda raw, path: lzma.LZMAFile(raw),  # noqa: SIM115 (TextFile closes it)
    rb"\x28\xb5\x2f\xfd": _open_zstd,
}


def zip_members(path: Path) -> list[str] | None:
    """Return the names of the files in a zip file, sorted; None if it is no zip file.

    Folders, and files whose names begin with a dot or an underscore, are not data.
    """
    with path.open("rb") as raw:
        if raw.read(4) not in (ZIP, EMPTY_ZIP):
            return None
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
    except DAMAGED as error:
        raise damaged(repr(str(path)), error) from None
    members = [m for m in members if not any(p[0] in "._" for p in Path(m.filename).parts)]
    if not members:
        raise ArgumentError("source", f"{str(path)!r} has no file in it", "zip one table")
    for member in members:
        if member.flag_bits & 1:
            raise ArgumentError(
                "source",
                f"{member.filename!r} in {str(path)!r} is protected by a password",
                "unpack it first, and name the file",
            )
    return sorted(member.filename for member in members)


def damaged(where: str, error: Exception) -> ArgumentError:
    """Return the error for a file that cannot be decompressed."""
    return ArgumentError("source", f"{where} is damaged ({error})", "write it again")
