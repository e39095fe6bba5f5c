"""Options that several commands share."""

import glob
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from zerone._data.features import column_names
from zerone._data.table_files import FORMATS, TableFiles
from zerone._files import write_at_once

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="A table: one or several files (CSV, JSON Lines, XLSX, Parquet, Arrow, LIBSVM text), "
        "also compressed, a pattern such as '*.csv', or a folder; - reads standard input.",
        show_default=False,
    ),
]
FileFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"The format of the files, where it cannot be guessed: {', '.join(FORMATS)}.",
        show_default=False,
    ),
]
FileEncoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="The encoding of text that is not UTF-8 or UTF-16, such as latin-1.",
        show_default=False,
    ),
]
Comment = Annotated[
    str | None,
    typer.Option(
        "--comment",
        help="What comment lines of CSV begin with, or none; '#' by default.",
        show_default=False,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", help="The sheet of a workbook; the first by default."),
]
TargetColumn = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column of class labels.", show_default=False),
]
WeightColumn = Annotated[
    str | None, typer.Option("--weight", help="The column of row weights.", show_default=False)
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns", help="Use only these columns, separated by commas.", show_default=False
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="A column to leave out; can be repeated.", show_default=False),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        help="A column of numbers to read as categories; can be repeated.",
        show_default=False,
    ),
]
NullValues = Annotated[
    list[str] | None,
    typer.Option(
        "--null-value",
        help="A cell of text that means missing, besides NA and the like; can be repeated.",
        show_default=False,
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Refuse what would have to be assumed, such as missing values or dates."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        help="A column to use though it names the rows or is constant; can be repeated.",
        show_default=False,
    ),
]
Hashed = Annotated[
    list[str] | None,
    typer.Option(
        "--hash",
        help="A column of very many categories, to be hashed; can be repeated.",
        show_default=False,
    ),
]
TextColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--text", help="A column of free text, to be hashed; can be repeated.", show_default=False
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option("--decimal", help="The decimal separator: a point or a comma; by default found."),
]
Thousands = Annotated[
    str | None,
    typer.Option(
        "--thousands", help="What separates thousands, or none; by default any usual mark."
    ),
]
MaxCategories = Annotated[
    int,
    typer.Option("--max-categories", help="Limit per column; infrequent categories are combined."),
]
MaxFeatures = Annotated[
    str,
    typer.Option(
        "--max-features",
        help="Most columns of the rule: a number, or auto for as few as are as good as more.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", help="Number of threads; -1 for all processors.")
]
Report = Annotated[
    Path | None,
    typer.Option("--report", help="The HTML report to write.", show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing output file.")]


@contextmanager
def readable(sources: list[str], **given: str | None) -> Iterator[TableFiles]:
    """Yield the files of a table; standard input goes to a temporary file.

    ``given`` are parameters of `TableFiles`.
    """
    if sources != ["-"]:
        if "-" in sources:
            raise ValueError("-: standard input is a table of its own; name it alone, or files")
        yield TableFiles(sources, **given)
        return
    with tempfile.TemporaryDirectory() as folder:
        # Without an extension, so that the content decides the format.
        path = Path(folder) / "standard input"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield TableFiles(path, **given)


def title(sources: list[str]) -> str:
    """Return the name of a table in the title of a report."""
    name = Path(sources[0]).name
    return name if len(sources) == 1 else f"{name} and {len(sources) - 1} more"


def table_options(
    source: TableFiles,
    *,
    target: str | None,
    columns: str | None,
    drop: list[str] | None,
    weight: str | None = None,
    **given: Any,
) -> dict[str, Any]:
    """Return the options as `Moments.from_table` takes them; None means that one was not given."""
    chosen = None if columns is None else [name.strip() for name in columns.split(",")]
    if drop:
        available = column_names(source) if chosen is None else chosen
        for name in drop:
            if name not in available:
                raise ValueError(f"--drop: there is no column {name!r}; choose from {available}")
        chosen = [name for name in available if name not in (*drop, target, weight)]
    options = {"target": target, "columns": chosen, "weight": weight, **given}
    return {name: value for name, value in options.items() if value is not None}


def free_output(
    path: Path, *, force: bool, sources: Sequence[str] = (), option: str = "--output"
) -> Path:
    """Return a path that may be written to; raises if it exists."""
    read = [Path(found) for name in sources for found in (name, *glob.glob(name, recursive=True))]
    if path.resolve() in [own.resolve() for own in read]:
        raise ValueError(f"{option}: {str(path)!r} is the input file; name another file")
    if not path.resolve().parent.is_dir():
        parent = str(path.resolve().parent)
        raise ValueError(f"{option}: there is no folder {parent!r}; create it first")
    if path.is_dir():
        raise ValueError(f"{option}: {str(path)!r} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option}: {str(path)!r} is a device or a pipe; name a file")
    if path.exists() and not force:
        raise ValueError(f"{option}: {str(path)!r} exists already; add --force to replace it")
    return path


def free_report(path: Path | None, *, force: bool, sources: Sequence[str]) -> Path | None:
    """Return the path of the report; raises if it exists."""
    if path is None:
        return None
    return free_output(path, force=force, sources=sources, option="--report")


def write_text(path: Path, text: str) -> None:
    """Write a complete file, or none."""
    write_at_once(path, lambda file: file.write(text.encode()))


def checked_max_features(given: str) -> int | str:
    """Return the number of columns of ``--max-features``, or "auto"."""
    if given == "auto":
        return given
    if not given.isdecimal() or int(given) < 1:
        raise ValueError(
            f"--max-features: got {given!r}, expected auto or a number of columns of at least 1"
        )
    return int(given)
