"""``zerone retarget``: a model for another metric, without the data."""

from pathlib import Path
from typing import Annotated

import typer

from zerone import load_model
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
from zerone.cli._predict import Model
from zerone.cli._show import json_keys, print_facts, print_json, quality, quality_in_words


def retarget(
    model: Model,
    metric: MetricName,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
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
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Move a model to another metric, without the data."""
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
        path = options.free_output(output, force=force, sources=[str(model)])
        fitted = load_model(model)
        if positive is not None:
            fitted.set_params(positive=positive)
        moved = fitted.retarget(wanted.name, **(wanted.parameters or {}))
        moved.save(path)
        if as_json:
            print_json(
                {
                    "model": str(path),
                    "metric": wanted.name,
                    "metric_params": wanted.parameters or {},
                    **json_keys(quality(moved)),
                }
            )
            return
        print_facts({**quality_in_words(moved), "model": path})
