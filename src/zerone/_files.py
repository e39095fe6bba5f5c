"""Files that are there completely or not at all, and what damaged ones raise."""

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
"""What numpy and zipfile raise for archives with changed bytes."""


def write_at_once(path: Path, write: Callable[[Any], None]) -> None:
    """Write a file beside ``path`` and move it there, so that no half-written file is seen."""
    path = path.resolve()  # a link stays a link
    if not path.parent.is_dir():
        raise ArgumentFileError("path", f"there is no folder {os.fspath(path.parent)!r}")
    temporary = path.parent / f".{path.name}.{secrets.token_hex(8)}{_PARTIAL}"
    # Made anew, with the permissions that any new file gets.
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
    """Remove what is left of writings to ``path`` that were killed."""
    target = path.resolve()
    for left in target.parent.glob(f".{glob.escape(target.name)}.*{_PARTIAL}"):
        left.unlink(missing_ok=True)
