"""``zerone fit``: from a table, or from moments, to a model file."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from zerone import Moments
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._metric import (
    Beta,
    FalseNegativeCost,
    FalsePositiveCost,
    K,
    MaxFalsePositiveRate,
    MaxFpr,
    MetricName,
    MinPrecision,
    MinRecall,
    MinTruePositiveRate,
    Positive,
    WantedMetric,
)
from zerone.cli._show import (
    class_facts,
    column_facts,
    json_keys,
    print_classes,
    print_columns,
    print_facts,
    print_json,
    quality,
    quality_in_words,
)

_SHAPES = ("none", "auto", "bends")
_REFINE = ("auto", "polish", "frontier", "none")


def fit(
    source: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="A table, as for `zerone moments`, or a moments file (.npz).",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    target: options.TargetColumn = None,
    metric: MetricName = "error",
    positive: Positive = None,
    beta: Beta = None,
    false_negative_cost: FalseNegativeCost = None,
    false_positive_cost: FalsePositiveCost = None,
    max_false_positive_rate: MaxFalsePositiveRate = None,
    min_true_positive_rate: MinTruePositiveRate = None,
    min_recall: MinRecall = None,
    min_precision: MinPrecision = None,
    max_fpr: MaxFpr = None,
    k: K = None,
    refine: Annotated[
        str, typer.Option(help="How far to refine on rows: auto, polish, frontier or none.")
    ] = "auto",
    shapes: Annotated[
        str,
        typer.Option(help="Whether columns of numbers bend: none, auto (where it pays) or bends."),
    ] = "none",
    max_features: options.MaxFeatures | None = None,
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
    checkpoint: Annotated[
        Path | None, typer.Option(help="A file from which an interrupted scan continues.")
    ] = None,
    jobs: options.Jobs = 1,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit a classifier and write it to a file."""
    with reported():
        wanted = WantedMetric.of(
            metric,
            positive,
            beta=beta,
            false_negative_cost=false_negative_cost,
            false_positive_cost=false_positive_cost,
            max_false_positive_rate=max_false_positive_rate,
            min_true_positive_rate=min_true_positive_rate,
            min_recall=min_recall,
            min_precision=min_precision,
            max_fpr=max_fpr,
            k=k,
        )
        if refine not in _REFINE:
            raise ValueError(f"--refine: got {refine!r}, expected one of {', '.join(_REFINE)}")
        if shapes not in _SHAPES:
            raise ValueError(f"--shapes: got {shapes!r}, expected one of {', '.join(_SHAPES)}")
        path = options.free_output(output, force=force, sources=source)
        most = None if max_features is None else options.checked_max_features(max_features)
        model = wanted.estimator(
            refine=None if refine == "none" else refine,
            shapes=None if shapes == "none" else shapes,
            max_features=most,
            n_jobs=jobs,
        )
        start = time.perf_counter()
        if any(name.endswith(".npz") for name in source):
            if len(source) > 1:
                raise ValueError(
                    "several files, and a moments file among them; join moments files with "
                    "`zerone merge` first"
                )
            of_tables = {
                "--target": target,
                "--weight": weight,
                "--columns": columns,
                "--drop": drop,
                "--categorical": categorical,
                "--null-value": null_value,
                "--format": file_format,
                "--encoding": encoding,
                "--comment": comment,
                "--sheet": sheet,
                "--decimal": decimal,
                "--thousands": thousands,
                "--strict": strict,
                "--keep": keep,
                "--hash": hashed,
                "--text": text,
                "--max-categories": None if max_categories == 100 else max_categories,
                "--checkpoint": checkpoint,
            }
            for option, given_value in of_tables.items():
                if given_value:
                    raise ValueError(
                        f"{option}: is for tables, not for moments files; leave it out"
                    )
            model.fit_moments(Moments.load(source[0]))
        else:
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
                model.fit_table(readable, checkpoint=checkpoint, **given)
        seconds = time.perf_counter() - start
        model.save(path)
        _show(model, wanted, path, seconds, as_json=as_json)


def _show(model: Any, wanted: WantedMetric, path: Path, seconds: float, *, as_json: bool) -> None:
    names = getattr(model, "feature_names_in_", None)
    if as_json:
        print_json(
            {
                "model": str(path),
                "metric": wanted.name,
                "metric_params": wanted.parameters or {},
                "classes": class_facts(model.moments_),
                "columns": column_facts(model.encoding_, None if names is None else list(names)),
                "features": int(model.coef_.shape[1]),
                "refined": model.refine_,
                **json_keys(quality(model)),
                "seconds": round(seconds, 3),
            }
        )
        return
    print_columns(model.encoding_, None if names is None else list(names))
    print_classes(model.moments_)
    print_facts({**quality_in_words(model), "time": f"{seconds:.2f} s", "model": path})
    how = _how_to_summarise(model)
    if how is not None:
        Console().print(
            f"Coefficients with standard errors: in Python, {how}",
            style="dim",
            markup=False,
            highlight=False,
        )


def _how_to_summarise(model: Any) -> str | None:
    """Return the call of `summary` that a fit like this one has, if there is one."""
    if len(model.classes_) > 2:
        return None
    if model.refine_ is None:
        return "fit(X, y).summary(X, y)"
    return None if model._fold_rules is None else "fit_table(…).summary()"
