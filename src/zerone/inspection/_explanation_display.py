"""`ExplanationDisplay`: from a row of means to the score of one row, column by column."""

from typing import Any, Self

import numpy as np

from zerone._data.frames import data_frame
from zerone._errors import ArgumentError
from zerone.inspection._explanation import Explanation, explained
from zerone.inspection._style import (
    CHANCE,
    MEASURED,
    NEGATIVE,
    POSITIVE,
    axes_of,
    legend_below,
    plain,
    shortened,
)


class ExplanationDisplay:
    """Why one row gets its class: what each column adds to its score.

    Bars lead from the baseline, the score of a row of means, to the score of the row. The answer
    depends on which side of zero that is. See `Explanation` for what the numbers are.

    Parameters
    ----------
    explanation : Explanation
        What ``classifier.explain`` returns.
    row : int, default=0
        Which of its rows.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : Axes
    bars_ : BarContainer
    order_ : ndarray
        Positions of the columns with a bar of their own, the largest contribution first.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import ExplanationDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = X[["mean radius", "mean texture", "mean smoothness"]]
    >>> classifier = ZeroOneClassifier().fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(classifier, X[:5], row=2)
    >>> display.frame()["value"].tolist()
    ['19.69', '0.1096', '21.25']
    """

    def __init__(self, explanation: Explanation, row: int = 0) -> None:
        if not 0 <= row < len(explanation):
            raise ArgumentError(
                "row", f"got {row!r}, but there are {len(explanation)} rows", "count from 0"
            )
        self.explanation = explanation
        self.row = row

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, row: int = 0, max_columns: int = 10, ax: Any = None
    ) -> Self:
        """Draw why a fitted classifier answers as it does for one row.

        Parameters
        ----------
        estimator : fitted ZeroOneClassifier or AUCClassifier
        X : rows
        row : int, default=0
            Which of them.
        max_columns : int, default=10
            The others have one bar together.
        ax : Axes, optional
        """
        return cls(explained(estimator, X), row).plot(max_columns=max_columns, ax=ax)

    def plot(self, *, max_columns: int = 10, ax: Any = None) -> Self:
        """Draw the largest contributions.

        Parameters
        ----------
        max_columns : int, default=10
        ax : Axes, optional
            A new figure by default.
        """
        if max_columns < 1:
            raise ArgumentError("max_columns", f"got {max_columns!r}, expected at least 1")
        found, row = self.explanation, self.row
        baseline, score = float(found.baseline[row]), float(found.scores[row])
        contributions = found.contributions[row]
        self.order_ = found.largest(max_columns)[row]
        widths, names = contributions[self.order_], [self._name(own) for own in self.order_]
        n_others = len(contributions) - len(widths)
        if n_others:
            widths = np.append(widths, contributions.sum() - widths.sum())
            names.append("1 other column" if n_others == 1 else f"{n_others} other columns")
        starts = baseline + np.append(0.0, np.cumsum(widths)[:-1])
        positions = np.arange(len(widths))
        self.figure_, ax = axes_of(ax, (7.4, 1.7 + 0.34 * len(widths)))
        self.ax_ = ax
        colours = [POSITIVE if width > 0 else NEGATIVE for width in widths]
        self.bars_ = ax.barh(positions, widths, left=starts, color=colours, height=0.7)
        for place, (start, width) in enumerate(zip(starts, widths, strict=True)):
            right = max(start, start + width)
            # On white: the lines of the two scores would run through the numbers.
            ax.annotate(
                f"{width:+.2f}", (right, place), (4, 0), textcoords="offset points", va="center",
                fontsize="small", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )  # fmt: skip
        ax.axvline(0.0, color="black", linewidth=0.8)
        for value, colour, what in ((baseline, CHANCE, "row of means"), (score, MEASURED, "row")):
            label = f"score of the {what}: {value:.2f}"
            ax.axvline(value, color=colour, linestyle="--", linewidth=1.2, label=label)
        ax.set_yticks(positions, names)
        ax.set_ylim(len(widths) - 0.5, -0.5)
        ends = np.concatenate([starts, starts + widths, [0.0]])
        room = 0.04 * float(np.ptp(ends))
        # At the right there are the numbers.
        ax.set_xlim(ends.min() - room, ends.max() + 4 * room)
        predicted, against = (plain(own[row]) for own in (found.predicted, found.against))
        ax.set(
            title=f"Why class {predicted} and not {against}",
            xlabel=f"score: {self._side(predicted, against)}",
        )
        legend_below(ax)
        return self

    def frame(self) -> Any:
        """Return value and contribution of each column as a pandas data frame, largest first."""
        found, row = self.explanation, self.row
        order = found.largest(len(found.columns))[row]
        return data_frame(
            {"value": found.values[row, order], "contribution": found.contributions[row, order]},
            [found.columns[own] for own in order],
            "column",
        )

    def _name(self, column: int) -> str:
        value = self.explanation.values[self.row, column]
        name = shortened(self.explanation.columns[column], 28)
        return plain(f"{name} = {shortened(str(value), 16)}" if value else name)

    def _side(self, predicted: str, against: str) -> str:
        """Return which class is predicted above zero."""
        # Of several classes the score is that of the predicted class against the other one.
        above, below = predicted, against
        if self.explanation.scores[self.row] <= 0:
            above, below = below, above
        return f"class {above} is the answer above zero, class {below} below"
