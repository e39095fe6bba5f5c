"""Sections that the reports of a comparison and of an evaluation share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone import Frontier
from zerone._data.devices import to_host
from zerone._data.labels import label_list, positive_position
from zerone._typing import AnyArray, FloatArray
from zerone.comparison._charts import frontier_roc, normal_charts, score_charts, weights_chart
from zerone.comparison._page import Page, PageTable, Picture
from zerone.comparison._shape_charts import add_shapes
from zerone.estimators._state import on_host
from zerone.inspection._weights import feature_names, per_deviation


@dataclass(frozen=True, eq=False)
class ScoresOfClass:
    """What a classifier of two classes says of rows about the positive one, and their truth.

    Attributes
    ----------
    labels : tuple of str
        The positive and the negative class.
    is_positive : bool ndarray of shape (n_rows,)
    scores, probabilities : ndarray of shape (n_rows,)
        Of the positive class.
    """

    labels: tuple[str, str]
    is_positive: AnyArray
    scores: FloatArray
    probabilities: FloatArray

    @classmethod
    def of(
        cls, model: Any, scores: FloatArray, probabilities: FloatArray, y: AnyArray
    ) -> "ScoresOfClass":
        """Return them from ``decision_function`` and ``predict_proba``."""
        labels = label_list(model.classes_)
        place = positive_position(getattr(model, "positive", None), labels)
        return cls(
            (str(labels[place]), str(labels[1 - place])),
            y == model.classes_[place],
            scores if place else -scores,
            probabilities[:, place],
        )


def add_scores(page: Page, given: ScoresOfClass, rows: str, before: Sequence[Picture] = ()) -> None:
    """Add ROC, precision and recall, and calibration of the positive class.

    Parameters
    ----------
    rows : str
        Which rows these are.
    before : sequence of Picture
        Shown first.
    """
    page.heading("Scores and probabilities", link="scores")
    drawn = score_charts(
        given.is_positive, given.scores, given.probabilities, given.labels[0], rows
    )
    page.pictures([*before, *drawn])


def add_normal_scores(page: Page, model: Any, given: ScoresOfClass, rows: str) -> None:
    """Add how close to normal the scores of two classes are, which a fit to moments assumes."""
    pictures = normal_charts(given.is_positive, given.scores, given.labels, rows)
    moments = getattr(model, "moments_", None)
    # The curve of the frontier is that of the last class.
    if moments is not None and given.labels[0] == str(label_list(model.classes_)[1]):
        frontier = Frontier(moments)
        pictures.append(frontier_roc(frontier, given.is_positive, given.scores, rows))
    if pictures:
        page.pictures(pictures)


def add_weights(page: Page, model: Any, names: Sequence[str] | None = None, X: Any = None) -> None:
    """Add the largest weights of two classes, or the shapes of a model whose columns bend.

    Parameters
    ----------
    names : sequence of str, optional
        Of the features.
    X : ndarray, optional
        Training rows, for standard deviations that the model does not know.
    """
    encoding = getattr(model, "encoding_", None)
    if encoding is not None and encoding.bent_columns:
        add_shapes(page, on_host(model))
        return
    weights, unit = per_deviation(model, to_host(model.coef_), X)
    coef = weights[0]
    first, second = (str(own) for own in model.classes_.tolist())
    page.heading("Largest weights", link="weights")
    page.pictures([weights_chart(coef, feature_names(model, names), (second, first), unit)])


def column_table(encoding: Any) -> PageTable:
    """Return how each column is read, and what was assumed."""
    rows: list[Sequence[tuple[str, float | None]]] = [
        [
            (own.column, None),
            (own.read_as, None),
            (str(own.n_features), float(own.n_features)),
            ("; ".join(own.assumed), None),
        ]
        for own in encoding.plan
    ]
    headings = ["column", "read as", "features", "assumed"]
    return PageTable("How each column is read", headings, rows, words={1, 3})


def best_cells(values: Sequence[Sequence[float]], is_lower: Sequence[bool]) -> set[tuple[int, int]]:
    """Return the best row of each column; all of them if several are equal as they are shown.

    Parameters
    ----------
    values : sequence of rows
    is_lower : sequence of bool
        Whether low values of a column are best.
    """
    found: set[tuple[int, int]] = set()
    for column, (own, lower) in enumerate(zip(np.array(values).T, is_lower, strict=True)):
        shown = np.round(own, 4)
        if np.isnan(shown).all():
            continue
        best = np.nanmin(shown) if lower else np.nanmax(shown)
        found |= {(row, column) for row in np.flatnonzero(shown == best).tolist()}
    return found
