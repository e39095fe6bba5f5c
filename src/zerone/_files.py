"""Files that are written completely or not at all, and the errors of damaged files."""

import glob
import os
import secrets
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zerone._errors import ArgumentFileError

_PARTIAL = ".partial"

READ_ERRORS = (
    zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError, KeyError, TypeError,
    NotImplementedError, RuntimeError, SyntaxError, MemoryError,
)  # fmt: skip
"""What numpy and zipfile raise for damaged archives."""


def write_at_once(path: Path, write: Callable[[Any], None]) -> None:
    """Write a temporary file and move it to ``path``, so that nobody sees half a file."""
    path = path.resolve()  # a link stays a link
    if not path.parent.is_dir():
        folder = os.fspath(path.parent)
        raise ArgumentFileError("path", f"there is no folder {folder!r}", "create it first")
    temporary = path.parent / f".{path.name}.{secrets.token_hex(8)}{_PARTIAL}"
    # O_EXCL: never an existing file. 0o666: the default permissions of a new file.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def remove_unfinished(path: Path) -> None:
    """Remove the temporary files of writes to ``path`` that were killed."""
    final = path.resolve()
    for left in final.parent.glob(f".{glob.escape(final.name)}.*{_PARTIAL}"):
        left.unlink(missing_ok=True)
