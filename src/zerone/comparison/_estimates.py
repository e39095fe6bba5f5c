"""How much the figures of a split differ from sample to sample of its held-out rows."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from zerone._typing import AnyArray, FloatArray, IntArray, Label
from zerone._uncertainty import ratios
from zerone._uncertainty.estimates import Estimate
from zerone._uncertainty.rankings import ranking_estimate
from zerone.metrics import AUCLoss, ChosenMetric, RankingLoss


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """Held-out rows of known classes, and what is predicted for them.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    truth, predicted : ndarray of shape (n_rows,)
        Positions of classes.
    scores : ndarray of shape (n_rows,) or None
        For two classes.
    weights : ndarray of shape (n_rows,) or None
    is_sample : bool
        Whether weights say how many rows a row of a sample stands for; otherwise how often a row
        occurs.
    """

    classes: AnyArray
    truth: IntArray
    predicted: IntArray
    scores: FloatArray | None
    weights: FloatArray | None
    is_sample: bool

    def counts(self, weights: FloatArray | None) -> AnyArray:
        """Return the weight of the rows of each class (row) with each prediction (column)."""
        return ratios.joint_counts(self.truth, [self.predicted], len(self.classes), weights)

    def ranking(self, loss: RankingLoss, place: int) -> Estimate | None:
        """Return how well the scores rank the class with a position."""
        if self.scores is None or not np.ptp(self.scores) > 0:
            return None
        scores = self.scores if place else -self.scores
        is_sample = self.is_sample and self.weights is not None
        return ranking_estimate(
            loss, self.truth == place, scores, self.weights, is_sample=is_sample
        )


def split_estimates(
    rows: PredictedRows,
    metric: ChosenMetric,
    positive: Label | None,
    figures: Mapping[str, float],
) -> dict[str, Estimate]:
    """Return the figures of held-out rows with their variances, by the names of the figures.

    Some are left out: a metric at exactly a limit, because the limit is met on the same rows;
    and what cannot differ, balanced error where all rows have the same prediction, and AUC where
    all have the same score.

    Parameters
    ----------
    rows : PredictedRows
    metric : ChosenMetric
        What decides.
    positive : label or None
        Its positive class.
    figures : mapping name -> number
        What was measured.
    """
    n_classes = len(rows.classes)
    place = 1 if positive is None else rows.classes.tolist().index(positive)
    counts = rows.counts(rows.weights)
    squares = None
    if rows.is_sample and rows.weights is not None:
        squares = rows.counts(rows.weights**2)
    of_counts = {"accuracy": ratios.accuracy(n_classes)}
    if len(np.unique(rows.predicted)) > 1:
        of_counts["balanced error"] = ratios.balanced_error(n_classes)
    of_counts |= _of_metric(metric, n_classes, place)
    found = {name: own.estimate(counts, squares) for name, own in of_counts.items()}
    if n_classes == 2:
        found["AUC"] = rows.ranking(AUCLoss(), 1)
        sizes = counts.sum(axis=1) / counts.sum()
        loss = metric.loss((float(sizes[place]), float(sizes[1 - place])))
        if isinstance(loss, RankingLoss) and not isinstance(loss, AUCLoss):
            found[metric.title] = rows.ranking(loss, place)
    if metric.name == "precision_at_k":
        # A share of the first k rows.
        n_rows = float(counts.sum() if squares is None else counts.sum() ** 2 / squares.sum())
        n_first, value = metric.parameters["k"] * n_rows, figures[metric.title]
        found[metric.title] = Estimate(value, value * (1 - value) / n_first, n_first)
    return {name: own for name, own in found.items() if own is not None}


def _of_metric(metric: ChosenMetric, n_classes: int, place: int) -> dict[str, ratios.Figure]:
    """Return the metric as a figure of a confusion matrix, or the rate that it limits."""
    if metric.limited is not None:
        return {f"its {metric.limited}": ratios.limited_rate(metric.limited, place)}
    if metric.cost_matrix is not None:
        return {metric.title: ratios.cost(np.array(metric.cost_matrix))}
    if metric.name == "cost":
        return {metric.title: ratios.cost(ratios.pair_costs(metric.parameters, place))}
    if metric.name == "f1" and n_classes > 2:
        return {metric.title: ratios.mean_f1(n_classes)}
    if metric.name in ("f1", "fbeta"):
        return {metric.title: ratios.f_score(2, place, metric.parameters.get("beta", 1.0))}
    return {}
