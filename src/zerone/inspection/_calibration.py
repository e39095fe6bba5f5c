"""`CalibrationDisplay`: predicted probabilities against measured shares."""

from typing import Any, Self

import numpy as np
from sklearn.calibration import calibration_curve

from zerone._typing import FloatArray
from zerone.inspection._style import CHANCE, MEASURED, axes_of, plain


class CalibrationDisplay:
    """Calibration curve: how often rows with a given probability of a class belong to it.

    Parameters
    ----------
    predicted, measured : ndarray
        Mean probability and share of the class, in bins with equal numbers of rows.
    label : str
        The class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    line_ : Line2D
    mean_gap_ : float
        Mean distance between the two over the bins.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import CalibrationDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ZeroOneClassifier().fit(X, y)
    >>> display = CalibrationDisplay.from_predictions(y == 1, model.predict_proba(X)[:, 1])
    >>> bool(display.mean_gap_ < 0.1)
    True
    """

    def __init__(self, predicted: FloatArray, measured: FloatArray, label: str) -> None:
        self.predicted = predicted
        self.measured = measured
        self.label = label

    @classmethod
    def from_predictions(
        cls,
        is_positive: Any,
        probabilities: Any,
        *,
        label: str = "positive",
        n_bins: int = 10,
        ax: Any = None,
    ) -> Self:
        """Draw given probabilities.

        Parameters
        ----------
        is_positive : array-like of bool of shape (n_rows,)
        probabilities : array-like of shape (n_rows,)
        label : str
            The class of these probabilities.
        n_bins : int, default=10
        ax : Axes, optional
        """
        measured, predicted = calibration_curve(
            np.asarray(is_positive, dtype=bool),
            np.asarray(probabilities, dtype=np.float64),
            n_bins=n_bins,
            strategy="quantile",
        )
        return cls(predicted, measured, label).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : Axes, optional
            A new figure by default.
        """
        self.figure_, self.ax_ = axes_of(ax, (5.2, 4.8))
        self.mean_gap_ = float(np.abs(self.predicted - self.measured).mean())
        self.ax_.plot([0, 1], [0, 1], color=CHANCE, linewidth=1, linestyle=":", label="perfect")
        (self.line_,) = self.ax_.plot(
            self.predicted, self.measured, color=MEASURED, marker="o", linewidth=1.5,
            label=f"measured (mean gap {self.mean_gap_:.3f})",
        )  # fmt: skip
        self.ax_.set(
            title="Calibration",
            xlabel=f"predicted probability of class {plain(self.label)}",
            ylabel=f"share of class {plain(self.label)} among these rows",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        self.ax_.legend(loc="upper left", frameon=False)
        return self
