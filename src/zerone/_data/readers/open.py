"""The reader for a source."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from zerone._data.containers import is_from
from zerone._data.readers.compression import COMPRESSED
from zerone._data.readers.libsvm import LibsvmSource
from zerone._data.readers.source import TableSource
from zerone._data.readers.text_file import text_files
from zerone._errors import ArgumentError, ArgumentFileError, ArgumentTypeError

_KNOWN = (
    "a path to Parquet, CSV, Arrow or LIBSVM text, a list of paths, a data frame, or an object "
    "with the Arrow C stream interface"
)


def open_table(
    source: Any,
    *,
    string_columns: Sequence[str] = (),
    null_values: Sequence[str] = (),
    target: str | None = None,
) -> Any:
    """Return a `TableSource` or a `LibsvmSource` for anything that can be read.

    ``string_columns`` are CSV columns to read as strings even if they look like numbers,
    ``null_values`` CSV cells that mean a missing value, and ``target`` is the column of labels.
    """
    require_strings("null_values", null_values)
    csv_options = {"string_columns": string_columns, "null_values": null_values, "target": target}
    if _is_path(source):
        return _open_path(fspath(source), csv_options)
    if isinstance(source, list | tuple) and source and all(map(_is_path, source)):
        return _open_files([Path(fspath(path)) for path in source], csv_options)
    _refuse_null_values(null_values)
    if isinstance(source, LibsvmSource) or hasattr(source, "is_rereadable"):
        return source
    require_arrow()
    if hasattr(source, "collect") and not hasattr(source, "__arrow_c_stream__"):
        raise ArgumentTypeError(
            "source", f"is a lazy {type(source).__name__}", "call .collect() first"
        )
    if not hasattr(source, "__arrow_c_stream__") or is_from(source, "pandas", "Series"):
        raise ArgumentTypeError("source", f"got {type(source).__name__}, expected {_KNOWN}")
    from zerone._data.readers.stream import StreamSource

    return StreamSource(source)


def _is_path(source: Any) -> bool:
    return isinstance(source, str | PathLike)


@contextmanager
def closed_on_failure(opened: Any) -> Iterator[None]:
    """Close a source if the block raises."""
    try:
        yield
    except BaseException:
        if hasattr(opened, "close"):
            opened.close()
        raise


def require_strings(name: str, given: Any) -> None:
    """Raise unless an argument is a list of strings; a single string is not one."""
    if isinstance(given, str) or not isinstance(given, Sequence | set | frozenset):
        raise ArgumentTypeError(name, f"got {given!r}, expected a list of strings")
    for value in given:
        if not isinstance(value, str):
            raise ArgumentTypeError(name, f"got {value!r} in it, expected a list of strings")


def _open_path(name: str, csv_options: dict[str, Any]) -> Any:
    path = Path(name)
    if not name:
        raise ArgumentFileError("source", "got an empty path", "name a file or a folder")
    if not path.is_dir():
        return _open_files([path], csv_options)
    # As in other libraries, names that begin with a dot or an underscore are not data.
    inside = [file for file in path.rglob("*") if file.is_file()]
    names = sorted(f for f in inside if not any(p[0] in "._" for p in f.relative_to(path).parts))
    if names and all(FORMATS.get(_extension(file)) is not _open_parquet for file in names):
        return _open_files(names, csv_options)
    return _open_parquet([path], csv_options)


def _open_files(paths: list[Path], csv_options: dict[str, Any]) -> Any:
    for path in paths:
        if not path.is_file():
            raise ArgumentFileError("source", f"there is no file {str(path)!r}", "check the path")
    extensions = {_extension(path) for path in paths}
    openers = {FORMATS.get(extension) for extension in extensions}
    opener = openers.pop()
    if openers or opener is None:
        raise ArgumentError(
            "source",
            f"{', '.join(map(repr, map(str, paths[:3])))} have the extensions {sorted(extensions)}",
            f"the extension says the format, the same for all files: {', '.join(FORMATS)}; CSV and "
            f"LIBSVM text may be compressed ({', '.join(COMPRESSED)})",
        )
    return opener(paths, csv_options)


def _extension(path: Path) -> str:
    """Return the extension of the format, before that of a compression."""
    return Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix


def _open_libsvm(paths: list[Path], csv_options: dict[str, Any]) -> LibsvmSource:
    _refuse_null_values(csv_options["null_values"])
    return LibsvmSource(text_files(paths))


def _open_csv(paths: list[Path], csv_options: dict[str, Any]) -> TableSource:
    require_arrow()
    from zerone._data.readers.csv import CsvSource

    return CsvSource(text_files(paths), **csv_options)


def _open_parquet(paths: list[Path], csv_options: dict[str, Any]) -> TableSource:
    _refuse_null_values(csv_options["null_values"])
    require_arrow()
    from zerone._data.readers.parquet import ParquetSource

    return ParquetSource(paths)


def _open_arrow(paths: list[Path], csv_options: dict[str, Any]) -> TableSource:
    _refuse_null_values(csv_options["null_values"])
    require_arrow()
    from zerone._data.readers.arrow_file import ArrowFileSource

    return ArrowFileSource(paths)


FORMATS: dict[str, Callable[[list[Path], dict[str, Any]], Any]] = {
    ".parquet": _open_parquet,
    ".pq": _open_parquet,
    ".csv": _open_csv,
    ".tsv": _open_csv,
    ".arrow": _open_arrow,
    ".feather": _open_arrow,
    ".ipc": _open_arrow,
    ".libsvm": _open_libsvm,
    ".svmlight": _open_libsvm,
    ".svm": _open_libsvm,
}
"""How files are opened, by extension. A new format needs an entry here and a reader module."""


def _refuse_null_values(null_values: Sequence[str]) -> None:
    if null_values:
        raise ArgumentError(
            "null_values", "is only for CSV", "leave it out: other tables mark missing values"
        )


def require_arrow() -> None:
    """Raise with advice where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(
            "reading tables needs pyarrow; install it with pip install 'zerone[arrow]'"
        ) from None
