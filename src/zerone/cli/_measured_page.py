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
        tables=[_table_of_classes(found), _confusion_table(found)],
    )


def _table_of_classes(found: Measured) -> PageTable:
    names = list(next(iter(found.of_classes.values())))
    rows = [
        [
            (label, None),
            (f"{own['weight']:,.10g}", own["weight"]),
            *(("–" if own[name] is None else f"{own[name]:.4f}", own[name]) for name in names[1:]),
        ]
        for label, own in found.of_classes.items()
    ]
    return PageTable("Each class", ["class", "rows (weight)", *names[1:]], rows)


def _confusion_table(found: Measured) -> PageTable:
    labels = list(found.of_classes)
    rows = [
        [(label, None), *((f"{own:,.10g}", float(own)) for own in row)]
        for label, row in zip(labels, found.confusion, strict=True)
    ]
    header = ["true class", *(f"predicted {label}" for label in labels)]
    return PageTable("Confusion matrix: how rows of each class are predicted", header, rows)
