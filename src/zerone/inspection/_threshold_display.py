"""`ThresholdDisplay`: what every threshold of a rule would give, with intervals."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from zerone._data.frames import data_frame
from zerone._errors import ArgumentError
from zerone.inspection._scored_rows import checked_scores, scored_rows
from zerone.inspection._style import (
    DIFFERENCE,
    MEASURED,
    NEGATIVE,
    POSITIVE,
    legend_below,
    plain,
    pyplot,
)
from zerone.inspection._thresholds import ThresholdFigures, figures_at, thresholds_between
from zerone.metrics import METRICS, ChosenMetric, chosen_metric


class ThresholdDisplay:
    """Rates, a metric and wrong rows per thousand, for every threshold of one rule.

    Bands are intervals of 95 %: Wilson's for the two rates, by the delta method for the metric, as
    in ``zerone evaluate``. Each is for one threshold that was chosen before the rows were seen; the
    best threshold of the picture is chosen by them, and its metric is a little optimistic.

    Another direction may be better than another threshold: see `CostDisplay` and `retarget`.

    Parameters
    ----------
    figures, at_rule : ThresholdFigures
        What was measured at all thresholds, and at the rule's own one, zero.
    title : str
        Name of the metric.
    labels : tuple of str
        Names of the positive and the negative class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : list of three Axes
    bands_ : list of three FillBetweenPolyCollection
        Of recall, false-positive rate and metric.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import ThresholdDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> classifier = ZeroOneClassifier().fit(X[::2], y[::2])
    >>> display = ThresholdDisplay.from_estimator(classifier, X[1::2], y[1::2])
    >>> display.frame().columns[:3].tolist()
    ['threshold', 'recall', 'recall low']
    """

    def __init__(
        self,
        figures: ThresholdFigures,
        at_rule: ThresholdFigures,
        title: str = "error",
        labels: tuple[str, str] = ("positive", "negative"),
    ) -> None:
        self.figures = figures
        self.at_rule = at_rule
        self.title = title
        self.labels = labels

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        metric: str | None = None,
        metric_params: Mapping[str, Any] | None = None,
        axes: Any = None,
    ) -> Self:
        """Draw what rows measure for a fitted classifier of two classes.

        Parameters
        ----------
        estimator : fitted classifier with ``decision_function`` and two classes
        X, y : rows and their labels
            Best are rows that the classifier was not fitted to.
        metric : str, optional
            One of predictions; by default that of the classifier, or the error.
        metric_params : mapping name -> value, optional
        axes : sequence of three Axes, optional
        """
        rows = scored_rows(estimator, X, y, getattr(estimator, "positive", None))
        name = getattr(estimator, "metric", None)
        if metric is not None:
            chosen = chosen_metric(metric, metric_params)
        elif metric_params is not None:
            raise ArgumentError("metric", "is missing", "name the metric of ⟨metric_params⟩")
        elif isinstance(name, str) and name in METRICS and not METRICS[name].is_ranking:
            chosen = chosen_metric(name, estimator.metric_params)
        else:
            chosen = chosen_metric("error")
        return cls._of(*rows, chosen, axes)

    @classmethod
    def from_predictions(
        cls,
        is_positive: Any,
        scores: Any,
        *,
        metric: str = "error",
        metric_params: Mapping[str, Any] | None = None,
        labels: tuple[str, str] = ("positive", "negative"),
        axes: Any = None,
    ) -> Self:
        """Draw given scores.

        Parameters
        ----------
        is_positive : array-like of bool of shape (n_rows,)
        scores : array-like of shape (n_rows,)
            Positive where the rule predicts the positive class.
        metric : str, default="error"
        metric_params : mapping name -> value, optional
        labels : tuple of str
            Names of the positive and the negative class.
        axes : sequence of three Axes, optional
        """
        return cls._of(is_positive, scores, labels, chosen_metric(metric, metric_params), axes)

    @classmethod
    def _of(
        cls, is_positive: Any, scores: Any, labels: tuple[str, str], metric: ChosenMetric, axes: Any
    ) -> Self:
        mask, values = checked_scores(is_positive, scores)
        figures, at_rule = (
            figures_at(mask, values, thresholds, metric)
            for thresholds in (thresholds_between(values), np.zeros(1))
        )
        return cls(figures, at_rule, metric.title, labels).plot(axes=axes)

    def plot(self, *, axes: Any = None) -> Self:
        """Draw the three panels.

        Parameters
        ----------
        axes : sequence of three Axes, optional
            A new figure by default.
        """
        if axes is None:
            figure, axes = pyplot().subplots(1, 3, figsize=(12, 3.9), layout="constrained")
        else:
            figure = axes[0].figure
        self.figure_, self.axes_, self.bands_ = figure, list(axes), []
        own, rule = self.figures, self.at_rule
        positive, negative = map(plain, self.labels)
        lines = [
            (0, f"recall of {positive}", POSITIVE, own.recall, own.recall_ends, rule.recall),
            (0, f"{negative} predicted as {positive}", NEGATIVE,
             own.false_positive_rate, own.false_positive_ends, rule.false_positive_rate),
            (1, self.title, MEASURED, own.metric, own.metric_ends, rule.metric),
        ]  # fmt: skip
        for panel, name, colour, values, ends, at_rule in lines:
            ax = self.axes_[panel]
            self.bands_.append(
                ax.fill_between(own.thresholds, *ends, color=colour, alpha=0.15, linewidth=0)
            )
            label = f"{name}: {float(at_rule[0]):.3f}"
            ax.plot(own.thresholds, values, color=colour, linewidth=1.5, label=label)
            ax.plot([0.0], at_rule, color=colour, marker="o", linestyle="none")
        counts, at_zero = own.per_thousand, rule.per_thousand
        kinds = ["false negatives", "false positives"]
        self.axes_[2].stackplot(
            own.thresholds, *(counts[kind] for kind in kinds), colors=[POSITIVE, NEGATIVE],
            alpha=0.6, labels=[f"{kind}: {float(at_zero[kind][0]):.0f}" for kind in kinds],
        )  # fmt: skip
        titles = ("Rates", self.title.capitalize(), "Rows per thousand, predicted wrong")
        for ax, title in zip(self.axes_, titles, strict=True):
            ax.axvline(0.0, color=DIFFERENCE, linewidth=1, linestyle="--")
            ax.set(title=title, xlabel="threshold; 0 is the rule's")
            ax.set_ylim(bottom=0)
            ax.margins(x=0)
            legend_below(ax, title="at the rule's threshold")
        return self

    def frame(self) -> Any:
        """Return all figures as a pandas data frame, one row for each threshold."""
        own = self.figures
        counts = {f"{kind} per thousand": values for kind, values in own.per_thousand.items()}
        return data_frame(
            {
                "threshold": own.thresholds,
                "recall": own.recall,
                "recall low": own.recall_ends[0],
                "recall high": own.recall_ends[1],
                "false-positive rate": own.false_positive_rate,
                "false-positive rate low": own.false_positive_ends[0],
                "false-positive rate high": own.false_positive_ends[1],
                self.title: own.metric,
                f"{self.title} low": own.metric_ends[0],
                f"{self.title} high": own.metric_ends[1],
                **counts,
            }
        )
