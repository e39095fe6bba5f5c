"""Which reader a source needs."""

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from zerone.tables._libsvm import LIBSVM_ENDINGS, LibsvmSource
from zerone.tables._text_pieces import OPENERS

_KNOWN = (
    "a path to Parquet, CSV or LIBSVM text, a list of paths, a data frame, or an object with the "
    "Arrow C stream interface"
)


def open_table(
    source: Any, *, categories: Sequence[str] = (), null_values: Sequence[str] = ()
) -> Any:
    """Return a `TableSource` or a `LibsvmSource` for anything that can be read.

    Parameters
    ----------
    source : path, sequence of paths, frame or stream
    categories : sequence of str
        Columns of CSV that are text, whatever they look like.
    null_values : sequence of str
        Cells of CSV that mean a missing value.
    """
    if isinstance(source, LibsvmSource) or hasattr(source, "is_rereadable"):
        return source
    if _is_path(source):
        return _open_path(Path(fspath(source)), categories, null_values)
    if isinstance(source, list | tuple) and source and all(map(_is_path, source)):
        return _open_files([Path(fspath(path)) for path in source], categories, null_values)
    require_arrow()
    _refuse_null_values(null_values)
    if hasattr(source, "collect") and not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(f"source: is a lazy {type(source).__name__}; call .collect() first")
    if not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(f"source: got {type(source).__name__}, expected {_KNOWN}")
    from zerone.tables._stream import StreamSource

    return StreamSource(source)


def _is_path(source: Any) -> bool:
    return isinstance(source, str | PathLike)


def _open_path(path: Path, categories: Sequence[str], null_values: Sequence[str]) -> Any:
    if not path.is_dir():
        return _open_files([path], categories, null_values)
    names = sorted(p for p in path.iterdir() if p.is_file() and p.name[0] not in "._")
    if names and all(_ending(p) not in (".parquet", ".pq") for p in names):
        return _open_files(names, categories, null_values)
    _refuse_null_values(null_values)
    return open_parquet(path)


def open_parquet(path: str | PathLike[str]) -> Any:
    """Return a `TableSource` for a Parquet file or a folder of them."""
    if not Path(path).exists():
        raise FileNotFoundError(f"source: there is no file or folder {fspath(path)!r}")
    require_arrow()
    from zerone.tables._parquet import ParquetSource

    return ParquetSource([Path(path)])


def _open_files(paths: list[Path], categories: Sequence[str], null_values: Sequence[str]) -> Any:
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"source: there is no file or folder {str(path)!r}")
    endings = {_ending(path) for path in paths}
    if endings <= set(LIBSVM_ENDINGS):
        return LibsvmSource(paths)
    require_arrow()
    from zerone.tables._csv import CSV_ENDINGS, CsvSource
    from zerone.tables._parquet import PARQUET_ENDINGS, ParquetSource

    if endings <= set(CSV_ENDINGS):
        return CsvSource(paths, categories, null_values)
    _refuse_null_values(null_values)
    if endings <= set(PARQUET_ENDINGS):
        return ParquetSource(paths)
    known = (*PARQUET_ENDINGS, *CSV_ENDINGS, *LIBSVM_ENDINGS)
    raise ValueError(
        f"source: {', '.join(map(repr, map(str, paths[:3])))} end in {sorted(endings)}; files are "
        f"told apart by their endings, all of one kind: {', '.join(known)}, text also compressed "
        f"({', '.join(OPENERS)})"
    )


def _ending(path: Path) -> str:
    """Return the ending that tells the format, without that of a compression."""
    return Path(path.stem).suffix if path.suffix in OPENERS else path.suffix


def _refuse_null_values(null_values: Sequence[str]) -> None:
    if null_values:
        raise ValueError("null_values: is for CSV; other tables say themselves what is missing")


def require_arrow() -> None:
    """Raise with advice where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(
            "reading tables needs pyarrow; install it with pip install 'zerone[arrow]'"
        ) from None
