"""Moments of encoded tables: brought to another encoding, and to the mean for missing values."""

from typing import TYPE_CHECKING

import numpy as np

from zerone._data.encoding import CategoryColumn, Encoding, NumericColumn
from zerone._data.reencoding import reencoding
from zerone._moments.class_moments import ClassMoments
from zerone._typing import AnyArray, FloatArray

if TYPE_CHECKING:
    from zerone._moments.moments import Moments


# A share of the rows of a class that is smaller than any row's.
_NO_ROW = 1e-12
# Of the variances that were added up; less is none.
_ROUNDING = 1e-14


def reencoded(moments: "Moments", encoding: Encoding) -> "Moments":
    """Return moments of the same rows under another encoding; see `reencoding`."""
    from zerone._moments.moments import Moments

    if moments.encoding is None:
        raise ValueError("these moments were not read from a table, so they have no encoding")
    matrix = reencoding(moments.encoding, encoding)
    if matrix is None:
        return moments
    mapped = {label: _mapped(m, matrix) for label, m in moments.items()}
    return settled(Moments(mapped, encoding=encoding))


def _mapped(moments: ClassMoments, matrix: FloatArray) -> ClassMoments:
    """Return the moments of ``matrix @ x``; what cancels but for rounding is exactly constant."""
    mapped = moments.affine(matrix)
    if moments.weight == 0:
        return mapped
    largest = np.abs(matrix) @ np.sqrt(moments.covariance.diagonal())
    constant = mapped.covariance.diagonal() < _ROUNDING * largest**2
    if not constant.any():
        return mapped
    return mapped.with_covariance(mapped.covariance.rescale((~constant).astype(np.float64)))


def settled(moments: "Moments") -> "Moments":
    """Return moments in which a category that all rows have, or none, is exactly constant.

    After categories were added up, or rows taken away, rounding would leave it a variance that a
    classifier could take for a difference between classes.
    """
    from zerone._moments.moments import Moments

    encoding = moments.encoding
    if encoding is None or encoding.is_plain:
        return moments
    is_category = category_features(moments)
    return Moments(
        {label: _settled_class(m, is_category) for label, m in moments.items()}, encoding=encoding
    )


def category_features(moments: "Moments") -> AnyArray:
    """Return which features are one for a category or a missing value, and zero otherwise."""
    if moments.encoding is None:
        return np.zeros(moments.n_features, dtype=bool)
    columns = moments.encoding.columns
    return np.array([_is_category(c, i) for c in columns for i in range(len(c.feature_names))])


def _is_category(column: NumericColumn | CategoryColumn, position: int) -> bool:
    return isinstance(column, CategoryColumn) or position > 0


def _settled_class(moments: ClassMoments, is_category: AnyArray) -> ClassMoments:
    if moments.weight == 0:
        return moments
    to_zero = is_category & (np.abs(moments.mean) < _NO_ROW)
    to_one = is_category & (np.abs(moments.mean - 1.0) < _NO_ROW)
    constant = to_zero | to_one
    varying = moments.covariance.diagonal() != 0
    exact = (moments.mean == to_one) & (moments.mean_correction == 0)
    if not (constant & (varying | ~exact)).any():
        return moments
    mean = np.where(constant, to_one, moments.mean)
    correction = np.where(constant, 0.0, moments.mean_correction)
    covariance = moments.covariance.rescale((~constant).astype(np.float64))
    return ClassMoments(moments.weight, mean, covariance, correction)


def imputed(moments: "Moments") -> "Moments":
    """Return moments in which a missing number counts as the mean of those that are there.

    That is a linear map of moments in which it counts as anything else: the feature plus a
    multiple of its indicator.
    """
    encoding = moments.encoding
    if encoding is None or encoding.missing == "error":
        return moments
    present = [m for m in moments.values() if m.weight > 0]
    weights = np.array([m.weight for m in present])
    means = np.array([m.mean for m in present])
    fills = {}
    start = 0
    for column in encoding.columns:
        if isinstance(column, NumericColumn):
            now = column.fill or 0.0
            there = weights * (1.0 - means[:, start + 1]) if column.has_indicator else weights
            # Where it is missing the feature is what missing values count as now, so that only
            # those that are there differ from it.
            total = there.sum()
            if total > 0:
                step = weights @ (means[:, start] - now) / total
                fills[column.name] = float(now + step)
        start += len(column.feature_names)
    return reencoded(moments, encoding.with_fills(fills))
