"""``zerone compare``: zerone and the usual linear classifiers on the user's own table."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from zerone._uncertainty.intervals import Interval
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
from zerone.cli._recipe import recipe_of
from zerone.cli._show import (
    class_facts,
    column_facts,
    finite,
    json_keys,
    print_classes,
    print_columns,
    print_json,
)
from zerone.comparison import (
    REFERENCES,
    RIVALS,
    Comparison,
    Verdict,
    Weakness,
    compare_table,
    comparison_report,
    verdict,
    what_was_compared,
)


def compare(
    context: typer.Context,
    source: options.Sources,
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
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.", min=2)] = 5,
    repeats: Annotated[int, typer.Option(help="Repeats of the cross-validation.", min=1)] = 1,
    rivals: Annotated[
        str | None,
        typer.Option(
            help="What to compare with, separated by commas: "
            f"{', '.join((*RIVALS, *REFERENCES))}; by default all.",
            show_default=False,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Seconds that each rival may take for all splits, or inf; by default ten times "
            "what zerone took, and at least 30.",
            show_default=False,
        ),
    ] = None,
    columns: options.Columns = None,
    weight: options.WeightColumn = None,
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
    report: options.Report = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare zerone with other linear classifiers, and with trees, on your own table."""
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
        page = options.free_report(report, force=force, sources=source)
        with (
            options.readable(
                source,
                format=file_format,
                encoding=encoding,
                comment=comment,
                sheet=sheet,
                decimal=decimal,
                thousands=thousands,
            ) as readable,
            _fits_shown() as progress,
        ):
            given = options.table_options(
                readable,
                target=target,
                columns=columns,
                drop=drop,
                weight=weight,
                categorical=categorical,
                null_values=null_value,
                strict=strict,
                keep=keep,
                hashed=hashed,
                text=text,
                max_categories=max_categories,
            )
            comparison = compare_table(
                readable,
                folds=folds,
                repeats=repeats,
                rivals=None if rivals is None else [name.strip() for name in rivals.split(",")],
                time_limit=time_limit,
                **wanted.options,
                progress=progress,
                **given,
            )
            decided = verdict(comparison)
            if page is not None:
                # Here the table can still be read.
                name = options.title(source)
                title = f"zerone and other linear classifiers on {name}"
                made = recipe_of(context, name, decided.shapes)
                content = comparison_report(comparison, decided, title=title, recipe=made)
                options.write_text(page, content)
        if as_json:
            _print_json(comparison, decided)
        else:
            _print_tables(comparison, decided, folds * repeats)


@contextmanager
def _fits_shown() -> Iterator[Callable[[int, int, str], None]]:
    """Yield what shows the progress of the fits; passes over the table before show their own."""
    with ExitStack() as shown:
        console = Console(stderr=True)
        # Where nobody looks, it would leave an empty line.
        bar = Progress(console=console, transient=True, disable=not console.is_terminal)
        line = bar.add_task("", total=None)

        def show(done: int, total: int, what: str) -> None:
            if done == 0:
                shown.enter_context(bar)
            bar.update(line, completed=done, total=total, description=what)

        yield show


def _print_tables(comparison: Comparison, decided: Verdict, n_splits: int) -> None:
    print_columns(comparison.moments.encoding)
    print_classes(comparison.moments)
    console = Console()
    console.print(_deciding_table(comparison, decided))
    console.print()
    console.print(_other_table(comparison, decided))
    for name, why in (comparison.failures | comparison.stopped).items():
        _print(console, f"{name}: {why}", style="dim")
    sample = ", a sample of the table" if comparison.is_sample else ""
    means = f"means over {n_splits} splits of {comparison.n_rows:,} rows{sample}"
    for told in (
        f"{means}, with intervals of 95 %; --json prints all splits.",
        *what_was_compared(comparison),
    ):
        _print(console, told, style="dim")
    for sentence in decided.sentences:
        _print(console, sentence)


def _deciding_table(comparison: Comparison, decided: Verdict) -> Table:
    """Return the metric that decides; what is not recommended in any case is dim."""
    metric, reference = comparison.deciding, decided.recommended
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column(metric)
    table.add_column("95 % interval", no_wrap=True)
    table.add_column(f"minus {reference}")
    for name in comparison.metrics:
        difference = comparison.difference(name, reference, metric)[1]
        table.add_row(
            name,
            f"{comparison.mean(name, metric):.4f}",
            str(comparison.interval(name, metric)),
            f"{difference.low:+.4f} to {difference.high:+.4f}" if difference.is_known else "",
            style=_style(comparison, decided, name),
        )
    for name in comparison.failures:
        table.add_row(name, "failed")
    for name in comparison.stopped:
        table.add_row(name, "stopped")
    return table


def _other_table(comparison: Comparison, decided: Verdict) -> Table:
    """Return the other metrics, with their intervals below them."""
    shown = [own for own in comparison.shown if own != comparison.deciding]
    if comparison.deciding not in ("accuracy", "AUC", "balanced error"):
        shown.remove("balanced error")  # for want of room
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for metric in shown:
        table.add_column(metric)
    for name in comparison.metrics:
        style = _style(comparison, decided, name)
        table.add_row(name, *(f"{comparison.mean(name, own):.4f}" for own in shown), style=style)
        intervals = [comparison.interval(name, own).short for own in shown]
        table.add_row("", *intervals, style="dim")
    return table


def _style(comparison: Comparison, decided: Verdict, name: str) -> str | None:
    if name == decided.best:
        return "bold"
    return None if name in comparison.named("ours", "rival") else "dim"


def _print(console: Console, text: str, style: str | None = None) -> None:
    console.print(text, style=style, markup=False, highlight=False)


def _print_json(comparison: Comparison, decided: Verdict) -> None:
    metrics: dict[str, Any] = {
        name: json_keys({metric: values.tolist() for metric, values in own.items()})
        for name, own in comparison.metrics.items()
    }
    print_json(
        {
            "rows": comparison.n_rows,
            "is_sample": comparison.is_sample,
            "metric": comparison.metric.name,
            "metric_params": comparison.metric.metric_params,
            "positive_class": comparison.positive,
            "classes": class_facts(comparison.moments),
            "rare_classes": {str(label): size for label, size in comparison.rare.items()},
            "columns": column_facts(comparison.moments.encoding),
            "metrics": metrics,
            "intervals": _intervals(comparison),
            "differences": _differences(comparison, decided.recommended),
            "roles": comparison.roles,
            "failures": comparison.failures,
            "stopped": comparison.stopped,
            "time_limit": finite(comparison.time_limit),
            "best": decided.best,
            "recommended": decided.recommended,
            "t": finite(decided.t),
            "worse_at": [_weakness(own) for own in decided.worse_at],
            "recommendation": decided.sentence,
        }
    )


def _intervals(comparison: Comparison) -> dict[str, Any]:
    """Return the interval of every mean; null where it is not known."""
    return {
        name: json_keys({own: _ends(comparison.interval(name, own)) for own in metrics})
        for name, metrics in comparison.metrics.items()
    }


def _differences(comparison: Comparison, reference: str) -> dict[str, Any]:
    """Return how much every contestant exceeds the recommended one, with intervals."""
    found: dict[str, Any] = {}
    for name, metrics in comparison.metrics.items():
        if name == reference:
            continue
        pairs = {own: comparison.difference(name, reference, own) for own in metrics}
        found[name] = json_keys(
            {
                own: {"difference": finite(value), "interval": _ends(interval)}
                for own, (value, interval) in pairs.items()
            }
        )
    return {"reference": reference, "of": found}


def _ends(interval: Interval) -> list[float] | None:
    return [interval.low, interval.high] if interval.is_known else None


def _weakness(found: Weakness) -> dict[str, Any]:
    return {
        "metric": found.metric,
        "value": found.value,
        "better": found.better,
        "better_value": found.better_value,
        "t": found.t,
    }
