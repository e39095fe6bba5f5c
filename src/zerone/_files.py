"""Files that are there completely or not at all."""

import glob
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zerone._errors import ArgumentFileError

_PARTIAL = ".partial"


def write_at_once(path: Path, write: Callable[[Any], None]) -> None:
    """Write a file beside ``path`` and move it there, so that no half-written file is seen."""
    path = path.resolve()  # a link stays a link
    folder = path.parent
    if not folder.is_dir():
        raise ArgumentFileError("path", f"there is no folder {os.fspath(folder)!r}")
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{path.name}.", suffix=_PARTIAL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def remove_unfinished(path: Path) -> None:
    """Remove what is left of writings to ``path`` that were killed."""
    target = path.resolve()
    for left in target.parent.glob(f".{glob.escape(target.name)}.*{_PARTIAL}"):
        left.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
