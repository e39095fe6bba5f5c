"""`WeightsDisplay`: the weights of the features in a rule."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from zerone._data.devices import to_host
from zerone._data.frames import data_frame
from zerone._errors import ArgumentError
from zerone._typing import FloatArray
from zerone.inspection._style import NEGATIVE, POSITIVE, axes_of, plain, shortened
from zerone.inspection._weights import feature_names, per_deviation


class WeightsDisplay:
    """The largest weights of a linear rule, with the names of their features.

    A weight is drawn per standard deviation of its feature: how much the score changes when the
    feature rises by one standard deviation. Scores are in pooled within-class standard deviations.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
    names : sequence of str
    labels : tuple of str
        Names of the positive and the negative class.
    unit : str
        Unit of the weights.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    bars_ : BarContainer
    order_ : ndarray
        Positions of the drawn features, the largest weight first.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import WeightsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = WeightsDisplay.from_estimator(ZeroOneClassifier().fit(X, y), max_features=5)
    >>> len(display.bars_)
    5
    """

    def __init__(
        self,
        weights: FloatArray,
        names: Any,
        labels: tuple[str, str] = ("positive", "negative"),
        unit: str = "per unit of the feature",
    ) -> None:
        self.weights = np.asarray(weights, dtype=np.float64)
        self.names = [str(name) for name in names]
        if self.weights.shape != (len(self.names),):
            raise ArgumentError(
                "names",
                f"got {len(self.names)} for weights of shape {self.weights.shape}",
                "give one name per weight",
            )
        self.labels = labels
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        names: Sequence[str] | None = None,
        pair: int = 0,
        max_features: int = 15,
        ax: Any = None,
    ) -> Self:
        """Draw the weights of a fitted linear classifier.

        Parameters
        ----------
        estimator : fitted classifier with ``coef_``
            Weights are drawn per standard deviation of the features in training where zerone
            knows them, otherwise per unit.
        names : sequence of str, optional
            Names of the features; by default those of the fit.
        pair : int, default=0
            The row of ``coef_``, with several classes.
        max_features : int, default=15
        ax : Axes, optional
        """
        check_is_fitted(estimator)
        coef = np.atleast_2d(to_host(estimator.coef_))
        if not 0 <= pair < len(coef):
            raise ArgumentError(
                "pair", f"got {pair}, expected a row of coef_, 0 to {len(coef) - 1}"
            )
        weights, unit = per_deviation(estimator, coef[pair])
        own = feature_names(estimator, names)
        display = cls(weights, own, _labels(estimator, pair), unit)
        return display.plot(max_features=max_features, ax=ax)

    def plot(self, *, max_features: int = 15, ax: Any = None) -> Self:
        """Draw the largest weights.

        Parameters
        ----------
        max_features : int, default=15
        ax : Axes, optional
            A new figure by default.
        """
        if max_features < 1:
            raise ArgumentError("max_features", f"got {max_features!r}, expected at least 1")
        self.order_ = np.argsort(-np.abs(self.weights), kind="stable")[:max_features]
        n_shown = len(self.order_)
        figure, ax = axes_of(ax, (7.0, 1.2 + 0.3 * n_shown))
        self.figure_, self.ax_ = figure, ax
        shown = self.weights[self.order_]
        colours = [POSITIVE if weight > 0 else NEGATIVE for weight in shown]
        positions = np.arange(n_shown)
        self.bars_ = ax.barh(positions, shown, color=colours)
        ax.set_yticks(positions, [plain(shortened(self.names[i])) for i in self.order_])
        ax.invert_yaxis()
        ax.axvline(0.0, color="black", linewidth=0.8)
        positive, negative = map(plain, self.labels)
        left_out = len(self.weights) - n_shown
        ax.set(
            title=f"The {n_shown} largest of {len(self.weights)} weights"
            if left_out
            else "The weights",
            xlabel=f"weight {self.unit}\n← {negative}  |  {positive} →",
        )
        return self

    def frame(self) -> Any:
        """Return all weights as a pandas data frame, the largest one first."""
        order = np.argsort(-np.abs(self.weights), kind="stable")
        return data_frame(
            {"weight": self.weights[order]}, [self.names[own] for own in order], "feature"
        )


def _labels(estimator: Any, pair: int) -> tuple[str, str]:
    classes = estimator.classes_.tolist()
    if len(classes) == 2:
        return str(classes[1]), str(classes[0])
    pairs = [(a, b) for a in range(len(classes)) for b in range(a + 1, len(classes))]
    if len(np.atleast_2d(to_host(estimator.coef_))) == len(pairs):
        negative, positive = pairs[pair]
        return str(classes[positive]), str(classes[negative])
    return str(classes[pair]), "others"
