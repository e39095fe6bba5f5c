"""The commands that make a report and its model again."""

import shlex
from collections.abc import Container
from typing import Any

import typer

from zerone.comparison import Recipe

# Options of `zerone compare` that `zerone fit` does not have, and what it writes.
_OF_COMPARISON = ("folds", "repeats", "rivals", "time_limit", "report", "force", "as_json")


def recipe_of(context: typer.Context, data: str, shapes: str | None) -> Recipe:
    """Return the commands, with the options that were given to `zerone compare`.

    Parameters
    ----------
    context : Context
        Of the command that runs.
    data : str
        Names of the files.
    shapes : str or None
        Of the classifier that is recommended.
    """
    bends = [] if shapes is None else ["--shapes", shapes]
    fit = ["zerone", "fit", *_words(context, _OF_COMPARISON), *bends, "--output", "model.zerone"]
    compare = ["zerone", "compare", *_words(context, ("force", "as_json"))]
    return Recipe(shlex.join(compare), shlex.join(fit), data)


def _words(context: typer.Context, left_out: Container[str]) -> list[str]:
    """Return the arguments and options of the command line, without some of them."""
    found: list[str] = []
    for own in context.command.params:
        name = own.name or ""
        source = context.get_parameter_source(name)
        if name in left_out or source is None or source.name != "COMMANDLINE":
            continue
        given: Any = context.params[name]
        values = list(given) if isinstance(given, list | tuple) else [given]
        if own.param_type_name == "argument":
            found += map(str, values)
            continue
        option = max(own.opts, key=len)
        if isinstance(given, bool):
            found.append(option)
        else:
            found += [word for value in values for word in (option, str(value))]
    return found
