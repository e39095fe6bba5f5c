"""The reader for a source."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from zerone._data.containers import is_from
from zerone._data.readers.formats import EXTENSIONS, TEXT_FORMATS, format_of
from zerone._data.readers.libsvm import LibsvmSource
from zerone._data.readers.paths import files_of, files_within
from zerone._data.readers.source import TableSource, TextFacts
from zerone._data.readers.text_file import text_files
from zerone._data.table_files import NO_COMMENT, TableFiles
from zerone._errors import ArgumentError, ArgumentTypeError

_KNOWN = (
    "a path to a file or a folder, a list of paths, a TableFiles, a data frame, or an object "
    "with the Arrow C stream interface"
)


@dataclass(frozen=True)
class CellOptions:
    """How cells of text are read; `open_table` documents them."""

    string_columns: Sequence[str]
    null_values: Sequence[str]
    target: str | None
    strict: bool
    leaves_out_lines: bool


def open_table(
    source: Any,
    *,
    string_columns: Sequence[str] = (),
    null_values: Sequence[str] = (),
    target: str | None = None,
    strict: bool = False,
    leaves_out_lines: bool = True,
) -> Any:
    """Return a `TableSource` or a `LibsvmSource` for anything that can be read.

    ``string_columns`` are CSV columns to read as strings even if they look like numbers,
    ``null_values`` cells that mean a missing value, and ``target`` is the column of labels. With
    ``strict`` whatever would have to be guessed is an error. ``leaves_out_lines`` says whether
    lines with too few or too many cells are left out; otherwise they are an error.
    """
    require_strings("null_values", null_values)
    cells = CellOptions(
        string_columns, null_values, target, strict, leaves_out_lines and not strict
    )
    if _is_path(source) or (
        isinstance(source, list | tuple) and source and all(map(_is_path, source))
    ):
        source = TableFiles(source)
    if isinstance(source, TableFiles):
        return _open_files(source, cells)
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


def _open_files(given: TableFiles, cells: CellOptions) -> Any:
    paths = files_of(given.names)
    if paths[0].is_dir():
        inside = files_within(paths[0])
        is_parquet = not inside or any(_has_extension_of_parquet(file) for file in inside)
        if given.format == "parquet" or (given.format is None and is_parquet):
            return _open("parquet", paths, given, cells)
        paths = inside
    found = {path: given.format or format_of(path) for path in paths}
    formats = sorted(set(found.values()))
    if len(formats) > 1:
        raise ArgumentError(
            "source",
            f"{', '.join(repr(str(path)) for path in paths[:3])} have the formats "
            f"{', '.join(formats)}",
            "name files of one format only",
        )
    return _open(formats[0], paths, given, cells)


def _has_extension_of_parquet(path: Path) -> bool:
    return EXTENSIONS.get(path.suffix.lower()) == "parquet"


def _open(name: str, paths: list[Path], given: TableFiles, cells: CellOptions) -> Any:
    text = (*TEXT_FORMATS, "xlsx")
    only = {
        "encoding": TEXT_FORMATS,
        "comment": ("csv",),
        "sheet": ("xlsx",),
        "decimal": text,
        "thousands": text,
    }
    for option, formats in only.items():
        if getattr(given, option) is not None and name not in formats:
            raise ArgumentError(
                f"file {option}", f"is not for {name} files", "leave it out, or name the format"
            )
    return OPENERS[name](paths, given, cells)


def _open_libsvm(paths: list[Path], given: TableFiles, cells: CellOptions) -> LibsvmSource:
    return LibsvmSource(text_files(paths, given.encoding))


def _open_csv(paths: list[Path], given: TableFiles, cells: CellOptions) -> TableSource:
    require_arrow()
    from zerone._data.readers.csv import CsvSource

    return CsvSource(
        text_files(paths, given.encoding),
        cells.string_columns,
        cells.null_values,
        cells.target,
        given.comment,
        strict=cells.strict,
        leaves_out_lines=cells.leaves_out_lines,
        facts=_facts(given),
    )


def _facts(given: TableFiles) -> TextFacts:
    return TextFacts(decimal=given.decimal, thousands=given.thousands)


def _open_jsonl(paths: list[Path], given: TableFiles, cells: CellOptions) -> TableSource:
    require_arrow()
    from zerone._data.readers.jsonl import JsonlSource

    texts = text_files(paths, given.encoding)
    return JsonlSource(
        texts, cells.string_columns, cells.target, _facts(given), strict=cells.strict
    )


def _open_xlsx(paths: list[Path], given: TableFiles, cells: CellOptions) -> TableSource:
    require_arrow()
    from zerone._data.readers.csv import CsvSource
    from zerone._data.readers.xlsx import SheetText

    sheets = [SheetText(path, given.sheet) for path in paths]
    return CsvSource(
        sheets,
        cells.string_columns,
        cells.null_values,
        cells.target,
        NO_COMMENT,
        delimiter=",",
        strict=cells.strict,
        leaves_out_lines=cells.leaves_out_lines,
        facts=_facts(given),
    )


def _open_parquet(paths: list[Path], given: TableFiles, cells: CellOptions) -> TableSource:
    require_arrow()
    from zerone._data.readers.parquet import ParquetSource

    return ParquetSource(paths)


def _open_arrow(paths: list[Path], given: TableFiles, cells: CellOptions) -> TableSource:
    require_arrow()
    from zerone._data.readers.arrow_file import ArrowFileSource

    return ArrowFileSource(paths)


OPENERS: dict[str, Callable[[list[Path], TableFiles, CellOptions], Any]] = {
    "csv": _open_csv,
    "jsonl": _open_jsonl,
    "xlsx": _open_xlsx,
    "parquet": _open_parquet,
    "arrow": _open_arrow,
    "libsvm": _open_libsvm,
}
"""How files are opened, by format. A new format needs an entry here and a reader module."""


def require_arrow() -> None:
    """Raise with advice where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(
            "reading tables needs pyarrow; install it with pip install 'zerone[arrow]'"
        ) from None
