"""Which reader a source needs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from zerone._data.containers import is_from
from zerone._data.readers.libsvm import LIBSVM_ENDINGS, LibsvmSource
from zerone._data.readers.text_pieces import OPENERS
from zerone._errors import ArgumentError, ArgumentFileError, ArgumentTypeError

PARQUET_ENDINGS = (".parquet", ".pq")
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
    """Raise unless an argument is a list of texts; a text alone would be read letter by letter."""
    if isinstance(given, str) or not isinstance(given, Sequence | set | frozenset):
        raise TypeError(f"{name}: got {given!r}, expected a list of texts")
    for text in given:
        if not isinstance(text, str):
            raise TypeError(f"{name}: got {text!r} in it, expected a list of texts")


def _open_path(name: str, text: dict[str, Any]) -> Any:
    path = Path(name)
    if not name:
        raise ArgumentFileError("source", "got an empty path")
    if not path.is_dir():
        return _open_files([path], text)
    inside = [file for file in path.rglob("*") if file.is_file()]
    # As everywhere, names that begin so are no data.
    names = sorted(f for f in inside if not any(p[0] in "._" for p in f.relative_to(path).parts))
    if names and all(_ending(file) not in PARQUET_ENDINGS for file in names):
        return _open_files(names, text)
    _refuse_null_values(text["null_values"])
    return open_parquet(path)


def open_parquet(path: str | PathLike[str] | Sequence[str | PathLike[str]]) -> Any:
    """Return a `TableSource` for Parquet: a file, several, or a folder of them."""
    given: Any = [path] if _is_path(path) else path
    if not isinstance(given, list | tuple) or not given or not all(map(_is_path, given)):
        raise ArgumentTypeError("path", f"got {path!r}, expected a path or a list of paths")
    for own in given:
        if not Path(own).exists():
            raise ArgumentFileError("source", f"there is no file or folder {fspath(own)!r}")
    require_arrow()
    from zerone._data.readers.parquet import ParquetSource

    return ParquetSource([Path(own) for own in given])


def _open_files(paths: list[Path], text: dict[str, Any]) -> Any:
    for path in paths:
        if not path.is_file():
            raise ArgumentFileError("source", f"there is no file {str(path)!r}")
    endings = {_ending(path) for path in paths}
    if endings <= set(LIBSVM_ENDINGS):
        _refuse_null_values(text["null_values"])
        return LibsvmSource(paths)
    require_arrow()
    from zerone._data.readers.arrow_file import ARROW_ENDINGS, ArrowFileSource
    from zerone._data.readers.csv import CSV_ENDINGS, CsvSource
    from zerone._data.readers.parquet import ParquetSource

    if endings <= set(CSV_ENDINGS):
        return CsvSource(paths, **text)
    _refuse_null_values(text["null_values"])
    if endings <= set(PARQUET_ENDINGS):
        return ParquetSource(paths)
    if endings <= set(ARROW_ENDINGS):
        return ArrowFileSource(paths)
    known = (*PARQUET_ENDINGS, *CSV_ENDINGS, *ARROW_ENDINGS, *LIBSVM_ENDINGS)
    raise ArgumentError(
        "source",
        f"{', '.join(map(repr, map(str, paths[:3])))} end in {sorted(endings)}",
        f"files are told apart by their endings, all of one kind: {', '.join(known)}, text also "
        f"compressed ({', '.join(OPENERS)})",
    )


def _ending(path: Path) -> str:
    """Return the ending that tells the format, without that of a compression."""
    return Path(path.stem).suffix if path.suffix in OPENERS else path.suffix


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
