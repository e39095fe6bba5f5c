"""`SummaryDisplay`: the coefficients of a rule with their intervals."""

from textwrap import fill
from typing import Any, Self

import numpy as np

from zerone._data.frames import data_frame
from zerone._errors import ArgumentError
from zerone.estimators._rule_summary import RuleSummary
from zerone.inspection._style import CHANCE, MEASURED, axes_of, legend_below, plain, shortened

_WIDTH = 64


class SummaryDisplay:
    """The largest coefficients of a rule of two classes, with intervals of 95 %.

    It draws ``classifier.summary``, per standard deviation of each feature. Open points are
    coefficients that are not steady, whose intervals may not be believed. The intercept is left
    out: it has no such unit.

    Parameters
    ----------
    summary : RuleSummary
        What ``classifier.summary`` returns.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    points_ : list of ErrorbarContainer
        Of the steady coefficients and of the others.
    order_ : ndarray
        Positions of the drawn features, the largest coefficient first.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import SummaryDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = X[["mean radius", "mean texture", "mean smoothness"]]
    >>> classifier = ZeroOneClassifier(refine=None).fit(X, y)
    >>> display = SummaryDisplay.from_estimator(classifier, X, y)
    >>> display.frame()["low"].round(2).to_dict()
    {'mean radius': -1.39, 'mean smoothness': -0.54, 'mean texture': -0.54}
    """

    def __init__(self, summary: RuleSummary) -> None:
        self.summary = summary

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, max_features: int = 15, ax: Any = None
    ) -> Self:
        """Draw the summary of a fitted classifier.

        Parameters
        ----------
        estimator : fitted ZeroOneClassifier or AUCClassifier of two classes
        X, y : rows of the fit and their labels, optional
            For a rule of the moments; see ``summary`` of the classifier.
        max_features : int, default=15
        ax : Axes, optional
        """
        return cls(estimator.summary(X, y)).plot(max_features=max_features, ax=ax)

    def plot(self, *, max_features: int = 15, ax: Any = None) -> Self:
        """Draw the largest coefficients.

        Parameters
        ----------
        max_features : int, default=15
        ax : Axes, optional
            A new figure by default.
        """
        if max_features < 1:
            raise ArgumentError("max_features", f"got {max_features!r}, expected at least 1")
        values, low, high = self._per_deviation()
        self.order_ = self._by_size(values)[:max_features]
        n_shown = len(self.order_)
        self.figure_, self.ax_ = axes_of(ax, (7.0, 1.8 + 0.3 * n_shown))
        steady = self.summary.is_steady[self.order_]
        positions = np.arange(n_shown)
        self.points_ = []
        # Open points say without colour that something is not sure.
        for chosen, colour, filling, label in (
            (steady, MEASURED, MEASURED, "coefficient, 95 % interval"),
            (~steady, CHANCE, "white", "not steady: the interval may not be believed"),
        ):
            own = self.order_[chosen]
            if own.size:
                self.points_.append(
                    self.ax_.errorbar(
                        values[own],
                        positions[chosen],
                        fmt="o",
                        color=colour,
                        label=label,
                        xerr=[values[own] - low[own], high[own] - values[own]],
                        markerfacecolor=filling,
                        capsize=3,
                        linewidth=1.5,
                    )
                )
        self.ax_.set_yticks(
            positions, [plain(shortened(self.summary.names[i])) for i in self.order_]
        )
        self.ax_.set_ylim(n_shown - 0.5, -0.5)
        self.ax_.axvline(0.0, color="black", linewidth=0.8)
        left_out = len(values) - n_shown
        what = (
            f"The {n_shown} largest of {len(values)} coefficients" if left_out else "Coefficients"
        )
        self.ax_.set_title(what)
        verdict = fill(self.summary.verdict.replace(" marked ?", " that are not steady"), _WIDTH)
        self.ax_.set_xlabel(f"coefficient per standard deviation of the feature\n{plain(verdict)}")
        legend_below(self.ax_, 2 + verdict.count("\n"))
        return self

    def frame(self) -> Any:
        """Return all coefficients as a pandas data frame, the largest one first.

        ``summary.frame()`` has those per unit of the feature, with standard errors and signs.
        """
        values, low, high = self._per_deviation()
        order = self._by_size(values)
        return data_frame(
            {
                "per_deviation": values[order],
                "low": low[order],
                "high": high[order],
                "is_steady": self.summary.is_steady[order],
            },
            [self.summary.names[own] for own in order],
            "feature",
        )

    def _per_deviation(self) -> list[Any]:
        own = self.summary
        values = (own.coefficients, own.low, own.high)
        return [(value * own.deviations)[:-1] for value in values]

    def _by_size(self, values: Any) -> Any:
        return np.argsort(-np.abs(values), kind="stable")
