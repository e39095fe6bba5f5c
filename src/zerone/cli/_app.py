"""The commands and their options."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as RichTable

from zerone.cli._compare import compare
from zerone.cli._errors import reported, set_debug
from zerone.cli._fit import fit
from zerone.cli._moments import inspect, merge, moments
from zerone.cli._predict import evaluate, predict
from zerone.datasets._load import DataNotAvailableError, load
from zerone.datasets._registry import DATA_SETS
from zerone.experiments._plan import TARGETS
from zerone.experiments._reproduce import reproduce as run_reproduce

app = typer.Typer(
    help="Linear classifiers that minimise the zero-one error or 1 - AUC.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def main(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Linear classifiers that minimise the zero-one error or 1 - AUC."""
    set_debug(debug)


for command in (compare, fit, predict, evaluate, moments, merge, inspect):
    app.command()(command)

DataDir = Annotated[
    Path | None,
    typer.Option(help="Folder of the real data sets; by default the variable ZERONE_DATA."),
]


@app.command()
def reproduce(
    targets: Annotated[
        list[str] | None,
        typer.Argument(help=f"Any of {', '.join(TARGETS)}; by default all but rivals."),
    ] = None,
    sets: Annotated[
        str | None, typer.Option(help="Only these data sets, separated by commas.")
    ] = None,
    quick: Annotated[bool, typer.Option(help="One repeat, small artificial sets.")] = False,
    output: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    data_dir: DataDir = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder of LIBSVM files to compare rivals on, in place of the sets."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Worker processes.", min=1)] = 2,
) -> None:
    """Compute the paper's tables and figures and set them beside its own numbers.

    The target "rivals" compares zerone with tuned rivals instead.

    A run that was stopped goes on where it was when started again with the same folder.
    """
    console = Console(stderr=True)
    with Progress(console=console) as bar:
        line = bar.add_task("starting", total=None)
        with reported():
            missing = run_reproduce(
                targets or None,
                output=output,
                sets=None if sets is None else sets.split(","),
                data_dir=data_dir,
                folder=folder,
                quick=quick,
                n_jobs=jobs,
                progress=lambda done, total, what: bar.update(
                    line, completed=done, total=total, description=what
                ),
            )
    if missing:
        console.print(
            f"not available, marked in the tables: {', '.join(missing)}\n"
            "(give their folder with --data-dir, or fetch them with `zerone datasets --download`)",
            markup=False,
        )
    print(output / "index.html")


@app.command()
def datasets(
    data_dir: DataDir = None,
    download: Annotated[bool, typer.Option(help="Download what is missing.")] = False,
) -> None:
    """List the real data sets and whether they are available here."""
    table = RichTable("name", "rows", "features", "P+", "available", "origin")
    for data_set in DATA_SETS.values():
        try:
            load(data_set.name, data_dir=data_dir, download=download)
            available = "yes"
        except (DataNotAvailableError, ValueError):
            available = "no"
        table.add_row(
            data_set.name,
            f"{data_set.n_rows:,}",
            f"{data_set.n_features:,}",
            f"{data_set.positives:.3f}",
            available,
            data_set.origin,
        )
    Console().print(table)
