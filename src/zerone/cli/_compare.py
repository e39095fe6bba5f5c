"""``zerone compare``: zerone and the usual linear classifiers on the user's own table."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from zerone.cli import _options as options
from zerone.cli._errors import reported
from zerone.cli._show import (
    class_facts,
    column_facts,
    json_keys,
    print_classes,
    print_columns,
    print_json,
)
from zerone.comparison import (
    Comparison,
    Verdict,
    compare_table,
    comparison_report,
    contestants,
    verdict,
)

_METRICS = ("accuracy", "AUC", "balanced error", "seconds")


def compare(
    source: options.Source,
    target: options.TargetColumn = None,
    metric: Annotated[
        str, typer.Option("--metric", help="The metric that decides: error or auc.")
    ] = "error",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.", min=2)] = 5,
    repeats: Annotated[int, typer.Option(help="Repeats of the cross-validation.", min=1)] = 1,
    columns: options.Columns = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    null_value: options.NullValues = None,
    missing: options.Missing = "error",
    max_categories: options.MaxCategories = 100,
    report: options.Report = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare zerone with LogisticRegressionCV, LinearSVC and LDA on your own table."""
    with reported():
        if metric not in ("error", "auc"):
            raise ValueError(f"--metric: got {metric!r}, expected error or auc")
        page = options.free_report(report, force=force, source=source)
        with (
            options.readable(source) as readable,
            Progress(console=Console(stderr=True), transient=True) as bar,
        ):
            line = bar.add_task("reading", total=None)
            given = options.table_options(
                readable,
                target,
                None,
                columns,
                drop,
                categorical,
                null_value,
                missing,
                max_categories,
            )
            comparison = compare_table(
                readable,
                folds=folds,
                repeats=repeats,
                contestants=contestants("roc_auc" if metric == "auc" else None),
                progress=lambda done, total, what: bar.update(
                    line, completed=done, total=total, description=what
                ),
                **{name: value for name, value in given.items() if name != "weight"},
            )
        two_classes = len(comparison.moments) == 2
        shown = "AUC" if metric == "auc" and two_classes else "accuracy"
        decided = verdict(comparison, shown)
        if page is not None:
            title = f"zerone and other linear classifiers on {Path(source).name}"
            options.write_text(page, comparison_report(comparison, decided, title=title))
        if as_json:
            _print_json(comparison, decided)
        else:
            _print_tables(comparison, decided, folds * repeats)


def _print_tables(comparison: Comparison, decided: Verdict, n_splits: int) -> None:
    print_columns(comparison.moments.encoding)
    print_classes(comparison.moments)
    shown = [m for m in _METRICS if m in next(iter(comparison.metrics.values()))]
    table = Table("", *shown, box=None, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
    for name, metrics in comparison.metrics.items():
        cells = [f"{metrics[m].mean():.4f}" for m in shown]
        table.add_row(name, *cells, style="bold" if name == decided.best else None)
    for name, why in comparison.failures.items():
        table.add_row(name, Text(f"failed: {why}"))
    console = Console()
    console.print(table)
    sample = ", a sample of the table" if comparison.is_sample else ""
    console.print(
        f"means over {n_splits} splits of {comparison.n_rows:,} rows{sample}; --json prints all "
        "splits. Categories and imputed values are learned from all rows.",
        style="dim",
    )
    console.print(decided.sentence, markup=False, highlight=False)


def _print_json(comparison: Comparison, decided: Verdict) -> None:
    metrics: dict[str, Any] = {
        name: json_keys({metric: values.tolist() for metric, values in own.items()})
        for name, own in comparison.metrics.items()
    }
    print_json(
        {
            "rows": comparison.n_rows,
            "is_sample": comparison.is_sample,
            "classes": class_facts(comparison.moments),
            "columns": column_facts(comparison.moments.encoding),
            "metrics": metrics,
            "failures": comparison.failures,
            "best": decided.best,
            "t": decided.t if abs(decided.t) < float("inf") else None,
            "recommendation": decided.sentence,
        }
    )
