"""How the features of one column vary together in training, from their means and deviations."""

import numpy as np

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.column import Column
from zerone._data.columns.filled import FilledColumn
from zerone._data.columns.hashed import HashedColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._typing import FloatArray


def column_covariance(column: Column, means: FloatArray, deviations: FloatArray) -> FloatArray:
    """Return the covariance matrix of the features of one column.

    Where a part of a number is above zero, all earlier parts are complete, with the widths w₀ (the
    first knot), w₁, …: the covariance of parts i < j is (wᵢ − meanᵢ) meanⱼ. Of categories a row has
    one: it is −meanᵢ meanⱼ. Waves of dates, and the features of text, count as uncorrelated.

    Parameters
    ----------
    column : Column
    means, deviations : ndarray of shape (n_features,)
        Of its features in training.
    """
    found = np.zeros((len(means), len(means)))
    if isinstance(column, CategoryColumn | HashedColumn):
        found = -np.outer(means, means)
    elif isinstance(column, NumericColumn) and column.knots:
        n_parts = len(column.knots) + 1
        widths = np.diff(column.knots, prepend=0.0)
        above = np.triu(np.outer(np.append(widths, 0.0) - means[:n_parts], means[:n_parts]), 1)
        found[:n_parts, :n_parts] = above + above.T
    if isinstance(column, FilledColumn) and column.has_indicator:
        # Rows in which the value is missing have the features of the value that replaces it.
        n_values = len(column.missing_values)
        own = means[-1] * (column.missing_values - means[:n_values])
        found[-1, :n_values] = found[:n_values, -1] = own
    np.fill_diagonal(found, deviations**2)
    return found
