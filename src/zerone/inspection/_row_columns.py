"""The columns of a table as they stand in rows of features: what they are, and how they change."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.column import Column
from zerone._data.columns.dates import DateColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._typing import AnyArray, FloatArray
from zerone.estimators._feature_statistics import FeatureStatistics, feature_statistics
from zerone.estimators._state import column_encoding
from zerone.inspection._column_spread import column_covariance


@dataclass(frozen=True, eq=False)
class RowColumn:
    """One column of a table, and where its features are.

    Attributes
    ----------
    name : str
    features : slice
    column : Column
    deviation : float
        Of its number in training; one where it is not known.
    is_binary : bool
        Whether it is zero or one in every row of training.
    """

    name: str
    features: slice
    column: Column
    deviation: float
    is_binary: bool

    def of(self, features: Any) -> FloatArray:
        """Return the column's features."""
        own = features[:, self.features]
        dense: FloatArray = own.toarray() if sp.issparse(own) else own
        return dense

    def shown(self, features: Any) -> AnyArray:
        """Return what each row has in the column, as strings."""
        column, n_rows = self.column, features.shape[0]
        if isinstance(column, CategoryColumn):
            names = np.array([*shown_categories(column), "another category"], dtype=object)
            has = self.of(features) > 0
            found: AnyArray = names[np.where(has.any(axis=1), has.argmax(axis=1), len(names) - 1)]
            return found
        if not isinstance(column, NumericColumn | DateColumn):
            return np.full(n_rows, "", dtype=object)
        own = self.of(features)
        if isinstance(column, DateColumn):
            days = np.floor(own[:, 0] + column.origin).astype(np.int64).astype("datetime64[D]")
            shown: AnyArray = days.astype(str).astype(object)
        else:
            shown = np.array([f"{value:.6g}" for value in column.number_of(own)], dtype=object)
        if column.has_indicator:
            shown[own[:, -1] > 0] = "missing"
        return shown


def shown_categories(column: CategoryColumn) -> list[str]:
    """Return the names of the features of a column of categories."""
    others = ["an infrequent category"] * column.has_infrequent + ["missing"] * column.has_missing
    return [*column.categories, *others]


def columns_of(model: Any) -> list[RowColumn]:
    """Return the columns of a fitted classifier, in the order of its features."""
    encoding = column_encoding(model)
    n_features = model.coef_.shape[1]
    if encoding is None:
        columns: tuple[Column, ...] = tuple(
            NumericColumn(f"feature {number}") for number in range(n_features)
        )
    else:
        columns = encoding.columns
    known = feature_statistics(model) or FeatureStatistics(
        np.zeros(n_features), np.ones(n_features)
    )
    binary, start, found = known.are_binary, 0, []
    for column in columns:
        stop = start + len(column.feature_names)
        deviation = _deviation(column, known.means[start:stop], known.deviations[start:stop])
        is_binary = bool(binary[start]) and isinstance(column, NumericColumn) and not column.knots
        found.append(RowColumn(column.name, slice(start, stop), column, deviation, is_binary))
        start = stop
    return found


def _deviation(column: Column, means: FloatArray, deviations: FloatArray) -> float:
    """Return the standard deviation of the number of a column, the sum of its parts."""
    n_parts = len(column.value_names) if isinstance(column, NumericColumn) else 1
    own = column_covariance(column, means, deviations)[:n_parts, :n_parts]
    return float(np.sqrt(max(own.sum(), 0.0))) or 1.0
