"""`FeaturePathDisplay`: the metric against the number of columns."""

from typing import Any, Self

import numpy as np

from zerone.estimators._feature_path import FeaturePath
from zerone.estimators._paths import feature_path
from zerone.inspection._style import MEASURED, MODEL, POSITIVE, axes_of, plain


class FeaturePathDisplay:
    """The metric of the best rule of every number of columns, and how many are enough.

    Parameters
    ----------
    path : FeaturePath
        Made by `zerone.feature_path`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    expected_ : Line2D
        What the normal model expects.
    held_out_ : ErrorbarContainer or None
        What held-out rows measured, with intervals of 95 %.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import feature_path, fold_moments
    >>> from zerone.inspection import FeaturePathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = FeaturePathDisplay(feature_path(fold_moments(X, y))).plot()
    >>> display.ax_.get_xlabel()
    'number of columns'
    """

    def __init__(self, path: FeaturePath) -> None:
        self.path = path

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the path of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            With ``max_features="auto"`` the path has what held-out rows measured.
        ax : Axes, optional
        """
        return cls(feature_path(estimator)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the path.

        Parameters
        ----------
        ax : Axes, optional
            A new figure by default.
        """
        self.figure_, self.ax_ = axes_of(ax, (6.4, 4.2))
        points, chosen = self.path.points, self.path.chosen
        numbers = [own.n_columns for own in points]
        (self.expected_,) = self.ax_.plot(
            numbers, [own.expected for own in points], color=MODEL, linewidth=1.5, linestyle="--",
            label="expected by the normal model",
        )  # fmt: skip
        self.held_out_ = None
        values = np.array([own.held_out for own in points])
        if np.isfinite(values).any():
            ends = np.array([own.held_out_interval for own in points]).T
            self.held_out_ = self.ax_.errorbar(
                numbers, values, np.abs(ends - values), color=MEASURED, marker="o", linewidth=1.5,
                elinewidth=1, capsize=2, label="held-out rows, 95 %",
            )  # fmt: skip
        title = "The best rule of every number of columns"
        if chosen is not None:
            enough = points[chosen].n_columns
            self.ax_.axvline(enough, color=POSITIVE, linewidth=1, linestyle=":")
            title = f"{enough} of {numbers[-1]} columns are enough"
            if enough == 1:
                title = f"One of {numbers[-1]} columns is enough"
        self.ax_.set(title=title, xlabel="number of columns", ylabel=plain(self.path.metric))
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        self.ax_.legend(frameon=False)
        return self
