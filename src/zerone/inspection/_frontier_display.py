"""`FrontierDisplay`: the ROC curve that the moments predict, and the measured one."""

from typing import Any, Self

import numpy as np

from zerone import Frontier
from zerone._data.frames import data_frame
from zerone._typing import FloatArray
from zerone.inspection._measured_roc import MeasuredRoc
from zerone.inspection._scored_rows import checked_scores, scored_rows
from zerone.inspection._style import CHANCE, MEASURED, MODEL, POSITIVE, axes_of, plain


class FrontierDisplay:
    """Predicted and measured ROC curves in one picture.

    The predicted curve is the frontier: the best linear rules if scores are normal. The measured
    curve moves the threshold of one rule over given rows. If both are close, the normal model can
    be trusted, and so can every rule that `retarget` or `Frontier.best` chooses on the frontier.
    The band has Wilson's interval of 95 % of each recall, point by point; the interval of the AUC
    is DeLong's.

    Parameters
    ----------
    predicted : tuple of ndarray or None
        False-positive and true-positive rates of the frontier.
    measured : MeasuredRoc
        ``false_positive_rates`` and ``recalls`` of the rows at all ``thresholds``, the ends ``low``
        and ``high`` of the recalls' intervals, ``auc`` with ``auc_interval``, and the ``point`` of
        the rule's own threshold.
    labels : tuple of str
        Names of the positive and the negative class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    predicted_ : Line2D or None
    measured_ : Line2D
    band_ : FillBetweenPolyCollection
    point_ : Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import FrontierDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = FrontierDisplay.from_estimator(ZeroOneClassifier().fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'false-positive rate: share of class 0 predicted as 1'
    """

    def __init__(
        self,
        predicted: tuple[FloatArray, FloatArray] | None,
        measured: MeasuredRoc,
        labels: tuple[str, str] = ("positive", "negative"),
    ) -> None:
        self.predicted = predicted
        self.measured = measured
        self.labels = labels

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Draw the curves of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : fitted classifier
            With ``decision_function`` and two classes. Without ``moments_``, as in classifiers of
            other libraries, only the measured curve is drawn.
        X, y : rows and their labels
            Best are rows that the classifier was not fitted to.
        ax : Axes, optional
        """
        rows = scored_rows(estimator, X, y)
        moments = getattr(estimator, "moments_", None)
        return cls.from_predictions(
            rows.is_positive,
            rows.scores,
            frontier=None if moments is None else Frontier(moments),
            labels=rows.labels,
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        is_positive: Any,
        scores: Any,
        *,
        frontier: Frontier | None = None,
        labels: tuple[str, str] = ("positive", "negative"),
        ax: Any = None,
    ) -> Self:
        """Draw the measured curve of given scores and, optionally, a frontier.

        Parameters
        ----------
        is_positive : array-like of bool of shape (n_rows,)
        scores : array-like of shape (n_rows,)
            Positive where the rule predicts the positive class.
        frontier : Frontier, optional
        """
        measured = MeasuredRoc.of(*checked_scores(is_positive, scores))
        predicted = None if frontier is None else frontier.roc_curve()
        return cls(predicted, measured, labels).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : Axes, optional
            A new figure by default.
        """
        figure, ax = axes_of(ax, (5.2, 4.8))
        self.figure_, self.ax_ = figure, ax
        positive, negative = map(plain, self.labels)
        ax.plot([0, 1], [0, 1], color=CHANCE, linewidth=1, linestyle=":", label="chance")
        self.predicted_ = None
        if self.predicted is not None:
            (self.predicted_,) = ax.plot(
                *self.predicted, color=MODEL, linewidth=2, linestyle="--",
                label=f"predicted frontier (AUC {_area(*self.predicted):.3f})",
            )  # fmt: skip
        own = self.measured
        self.band_ = ax.fill_between(
            own.false_positive_rates, own.low, own.high, color=MEASURED, alpha=0.12, linewidth=0,
            label="95 % interval of each point",
        )  # fmt: skip
        interval = f", {own.auc_interval.short}" if own.auc_interval.is_known else ""
        (self.measured_,) = ax.plot(
            own.false_positive_rates, own.recalls, color=MEASURED, linewidth=1.5,
            label=f"measured on rows (AUC {own.auc:.3f}{interval})",
        )  # fmt: skip
        (self.point_,) = ax.plot(
            *own.point, marker="o", color=POSITIVE, linestyle="none", label="the rule's threshold"
        )
        ax.set(
            title="ROC curves, predicted and measured",
            xlabel=f"false-positive rate: share of class {negative} predicted as {positive}",
            ylabel=f"true-positive rate: recall of class {positive}",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        ax.legend(loc="lower right", frameon=False)
        return self

    def frame(self) -> Any:
        """Return the corners of the measured curve as a pandas data frame.

        Rows that score at least the threshold are predicted positive, as in scikit-learn.
        """
        own = self.measured
        return data_frame(
            {
                "threshold": own.thresholds,
                "false_positive_rate": own.false_positive_rates,
                "recall": own.recalls,
                "low": own.low,
                "high": own.high,
            }
        )


def _area(false_positive: FloatArray, true_positive: FloatArray) -> float:
    return float(np.trapezoid(true_positive, false_positive))
