"""Which reader a source needs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from zerone._data.containers import is_from
from zerone._data.readers.libsvm import LibsvmSource
from zerone._data.readers.source import TableSource
from zerone._data.readers.text_pieces import OPENERS
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

    Parameters
    ----------
    source : path, sequence of paths, frame or stream
    string_columns : sequence of str
        Columns of CSV that are strings, whatever they look like.
    null_values : sequence of str
        Cells of CSV that mean a missing value.
    target : str, optional
        The column of labels.
    """
    require_strings("null_values", null_values)
    text = {"string_columns": string_columns, "null_values": null_values, "target": target}
    if _is_path(source):
        return _open_path(fspath(source), text)
    if isinstance(source, list | tuple) and source and all(map(_is_path, source)):
        return _open_files([Path(fspath(path)) for path in source], text)
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
    """Raise unless an argument is a list of strings; a string alone would be read by letters."""
    if isinstance(given, str) or not isinstance(given, Sequence | set | frozenset):
        raise ArgumentTypeError(name, f"got {given!r}, expected a list of strings")
    for text in given:
        if not isinstance(text, str):
            raise ArgumentTypeError(name, f"got {text!r} in it, expected a list of strings")


def _open_path(name: str, text: dict[str, Any]) -> Any:
    path = Path(name)
    if not name:
        raise ArgumentFileError("source", "got an empty path")
    if not path.is_dir():
        return _open_files([path], text)
    # As everywhere, names that begin so are no data.
    inside = [file for file in path.rglob("*") if file.is_file()]
    names = sorted(f for f in inside if not any(p[0] in "._" for p in f.relative_to(path).parts))
    if names and all(FORMATS.get(_extension(file)) is not _open_parquet for file in names):
        return _open_files(names, text)
    return _open_parquet([path], text)


def _open_files(paths: list[Path], text: dict[str, Any]) -> Any:
    for path in paths:
        if not path.is_file():
            raise ArgumentFileError("source", f"there is no file {str(path)!r}")
    extensions = {_extension(path) for path in paths}
    openers = {FORMATS.get(extension) for extension in extensions}
    opener = openers.pop()
    if openers or opener is None:
        raise ArgumentError(
            "source",
            f"{', '.join(map(repr, map(str, paths[:3])))} have the extensions {sorted(extensions)}",
            f"files are told apart by their extensions, all of one kind: {', '.join(FORMATS)}, "
            f"text also compressed ({', '.join(OPENERS)})",
        )
    return opener(paths, text)


def _extension(path: Path) -> str:
    """Return the extension that tells the format, without that of a compression."""
    return Path(path.stem).suffix if path.suffix in OPENERS else path.suffix


def _open_libsvm(paths: list[Path], text: dict[str, Any]) -> LibsvmSource:
    _refuse_null_values(text["null_values"])
    return LibsvmSource(paths)


def _open_csv(paths: list[Path], text: dict[str, Any]) -> TableSource:
    require_arrow()
    from zerone._data.readers.csv import CsvSource

    return CsvSource(paths, **text)


def _open_parquet(paths: list[Path], text: dict[str, Any]) -> TableSource:
    _refuse_null_values(text["null_values"])
    require_arrow()
    from zerone._data.readers.parquet import ParquetSource

    return ParquetSource(paths)


def _open_arrow(paths: list[Path], text: dict[str, Any]) -> TableSource:
    _refuse_null_values(text["null_values"])
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
"""How files are opened, by their extension: a new format is an entry, and a reader beside this."""


def _refuse_null_values(null_values: Sequence[str]) -> None:
    if null_values:
        raise ArgumentError(
            "null_values", "is for CSV", "other tables say themselves what is missing"
        )


def require_arrow() -> None:
    """Raise with advice where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(
            "reading tables needs pyarrow; install it with pip install 'zerone[arrow]'"
        ) from None
