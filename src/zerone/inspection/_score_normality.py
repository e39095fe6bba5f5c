"""`ScoreNormalityDisplay`: how close to normal the scores of two classes are."""

from typing import Any, Self

import numpy as np
from scipy.stats import norm
from sklearn.utils import check_random_state

from zerone._data.frames import data_frame
from zerone._typing import FloatArray
from zerone.inspection._scored_rows import checked_scores, scored_rows
from zerone.inspection._style import DIFFERENCE, NEGATIVE, POSITIVE, plain, pyplot


class ScoreNormalityDisplay:
    """Histograms of scores with fitted normal densities.

    Three panels: scores of the positive class, scores of the negative class, and differences
    negative minus positive of random pairs. The expected error assumes that the first two are
    normal, the expected AUC that the third is.

    Parameters
    ----------
    positive, negative : ndarray
        Scores of the two classes.
    difference : ndarray
        Scores of random negatives minus scores of random positives.
    labels : tuple of str
        Names of the positive and the negative class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : list of three Axes
    bars_ : list of three BarContainer
    curves_ : list of three Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import ScoreNormalityDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = ScoreNormalityDisplay.from_estimator(ZeroOneClassifier().fit(X, y), X, y)
    >>> len(display.axes_)
    3
    """

    def __init__(
        self,
        positive: FloatArray,
        negative: FloatArray,
        difference: FloatArray,
        labels: tuple[str, str] = ("positive", "negative"),
    ) -> None:
        self.positive = positive
        self.negative = negative
        self.difference = difference
        self.labels = labels

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        random_state: Any = 0,
        axes: Any = None,
    ) -> Self:
        """Draw the scores of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : fitted classifier with ``decision_function`` and two classes
        X, y : rows and their labels
        random_state : int or RandomState, default=0
            For the random pairs.
        axes : sequence of three Axes, optional
        """
        rows = scored_rows(estimator, X, y)
        positive, negative = rows.labels
        return cls.from_predictions(
            rows.is_positive, rows.scores, random_state=random_state,
            labels=(f"class {positive}", f"class {negative}"), axes=axes,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls,
        is_positive: Any,
        scores: Any,
        *,
        labels: tuple[str, str] = ("positive", "negative"),
        random_state: Any = 0,
        axes: Any = None,
    ) -> Self:
        """Draw given scores.

        Parameters
        ----------
        is_positive : array-like of bool of shape (n_rows,)
        scores : array-like of shape (n_rows,)
        """
        mask, values = checked_scores(is_positive, scores)
        positive, negative = values[mask], values[~mask]
        random = check_random_state(random_state)
        n_pairs = max(len(values), 1000)
        difference = random.choice(negative, n_pairs) - random.choice(positive, n_pairs)
        return cls(positive, negative, difference, labels).plot(axes=axes)

    def plot(self, *, axes: Any = None, bins: int = 40) -> Self:
        """Draw the three panels.

        Parameters
        ----------
        axes : sequence of three Axes, optional
            A new figure by default.
        bins : int, default=40
        """
        if axes is None:
            figure, axes = pyplot().subplots(1, 3, figsize=(11, 3.2), layout="constrained")
        else:
            figure = axes[0].figure
        self.figure_, self.axes_ = figure, list(axes)
        self.bars_, self.curves_ = [], []
        panels = zip(self._panels(), (POSITIVE, NEGATIVE, DIFFERENCE), strict=True)
        for ax, ((title, values), colour) in zip(self.axes_, panels, strict=True):
            _, _, bars = ax.hist(
                values, bins=bins, density=True, color=colour, alpha=0.45, label="scores"
            )
            mean, sd = float(values.mean()), float(values.std())
            grid = np.linspace(values.min(), values.max(), 300)
            density = norm.pdf(grid, mean, sd) if sd > 0 else np.zeros_like(grid)
            (curve,) = ax.plot(grid, density, color=colour, linewidth=2, label="fitted normal")
            ax.set(title=plain(title), xlabel="score", ylabel="density")
            ax.legend(frameon=False)
            self.bars_.append(bars)
            self.curves_.append(curve)
        return self

    def frame(self) -> Any:
        """Return all drawn values as a pandas data frame, with the title of their panel."""
        panels = self._panels()
        return data_frame(
            {
                "panel": np.repeat([title for title, _ in panels], [len(own) for _, own in panels]),
                "score": np.concatenate([own for _, own in panels]),
            }
        )

    def _panels(self) -> list[tuple[str, FloatArray]]:
        positive, negative = self.labels
        return [
            (f"scores of {positive}", self.positive),
            (f"scores of {negative}", self.negative),
            (f"{negative} minus {positive}", self.difference),
        ]
