"""Errors as one or two lines and an exit code; tracebacks only on request."""

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

WRONG_INPUT = 2
INTERRUPTED = 130

_debug = False
# What the library calls an argument, and what the command line calls it.
_OPTIONS = {
    "missing='impute'": "--missing impute",
    "target": "--target",
    "weight": "--weight",
    "columns": "--columns",
    "categories": "--category",
    "null_values": "--null-value",
    "max_levels": "--max-levels",
    "checkpoint": "--checkpoint",
    "min_count": "--min-count",
    "missing": "--missing",
    "refine": "--refine",
}


def set_debug(wanted: bool) -> None:
    """Say whether tracebacks are shown."""
    global _debug
    _debug = wanted


@contextmanager
def reported() -> Iterator[None]:
    """Turn what users can do something about into a line on standard error and exit code 2."""
    console = Console(stderr=True)
    with warnings.catch_warnings(record=not _debug) as caught:
        if not _debug:
            warnings.simplefilter("always", UserWarning)
        try:
            yield
        except KeyboardInterrupt:
            if _debug:
                raise
            console.print("interrupted", style="red")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # Whoever read the output has seen enough, as `head` does.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except (ValueError, TypeError, OSError, ImportError) as error:
            if _debug:
                raise
            _print_notes(console, caught or [])
            _print(console, "error", _in_options(str(error)), "red")
            raise typer.Exit(WRONG_INPUT) from None
        _print_notes(console, caught or [])


def _print_notes(console: Console, caught: list[warnings.WarningMessage]) -> None:
    told = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, UserWarning))
    for message in told:
        _print(console, "note", _in_options(message), "yellow")


def _print(console: Console, kind: str, message: str, style: str) -> None:
    one_line = " ".join(message.split())
    console.print(f"{kind}: {one_line}", style=style, markup=False, highlight=False, soft_wrap=True)


def _in_options(message: str) -> str:
    """Return a message of the library in the words of the command line."""
    message = message.replace("leave it out of columns", "leave it out with --drop")
    for name, option in _OPTIONS.items():
        if "=" in name:
            message = message.replace(name, option)
        else:
            # As the argument that a message begins with, or one that it advises to give.
            message = re.sub(rf"^{name}: ", f"{option}: ", message)
            message = re.sub(rf"\bin {name}\b", f"with {option}", message)
            message = re.sub(rf"\bgive (.*) as {name}\b", rf"give \1 with {option}", message)
    return message
