"""What is measured of a model on labelled rows, which are read part by part."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score

from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty import ratios
from zerone._uncertainty.intervals import Interval
from zerone._warnings import warn
from zerone.cli._measured_intervals import (
    SHOWN_ANYWAY,
    MeasuredRows,
    class_intervals,
    figure_intervals,
    metric_intervals,
)
from zerone.cli._show import positive_class
from zerone.cli._threshold import Threshold
from zerone.comparison import measured_metric
from zerone.estimators._table_prediction import labelled_predictions, require_known_labels
from zerone.metrics import chosen_metric

_METHODS = ("predict", "decision_function", "predict_proba")


@dataclass(frozen=True, eq=False)
class Measured:
    """The results of a model on labelled rows.

    Attributes
    ----------
    figures : dict name -> value
        About all rows.
    intervals : dict name -> Interval
        Of the figures, 95 %.
    class_intervals : dict label -> dict name -> Interval
    of_classes : dict label -> dict name -> number or None
        Weight of the rows of each class, recall, precision and F1; None where it is a share of
        nothing.
    confusion : ndarray of shape (n_classes, n_classes)
        Weight of the rows of each class (row) with each prediction (column).
    scores, probabilities : ndarray
    labels : ndarray
    """

    figures: dict[str, Any]
    intervals: dict[str, Interval]
    class_intervals: dict[str, dict[str, Interval]]
    of_classes: dict[str, dict[str, float | None]]
    confusion: AnyArray
    scores: FloatArray
    probabilities: FloatArray
    labels: AnyArray


def measured(
    model: Any,
    source: Any,
    *,
    target: str | None,
    weight: str | None,
    threshold: Threshold | None,
    costs: FloatArray | None,
    positive: int | None = None,
) -> Measured:
    """Return what is measured of a model on a table.

    Scores, probabilities and labels are kept for all rows; the rows are not.

    Parameters
    ----------
    target, weight : str or None
        Columns; by default the target of training, and no weights.
    threshold : Threshold or None
        On a probability, in place of the model's own.
    costs : ndarray of shape (n_classes, n_classes) or None
        Of each prediction (column) for each class (row).
    positive : int or None
        Position of the class that threshold or costs are for.
    """
    found = labelled_predictions(model, source, target, weight, _METHODS, progress=None)
    parts = list(found)
    if not parts:
        require_known_labels(model, set(), 0.0)
    labels = np.concatenate([own for own, _, _ in parts])
    weights = None if weight is None else np.concatenate([own for _, own, _ in parts])
    predicted, scores, probabilities = (
        np.concatenate([found[position] for _, _, found in parts]) for position in range(3)
    )
    if threshold is not None:
        predicted = threshold.labels(model.classes_, probabilities)
    total = float(len(labels) if weights is None else weights.sum())
    require_known_labels(model, set(np.unique(labels).tolist()), total)
    known = np.isin(labels, model.classes_)
    rows = MeasuredRows(
        np.searchsorted(model.classes_, labels[known]),
        np.searchsorted(model.classes_, predicted[known]),
        scores[known],
        probabilities[known],
        None if weights is None else weights[known],
    )
    n_classes = len(model.classes_)
    confusion = confusion_matrix(
        rows.truth, rows.predicted, labels=range(n_classes), sample_weight=rows.weights
    )
    of_classes = {
        str(label): _of_class(confusion, position)
        for position, label in enumerate(model.classes_.tolist())
    }
    accuracy = float(np.average(predicted == labels, weights=weights))
    recalls = [own["recall"] for own in of_classes.values() if own["recall"] is not None]
    figures = {
        "rows": len(labels),
        **({} if weights is None else {"weight": total}),
        **({} if positive is None else {"positive class": model.classes_.tolist()[positive]}),
        **_of_metric(model, rows, of_classes),
        "accuracy": accuracy,
        "error": 1 - accuracy,
        "balanced error": 1 - float(np.mean(recalls)),
        **({} if costs is None else {"cost": float((confusion * costs).sum() / confusion.sum())}),
        **_of_probabilities(rows, n_classes),
    }
    intervals = figure_intervals(rows, confusion, accuracy, total, costs)
    return Measured(
        figures,
        {**metric_intervals(model, rows, confusion), **intervals},
        class_intervals(model.classes_.tolist(), confusion),
        of_classes,
        confusion,
        scores,
        probabilities,
        labels,
    )


def costs_of(model: Any, given: dict[str, float], positive: int) -> FloatArray | None:
    """Return the costs of the options, else those of the model's metric; None without any.

    Parameters
    ----------
    given : dict
        ``false_negative_cost`` and ``false_positive_cost``, or one of them.
    positive : int
        Position of the positive class; of several classes there is none.
    """
    if not given and model.metric != "cost":
        return None
    chosen = chosen_metric("cost", given or model.metric_params)
    if chosen.cost_matrix is not None:
        return np.array(chosen.cost_matrix)
    return ratios.pair_costs(chosen.parameters, positive)


def _of_class(confusion: AnyArray, position: int) -> dict[str, float | None]:
    right = confusion[position, position].item()
    size, named = confusion[position].sum().item(), confusion[:, position].sum().item()
    return {
        "weight": size,
        "recall": right / size if size else None,
        "precision": right / named if named else None,
        "F1": 2 * right / (size + named) if size + named else None,
    }


def _of_metric(
    model: Any, rows: MeasuredRows, of_classes: dict[str, dict[str, float | None]]
) -> dict[str, Any]:
    """Return the metric of the model, if it is not among those that are always shown."""
    if model.metric in SHOWN_ANYWAY:
        return {}
    if len(model.classes_) > 2:
        scores = [own["F1"] for own in of_classes.values() if own["F1"] is not None]
        return {"F1": float(np.mean(scores))}
    if rows.classes_found < 2:
        return {}
    positive = positive_class(model)
    place = model.classes_.tolist().index(positive)
    total = float(len(rows.truth) if rows.weights is None else rows.weights.sum())
    metric = chosen_metric(model.metric, model.metric_params)
    if metric.parameters.get("k", 0.0) >= max(total, 1.0):
        k = metric.parameters["k"]
        warn(f"{metric.title} is not measured: k is {k:g}, and there are only {total:g} rows")
        return {}
    found = measured_metric(
        metric.for_weight(total),
        rows.truth == place,
        rows.scores if place else -rows.scores,
        rows.predicted == place,
        rows.weights,
        at_limit=False,
    )
    return {"positive class": positive, **found}


def _of_probabilities(rows: MeasuredRows, n_classes: int) -> dict[str, float]:
    shares, weights = rows.probabilities, rows.weights
    figures = {
        "log loss": float(
            log_loss(rows.truth, shares, sample_weight=weights, labels=range(n_classes))
        )
    }
    truth = np.eye(n_classes)[rows.truth]
    squares = ((shares - truth) ** 2).sum(axis=1)
    # Of two classes only one probability is counted, as is usual.
    figures["Brier score"] = rows.mean(squares if n_classes > 2 else squares / 2)
    if rows.classes_found < n_classes:
        return figures
    if n_classes == 2:
        auc = roc_auc_score(rows.truth, rows.scores, sample_weight=weights)
        return {**figures, "AUC": float(auc)}
    figures["AUC one-vs-rest"] = float(
        roc_auc_score(
            rows.truth, shares, multi_class="ovr", average="weighted", sample_weight=weights
        )
    )
    if weights is None:
        figures["AUC one-vs-one"] = float(roc_auc_score(rows.truth, shares, multi_class="ovo"))
    return figures
