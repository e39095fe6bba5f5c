"""``zerone evaluate``: a model on labelled rows."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from zerone import load_model
from zerone._data.features import column_names
from zerone._errors import ArgumentError
from zerone._warnings import warn
from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._predict import Model
from zerone.cli._show import finite, json_keys, print_json, visible, without_control
from zerone.cli._threshold import Threshold, ThresholdOption, positive_of


def evaluate(
    model: Model,
    source: options.Sources,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="The column of class labels; by default that of training.",
            show_default=False,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--weight",
            help="The column of row weights; by default that of training, if the table has it.",
            show_default=False,
        ),
    ] = None,
    threshold: ThresholdOption = None,
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive",
            help="The class that --threshold and costs are for; by default the positive class of "
            "the model.",
            show_default=False,
        ),
    ] = None,
    false_negative_cost: Annotated[
        float | None,
        typer.Option(
            "--false-negative-cost",
            help="Cost of a row of the positive class that is predicted negative.",
            show_default=False,
        ),
    ] = None,
    false_positive_cost: Annotated[
        float | None,
        typer.Option(
            "--false-positive-cost",
            help="Cost of a row of the negative class that is predicted positive.",
            show_default=False,
        ),
    ] = None,
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
    """Measure a model on labelled rows: its metric, accuracy, probabilities, every class."""
    from zerone.cli._measured import costs_of, measured

    with reported():
        fitted = load_model(model)
        page = options.free_report(report, force=force, sources=[*source, str(model)])
        given = {
            name: value
            for name, value in (
                ("false_negative_cost", false_negative_cost),
                ("false_positive_cost", false_positive_cost),
            )
            if value is not None
        }
        if positive is not None and threshold is None and not given:
            raise ArgumentError(
                "positive",
                "is the class of a threshold or of costs",
                "add ⟨threshold⟩ or ⟨false_negative_cost⟩",
            )
        cut = Threshold.of(fitted, threshold, positive)
        place = None
        if given or cut is not None or (fitted.metric == "cost" and len(fitted.classes_) == 2):
            place = positive_of(fitted, positive, next(iter(given), "threshold"))
        costs = costs_of(fitted, given, 1 if place is None else place)
        with options.readable(
            source,
            format=file_format,
            encoding=encoding,
            comment=comment,
            sheet=sheet,
            decimal=decimal,
            thousands=thousands,
        ) as readable:
            found = measured(
                fitted,
                readable,
                target=target,
                weight=_weight_of(fitted, readable, weight),
                threshold=cut,
                costs=costs,
                positive=place,
            )
        if page is not None:
            from zerone.cli._measured_page import measured_page

            title = f"{model.name} on {options.title(source)}"
            options.write_text(page, measured_page(fitted, found, title))
        if as_json:
            print_json(_as_json(fitted, found))
        else:
            _print_figures(found)
            _print_classes(found)


def _weight_of(model: Any, source: Any, given: str | None) -> str | None:
    """Return the column of weights: as given, or that of training if the table has it."""
    encoding = model.encoding_
    if given is not None or encoding is None or encoding.weight is None:
        return given
    name: str = encoding.weight
    if name in column_names(source):
        return name
    warn(
        f"the table has no column {name!r}, which had the weights of the rows in training; all "
        "rows count the same"
    )
    return None


def _as_json(model: Any, found: Any) -> dict[str, Any]:
    classes = {
        label: {**json_keys(own), "intervals": _json_intervals(found.class_intervals[label])}
        for label, own in found.of_classes.items()
    }
    return {
        **json_keys(found.figures),
        "intervals": _json_intervals(found.intervals),
        "classes": classes,
        "confusion_matrix": found.confusion.tolist(),
    }


def _json_intervals(intervals: dict[str, Any]) -> dict[str, Any]:
    """Return the intervals that are known."""
    known = {name: own for name, own in intervals.items() if own.is_known}
    return json_keys({name: [finite(end) for end in own] for name, own in known.items()})


def _print_figures(found: Any) -> None:
    """Print one name, value and interval per line."""
    table = Table("", "", "95 % interval", box=None, pad_edge=False)
    for name, value in found.figures.items():
        interval = found.intervals.get(name)
        text = f"{value:.4f}" if isinstance(value, float) else str(value)
        table.add_row(visible(name), visible(text), "" if interval is None else str(interval))
    Console().print(table)


def _print_classes(found: Any) -> None:
    """Print recall, precision and F1 of every class, and which classes are confused."""
    console = Console()
    names = list(next(iter(found.of_classes.values())))
    table = Table("class", box=None, pad_edge=False)
    for name in ("rows (weight)", *names[1:]):
        table.add_column(name, no_wrap=True)
    for label, own in found.of_classes.items():
        shares = ["–" if own[name] is None else f"{own[name]:.4f}" for name in names[1:]]
        table.add_row(visible(label), f"{own['weight']:,.10g}", *shares)
        intervals = found.class_intervals[label]
        table.add_row("", "", *(intervals[name].short for name in names[1:]), style="dim")
    console.print()
    console.print(table)
    _print_confusion(found, console)


def _print_confusion(found: Any, console: Console) -> None:
    """Print which classes are confused: with their names, with numbers, or not if too broad."""
    names = [without_control(label) for label in found.of_classes]
    cells = [[f"{own:,.10g}" for own in row] for row in found.confusion]
    rows = ["true class", *names]
    numbered = [f"{number} {name}" for number, name in enumerate(names, 1)]
    choices = [(names, rows), ([*map(str, range(1, len(names) + 1))], ["true class", *numbered])]
    console.print()
    for columns, beginnings in choices:
        widths = [
            max(map(len, (name, *own))) + 2
            for name, own in zip(columns, zip(*cells, strict=True), strict=True)
        ]
        if max(map(len, beginnings)) + sum(widths) <= console.width:
            break
    else:
        console.print(f"--json prints the confusion matrix of {len(names)} classes", style="dim")
        return
    table = Table(box=None, pad_edge=False, title="predicted class", title_justify="right")
    table.add_column(Text("true class"), no_wrap=True)
    for column in columns:
        table.add_column(Text(column), justify="right", no_wrap=True)
    for name, row in zip(beginnings[1:], cells, strict=True):
        table.add_row(Text(name), *row)
    console.print(table)
