"""Files of rows that are written part by part; the file extension says the format."""

import bz2
import csv
import gzip
import json
import lzma
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from zerone._errors import ArgumentError

WRITTEN = ".csv, .tsv, .jsonl, .ndjson, .parquet, .pq, .arrow, .feather and .ipc"
"""The file extensions that can be written."""

_PACKED = ".gz, .bz2, .xz and .zst"


class _TextRows:
    """Writes rows as text, one line for each."""

    def __init__(self, file: Any, names: Sequence[str]) -> None:
        self._file = file
        self._names = list(names)

    def write(self, rows: Any) -> None:
        """Write some rows, a pyarrow.RecordBatch."""
        columns = [column.to_pylist() for column in rows.columns]
        self._file.write(self._lines(zip(*columns, strict=True)).encode())

    def close(self) -> None:
        """Write what is left: nothing."""

    def _lines(self, rows: Iterable[tuple[Any, ...]]) -> str:
        raise NotImplementedError


class _CsvRows(_TextRows):
    """CSV with a header."""

    def __init__(self, file: Any, names: Sequence[str], delimiter: str = ",") -> None:
        super().__init__(file, names)
        self._delimiter = delimiter
        self._has_header = False

    def write(self, rows: Any) -> None:
        """Write some rows, and before the first ones the header."""
        if not self._has_header:
            self._file.write(self._lines([tuple(self._names)]).encode())
            self._has_header = True
        super().write(rows)

    def _lines(self, rows: Iterable[tuple[Any, ...]]) -> str:
        # With this end of lines a cell with either of its characters is quoted; the writer writes
        # once for each row.
        lines: list[str] = []
        lined = SimpleNamespace(write=lines.append)
        csv.writer(lined, delimiter=self._delimiter, lineterminator="\r\n").writerows(rows)
        return "".join(f"{line[:-2]}\n" for line in lines)


class _JsonRows(_TextRows):
    """JSON Lines; a number that is not finite is null."""

    def _lines(self, rows: Iterable[tuple[Any, ...]]) -> str:
        return "".join(
            json.dumps(
                dict(zip(self._names, map(_finite, row), strict=True)),
                default=str,
                ensure_ascii=False,
                allow_nan=False,
            )
            + "\n"
            for row in rows
        )


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _ArrowRows:
    """Parquet or Arrow; the first rows say the types."""

    def __init__(self, file: Any, opener: Callable[[Any, Any], Any]) -> None:
        self._file = file
        self._opener = opener
        self._schema: Any = None
        self._writer: Any = None

    def write(self, rows: Any) -> None:
        """Write some rows, a pyarrow.RecordBatch."""
        try:
            if self._writer is None:
                self._schema = rows.schema
                self._writer = self._opener(self._file, rows.schema)
            self._writer.write_batch(rows.cast(self._schema))
        except pa.ArrowException as error:
            raise ArgumentError(
                "output",
                f"the file cannot hold these columns ({error})",
                "write CSV or JSON Lines, or copy other columns",
            ) from None

    def close(self) -> None:
        """Write what belongs at the end of the file."""
        if self._writer is not None:
            self._writer.close()


def _parquet(file: Any, names: Sequence[str]) -> _ArrowRows:
    from pyarrow import parquet

    return _ArrowRows(file, parquet.ParquetWriter)


def _arrow(file: Any, names: Sequence[str]) -> _ArrowRows:
    return _ArrowRows(file, pa.ipc.new_file)


_FORMATS: dict[str, Callable[[Any, Sequence[str]], Any]] = {
    "": _CsvRows,
    ".csv": _CsvRows,
    ".tsv": lambda file, names: _CsvRows(file, names, "\t"),
    ".jsonl": _JsonRows,
    ".ndjson": _JsonRows,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ipc": _arrow,
}
_OF_TEXT = ("", ".csv", ".tsv", ".jsonl", ".ndjson")
_COMPRESSORS: dict[str, Callable[[Any], Any]] = {
    # Without a time, so that the same rows give the same bytes.
    ".gz": lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 (write_rows closes it)
    ".zst": lambda file: pa.CompressedOutputStream(pa.PythonFile(_Open(file), "w"), "zstd"),
}


class _Open:
    """A file that stays open when the compressed file in it is closed."""

    closed = False

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, content: Any) -> int:
        """Write some bytes."""
        return int(self._file.write(content))

    def flush(self) -> None:
        """Write what is in a buffer."""
        self._file.flush()

    def close(self) -> None:
        """Do nothing."""


def require_writable(path: Path) -> None:
    """Raise unless the file extension is one that can be written."""
    extension, packed = _extensions(path)
    if extension not in _FORMATS:
        raise ArgumentError(
            "output",
            f"{path.name!r} has the unknown file extension {extension!r}",
            f"write {WRITTEN}, those of text also with {_PACKED}, or leave the extension out for "
            "CSV",
        )
    if packed and extension not in _OF_TEXT:
        raise ArgumentError(
            "output",
            f"{path.name!r} would be packed twice, as {extension} files are compressed inside",
            f"leave out {packed}",
        )


def _extensions(path: Path) -> tuple[str, str]:
    """Return the extensions of the format and of the compression, in lower case."""
    name = Path(path.name.lower())
    if name.suffix in _COMPRESSORS:
        return Path(name.stem).suffix, name.suffix
    return name.suffix, ""


def write_rows(file: Any, path: Path, names: Sequence[str], parts: Iterable[Any]) -> None:
    """Write rows to an open file.

    Parameters
    ----------
    file : file of bytes
    path : Path
        Its extension says the format; `require_writable` has looked at it.
    names : sequence of str
        Of the columns.
    parts : iterable of pyarrow.RecordBatch
        With the same columns, at least one.
    """
    extension, packed = _extensions(path)
    if packed:
        with _COMPRESSORS[packed](file) as inside:
            _write(_FORMATS[extension](inside, names), parts)
    else:
        _write(_FORMATS[extension](file, names), parts)


def _write(writer: Any, parts: Iterable[Any]) -> None:
    try:
        for rows in parts:
            writer.write(rows)
    finally:
        # While the file is still open: a writer that is forgotten would write to a closed one.
        writer.close()
