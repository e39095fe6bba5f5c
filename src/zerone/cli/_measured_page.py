"""The HTML page of `zerone evaluate`."""

from typing import Any

from zerone._uncertainty.intervals import percent_interval
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
        tables=[_table_of_classes(found), _confusion_table(found)],
    )


def _table_of_classes(found: Measured) -> PageTable:
    is_weighted = "weight" in found.figures
    rows = []
    for place, (label, own) in enumerate(found.of_classes.items()):
        row: list[tuple[str, float | None]] = [
            (label, None),
            (f"{own['weight']:,.10g}", own["weight"]),
        ]
        sizes = found.confusion[place].sum(), found.confusion[:, place].sum()
        for name, size in zip(("recall", "precision"), sizes, strict=True):
            row += [_shown(own[name]), ("–", None)]
            share = own[name]
            if share is not None and not is_weighted:
                row[-1] = (percent_interval(share, float(size)), None)
        rows.append([*row, _shown(own["F1"])])
    interval = "95 % interval"
    header = ["class", "rows (weight)", "recall", interval, "precision", interval, "F1"]
    caption = "Each class, with intervals of Wilson"
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
