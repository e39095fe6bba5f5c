"""Predictions for tables of any size, part by part."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from zerone._data.features import feature_parts
from zerone._errors import ArgumentError
from zerone._typing import AnyArray
from zerone._warnings import warn
from zerone.estimators._prediction import outcome_of_rows
from zerone.estimators._state import fitted_votes, on_host, table_encoding

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def predicted_batches(
    estimator: Any, source: Any, method: str, null_values: Sequence[str]
) -> Iterator[AnyArray]:
    """Return an iterator over predictions for a table; see `predict_batches`."""
    if method not in METHODS:
        raise ArgumentError("method", f"got {method!r}, expected one of {list(METHODS)}")
    fitted_votes(estimator)
    model = on_host(estimator)
    parts = feature_parts(
        source, table_encoding(model), model.coef_.shape[1], null_values=null_values
    )
    return (outcome_of_rows(model, method, part.rows) for part in parts)


def table_accuracy(
    estimator: Any,
    source: Any,
    target: str | None,
    weight: str | None,
    null_values: Sequence[str],
) -> float:
    """Return the accuracy on a labelled table; see `score_table`."""
    fitted_votes(estimator)
    model = on_host(estimator)
    right = total = 0.0
    classes, found = set(model.classes_.tolist()), set()
    for part in feature_parts(
        source,
        table_encoding(model),
        model.coef_.shape[1],
        target=target,
        weight=weight,
        has_text_labels=all(isinstance(label, str) for label in model.classes_.tolist()),
        null_values=null_values,
    ):
        if part.labels is None:
            raise ArgumentError(
                "target", "got None, expected the name of the column that holds the classes"
            )
        found |= set(np.unique(part.labels).tolist())
        predicted = outcome_of_rows(model, "predict", part.rows)
        weights = np.ones(len(predicted)) if part.weights is None else part.weights
        right += float(weights[predicted == part.labels].sum())
        total += float(weights.sum())
    if total == 0:
        raise ArgumentError(
            "source", "is empty, or all weights are zero", "give at least one row with weight"
        )
    strange = sorted(found - classes, key=str)
    if strange and not found & classes:
        raise ArgumentError(
            "target",
            f"column {target!r} has the labels {strange[:5]!r}, none of which is among the "
            f"classes of training, {model.classes_.tolist()!r}",
            "give labels of the same type and spelling",
        )
    if strange:
        warn(
            f"column {target!r} has the labels {strange[:5]!r}, which are not among the "
            f"classes of training, {model.classes_.tolist()!r}; they count as wrong predictions"
        )
    return right / total
