"""``zerone scorecard``: from a table to a card of integer points."""

import time
from pathlib import Path
from typing import Annotated

import typer

from zerone._data.table_options import TableOptions
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._metric import (
    Beta,
    FalseNegativeCost,
    FalsePositiveCost,
    MaxFalsePositiveRate,
    MetricName,
    MinPrecision,
    MinRecall,
    MinTruePositiveRate,
    Positive,
    WantedMetric,
)
from zerone.cli._show import print_facts, print_json
from zerone.scorecards._scorecard import Scorecard
from zerone.scorecards._table import scorecard_of_table


def scorecard(
    source: options.Sources,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The file to write: .html for print, .json for programs."
        ),
    ],
    target: options.TargetColumn = None,
    max_features: options.MaxFeatures = "5",
    points: Annotated[int, typer.Option(help="Most points of a column.")] = 5,
    metric: MetricName = "error",
    positive: Positive = None,
    beta: Beta = None,
    false_negative_cost: FalseNegativeCost = None,
    false_positive_cost: FalsePositiveCost = None,
    max_false_positive_rate: MaxFalsePositiveRate = None,
    min_true_positive_rate: MinTruePositiveRate = None,
    min_recall: MinRecall = None,
    min_precision: MinPrecision = None,
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
    max_categories: options.MaxCategories = 100,
    jobs: options.Jobs = 1,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Make a card of integer points for a few columns, for print."""
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
        )
        path = options.free_output(output, force=force, sources=source)
        if path.suffix.lower() not in (".html", ".json"):
            raise ValueError(
                f"--output: got {path.name!r}, expected a name that ends in .html or .json"
            )
        most = options.checked_max_features(max_features)
        model = wanted.estimator(max_features=most, n_jobs=jobs)
        start = time.perf_counter()
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
                max_categories=max_categories,
            )
            card = scorecard_of_table(model, readable, TableOptions(**given), points)
        if path.suffix.lower() == ".html":
            options.write_text(path, card.to_html(options.title(source)))
        else:
            card.save(path)
        _show(card, path, time.perf_counter() - start, as_json=as_json)


def _show(card: Scorecard, path: Path, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "card": str(path),
                "classes": list(card.classes),
                "threshold": card.threshold,
                "highest_total": card.most,
                "columns": [
                    {
                        "name": own.column.name,
                        "cases": [{"case": case, "points": points} for case, points in own.cases],
                    }
                    for own in card.columns
                ],
                "held_out": card.held_out,
                "seconds": round(seconds, 3),
            }
        )
        return
    print(card)
    facts = {f"held-out {name}": value for name, value in card.held_out.items()}
    print_facts({**facts, "time": f"{seconds:.2f} s", "card": path})
