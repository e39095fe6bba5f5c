"""The HTML page of `zerone evaluate`."""

from typing import Any

from zerone.cli._measured import Measured
from zerone.comparison import evaluation_report
from zerone.comparison._page import PageTable


def measured_page(model: Any, found: Measured, title: str) -> str:
    """Return what was measured as a page."""
    return evaluation_report(
        model,
        found.figures,
        found.scores,
        found.probabilities,
        found.labels,
        title=title,
        intervals=found.intervals,
        tables=[_table_of_classes(found), _confusion_table(found)],
    )


def _table_of_classes(found: Measured) -> PageTable:
    is_weighted = "weight" in found.figures
    rows = []
    for label, own in found.of_classes.items():
        row: list[tuple[str, float | None]] = [
            (label, None),
            (f"{own['weight']:,.10g}", own["weight"]),
        ]
        for name in ("recall", "precision"):
            interval = found.class_intervals[label][name]
            is_told = interval.is_known and not is_weighted
            row += [_shown(own[name]), (interval.percent if is_told else "–", None)]
        text, value = _shown(own["F1"])
        ends = found.class_intervals[label]["F1"]
        if ends.is_known and not is_weighted:
            text += f"\n{ends}"
        rows.append([*row, (text, value)])
    heading = "95 % interval"
    header = ["class", "rows (weight)", "recall", heading, "precision", heading, "F1"]
    caption = "Each class, with intervals of 95 %"
    if is_weighted:
        caption = "Each class; weighted rows have no intervals"
    return PageTable(caption, header, rows)


def _shown(value: float | None) -> tuple[str, float | None]:
    return "–" if value is None else f"{value:.4f}", value


def _confusion_table(found: Measured) -> PageTable:
    labels = list(found.of_classes)
    rows = [
        [(label, None), *((f"{own:,.10g}", float(own)) for own in row)]
        for label, row in zip(labels, found.confusion, strict=True)
    ]
    header = ["true class", *(f"predicted {label}" for label in labels)]
    return PageTable("Confusion matrix: how rows of each class are predicted", header, rows)
