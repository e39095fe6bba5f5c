"""`ShapeDisplay`: what each column adds to the score, as a curve or as bars."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from zerone._data.frames import data_frame
from zerone._data.labels import label_list
from zerone._errors import ArgumentError
from zerone._moments.pair import class_pairs
from zerone.estimators._state import fitted_votes, on_host
from zerone.inspection._shapes import Shape, shapes_of
from zerone.inspection._style import (
    CHANCE,
    MEASURED,
    NEGATIVE,
    POSITIVE,
    plain,
    pyplot,
    shortened,
)

_ACROSS = 4
# Of more categories, those that contribute most are drawn.
_MOST_BARS = 10


class ShapeDisplay:
    """What each column adds to the score of a row, by its value.

    The score is the sum of these contributions and a constant. A column of numbers is a straight
    line, or bends at its knots (``shapes`` of the classifier), which are marked: between two of
    them lie about as many rows. Categories are bars. Columns are sorted by the standard deviation
    of their contribution in training, and all have one scale. A band is an interval of 95 % for
    each value; it needs a refined fit. Of dates, the week and the day are left out; columns of text
    and hashed ones have no picture.

    Parameters
    ----------
    shapes : list of Shape
    labels : tuple of str
        Names of the positive and the negative class.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : list of Axes
        One for each column that is drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier
    >>> from zerone.inspection import ShapeDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = X[["mean radius", "mean texture", "mean smoothness"]]
    >>> classifier = ZeroOneClassifier(shapes="bends").fit(X, y)
    >>> display = ShapeDisplay.from_estimator(classifier)
    >>> [axes.get_title() for axes in display.axes_]
    ['mean radius', 'mean smoothness', 'mean texture']
    """

    def __init__(
        self, shapes: list[Shape], labels: tuple[str, str] = ("positive", "negative")
    ) -> None:
        self.shapes = shapes
        self.labels = labels

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        columns: Sequence[str] | None = None,
        pair: int = 0,
        max_columns: int = 12,
    ) -> Self:
        """Draw the shapes of a fitted classifier.

        Parameters
        ----------
        estimator : fitted ZeroOneClassifier or AUCClassifier
        columns : sequence of str, optional
            Which columns; by default all.
        pair : int, default=0
            The row of ``coef_``, with several classes.
        max_columns : int, default=12
        """
        fitted_votes(estimator)
        model = on_host(estimator)
        pairs = [*class_pairs(len(model.classes_))]
        if not 0 <= pair < len(pairs):
            raise ArgumentError(
                "pair", f"got {pair}, expected a row of coef_, 0 to {len(pairs) - 1}"
            )
        labels = [str(own) for own in label_list(model.classes_)]
        negative, positive = pairs[pair]
        shapes = shapes_of(model, pair)
        if columns is not None:
            shapes = _chosen(shapes, columns)
        return cls(shapes, (labels[positive], labels[negative])).plot(max_columns=max_columns)

    def plot(self, *, max_columns: int = 12) -> Self:
        """Draw the columns that contribute most, in a new figure.

        Parameters
        ----------
        max_columns : int, default=12
        """
        if max_columns < 1:
            raise ArgumentError("max_columns", f"got {max_columns!r}, expected at least 1")
        shown = self.shapes[:max_columns]
        if not shown:
            raise ArgumentError("estimator", "has no column with a shape")
        across = min(_ACROSS, len(shown))
        down = -(-len(shown) // across)
        self.figure_, panels = pyplot().subplots(
            down, across, figsize=(0.8 + 2.5 * across, 0.8 + 2.1 * down), sharey=True,
            squeeze=False, layout="constrained",
        )  # fmt: skip
        for axes in panels.flat[len(shown) :]:
            axes.set_axis_off()
        self.axes_ = list(panels.flat[: len(shown)])
        for axes, shape in zip(self.axes_, shown, strict=True):
            (_draw_curve if shape.is_curve else _draw_bars)(axes, shape)
            axes.axhline(0.0, color=CHANCE, linewidth=0.8, zorder=0)
            axes.set_title(plain(shortened(shape.name, 28)), fontsize="medium")
        positive, negative = (plain(shortened(own, 20)) for own in self.labels)
        self.figure_.supylabel(f"added to the score\n← {negative}  |  {positive} →")
        left_out = len(self.shapes) - len(shown)
        if left_out:
            self.figure_.suptitle(f"The {len(shown)} columns of {len(self.shapes)} that add most")
        return self

    def frame(self) -> Any:
        """Return all shapes as a pandas data frame with a row for each value that is drawn.

        ``low`` and ``high`` are NaN where there are no intervals. What a missing number adds has
        the value "missing".
        """
        columns: dict[str, list[Any]] = {
            name: [] for name in ("column", "value", "contribution", "low", "high")
        }
        for shape in self.shapes:
            unknown = np.full(len(shape.values), np.nan)
            low = unknown if shape.low is None else shape.low
            high = unknown if shape.high is None else shape.high
            points = zip(shape.values.tolist(), shape.contributions, low, high, strict=True)
            rows: list[tuple[Any, ...]] = [*points]
            if shape.missing is not None:
                rows.append(("missing", shape.missing, np.nan, np.nan))
            for row in rows:
                for name, value in zip(columns, (shape.name, *row), strict=True):
                    columns[name].append(value)
        return data_frame(columns)


def _chosen(shapes: list[Shape], columns: Sequence[str]) -> list[Shape]:
    """Return the shapes of some columns; raises for one that there is not."""
    names = [shape.name for shape in shapes]
    if isinstance(columns, str):
        raise ArgumentError("columns", f"got {columns!r}", "give a list of names")
    for name in columns:
        if name not in names:
            raise ArgumentError(
                "columns",
                f"there is no column {name!r} with a shape",
                f"there are {', '.join(map(repr, names))}",
            )
    return [shape for shape in shapes if shape.name in columns]


def _draw_curve(axes: Any, shape: Shape) -> None:
    if shape.low is not None:
        axes.fill_between(shape.values, shape.low, shape.high, color=NEGATIVE, alpha=0.2, lw=0)
    axes.plot(shape.values, shape.contributions, color=NEGATIVE, linewidth=1.8)
    for knot in shape.knots:
        axes.axvline(knot, ymax=0.04, color=MEASURED, linewidth=0.8)
    if shape.missing is not None:
        # Beside the curve, at its right end.
        axes.annotate(
            "missing", (1.0, shape.missing), (-4, 2), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", fontsize="x-small", color=POSITIVE,
        )  # fmt: skip
        axes.axhline(shape.missing, xmin=0.8, color=POSITIVE, linewidth=1.8)
    if shape.values.dtype.kind == "M":
        axes.tick_params(axis="x", rotation=30)
    axes.tick_params(labelsize="small")


def _draw_bars(axes: Any, shape: Shape) -> None:
    order = np.argsort(-np.abs(shape.contributions), kind="stable")[:_MOST_BARS]
    # In the order of the table: categories may have one.
    order = np.sort(order)
    places, values = np.arange(len(order)), shape.contributions[order]
    axes.bar(places, values, color=NEGATIVE, width=0.6, alpha=0.75)
    if shape.low is not None and shape.high is not None:
        spread = [values - shape.low[order], shape.high[order] - values]
        axes.errorbar(places, values, spread, fmt="none", ecolor=MEASURED, capsize=2, lw=1)
    names = [plain(shortened(str(own), 14)) for own in shape.values[order]]
    is_long = sum(map(len, names)) > 20
    axes.set_xticks(
        places, names, rotation=40 if is_long else 0, ha="right" if is_long else "center",
        rotation_mode="anchor", fontsize="small",
    )  # fmt: skip
    axes.tick_params(axis="y", labelsize="small")
