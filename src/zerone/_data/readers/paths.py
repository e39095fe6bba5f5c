"""The files that a path, a pattern or a list of them stands for."""

import glob
import re
from collections.abc import Sequence
from pathlib import Path

from zerone._errors import ArgumentError, ArgumentFileError

_URL = re.compile(r"(?i)[a-z][a-z0-9+.-]+:/+[^/]")


def files_of(names: Sequence[str]) -> list[Path]:
    """Return the files that paths and patterns stand for; of a folder, the folder itself.

    The files of a pattern are sorted by path. Raises for what does not exist.
    """
    found: list[Path] = []
    for name in names:
        found += [Path(name)] if _is_one(name, alone=len(names) == 1) else _matches(name)
    return found


def files_within(folder: Path) -> list[Path]:
    """Return the files of a folder and its subfolders, in a fixed order."""
    inside = [file for file in folder.rglob("*") if file.is_file()]
    # As in other libraries, names that begin with a dot or an underscore are not data.
    return sorted(f for f in inside if not any(p[0] in "._" for p in f.relative_to(folder).parts))


def _is_one(name: str, *, alone: bool) -> bool:
    """Whether a name is that of a file or folder, and not a pattern; raises if it is neither."""
    if not name:
        raise ArgumentFileError("source", "got an empty path", "name a file or a folder")
    path = Path(name)
    if path.is_file() or (alone and path.is_dir()):
        return True
    if path.is_dir():
        raise ArgumentFileError(
            "source",
            f"{name!r} is a folder, so there is no file of that name",
            "name the folder alone, or the files in it",
        )
    # One letter is a drive of Windows.
    if _URL.match(name):
        raise ArgumentFileError(
            "source",
            f"{name!r} is a URL, and zerone reads files only",
            "download it first, and name the file",
        )
    if not glob.has_magic(name):
        raise ArgumentFileError("source", f"there is no file {name!r}", "check the path")
    return False


def _matches(pattern: str) -> list[Path]:
    found = [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]
    files = [path for path in found if path.is_file()]
    if files:
        return files
    if found:
        raise ArgumentError(
            "source", f"{pattern!r} matches folders only", "match files, as in 'folder/*.csv'"
        )
    raise ArgumentFileError("source", f"no file matches {pattern!r}", "check the path")
