"""Scored rows of two classes, checked: what displays of two classes are drawn from."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from zerone._data.labels import label_list, positive_position
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray


class ScoredRows(NamedTuple):
    """Rows with a known label.

    Attributes
    ----------
    is_positive : ndarray of bool of shape (n_rows,)
    scores : ndarray of shape (n_rows,)
        Positive where the positive class is predicted.
    labels : tuple of str
        Names of the positive and the negative class.
    """

    is_positive: AnyArray
    scores: FloatArray
    labels: tuple[str, str]


def scored_rows(estimator: Any, X: Any, y: Any, positive: Any = None) -> ScoredRows:
    """Return the scores of rows by a fitted classifier; raises unless it has two classes.

    Parameters
    ----------
    positive : label, optional
        By default the last class.
    """
    labels = two_labels(estimator)
    place = positive_position(positive, labels)
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    return ScoredRows(
        np.asarray(y) == labels[place],
        scores if place == 1 else -scores,
        (str(labels[place]), str(labels[1 - place])),
    )


def two_labels(estimator: Any) -> list[Any]:
    """Return the two classes of a fitted classifier; raises if it has more."""
    check_is_fitted(estimator)
    labels = label_list(np.asarray(estimator.classes_))
    if len(labels) != 2:
        raise ArgumentError("estimator", f"has {len(labels)} classes", "give one with two classes")
    return labels


def checked_scores(
    is_positive: Any, scores: Any, name: str = "scores"
) -> tuple[AnyArray, FloatArray]:
    """Return both as arrays; raises unless there is one score per row, and rows of both classes."""
    mask, values = np.asarray(is_positive, dtype=bool), np.asarray(scores, dtype=np.float64)
    if mask.shape != values.shape or mask.ndim != 1:
        raise ArgumentError(
            name, f"have shape {values.shape}, expected one per label, {mask.shape}"
        )
    if mask.all() or not mask.any():
        raise ArgumentError("is_positive", "has rows of one class only", "give rows of both")
    return mask, values
