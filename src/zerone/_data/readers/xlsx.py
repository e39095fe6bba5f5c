"""Sheets of workbooks (.xlsx), as the CSV that a spreadsheet program would save."""

import csv
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, time
from functools import cached_property
from pathlib import Path
from typing import Any

from zerone._data.readers.formats import is_workbook
from zerone._data.readers.source import file_identity
from zerone._data.readers.text_file import OpenText
from zerone._errors import AdviceWarning, ArgumentError
from zerone._files import READ_ERRORS
from zerone._warnings import warn


class SheetText:
    """One sheet as CSV text; it is read whole, and kept in memory.

    Rows without any value are left out. The header is the first row with several values; a sheet
    with one column begins with its header.
    """

    def __init__(self, path: Path, sheet: str | None) -> None:
        self._path = path
        with _workbook(path) as book:
            self._sheet = _chosen(book, sheet, str(path))

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"{self._path}, sheet {self._sheet}"

    @property
    def identity(self) -> dict[str, Any]:
        """Name, size and modification time of the file, and the sheet."""
        return {**file_identity([self._path])[0], "sheet": self._sheet}

    @contextmanager
    def opened(self) -> Iterator[OpenText]:
        """Open the text."""
        total = max(len(self._content), 1)
        stream = io.BytesIO(self._content)
        yield OpenText(stream, lambda: stream.tell() / total)

    @cached_property
    def _content(self) -> bytes:
        with _workbook(self._path) as book:
            sheet = book[self._sheet]
            # Some programs write wrong dimensions.
            sheet.reset_dimensions()
            try:
                cells = [list(map(_cell, row)) for row in sheet.iter_rows(values_only=True)]
            except READ_ERRORS as error:
                raise _damaged(self._path, error) from None
        return _as_csv([row for row in cells if any(row)], self.name)


def _as_csv(rows: list[list[str]], name: str) -> bytes:
    if not rows:
        raise ArgumentError("source", f"{name!r} is empty", "name another with ⟨file sheet=NAME⟩")
    rows = _without_titles(rows, name)
    used = [any(own) for own in zip(*_filled(rows), strict=True)]
    header = [*rows[0], *[""] * (len(used) - len(rows[0]))]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    # A header of several lines is common in sheets, and none in CSV.
    writer.writerow([" ".join(t.split()) for t, own in zip(header, used, strict=True) if own])
    for row in _filled(rows[1:], len(used)):
        kept = [value for value, own in zip(row, used, strict=True) if own]
        writer.writerow(kept)
    return text.getvalue().encode()


def _without_titles(rows: list[list[str]], name: str) -> list[list[str]]:
    """Return the rows from the header on: lines above it have one value, the table has more."""
    n_values = [sum(map(bool, row)) for row in rows]
    header = next((i for i, own in enumerate(n_values) if own > 1), 0)
    if header:
        titles = [next(filter(None, row)) for row in rows[:header]]
        warn(f"{name!r}: the first rows are titles: {', '.join(map(repr, titles))}", AdviceWarning)
    return rows[header:]


def _filled(rows: Sequence[list[str]], width: int | None = None) -> Iterator[list[str]]:
    """Yield rows of the same length."""
    width = max(map(len, rows)) if width is None else width
    for row in rows:
        yield row + [""] * (width - len(row))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return str(value)


def _chosen(book: Any, sheet: str | None, name: str) -> str:
    """Return the name of the sheet to read."""
    names: list[str] = [own.title for own in book.worksheets if own.sheet_state == "visible"]
    known: list[str] = [own.title for own in book.worksheets]
    listed = ", ".join(map(repr, known))
    if sheet is None and names:
        if len(names) > 1:
            warn(
                f"{name!r} has the sheets {listed}; {names[0]!r} is read. ⟨file sheet={names[1]}⟩ "
                "reads another",
                AdviceWarning,
            )
        return names[0]
    if sheet not in known:
        raise ArgumentError(
            "file sheet", f"there is no sheet {sheet!r} in {name!r}", f"it has {listed}"
        )
    return str(sheet)


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    try:
        import openpyxl
    except ImportError:
        raise ImportError(
            "reading .xlsx needs openpyxl; install it with pip install 'zerone[excel]'"
        ) from None
    if not is_workbook(path):
        raise ArgumentError(
            "source",
            f"{str(path)!r} is not a workbook (.xlsx), or has a password",
            "save it as .xlsx without a password, or as CSV",
        )
    with path.open("rb") as file:
        try:
            with warnings.catch_warnings():
                # About styles and other things that are not read.
                warnings.simplefilter("ignore", UserWarning)
                book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except READ_ERRORS as error:
            raise _damaged(path, error) from None
        yield book


def _damaged(path: Path, error: Exception) -> ArgumentError:
    return ArgumentError("source", f"{str(path)!r} is damaged ({error})", "save it again")
