"""``zerone moments`` and ``zerone merge``: files of moments."""

import functools
import operator
from pathlib import Path
from typing import Annotated, Any

import typer

from zerone import Frontier, Moments
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
        show_moments(found, path, as_json=as_json)


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
        show_moments(merged, path, as_json=as_json)


def show_moments(found: Moments, path: Path, *, as_json: bool, predicted: bool = False) -> None:
    """Print moments, with what they predict if that is wanted."""
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
