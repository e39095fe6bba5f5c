"""`CalibrationDisplay`: predicted probabilities against measured shares."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from zerone._data.frames import data_frame
from zerone._data.labels import label_list
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.intervals import wilson_interval
from zerone.inspection._scored_rows import checked_scores
from zerone.inspection._style import CHANCE, MEASURED, axes_of, plain


@dataclass(frozen=True, eq=False)
class CalibrationGroups:
    """Rows in groups of similar probability.

    Attributes
    ----------
    predicted, measured : ndarray of shape (n_groups,)
        Mean probability and share of the class.
    sizes : ndarray of shape (n_groups,)
        Number of rows.
    low, high : ndarray of shape (n_groups,)
        Wilson's interval of the share.
    """

    predicted: FloatArray
    measured: FloatArray
    sizes: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def mean_gap(self) -> float:
        """Mean distance between probability and share, over the rows."""
        return float(np.average(np.abs(self.predicted - self.measured), weights=self.sizes))


def calibration_groups(
    is_positive: AnyArray, probabilities: FloatArray, n_bins: int
) -> CalibrationGroups:
    """Return rows in groups of about equal size, as scikit-learn's ``strategy="quantile"`` does.

    Rows with the same probability are in one group, so that their order does not matter.
    """
    edges = np.quantile(probabilities, np.linspace(0, 1, n_bins + 1))
    own = np.searchsorted(edges[1:-1], probabilities)
    sizes = np.bincount(own, minlength=n_bins).astype(np.float64)
    has_rows = sizes > 0
    sizes = sizes[has_rows]
    predicted, measured = (
        np.bincount(own, values, n_bins)[has_rows] / sizes
        for values in (probabilities, is_positive.astype(np.float64))
    )
    low, high = wilson_interval(measured, sizes)
    return CalibrationGroups(predicted, measured, sizes, low, high)


class CalibrationDisplay:
    """Calibration curve: how often rows with a given probability of a class belong to it.

    Parameters
    ----------
    groups : CalibrationGroups
        Rows in groups of about equal size: mean probability ``predicted``, share of the class
        ``measured`` with Wilson's interval of 95 % from ``low`` to ``high``, and ``sizes``.
    label : str
        The class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    line_ : Line2D
    mean_gap_ : float
        Mean distance between the two over the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import CalibrationDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ZeroOneClassifier().fit(X, y)
    >>> display = CalibrationDisplay.from_estimator(model, X, y)
    >>> bool(display.mean_gap_ < 0.1)
    True
    """

    def __init__(self, groups: CalibrationGroups, label: str) -> None:
        self.groups = groups
        self.label = label

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, label: Any = None, n_bins: int = 10, ax: Any = None
    ) -> Self:
        """Draw the probabilities of one class by a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier with ``predict_proba``
        X, y : rows and their labels
            Best are rows that the classifier was not fitted to.
        label : label, optional
            The class; by default the last one.
        n_bins : int, default=10
        ax : Axes, optional
        """
        check_is_fitted(estimator)
        labels = label_list(np.asarray(estimator.classes_))
        own = labels[-1] if label is None else label
        if own not in labels:
            raise ArgumentError("label", f"got {own!r}", f"the classes are {labels!r}")
        probabilities = np.asarray(estimator.predict_proba(X))[:, labels.index(own)]
        return cls.from_predictions(
            np.asarray(y) == own, probabilities, label=str(own), n_bins=n_bins, ax=ax
        )

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
        if n_bins < 1:
            raise ArgumentError("n_bins", f"got {n_bins!r}, expected at least 1")
        given = checked_scores(is_positive, probabilities, "probabilities")
        return cls(calibration_groups(*given, n_bins), label).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : Axes, optional
            A new figure by default.
        """
        self.figure_, self.ax_ = axes_of(ax, (5.2, 4.8))
        groups = self.groups
        self.mean_gap_ = groups.mean_gap
        self.ax_.plot([0, 1], [0, 1], color=CHANCE, linewidth=1, linestyle=":", label="perfect")
        self.ax_.vlines(
            groups.predicted, groups.low, groups.high, color=CHANCE, linewidth=1.2,
            label="95 % interval",
        )  # fmt: skip
        (self.line_,) = self.ax_.plot(
            groups.predicted, groups.measured, color=MEASURED, marker="o", linewidth=1.5,
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

    def frame(self) -> Any:
        """Return the groups as a pandas data frame."""
        groups = self.groups
        return data_frame(
            {
                "predicted": groups.predicted,
                "measured": groups.measured,
                "low": groups.low,
                "high": groups.high,
                "rows": groups.sizes.astype(int),
            }
        )
