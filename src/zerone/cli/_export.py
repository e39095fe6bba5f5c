"""``zerone export``: the rule of a model for databases, ONNX runtimes and other programs."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from zerone import load_model
from zerone._errors import ArgumentError
from zerone._files import write_at_once
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._predict import STANDARD_OUTPUT, Model
from zerone.export import rule_as_dict

_FORMATS = ("sql", "onnx", "json")
_VALUES = ("label", "score", "probability")
_DIALECTS = ("duckdb", "postgresql", "sqlite", "spark", "ansi")
_TYPES = ("float32", "float64")


def export(
    model: Model,
    to: Annotated[str, typer.Option("--to", help=f"The format: {', '.join(_FORMATS)}.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write; standard output by default, but ONNX needs a file.",
            show_default=False,
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            help=f"What the SQL expression gives: {', '.join(_VALUES)}; label by default.",
            show_default=False,
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            help=f"The database of the SQL: {', '.join(_DIALECTS)}; duckdb by default.",
            show_default=False,
        ),
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            "--dtype",
            help=f"The type of the numbers of ONNX: {' or '.join(_TYPES)}; float32 by default.",
            show_default=False,
        ),
    ] = None,
    force: options.Force = False,
) -> None:
    """Write the rule of a model as SQL, ONNX or JSON."""
    with reported():
        _require_one_of("to", to, _FORMATS)
        for option, given, format_of_it, allowed in (
            ("value", value, "sql", _VALUES),
            ("dialect", dialect, "sql", _DIALECTS),
            ("dtype", dtype, "onnx", _TYPES),
        ):
            if given is not None:
                if to != format_of_it:
                    raise ArgumentError(
                        option,
                        f"is not for {to}",
                        f"leave it out, or choose ⟨to={format_of_it}⟩",
                    )
                _require_one_of(option, given, allowed)
        path = STANDARD_OUTPUT if output is None else output
        if path != STANDARD_OUTPUT:
            options.free_output(path, force=force, sources=[str(model)])
        elif to == "onnx":
            raise ArgumentError("output", "is needed for ONNX", "name the file to write")
        values = value or _VALUES[0], dialect or _DIALECTS[0], dtype or _TYPES[0]
        content = _content(load_model(model), to, *values)
        if path == STANDARD_OUTPUT:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        else:
            write_at_once(path, lambda file: file.write(content))


def _require_one_of(option: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise ArgumentError(option, f"got {given!r}, expected one of {', '.join(allowed)}")


def _content(model: Any, to: str, value: str, dialect: str, dtype: str) -> bytes:
    """Return the bytes of an export."""
    if to == "onnx":
        graph: bytes = model.to_onnx(dtype).SerializeToString()
        return graph
    if to == "sql":
        return f"{model.to_sql(value, dialect)}\n".encode()
    rule = rule_as_dict(model)
    return f"{json.dumps(rule, ensure_ascii=False, indent=1, allow_nan=False)}\n".encode()
