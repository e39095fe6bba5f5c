"""`ClassWeightsDisplay`: which features speak for which of several classes."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from zerone._data.frames import data_frame
from zerone._data.labels import label_list
from zerone._errors import ArgumentError
from zerone._typing import FloatArray, IntArray
from zerone.inspection._style import axes_of, plain, shortened
from zerone.inspection._weights import feature_names, per_deviation

# Of the largest weight; beyond it the cell is so dark that its number is written in white.
_DARK = 0.6
# Of more classes the cells are coloured only: numbers would not fit a page.
_MOST_NUMBERED = 16


class ClassWeightsDisplay:
    """The largest weights of every class, as a table in colours.

    It draws ``class_coef_``, a linear summary of the rules of all pairs of classes, per standard
    deviation of each feature. A positive weight speaks for the class. `WeightsDisplay` draws the
    rule of one pair.

    Parameters
    ----------
    weights : ndarray of shape (n_classes, n_features)
    names, labels : sequence of str
        Of the features and of the classes.
    unit : str
        Unit of the weights.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    image_ : AxesImage
    order_ : ndarray
        Positions of the drawn features, the one with the largest weight first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import ClassWeightsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = ClassWeightsDisplay.from_estimator(ZeroOneClassifier().fit(X, y))
    >>> display.frame().index[0]
    'petal length (cm)'
    """

    def __init__(
        self,
        weights: FloatArray,
        names: Sequence[str],
        labels: Sequence[str],
        unit: str = "per unit of the feature",
    ) -> None:
        self.weights = np.asarray(weights, dtype=np.float64)
        self.names = [str(name) for name in names]
        self.labels = [str(label) for label in labels]
        if self.weights.shape != (len(self.labels), len(self.names)):
            raise ArgumentError(
                "weights",
                f"have shape {self.weights.shape}, expected one row for each of "
                f"{len(self.labels)} labels and one column for each of {len(self.names)} names",
            )
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        names: Sequence[str] | None = None,
        max_features: int = 15,
        ax: Any = None,
    ) -> Self:
        """Draw the weights of the classes of a fitted classifier.

        Parameters
        ----------
        estimator : fitted ZeroOneClassifier or AUCClassifier
        names : sequence of str, optional
            Names of the features; by default those of the fit.
        max_features : int, default=15
        ax : Axes, optional
        """
        check_is_fitted(estimator)
        weights, unit = per_deviation(estimator, estimator.class_coef_)
        labels = [str(label) for label in label_list(estimator.classes_)]
        display = cls(weights, feature_names(estimator, names), labels, unit)
        return display.plot(max_features=max_features, ax=ax)

    def plot(self, *, max_features: int = 15, ax: Any = None) -> Self:
        """Draw the features with the largest weights.

        Parameters
        ----------
        max_features : int, default=15
        ax : Axes, optional
            A new figure by default.
        """
        if max_features < 1:
            raise ArgumentError("max_features", f"got {max_features!r}, expected at least 1")
        self.order_ = self._by_size()[:max_features]
        shown = self.weights[:, self.order_].T
        n_shown, n_classes = shown.shape
        self.figure_, ax = axes_of(
            ax, (3.2 + 0.9 * min(n_classes, _MOST_NUMBERED), 1.4 + 0.34 * n_shown)
        )
        self.ax_ = ax
        largest = float(np.abs(shown).max()) or 1.0
        # Blue to orange, which colour-blind readers tell apart.
        self.image_ = ax.imshow(shown, cmap="PuOr_r", vmin=-largest, vmax=largest, aspect="auto")
        numbered = shown if n_classes <= _MOST_NUMBERED else np.empty((0, 0))
        for (row, column), weight in np.ndenumerate(numbered):
            is_dark = abs(weight) > _DARK * largest
            ax.text(
                column, row, f"{weight:+.2f}", ha="center", va="center", fontsize="small",
                color="white" if is_dark else "black",
            )  # fmt: skip
        ax.set_xticks(np.arange(n_classes), [plain(shortened(own, 12)) for own in self.labels])
        ax.set_yticks(
            np.arange(n_shown), [plain(shortened(self.names[own])) for own in self.order_]
        )
        left_out = self.weights.shape[1] - n_shown
        ax.set(
            title=f"The {n_shown} features with the largest weights of {self.weights.shape[1]}"
            if left_out
            else "Weights of the classes",
            xlabel=f"class; weight {self.unit}",
        )
        return self

    def frame(self) -> Any:
        """Return all weights as a pandas data frame: a row for each feature, the largest first."""
        order = self._by_size()
        columns = {label: own[order] for label, own in zip(self.labels, self.weights, strict=True)}
        return data_frame(columns, [self.names[own] for own in order], "feature")

    def _by_size(self) -> IntArray:
        order: IntArray = np.argsort(-np.abs(self.weights).max(axis=0), kind="stable")
        return order
