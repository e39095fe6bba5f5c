"""``zerone moments``, ``zerone merge`` and ``zerone inspect``: files of moments and models."""

import functools
import operator
import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from zerone import Frontier, Moments, load_model
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._show import (
    class_facts,
    column_facts,
    json_keys,
    print_classes,
    print_columns,
    print_facts,
    print_json,
    quality,
)

Output = Annotated[Path, typer.Option("--output", "-o", help="The moments file to write (.npz).")]
MinCount = Annotated[
    float, typer.Option("--min-count", help="Refuse to write statistics of fewer rows.")
]


def moments(
    source: options.Sources,
    output: Output,
    target: options.TargetColumn = None,
    weight: options.WeightColumn = None,
    columns: options.Columns = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    null_value: options.NullValues = None,
    file_format: options.FileFormat = None,
    encoding: options.FileEncoding = None,
    comment: options.Comment = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    strict: options.Strict = False,
    keep: options.Keep = None,
    hashed: options.Hashed = None,
    text: options.TextColumns = None,
    max_categories: options.MaxCategories = 100,
    min_count: MinCount = 0,
    checkpoint: Annotated[
        Path | None, typer.Option(help="A file from which an interrupted scan continues.")
    ] = None,
    jobs: options.Jobs = 1,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Read a table once and write its moments: enough to fit, and without any rows."""
    with reported():
        path = options.free_output(output, force=force, sources=source)
        with options.readable(
            source,
            format=file_format,
            encoding=encoding,
            comment=comment,
            sheet=sheet,
            decimal=decimal,
            thousands=thousands,
        ) as readable:
            given = options.table_options(
                readable,
                target=target,
                weight=weight,
                columns=columns,
                drop=drop,
                categorical=categorical,
                null_values=null_value,
                strict=strict,
                keep=keep,
                hashed=hashed,
                text=text,
                max_categories=max_categories,
            )
            found = Moments.from_table(readable, checkpoint=checkpoint, n_jobs=jobs, **given)
        found.save(path, min_count=min_count)
        _show_moments(found, path, as_json=as_json)


def merge(
    files: Annotated[list[Path], typer.Argument(help="Moments files.")],
    output: Output,
    join: Annotated[bool, typer.Option(help="Merge files with different categories, too.")] = False,
    min_count: MinCount = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Merge moments files, for example of several days or sites."""
    with reported():
        path = options.free_output(output, force=force)
        parts = [Moments.load(file) for file in files]
        if join:
            encodings = [part.encoding for part in parts if part.encoding is not None]
            if len(encodings) == len(parts):
                common = functools.reduce(operator.or_, encodings)
                parts = [part.reencoded(common) for part in parts]
        merged = functools.reduce(operator.add, parts)
        merged.save(path, min_count=min_count)
        _show_moments(merged, path, as_json=as_json)


def inspect(
    file: Annotated[Path, typer.Argument(help="A model file (.zerone) or moments file (.npz).")],
    as_json: options.AsJson = False,
) -> None:
    """Show what is in a model file or a moments file."""
    with reported():
        if _is_model(file):
            _show_model(load_model(file), as_json=as_json)
        else:
            _show_moments(Moments.load(file), file, as_json=as_json, predicted=True)


def _is_model(file: Path) -> bool:
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {str(file)!r}; check the path")
    if not zipfile.is_zipfile(file):
        raise ValueError(
            f"{str(file)!r} is neither a model nor a moments file; "
            "name a file that `zerone fit` or `zerone moments` has written"
        )
    with zipfile.ZipFile(file) as archive:
        return "model.json" in archive.namelist()


def _show_moments(found: Moments, path: Path, *, as_json: bool, predicted: bool = False) -> None:
    names = None if found.feature_names is None else list(found.feature_names)
    facts: dict[str, Any] = {"file": str(path), "features": found.n_features}
    if predicted and sum(own.weight > 0 for own in found.values()) == 2:
        rule = Frontier(found).best("error")
        facts |= {"expected error": rule.error, "expected AUC": rule.auc}
    if as_json:
        print_json(
            {
                **json_keys(facts),
                "classes": class_facts(found),
                "columns": column_facts(found.encoding, names),
            }
        )
        return
    print_columns(found.encoding, names)
    print_classes(found)
    print_facts(facts)


def _show_model(model: Any, *, as_json: bool) -> None:
    names = getattr(model, "feature_names_in_", None)
    columns = None if names is None else list(names)
    facts = {
        "classifier": type(model).__name__,
        "classes": ", ".join(map(str, model.classes_.tolist())),
        "features": int(model.coef_.shape[1]),
        "rules": len(model.coef_),
        **quality(model),
    }
    if as_json:
        shown = {**facts, "classes": model.classes_.tolist()}
        print_json({**json_keys(shown), "columns": column_facts(model.encoding_, columns)})
        return
    print_columns(model.encoding_, columns)
    print_facts({name: value for name, value in facts.items() if not isinstance(value, list)})
