"""The intervals of what `zerone evaluate` measures."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._typing import AnyArray, FloatArray, IntArray
from zerone._uncertainty import ratios
from zerone._uncertainty.class_aucs import one_vs_one_interval, one_vs_rest_interval
from zerone._uncertainty.delong import delong
from zerone._uncertainty.intervals import Interval, mean_interval, share_interval
from zerone._uncertainty.rankings import ranking_interval, score_bins
from zerone._uncertainty.rates import rate_interval
from zerone.cli._show import positive_class
from zerone.metrics import ChosenMetric, RankingLoss, chosen_metric

SHOWN_ANYWAY = ("error", "balanced_error", "auc", "cost")
"""Metrics that are always shown, or that costs are for."""
# scikit-learn's least probability in a log loss.
_LEAST = np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Rows with a known label: its position among the classes, and what is predicted."""

    truth: IntArray
    predicted: IntArray
    scores: FloatArray
    probabilities: FloatArray
    weights: FloatArray | None

    @property
    def classes_found(self) -> int:
        """How many classes have rows."""
        return len(np.unique(self.truth))

    @property
    def total(self) -> float:
        """Total weight."""
        return float(len(self.truth) if self.weights is None else self.weights.sum())

    def mean(self, values: FloatArray) -> float:
        """Return the weighted mean."""
        return float(np.average(values, weights=self.weights))


def figure_intervals(
    rows: MeasuredRows,
    confusion: AnyArray,
    accuracy: float,
    total: float,
    costs: FloatArray | None,
) -> dict[str, Interval]:
    """Return the intervals of the figures about all rows, by their names.

    Parameters
    ----------
    rows : MeasuredRows
    confusion : ndarray of shape (n_classes, n_classes)
    accuracy, total : float
        Of all rows, also those whose label training has not seen; they are wrong.
    costs : ndarray of shape (n_classes, n_classes) or None
    """
    n_classes = len(confusion)
    low, high = share_interval(accuracy, accuracy * (1 - accuracy) / total, total)
    found = {
        "accuracy": Interval(low, high),
        "error": Interval(1 - high, 1 - low),
        "balanced error": ratios.balanced_error(n_classes).interval(confusion),
    }
    if costs is not None:
        found["cost"] = ratios.cost(costs).interval(confusion)
    return {**found, **_of_probabilities(rows, n_classes)}


def _of_probabilities(rows: MeasuredRows, n_classes: int) -> dict[str, Interval]:
    shares, truth = rows.probabilities, rows.truth
    own = np.clip(shares[np.arange(len(truth)), truth], _LEAST, 1.0)
    squares = ((shares - np.eye(n_classes)[truth]) ** 2).sum(axis=1)
    found = {
        "log loss": mean_interval(-np.log(own), rows.weights),
        "Brier score": mean_interval(squares if n_classes > 2 else squares / 2, rows.weights),
    }
    if rows.classes_found < n_classes:
        return found
    if n_classes == 2:
        return {**found, "AUC": delong(truth == 1, rows.scores, rows.weights).interval()}
    found["AUC one-vs-rest"] = one_vs_rest_interval(truth, shares, rows.weights)
    if rows.weights is None:
        found["AUC one-vs-one"] = one_vs_one_interval(truth, shares)
    return found


def class_intervals(labels: list[Any], confusion: AnyArray) -> dict[str, dict[str, Interval]]:
    """Return the intervals of recall, precision and F1 of every class."""
    return {
        str(label): {name: figure.interval(confusion) for name, figure in figures.items()}
        for label, figures in zip(labels, ratios.class_figures(len(labels)), strict=True)
    }


def metric_intervals(model: Any, rows: MeasuredRows, confusion: AnyArray) -> dict[str, Interval]:
    """Return the intervals of the metric that a model was trained for, and of what it limits."""
    if model.metric in SHOWN_ANYWAY:
        return {}
    if len(model.classes_) > 2:
        return {"F1": ratios.mean_f1(len(confusion)).interval(confusion)}
    if rows.classes_found < 2:
        return {}
    metric = chosen_metric(model.metric, model.metric_params)
    if metric.parameters.get("k", 0.0) >= max(rows.total, 1.0):
        return {}
    place = 1 if positive_class(model) is None else _place(model)
    own = metric.for_weight(rows.total)
    found = {metric.title: _of_metric(own, rows, confusion, place)}
    if metric.limited is not None:
        figure = ratios.limited_rate(metric.limited, place)
        found[f"its {metric.limited}"] = figure.interval(confusion)
    return found


def _place(model: Any) -> int:
    place: int = model.classes_.tolist().index(positive_class(model))
    return place


def _of_metric(
    metric: ChosenMetric, rows: MeasuredRows, confusion: AnyArray, place: int
) -> Interval:
    counts = float(confusion[place].sum()), float(confusion[1 - place].sum())
    priors = counts[0] / sum(counts), counts[1] / sum(counts)
    loss = metric.loss(priors)
    scores = rows.scores if place else -rows.scores
    if isinstance(loss, RankingLoss) or metric.is_ranking:
        bins = score_bins(rows.truth == place, scores, rows.weights)
        missed, wrong = np.append(0.0, np.cumsum(bins[0])), 1 - np.append(0.0, np.cumsum(bins[1]))
        if isinstance(loss, RankingLoss):
            return ranking_interval(loss, float(loss.of_roc(missed, wrong)), *bins, counts)
        # Precision among the first k: a share of k rows.
        share = float(np.asarray(loss.reported(loss.least_on_roc(missed, wrong))))
        n_first = metric.parameters["k"] * rows.total
        return share_interval(share, share * (1 - share) / n_first, n_first)
    rates = confusion[place, 1 - place] / counts[0], confusion[1 - place, place] / counts[1]
    return rate_interval(metric, (float(rates[0]), float(rates[1])), counts)
