"""The encoding of text files, found in their first bytes, and their text as UTF-8."""

import codecs
import re
from typing import Any

from zerone._data.readers.compression import skip
from zerone._errors import AdviceWarning, ArgumentError
from zerone._warnings import warn

UTF8 = "utf-8"
_MARKS = {
    # UTF-32 first: its mark begins with that of UTF-16.
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    codecs.BOM_UTF8: UTF8,
}
# Windows writes these for what is called Latin-1: it has the euro sign and curly quotes, too.
_WESTERN = "cp1252"
_CHUNK = 2**16


def _as_latin1(error: UnicodeError) -> tuple[str, int]:
    """Return the characters that Latin-1 has for bytes without one in Windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("zerone-latin-1", _as_latin1)


def require_encoding(name: Any) -> str:
    """Return the usual name of an encoding; raises if there is none of that name."""
    try:
        codecs.getincrementaldecoder(name)
        "a".encode(name)  # raises for codecs of bytes, such as base64
        found = codecs.lookup(name).name
    except (LookupError, TypeError, ValueError):
        raise ArgumentError(
            "file encoding",
            f"got {name!r}, which is not the name of a text encoding",
            "name one such as utf-8, latin-1, cp1252, utf-16 or shift_jis",
        ) from None
    # For users, Latin-1 has a euro sign.
    return _WESTERN if found == "iso8859-1" else found


def with_byte_order(encoding: str, head: bytes) -> str:
    """Return an encoding that users insist on, with the order of bytes, which they often omit."""
    if encoding not in ("utf-16", "utf-32"):
        return encoding
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), "")
    return marked if marked.startswith(encoding) else f"{encoding}-le"


def found_encoding(head: bytes, is_all: bool, where: str) -> str:
    """Return the encoding of a text that begins with ``head``; raises if it cannot be guessed."""
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name
    if b"\0" in head[:_CHUNK]:
        return _with_zeros(head[:_CHUNK], where)
    try:
        codecs.getincrementaldecoder(UTF8)().decode(head, final=is_all)
    except UnicodeDecodeError:
        return _single_bytes(head, where)
    return UTF8


def _with_zeros(head: bytes, where: str) -> str:
    """Return UTF-16 if only every second byte is ever zero: at least that of ends of lines is."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if 20 * odd > len(head) // 2 and 50 * even < odd:
        return "utf-16-le"
    if 20 * even > len(head) // 2 and 50 * odd < even:
        return "utf-16-be"
    raise ArgumentError(
        "source",
        f"{where} is not a text file: it has zero bytes",
        "name a table of a known format, or say how it is read with ⟨file format=parquet⟩ or, "
        "if it is text, ⟨file encoding=utf-16-le⟩",
    )


def _single_bytes(head: bytes, where: str) -> str:
    """Return the encoding of Western Europe, unless it is unlikely to be that of the text."""
    text = head.decode(errors="replace")
    damaged = text.count("\ufffd")
    if len(re.findall(r"[^\x00-\x7f]", text)) > 2 * damaged:
        raise ArgumentError(
            "source",
            f"{where} is UTF-8 text, but {damaged} of its characters are damaged",
            "correct them, or say that it is not UTF-8 with ⟨file encoding=latin-1⟩",
        )
    high = len(re.findall(rb"[\x80-\xff]", head))
    # Western words rarely have three letters with accents in a row; Cyrillic ones mostly.
    in_runs = sum(map(len, re.findall(rb"[\x80-\xff]{3,}", head)))
    if re.search(rb"[\x81\x8d\x8f\x90\x9d]", head) or 2 * in_runs > high:
        raise ArgumentError(
            "source",
            f"{where} is not UTF-8 text, and its encoding cannot be guessed",
            "name the encoding, such as ⟨file encoding=cp1251⟩, or convert the file to UTF-8",
        )
    warn(
        f"{where} is not UTF-8 text and is read as Latin-1 (Windows-1252); if that is wrong, name "
        "the encoding, such as ⟨file encoding=mac_roman⟩",
        AdviceWarning,
    )
    return _WESTERN


class Recoded:
    """The text of a file as UTF-8, whatever its encoding is.

    An offset is one in the UTF-8 bytes; it is reached by reading up to it.
    """

    def __init__(self, file: Any, encoding: str, where: str) -> None:
        self._file = file
        errors = "zerone-latin-1" if encoding == _WESTERN else "strict"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._encoding = encoding
        self._where = where
        self._left = b""
        self._at_end = False

    def read(self, n_bytes: int) -> bytes:
        """Return exactly so many bytes, fewer only at the end."""
        parts, found = [self._left], len(self._left)
        while found < n_bytes and not self._at_end:
            raw = self._file.read(max(_CHUNK, n_bytes - found))
            self._at_end = not raw
            try:
                some = self._decoder.decode(raw, final=self._at_end).encode()
            except UnicodeError:
                raise not_text(self._where, self._encoding) from None
            parts.append(some)
            found += len(some)
        text = b"".join(parts)
        self._left = text[n_bytes:]
        return text[:n_bytes]

    def seek(self, offset: int) -> None:
        """Skip bytes from the beginning on."""
        skip(self, offset)


def not_text(where: str, encoding: str) -> ArgumentError:
    """Return the error for bytes that are not text in an encoding."""
    name = {UTF8: "UTF-8", _WESTERN: "Windows-1252"}.get(encoding, encoding)
    return ArgumentError(
        "source",
        f"{where} is not {name} text",
        "name the encoding, such as ⟨file encoding=latin-1⟩, or convert the file to UTF-8, for "
        "example with iconv",
    )
