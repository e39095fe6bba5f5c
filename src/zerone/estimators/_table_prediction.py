"""Predictions for tables of any size, part by part."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from zerone._data.features import FeatureRows, feature_parts
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray
from zerone._warnings import warn
from zerone.estimators._prediction import features_of_rows, outcome_of_rows
from zerone.estimators._state import fitted_votes, on_host, table_encoding

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def predicted_batches(
    estimator: Any, source: Any, method: str | Sequence[str]
) -> Iterator[AnyArray | tuple[AnyArray, ...]]:
    """Return an iterator over predictions for a table; see `predict_batches`."""
    methods = (method,) if isinstance(method, str) else tuple(method)
    for own in methods:
        if own not in METHODS:
            raise ArgumentError("method", f"got {own!r}, expected one of {list(METHODS)}")
    parts = copied_predictions(estimator, source, methods)
    if isinstance(method, str):
        return (found[0] for found, _ in parts)
    return (tuple(found) for found, _ in parts)


def copied_predictions(
    estimator: Any,
    source: Any,
    methods: Sequence[str],
    copied: Sequence[str] = (),
    *,
    progress: bool | None = False,
) -> Iterator[tuple[list[AnyArray], FeatureRows]]:
    """Return an iterator over the results of some methods for a table, part by part.

    With each part come its rows, with the columns ``copied`` as they are in the table. ``progress``
    says whether it is shown; None means in a terminal.
    """
    fitted_votes(estimator)
    model = on_host(estimator)
    encoding, width = table_encoding(model), _width(model)
    parts = feature_parts(source, encoding, width, copied=copied, progress=progress)
    return ((_outcomes(model, methods, part.rows), part) for part in parts)


def _width(model: Any) -> int:
    """Return how many numbers a row has: features, or columns of an array that bend."""
    return int(model.coef_.shape[1] if model.encoding_ is None else model.n_features_in_)


def _outcomes(model: Any, methods: Sequence[str], rows: Any) -> list[AnyArray]:
    """Return the results of some methods for the rows of a part of a table."""
    if table_encoding(model) is None and model.encoding_ is not None:
        rows = features_of_rows(model, rows.toarray())
    return [outcome_of_rows(model, method, rows) for method in methods]


def labelled_predictions(
    estimator: Any,
    source: Any,
    target: str | None,
    weight: str | None,
    methods: Sequence[str],
    *,
    progress: bool | None = False,
) -> Iterator[tuple[AnyArray, FloatArray | None, list[AnyArray]]]:
    """Yield labels, weights and the results of some methods for a labelled table, part by part.

    Parameters
    ----------
    target : str or None
        The column of labels; by default that of training.
    methods : sequence of str
        Some of ``METHODS``.
    progress : bool or None
        Whether progress is shown; None means in a terminal.
    """
    fitted_votes(estimator)
    model = on_host(estimator)
    encoding = table_encoding(model)
    if target is None and encoding is not None:
        target = encoding.target
    for part in feature_parts(
        source,
        encoding,
        _width(model),
        target=target,
        weight=weight,
        has_text_labels=all(isinstance(label, str) for label in model.classes_.tolist()),
        progress=progress,
    ):
        if part.labels is None:
            raise ArgumentError(
                "target", "got None, expected the name of the column that holds the classes"
            )
        yield part.labels, part.weights, _outcomes(model, methods, part.rows)


def table_accuracy(estimator: Any, source: Any, target: str | None, weight: str | None) -> float:
    """Return the accuracy on a labelled table; see `score_table`."""
    right = total = 0.0
    found: set[Any] = set()
    for labels, weights, (predicted,) in labelled_predictions(
        estimator, source, target, weight, ["predict"]
    ):
        found |= set(np.unique(labels).tolist())
        weights = np.ones(len(predicted)) if weights is None else weights
        right += float(weights[predicted == labels].sum())
        total += float(weights.sum())
    require_known_labels(estimator, found, total)
    return right / total


def require_known_labels(estimator: Any, found: set[Any], total: float) -> None:
    """Raise if no row counts or no label is known; warn if only some are.

    Parameters
    ----------
    found : set of labels
    total : float
        Total weight of the rows.
    """
    if total == 0:
        raise ArgumentError(
            "source", "is empty, or all weights are zero", "give at least one row with weight"
        )
    classes = estimator.classes_.tolist()
    strange = sorted(found - set(classes), key=str)
    if strange and not found & set(classes):
        raise ArgumentError(
            "target",
            f"the labels are {strange[:5]!r}, none of which is among the classes of training, "
            f"{classes!r}",
            "give labels of the same type and spelling",
        )
    if strange:
        warn(
            f"the labels {strange[:5]!r} are not among the classes of training, {classes!r}; they "
            "count as wrong predictions"
        )
