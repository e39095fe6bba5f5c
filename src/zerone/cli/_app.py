"""The commands and their options."""

from typing import Annotated

import typer

from zerone import __version__
from zerone.cli._compare import compare
from zerone.cli._errors import set_debug
from zerone.cli._evaluate import evaluate
from zerone.cli._export import export
from zerone.cli._fit import fit
from zerone.cli._inspect import inspect
from zerone.cli._moments import merge, moments
from zerone.cli._predict import predict
from zerone.cli._retarget import retarget
from zerone.cli._scorecard import scorecard

app = typer.Typer(
    help="Linear classifiers that minimise the zero-one error or 1 - AUC.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"zerone {__version__}")
        raise typer.Exit


@app.callback()
def main(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Linear classifiers that minimise the zero-one error or 1 - AUC."""
    set_debug(debug)


_COMMANDS = (
    compare, fit, predict, evaluate, inspect, retarget, scorecard, export, moments, merge,
)  # fmt: skip
for command in _COMMANDS:
    app.command()(command)
