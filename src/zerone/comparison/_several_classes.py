"""What a report says about several classes: confusions, each class, and weights of each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, roc_curve

from zerone._data.labels import label_list
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.ratios import Figure, class_figures
from zerone.comparison._bent import features_of
from zerone.comparison._charts import KINDS, auc_in_words
from zerone.comparison._page import Page, PageTable, Picture
from zerone.comparison._svg import Chart
from zerone.inspection._weights import per_deviation

# Larger confusion matrices cannot be read.
_MOST_CLASSES = 30
_MOST_FEATURES = 15


def add_classes(
    page: Page, labels: Sequence[str], truth: AnyArray, predicted: AnyArray, rows: str
) -> None:
    """Add the confusion matrix, and recall and precision of each class.

    Parameters
    ----------
    labels : sequence of str
        All classes.
    truth, predicted : ndarray of int, shape (n_rows,)
        Positions among the classes.
    rows : str
        Which rows these are.
    """
    counts = confusion_matrix(truth, predicted, labels=range(len(labels)))
    page.heading("Classes", link="classes")
    if len(labels) <= _MOST_CLASSES:
        page.table(_confusion_table(labels, counts, rows))
    page.table(_class_table(labels, counts, rows))


def _confusion_table(labels: Sequence[str], counts: AnyArray, rows: str) -> PageTable:
    body = [
        [(label, None), *((f"{own:,}", float(own)) for own in row)]
        for label, row in zip(labels, counts.tolist(), strict=True)
    ]
    return PageTable(
        f"Confusion matrix: how {rows} are predicted; right ones in bold",
        ["true class", *(f"predicted {own}" for own in labels)],
        body,
        bold={(place, place + 1) for place in range(len(labels))},
    )


def _class_table(labels: Sequence[str], counts: AnyArray, rows: str) -> PageTable:
    body: list[list[tuple[str, float | None]]] = []
    sizes = counts.sum(axis=1).tolist()
    for label, size, figures in zip(labels, sizes, class_figures(len(labels)), strict=True):
        shares = [_share(figures[name], counts) for name in ("recall", "precision")]
        body.append([(label, None), (f"{size:,}", float(size)), *shares[0], *shares[1]])
    header = ["class", "rows", "recall", "95 % interval", "precision", "95 % interval"]
    return PageTable(f"Each class on {rows}, with intervals of Wilson", header, body)


def _share(figure: Figure, counts: AnyArray) -> list[tuple[str, float | None]]:
    value, interval = figure.value(counts), figure.interval(counts)
    if not interval.is_known:
        return [("–", None), ("–", None)]
    return [(f"{value:.1%}", value), (interval.percent, None)]


def add_one_vs_rest(
    page: Page, labels: Sequence[str], truth: AnyArray, probabilities: FloatArray, rows: str
) -> None:
    """Add the ROC curve of each class against all others, by its probability."""
    sizes = np.bincount(truth, minlength=len(labels))
    places = [own for own in range(len(labels)) if 0 < sizes[own] < len(truth)]
    largest = sorted(sorted(places, key=lambda own: -sizes[own])[: len(KINDS)])
    if not largest:
        return
    chart = Chart((0.0, 1.0), (0.0, 1.0), "false-positive rate", "recall")
    chart.line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "chance")
    entries = []
    for kind, place in zip(KINDS, largest, strict=False):
        is_own, own = truth == place, probabilities[:, place]
        alarms, found, _ = roc_curve(is_own, own)
        chart.line(alarms, found, kind)
        entries.append((f"line {kind}", f"{labels[place]}: {auc_in_words(is_own, own)}"))
    more = f"; the {len(largest)} largest classes" if len(largest) < len(places) else ""
    page.pictures(
        [
            Picture(
                chart.to_svg(f"ROC curves of each class against the others on {rows}."),
                f"ROC curves of each class against all others, by its probability, on {rows}"
                f"{more}.",
                entries,
            )
        ]
    )


def add_class_weights(page: Page, model: Any, names: Sequence[str], X: Any, rows: str) -> None:
    """Add the weights of each class, and how often they decide as `predict` does.

    Parameters
    ----------
    X : ndarray or None
        Rows to count on; None if there are none.
    """
    coef, unit = per_deviation(model, model.class_coef_, X)
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:_MOST_FEATURES]
    labels = [str(own) for own in label_list(model.classes_)]
    body = [
        [(str(names[own]), None), *((f"{value:+.3f}", float(value)) for value in coef[:, own])]
        for own in order
    ]
    page.heading("Weights of the classes", link="weights")
    agreement = ""
    if X is not None:
        summed = np.asarray(features_of(model, X) @ model.class_coef_.T + model.class_intercept_)
        same = float((model.classes_[summed.argmax(axis=1)] == model.predict(X)).mean())
        agreement = (
            f" The class with the largest sum is the predicted one for {same:.1%} of {rows}."
        )
    page.paragraph(
        "The rules decide between pairs of classes; this is a linear summary of them, one column "
        f"for each class. A positive weight speaks for the class.{agreement}"
    )
    page.table(PageTable(f"Largest weights, {unit}", ["feature", *labels], body))
