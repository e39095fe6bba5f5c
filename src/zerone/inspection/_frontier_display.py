"""`FrontierDisplay`: the ROC curve that the moments predict, and the measured one."""

from typing import Any, Self

import numpy as np
from sklearn.metrics import roc_curve
from sklearn.utils.validation import check_is_fitted

from zerone import Frontier
from zerone._errors import ArgumentError
from zerone._typing import FloatArray
from zerone.inspection._style import CHANCE, MEASURED, MODEL, POSITIVE, axes_of, plain


class FrontierDisplay:
    """Predicted and measured ROC curves in one picture.

    The predicted curve is the frontier: the best linear rules if scores are normal. The measured
    curve moves the threshold of one rule over given rows. If both are close, the normal model can
    be trusted, and so can every rule that `retarget` or `Frontier.best` chooses on the frontier.

    Parameters
    ----------
    predicted : tuple of ndarray or None
        False-positive and true-positive rates of the frontier.
    measured : tuple of ndarray
        False-positive and true-positive rates of the rows.
    point : tuple of float
        The two rates at the rule's own threshold.
    labels : tuple of str
        Names of the positive and the negative class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    predicted_ : Line2D or None
    measured_ : Line2D
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
        measured: tuple[FloatArray, FloatArray],
        point: tuple[float, float],
        labels: tuple[str, str] = ("positive", "negative"),
    ) -> None:
        self.predicted = predicted
        self.measured = measured
        self.point = point
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
        check_is_fitted(estimator)
        if len(estimator.classes_) != 2:
            raise ArgumentError(
                "estimator", f"has {len(estimator.classes_)} classes", "give one with two classes"
            )
        negative, positive = estimator.classes_.tolist()
        moments = getattr(estimator, "moments_", None)
        return cls.from_predictions(
            np.asarray(y) == positive,
            estimator.decision_function(X),
            frontier=None if moments is None else Frontier(moments),
            labels=(str(positive), str(negative)),
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
        mask, values = np.asarray(is_positive, dtype=bool), np.asarray(scores, dtype=np.float64)
        if mask.shape != values.shape or mask.ndim != 1:
            raise ArgumentError(
                "scores", f"have shape {values.shape}, expected one per label, {mask.shape}"
            )
        if mask.all() or not mask.any():
            raise ArgumentError("is_positive", "has rows of one class only", "give rows of both")
        false_positive, true_positive, _ = roc_curve(mask, values)
        point = (float((values[~mask] > 0).mean()), float((values[mask] > 0).mean()))
        predicted = None if frontier is None else frontier.roc_curve()
        return cls(predicted, (false_positive, true_positive), point, labels).plot(ax=ax)

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
        (self.measured_,) = ax.plot(
            *self.measured, color=MEASURED, linewidth=1.5,
            label=f"measured on rows (AUC {_area(*self.measured):.3f})",
        )  # fmt: skip
        (self.point_,) = ax.plot(
            *self.point, marker="o", color=POSITIVE, linestyle="none", label="the rule's threshold"
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


def _area(false_positive: FloatArray, true_positive: FloatArray) -> float:
    return float(np.trapezoid(true_positive, false_positive))
