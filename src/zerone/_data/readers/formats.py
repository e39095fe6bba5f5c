"""The format of a file: from its extension or, without a known one, from its content."""

import re
import zipfile
from pathlib import Path

from zerone._data.readers.compression import COMPRESSED, DAMAGED, ZIP, damaged, zip_members
from zerone._data.readers.text_file import TextFile
from zerone._errors import ArgumentError

EXTENSIONS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
}
"""The format of each file extension."""

TEXT_FORMATS = ("csv", "jsonl", "libsvm")

_BEGINNINGS = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_OLE = b"\xd0\xcf\x11\xe0"  # of old Office files, and of those with a password
_LIBSVM = re.compile(r"[-+.\d][-+.\deE]*(\s+\d+:[-+.\w]+)+\s*(#.*)?")
_SAY = "name it with ⟨file format=csv⟩"
_HEAD_BYTES = 2**16


def format_of(path: Path) -> str:
    """Return the format of a file; raises if it cannot be guessed."""
    extension, compressed = _extension(path.name)
    known = EXTENSIONS.get(extension)
    members = None if known == "xlsx" else zip_members(path)
    if members and (known is None or compressed != ".zip"):
        if "xl/workbook.xml" in members:
            return "xlsx"
        known = _format_of_members(path, members)
    if known is None:
        known = _format_of_content(TextFile(path))
    if known not in TEXT_FORMATS and (compressed or members):
        raise ArgumentError(
            "source",
            f"{str(path)!r} is a packed {known} file",
            "unpack it, and name the file in it",
        )
    return known


def _extension(name: str) -> tuple[str, str]:
    """Return the extensions of the format and of the compression, in lower case."""
    path = Path(name.lower())
    if path.suffix in COMPRESSED:
        return Path(path.stem).suffix, path.suffix
    return path.suffix, ""


def _format_of_members(path: Path, members: list[str]) -> str:
    """Return the format of the tables in a zip file."""
    found = {
        EXTENSIONS.get(_extension(member)[0]) or _format_of_content(TextFile(path, member))
        for member in members
    }
    if len(found) > 1:
        raise ArgumentError(
            "source",
            f"{str(path)!r} holds files of the formats {', '.join(sorted(found))}",
            "unpack it, and name the table",
        )
    return found.pop()


def _format_of_content(text: TextFile) -> str:
    head = text.head(_HEAD_BYTES)
    for beginning, name in _BEGINNINGS.items():
        if head.startswith(beginning) and b"\0" in head:
            return name
    if head.startswith(_OLE):
        raise ArgumentError(
            "source",
            f"{text.name!r} is an old Excel file, or one with a password",
            "save it as .xlsx without a password, or as CSV",
        )
    lines = head.decode(text.encoding, errors="replace").lstrip("\ufeff").splitlines()
    if not any(map(str.strip, lines)):
        raise ArgumentError("source", f"{text.name!r} is empty", "a header and a row are needed")
    line = next((own for own in lines if own.strip() and own[0] != "#"), "#")
    return _format_of_line(line.strip(), text.name)


def _format_of_line(line: str, name: str) -> str:
    """Return the format of a text from its first line."""
    if line.startswith("{") and len(line) > 1:
        return "jsonl"
    if line[0] in "[{":
        raise ArgumentError(
            "source",
            f"{name!r} is one JSON value, which cannot be read in parts",
            'write JSON Lines: one object {"column": value, …} in each line',
        )
    require_no_markup(line, name)
    if _LIBSVM.fullmatch(line):
        return "libsvm"
    if any(delimiter in line for delimiter in ",;\t|") or " " not in line:
        return "csv"
    raise ArgumentError(
        "source",
        f"the format of {name!r} cannot be guessed: its first line, {line[:60]!r}, has neither "
        "comma, semicolon, tab nor vertical bar",
        f"write it as CSV with one of these between the cells; if it is a table, {_SAY}",
    )


def require_no_markup(line: str, name: str) -> None:
    """Raise if a file that should be a table is a page of the web, as downloads sometimes are."""
    if re.match(r"\s*<[!?\w][^,;\t|]*>", line):
        raise ArgumentError(
            "source", f"{name!r} is HTML or XML, not a table", "write it as CSV or Parquet"
        )


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook, and not an old or protected one; raises if it is damaged."""
    with path.open("rb") as raw:
        if raw.read(4) != ZIP:
            return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except DAMAGED as error:
        raise damaged(repr(str(path)), error) from None
