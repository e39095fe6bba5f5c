"""``zerone predict`` and ``zerone evaluate``: a model file on new rows."""

import csv
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from zerone import load_model
from zerone._files import write_at_once
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._show import json_keys, print_facts, print_json

Model = Annotated[Path, typer.Argument(help="A model file that `zerone fit` has written.")]


def predict(
    model: Model,
    source: options.Sources,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV to write; standard output by default."),
    ] = None,
    file_format: options.FileFormat = None,
    encoding: options.FileEncoding = None,
    comment: options.Comment = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    force: options.Force = False,
) -> None:
    """Predict the class of every row, with the probability of each class."""
    with reported():
        fitted = load_model(model)
        if output is not None:
            options.free_output(output, force=force, sources=source)
        with options.readable(
            source,
            format=file_format,
            encoding=encoding,
            comment=comment,
            sheet=sheet,
            decimal=decimal,
            thousands=thousands,
        ) as readable:
            labels = fitted.predict_batches(readable, method="predict")
            shares = fitted.predict_batches(readable, method="predict_proba")
            batches = zip(labels, shares, strict=True)
            if output is None:
                _write(fitted.classes_.tolist(), batches, sys.stdout)
            else:
                write_at_once(output, lambda file: _write_text(fitted, batches, file))


def _write_text(fitted: Any, batches: Iterable[Any], file: Any) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    _write(fitted.classes_.tolist(), batches, text)
    text.flush()
    text.detach()


def _write(classes: list[Any], batches: Iterable[Any], file: Any) -> None:
    """Write predictions as CSV with a header."""
    writer = csv.writer(file, lineterminator="\n")
    for number, (labels, shares) in enumerate(batches):
        if number == 0:
            writer.writerow(["prediction", *(f"probability of {label}" for label in classes)])
        for label, row in zip(labels.tolist(), shares.tolist(), strict=True):
            writer.writerow([label, *row])


def evaluate(
    model: Model,
    source: options.Sources,
    target: options.TargetColumn = None,
    file_format: options.FileFormat = None,
    encoding: options.FileEncoding = None,
    comment: options.Comment = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    report: options.Report = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure a model on labelled rows: accuracy, balanced error, AUC, recall of each class."""
    from zerone.cli._evaluate import measured

    with reported():
        fitted = load_model(model)
        page = options.free_report(report, force=force, sources=source)
        with options.readable(
            source,
            format=file_format,
            encoding=encoding,
            comment=comment,
            sheet=sheet,
            decimal=decimal,
            thousands=thousands,
        ) as readable:
            found = measured(fitted, readable, target)
        if page is not None:
            from zerone.comparison import evaluation_report

            text = evaluation_report(
                fitted,
                found.figures,
                found.scores,
                found.probabilities,
                found.labels,
                title=f"{model.name} on {options.title(source)}",
            )
            options.write_text(page, text)
        figures = found.figures
        if as_json:
            print_json(json_keys(figures))
        else:
            print_facts({name: value for name, value in figures.items() if name != "recall"})
            print_facts({f"recall of class {k}": v for k, v in figures["recall"].items()})
