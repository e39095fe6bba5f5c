"""Files as one table, and how they are read where that cannot be found out."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from zerone._data.readers.text_encoding import require_encoding
from zerone._errors import ArgumentError, ArgumentTypeError

FORMATS = ("csv", "jsonl", "xlsx", "parquet", "arrow", "libsvm")
"""The formats of tables in files."""

NO_THOUSANDS = "none"
"""The value of ``thousands`` for numbers without separators of thousands."""

NO_COMMENT = "none"
"""The value of ``comment`` for files without comments."""


@dataclass(frozen=True)
class TableFiles:
    """One or several files that are read as one table, with what is known about them.

    A path or a list of paths does in its place where format, encoding and comments can be found
    out. Any function that takes a table takes a `TableFiles`, too.

    Parameters
    ----------
    paths : path or list of paths
        Files, a folder, or patterns such as ``"2026/*.csv"``.
    format : {"csv", "jsonl", "xlsx", "parquet", "arrow", "libsvm"}, optional
        By default the file extension decides or, without a known one, the content.
    encoding : str, optional
        The encoding of text, such as ``"latin-1"``. By default UTF-8, UTF-16 and UTF-32 are
        recognised, and Latin-1 is read with a warning.
    comment : str, optional
        What the comment lines of CSV begin with, or "none" if there are none. By default ``"#"``; a
        line that may be a comment or a row is an error.
    sheet : str, optional
        The sheet of a workbook (.xlsx), by default the first one.
    decimal : {".", ","}, optional
        The decimal separator of numbers in text; by default the columns say it.
    thousands : str, optional
        What separates thousands, by default any of the usual marks; "none" if nothing does.

    Examples
    --------
    >>> from zerone import TableFiles
    >>> files = TableFiles("2026/*.dat", format="csv", encoding="latin-1")

    ``Moments.from_table(files, target="late")`` would read them.
    """

    paths: str | PathLike[str] | Sequence[str | PathLike[str]]
    format: str | None = None
    encoding: str | None = None
    comment: str | None = None
    sheet: str | None = None
    decimal: str | None = None
    thousands: str | None = None

    def __post_init__(self) -> None:
        one = isinstance(self.paths, str | PathLike)
        if not one and not (
            isinstance(self.paths, list | tuple)
            and self.paths
            and all(isinstance(path, str | PathLike) for path in self.paths)
        ):
            raise ArgumentTypeError(
                "paths", f"got {self.paths!r}", "pass a path or a list of at least one path"
            )
        for name in ("encoding", "comment", "sheet", "decimal", "thousands"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise ArgumentTypeError(f"file {name}", f"got {value!r}, expected a string")
        if self.format is not None and self.format not in FORMATS:
            raise ArgumentError(
                "file format", f"got {self.format!r}, expected one of {', '.join(FORMATS)}"
            )
        if self.encoding is not None:
            require_encoding(self.encoding)
        if self.decimal not in (None, ".", ","):
            raise ArgumentError("file decimal", f"got {self.decimal!r}, expected '.' or ','")
        if self.thousands is not None:
            self._check_thousands(self.thousands)

    def _check_thousands(self, thousands: str) -> None:
        if thousands not in (*".,' _", NO_THOUSANDS) or thousands == self.decimal:
            raise ArgumentError(
                "file thousands",
                f"got {thousands!r}, expected one of . , ' _, a space, or {NO_THOUSANDS}",
                "it cannot be the decimal separator",
            )

    @property
    def names(self) -> list[str]:
        """The paths as strings."""
        if isinstance(self.paths, str | PathLike):
            return [fspath(self.paths)]
        return [fspath(path) for path in self.paths]
