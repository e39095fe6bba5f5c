"""Classifiers whose columns bend, on features that all contestants share."""

import copy
from dataclasses import replace
from typing import Any

from zerone._data.bent_array import Parts
from zerone._data.columns.numeric import NumericColumn
from zerone._data.encoding import Encoding
from zerone._rows.array_rows import ArrayRows
from zerone._rows.bent_rows import BentRows
from zerone._rows.rows import rows_of
from zerone._typing import AnyArray, FloatArray
from zerone.estimators._parameters import Settings


def bends_of_features(bent: Encoding, encoding: Encoding) -> Encoding:
    """Return where the features of an encoding bend, as an encoding of these features.

    Parameters
    ----------
    bent : Encoding
        Of the same columns, with knots.
    encoding : Encoding
        Without knots.
    """
    knots = {column.name: column.knots for column in bent.bent_columns}
    columns = tuple(
        # The first feature of a number is its value, and the second whether it is missing.
        NumericColumn(name, knots=() if place else knots.get(column.name, ()))
        for column in encoding.columns
        for place, name in enumerate(column.feature_names)
    )
    return Encoding(columns, strict=True, is_positional=True)


def fitted_bends(
    estimator: Any, X: FloatArray, y: AnyArray, weights: FloatArray | None, bends: Encoding
) -> Any:
    """Return a classifier fitted to features that may bend, as `fit_table` fits it to the table."""
    rows = rows_of(X, y, weights)
    assert isinstance(rows, ArrayRows), "features of a comparison are in memory"
    straight = replace(rows, batch=rows.batch.with_array())
    return estimator._fit(BentRows(straight, bends), Settings.of(estimator))


def named_columns(model: Any, encoding: Encoding | None) -> Any:
    """Return a classifier that was fitted to features, with the columns of the table.

    Parameters
    ----------
    model : fitted classifier
    encoding : Encoding or None
        Of its features; None for features without names.
    """
    if encoding is None:
        return model
    named, own = copy.copy(model), model.encoding_
    named.encoding_ = encoding
    if own is not None:
        knots = {column.name: column.knots for column in own.bent_columns}
        columns = tuple(
            replace(column, knots=knots.get(column.name, ()))
            if isinstance(column, NumericColumn)
            else column
            for column in encoding.columns
        )
        named.encoding_ = replace(encoding, columns=columns)
    return named


def features_of(model: Any, X: FloatArray) -> FloatArray:
    """Return the features of a fitted classifier for those that all contestants share."""
    return X if model.encoding_ is None else Parts.of(model.encoding_).of_rows(X)
