"""`CostDisplay`: what the best rule for every ratio of costs costs."""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zerone._data.frames import data_frame
from zerone._data.labels import positive_position
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty import ratios
from zerone.inspection._scored_rows import two_labels
from zerone.inspection._style import CHANCE, MODEL, POSITIVE, axes_of, plain

_RATIOS = np.logspace(-2, 2, 41)


@dataclass(frozen=True, eq=False)
class CostFigures:
    """Mean costs of a row for ratios of costs, if a false positive costs 1.

    Attributes
    ----------
    ratio : ndarray of shape (n_ratios,)
        Cost of a false negative.
    retargeted, low, high : ndarray of shape (n_ratios,)
        Of the rule that `retarget` chooses for the ratio, with the ends of its interval.
    as_fitted, never, always : ndarray of shape (n_ratios,)
        Of the rule as it was fitted, and of never and always predicting the positive class.
    recall, false_positive_rate : ndarray of shape (n_ratios,)
        Of the retargeted rule.
    """

    ratio: FloatArray
    retargeted: FloatArray
    low: FloatArray
    high: FloatArray
    as_fitted: FloatArray
    never: FloatArray
    always: FloatArray
    recall: FloatArray
    false_positive_rate: FloatArray


class CostDisplay:
    """What rows cost for every ratio of costs: with the rule retargeted for it, and as it was.

    For each ratio of the costs of a false negative and a false positive, `retarget` chooses another
    direction and another threshold, from the moments or the held-out rows of the fit; the given
    rows measure what that costs. The band is the interval of 95 % by the delta method.

    Rules are needed for it, so that it cannot be drawn from predictions.

    Parameters
    ----------
    figures : CostFigures
    labels : tuple of str
        Names of the positive and the negative class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    lines_ : dict name -> Line2D
    band_ : FillBetweenPolyCollection

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import CostDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> classifier = ZeroOneClassifier().fit(X[::2], y[::2])
    >>> display = CostDisplay.from_estimator(classifier, X[1::2], y[1::2])
    >>> len(display.frame())
    41
    """

    def __init__(
        self, figures: CostFigures, labels: tuple[str, str] = ("positive", "negative")
    ) -> None:
        self.figures = figures
        self.labels = labels

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Draw the costs of a fitted classifier of two classes, for ratios of 1/100 to 100.

        Parameters
        ----------
        estimator : fitted ZeroOneClassifier or AUCClassifier
        X, y : rows and their labels
            Best are rows that the classifier was not fitted to.
        ax : Axes, optional
        """
        labels = two_labels(estimator)
        place = positive_position(estimator.positive, labels)
        truth = (np.asarray(y) == labels[place]).astype(int)

        def counts(predicted: AnyArray) -> AnyArray:
            return ratios.joint_counts(truth, [predicted], 2, None)

        def counts_of(model: Any) -> AnyArray:
            return counts((model.predict(X) == labels[place]).astype(int))

        fitted = counts_of(estimator)
        never, always = (counts(np.full(len(truth), own)) for own in (0, 1))
        rows = []
        for ratio in _RATIOS.tolist():
            with warnings.catch_warnings():
                # At some ratios one answer for every row is best, which the picture shows.
                warnings.filterwarnings("ignore", message="the same class is predicted")
                model = estimator.retarget(
                    "cost", false_negative_cost=ratio, false_positive_cost=1.0
                )
            own = counts_of(model)
            # Rows are the true class, columns the predicted one; the positive class is the second.
            cost = ratios.cost(np.array([[0.0, 1.0], [ratio, 0.0]]))
            values = [cost.value(each) for each in (fitted, never, always)]
            rates = ratios.recall(2, 1).value(own), ratios.false_rate(2, 0).value(own)
            rows.append([ratio, cost.value(own), *cost.interval(own), *values, *rates])
        other = str(labels[1 - place])
        figures = CostFigures(*np.array(rows).T)
        return cls(figures, (str(labels[place]), other)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the costs; both axes are logarithmic.

        Parameters
        ----------
        ax : Axes, optional
            A new figure by default.
        """
        self.figure_, ax = axes_of(ax, (6.4, 4.8))
        self.ax_, own = ax, self.figures
        positive, negative = map(plain, self.labels)
        self.band_ = ax.fill_between(
            own.ratio, 1000 * own.low, 1000 * own.high, color=POSITIVE, alpha=0.15, linewidth=0
        )
        drawn = [
            (
                "retargeted",
                own.retargeted,
                POSITIVE,
                "-",
                "retargeted for the ratio, 95 % interval",
            ),
            ("as fitted", own.as_fitted, MODEL, "--", "the rule as it was fitted"),
            ("never", own.never, CHANCE, ":", f"never predicting {positive}"),
            ("always", own.always, CHANCE, "-.", f"always predicting {positive}"),
        ]
        self.lines_ = {}
        for name, values, colour, style, label in drawn:
            (self.lines_[name],) = ax.plot(
                own.ratio, 1000 * values, color=colour, linestyle=style, linewidth=1.5, label=label
            )
        ax.set_xscale("log")
        ax.set_yscale("log", nonpositive="clip")
        # Rules without an error cost nothing, which has no logarithm.
        costs = np.array([own.retargeted, own.as_fitted, own.never, own.always])
        ax.set_ylim(bottom=500 * costs[costs > 0].min())
        ax.set(
            title="Costs, with the best rule for them and as fitted",
            xlabel=f"cost of a row of {positive} predicted as {negative}\n"
            f"(a row of {negative} predicted as {positive} costs 1)",
            ylabel="cost of 1,000 rows",
        )
        ax.legend(frameon=False)
        return self

    def frame(self) -> Any:
        """Return costs and rates as a pandas data frame, one row for each ratio."""
        own = self.figures
        return data_frame(
            {
                "ratio": own.ratio,
                "cost": own.retargeted,
                "low": own.low,
                "high": own.high,
                "cost as fitted": own.as_fitted,
                "cost of never": own.never,
                "cost of always": own.always,
                "recall": own.recall,
                "false-positive rate": own.false_positive_rate,
            }
        )
