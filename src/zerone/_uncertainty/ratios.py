"""Figures of a confusion matrix as means of ratios, with standard errors by the delta method.

Accuracy, rates, precision, F-scores and costs are ratios of weighted sums of the counts, and
balanced error and mean F1 are means of such ratios. With counts c of a multinomial sample and the
derivatives g of a figure by the counts, its variance is Σ c g², because a ratio does not change
when all counts grow by a factor (Σ c g = 0).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.estimates import Estimate
from zerone._uncertainty.intervals import CONFIDENCE, UNKNOWN, Interval, difference_interval


@dataclass(frozen=True, eq=False)
class Ratio:
    """Σ upper·c / Σ lower·c, for counts c.

    Attributes
    ----------
    upper, lower : ndarray of shape (n_classes, n_classes)
        Factors of the counts, rows of each class (row) with each prediction (column).
    """

    upper: FloatArray
    lower: FloatArray

    def value(self, counts: AnyArray) -> float:
        """Return the ratio; NaN where it is a share of nothing."""
        size = float((self.lower * counts).sum())
        return float((self.upper * counts).sum()) / size if size > 0 else float("nan")

    def slopes(self, counts: AnyArray) -> FloatArray:
        """Return the derivatives by the counts: (upper − value·lower)/Σ lower·c."""
        size = float((self.lower * counts).sum())
        return np.asarray((self.upper - self.value(counts) * self.lower) / size)


@dataclass(frozen=True, eq=False)
class Figure:
    """A mean of ratios, times a scale.

    Attributes
    ----------
    ratios : tuple of Ratio
        Each between 0 and 1. Those that are shares of nothing are left out of the mean.
    scale : float
        What the figure is at most.
    """

    ratios: tuple[Ratio, ...]
    scale: float = 1.0

    def value(self, counts: AnyArray) -> float:
        """Return the figure; NaN if all its ratios are shares of nothing."""
        found = self._defined(counts)
        if not found:
            return float("nan")
        return self.scale * float(np.mean([own.value(counts) for own in found]))

    def slopes(self, counts: AnyArray) -> FloatArray:
        """Return the derivatives by the counts."""
        found = self._defined(counts)
        return np.asarray(self.scale * np.mean([own.slopes(counts) for own in found], axis=0))

    def variance(self, counts: AnyArray, squares: AnyArray | None = None) -> float:
        """Return the variance of the figure, by the delta method; see `estimate`."""
        return float(((counts if squares is None else squares) * self.slopes(counts) ** 2).sum())

    def estimate(self, counts: AnyArray, squares: AnyArray | None = None) -> Estimate | None:
        """Return the figure with its variance; None if all its ratios are shares of nothing.

        Parameters
        ----------
        counts : ndarray of shape (n_classes, n_classes)
            Weight of the rows of each class (row) with each prediction (column).
        squares : ndarray of shape (n_classes, n_classes), optional
            The sum of the squares of these weights, where a weight says how many rows a row of a
            sample stands for. Otherwise it says how often a row occurs.
        """
        found = self._defined(counts)
        if not found:
            return None
        # What a share of so many rows each would have, if it were 0 or 1.
        sizes = [float((own.lower * counts).sum() / own.lower.max()) for own in found]
        n_rows = len(found) ** 2 / float(np.sum(1 / np.array(sizes)))
        if squares is not None:
            n_rows *= float(counts.sum() / squares.sum())
        return Estimate(self.value(counts), self.variance(counts, squares), n_rows, self.scale)

    def interval(self, counts: AnyArray, confidence: float = CONFIDENCE) -> Interval:
        """Return the interval; Wilson's for a share of rows."""
        found = self.estimate(counts)
        return UNKNOWN if found is None else found.interval(confidence)

    def _defined(self, counts: AnyArray) -> list[Ratio]:
        return [own for own in self.ratios if np.isfinite(own.value(counts))]


def paired_difference(
    figure: Figure, counts: AnyArray, confidence: float = CONFIDENCE
) -> tuple[float, Interval]:
    """Return how much a figure of one model exceeds that of another one, with its interval.

    Parameters
    ----------
    figure : Figure
    counts : ndarray of shape (n_classes, n_classes, n_classes)
        Weight of the rows of each class (first axis) with each pair of predictions: of the one
        model (second) and of the other one (third). See `joint_counts`.
    """
    ones, others = counts.sum(axis=2), counts.sum(axis=1)
    difference = figure.value(ones) - figure.value(others)
    if not np.isfinite(difference):
        return difference, UNKNOWN
    slopes = figure.slopes(ones)[:, :, None] - figure.slopes(others)[:, None, :]
    variance = float((counts * slopes**2).sum())
    return difference, difference_interval(difference, variance, confidence)


def joint_counts(
    truth: AnyArray, predictions: Sequence[AnyArray], n_classes: int, weights: AnyArray | None
) -> AnyArray:
    """Return the weight of rows for each class and each combination of predictions.

    Parameters
    ----------
    truth : ndarray of shape (n_rows,)
        Positions of classes.
    predictions : sequence of ndarray of shape (n_rows,)
        Of each model, as positions of classes.
    n_classes : int
    weights : ndarray of shape (n_rows,) or None
    """
    shape = (n_classes,) * (1 + len(predictions))
    cells = np.ravel_multi_index((truth, *predictions), shape)
    return np.bincount(cells, weights, int(np.prod(shape))).reshape(shape)


# -- the figures -----------------------------------------------------------------------------------


def error(n_classes: int) -> Figure:
    """Return the share of rows that are predicted wrongly."""
    return Figure((Ratio(1 - np.eye(n_classes), np.ones((n_classes, n_classes))),))


def accuracy(n_classes: int) -> Figure:
    """Return the share of rows that are predicted rightly."""
    return Figure((Ratio(np.eye(n_classes), np.ones((n_classes, n_classes))),))


def recall(n_classes: int, position: int) -> Figure:
    """Return the share of the rows of a class that are predicted rightly."""
    return Figure((_recall(n_classes, position),))


def precision(n_classes: int, position: int) -> Figure:
    """Return the share of the predictions of a class that are right."""
    right, _, named = _masks(n_classes, position)
    return Figure((Ratio(right, named),))


def f_score(n_classes: int, position: int, beta: float = 1.0) -> Figure:
    """Return Fβ of a class: (1 + β²) right/(β² rows of the class + predictions of it)."""
    return Figure((_f_score(n_classes, position, beta),))


def mean_f1(n_classes: int) -> Figure:
    """Return the mean F1 of all classes."""
    return Figure(tuple(_f_score(n_classes, position, 1.0) for position in range(n_classes)))


def class_figures(n_classes: int) -> list[dict[str, Figure]]:
    """Return recall, precision and F1 of every class, by their names."""
    return [
        {
            "recall": recall(n_classes, position),
            "precision": precision(n_classes, position),
            "F1": f_score(n_classes, position),
        }
        for position in range(n_classes)
    ]


def false_rate(n_classes: int, position: int) -> Figure:
    """Return the share of the rows of a class that are predicted wrongly."""
    right, of_class, _ = _masks(n_classes, position)
    return Figure((Ratio(of_class - right, of_class),))


def balanced_error(n_classes: int) -> Figure:
    """Return one minus the mean recall."""
    rates = (false_rate(n_classes, position).ratios[0] for position in range(n_classes))
    return Figure(tuple(rates))


def cost(costs: FloatArray) -> Figure:
    """Return the mean cost of a row, for the cost of each prediction (column) of a class (row)."""
    scale = float(costs.max())
    return Figure((Ratio(costs / scale, np.ones_like(costs)),), scale)


def pair_costs(parameters: Mapping[str, float], position: int) -> FloatArray:
    """Return the costs of the parameters of a metric, for two classes and the positive one."""
    costs = np.zeros((2, 2))
    costs[position, 1 - position] = parameters["false_negative_cost"]
    costs[1 - position, position] = parameters["false_positive_cost"]
    return costs


def limited_rate(title: str, position: int) -> Figure:
    """Return the rate that a metric of two classes limits, by its title and the positive class."""
    if title == "false-positive rate":
        return false_rate(2, 1 - position)
    return precision(2, position) if title == "precision" else recall(2, position)


def _recall(n_classes: int, position: int) -> Ratio:
    right, of_class, _ = _masks(n_classes, position)
    return Ratio(right, of_class)


def _f_score(n_classes: int, position: int, beta: float) -> Ratio:
    right, of_class, named = _masks(n_classes, position)
    return Ratio((1 + beta**2) * right, beta**2 * of_class + named)


def _masks(n_classes: int, position: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return which counts are right, of a class, and predicted as it."""
    right, of_class, named = (np.zeros((n_classes, n_classes)) for _ in range(3))
    right[position, position] = 1.0
    of_class[position], named[:, position] = 1.0, 1.0
    return right, of_class, named
