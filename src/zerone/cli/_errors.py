"""Errors as one line and an exit code; tracebacks only with ``--debug``."""

import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from zerone._errors import OF_FILES
from zerone.cli._show import without_control

WRONG_INPUT = 2
INTERRUPTED = 130

_debug = False


class CommandLineWording:
    """Wording for messages on the command line: options in place of arguments."""

    def argument(self, name: str) -> str:
        """Return the option for an argument, or its name if there is no option."""
        if name.startswith(OF_FILES):
            return f"--{name.removeprefix(OF_FILES)}"
        option = f"--{name.replace('_', '-')}"
        return option if option in OPTIONS else _OTHER_OPTIONS.get(name, name)

    def setting(self, name: str, value: str) -> str:
        """Return an option with its value."""
        return f"{self.argument(name)} {shlex.quote(value)}"

    def phrase(self, name: str) -> str:
        """Return what to do on the command line."""
        return _PHRASES[name]


OPTIONS = frozenset(
    f"--{name}"
    for name in (
        "target", "weight", "columns", "categorical", "max-categories", "strict", "keep", "text",
        "checkpoint", "shapes",
        "min-count", "refine", "metric", "beta", "false-negative-cost", "false-positive-cost",
        "max-false-positive-rate", "min-true-positive-rate", "min-recall", "min-precision",
        "max-fpr", "k", "positive", "rivals", "time-limit", "output", "copy", "threshold", "to",
        "dialect",
        "value", "dtype", "top", "all", "max-features", "points",
    )
)  # fmt: skip
"""Options with the same names as their arguments."""

_OTHER_OPTIONS = {
    "null_values": "--null-value",
    "hashed": "--hash",
    "n_jobs": "--jobs",
    "cost_matrix": "cost_matrix, which only Python takes",
}
_PHRASES = {
    "leave out": "leave it out with --drop",
    "not strict": "leave out --strict",
    "join": "add --join",
    "not onnx": "write it with --to json",
    "not sql": "write it with --to json",
    "only labels": "leave out --value, or write it with --to json",
}


def set_debug(wanted: bool) -> None:
    """Set whether tracebacks are shown."""
    global _debug
    _debug = wanted


@contextmanager
def reported() -> Iterator[None]:
    """Turn errors of the user into a line on standard error and exit code 2."""
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
            # The reader of the output has stopped reading, as `head` does.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except (ValueError, TypeError, OSError, ImportError) as error:
            if _debug:
                raise
            _print_notes(console, caught or [])
            _print(console, "error", _worded(error), "red")
            raise typer.Exit(WRONG_INPUT) from None
        _print_notes(console, caught or [])


def _print_notes(console: Console, caught: list[warnings.WarningMessage]) -> None:
    told = [w.message for w in caught if issubclass(w.category, UserWarning)]
    for message in dict.fromkeys(map(_worded, told)):
        _print(console, "note", message, "yellow")


def _worded(said: object) -> str:
    """Return a message of the library in the words of the command line."""
    own = getattr(said, "worded", None)
    return str(said) if own is None else own(CommandLineWording())


def _print(console: Console, kind: str, message: str, style: str) -> None:
    one_line = without_control(" ".join(message.split()))
    console.print(f"{kind}: {one_line}", style=style, markup=False, highlight=False, soft_wrap=True)
