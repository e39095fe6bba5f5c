"""A file of text: unpacked, and as UTF-8."""

import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from zerone._data.readers.compression import DAMAGED, damaged, decompressed, zip_members
from zerone._data.readers.source import file_identity
from zerone._data.readers.text_encoding import (
    UTF8,
    Recoded,
    found_encoding,
    require_encoding,
    with_byte_order,
)

# They decide the encoding: many, because the first letter with an accent may come late, but not so
# many that opening a folder of files means reading it.
_HEAD_BYTES = 2**20


@dataclass(frozen=True, eq=False)
class OpenText:
    """An open text: a stream with ``read`` and ``seek``, and the share of it read so far."""

    stream: Any
    share: Callable[[], float]


class Text(Protocol):
    """A text that can be opened any number of times."""

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> Any: ...

    def opened(self) -> Any:
        """Return a context manager of an `OpenText`."""
        ...


@dataclass(frozen=True)
class TextFile:
    """A text file, perhaps compressed, or a member of a zip file.

    ``insisted`` is its encoding where users say so; otherwise the first megabytes tell it.
    """

    path: Path
    member: str | None = None
    insisted: str | None = None

    @property
    def name(self) -> str:
        """Its name in messages."""
        return str(self.path) if self.member is None else f"{self.path}/{self.member}"

    @cached_property
    def encoding(self) -> str:
        """The encoding of the text."""
        if self.insisted is not None:
            return with_byte_order(self.insisted, self.head(4))
        head = self.head(_HEAD_BYTES)
        return found_encoding(head, len(head) < _HEAD_BYTES, repr(self.name))

    @property
    def identity(self) -> dict[str, Any]:
        """Name, size and modification time of the file, and how its bytes become text."""
        extra: dict[str, Any] = {"encoding": self.encoding}
        if self.member is not None:
            extra["member"] = self.member
        return {**file_identity([self.path])[0], **extra}

    def head(self, n_bytes: int) -> bytes:
        """Return the first bytes, unpacked, in the encoding that they have."""
        try:
            with self._bytes() as file:
                found: bytes = file.stream.read(n_bytes)
        except DAMAGED as error:
            raise damaged(repr(self.name), error) from None
        return found

    @contextmanager
    def opened(self) -> Iterator[OpenText]:
        """Open the text as UTF-8; offsets are those of the unpacked UTF-8 bytes."""
        encoding = self.encoding
        with self._bytes() as file:
            stream = file.stream
            if encoding != UTF8:
                stream = Recoded(stream, encoding, repr(self.name))
            yield OpenText(stream, file.share)

    @contextmanager
    def _bytes(self) -> Iterator[OpenText]:
        with self.path.open("rb") as raw:
            if self.member is None:
                total = max(self.path.stat().st_size, 1)
                with decompressed(raw, self.path) as file:
                    yield OpenText(file, lambda: raw.tell() / total)
                return
            try:
                archive = zipfile.ZipFile(raw)
                member = archive.open(self.member)
            except (*DAMAGED, NotImplementedError, RuntimeError) as error:
                raise damaged(repr(self.name), error) from None
            size = max(archive.getinfo(self.member).file_size, 1)
            with archive, member:
                yield OpenText(member, lambda: member.tell() / size)


def text_files(paths: Sequence[Path], encoding: str | None = None) -> list[TextFile]:
    """Return the texts in some files; each member of a zip file is one."""
    found: list[TextFile] = []
    encoding = None if encoding is None else require_encoding(encoding)
    for path in paths:
        members: Sequence[str | None] | None = zip_members(path)
        found += [TextFile(path, member, encoding) for member in members or [None]]
    return found
