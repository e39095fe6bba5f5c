"""Moments of encoded tables under another encoding, or with the mean for missing values."""

from typing import TYPE_CHECKING

import numpy as np

from zerone._data.columns.filled import FilledColumn
from zerone._data.encoding import Encoding
from zerone._data.reencoding import reencoding
from zerone._errors import AdviceError
from zerone._moments.class_moments import ClassMoments
from zerone._typing import AnyArray, FloatArray

if TYPE_CHECKING:
    from zerone._moments.moments import Moments


# A share of a class that is smaller than one row.
_NO_ROW = 1e-12
# A variance below this share of the variances it was computed from is rounding error.
_ROUNDING = 1e-14


def reencoded(moments: "Moments", encoding: Encoding) -> "Moments":
    """Return moments of the same rows under another encoding; see `reencoding`."""
    from zerone._moments.moments import Moments

    if moments.encoding is None:
        raise AdviceError(
            "these moments were not read from a table, so they have no encoding",
            "read them with Moments.from_table",
        )
    found = reencoding(moments.encoding, encoding)
    if found is None:
        return Moments(dict(moments.items()), encoding=encoding)
    mapped = {label: _mapped(m, *found) for label, m in moments.items()}
    return settled(Moments(mapped, encoding=encoding))


def _mapped(moments: ClassMoments, matrix: FloatArray, offset: FloatArray) -> ClassMoments:
    """Return the moments of ``matrix @ x + offset``; variances that are only rounding are zero."""
    mapped = moments.affine(matrix, offset if offset.any() else None)
    if moments.weight == 0:
        return mapped
    largest = np.abs(matrix) @ np.sqrt(moments.covariance.diagonal())
    constant = mapped.covariance.diagonal() < _ROUNDING * largest**2
    if not constant.any():
        return mapped
    return mapped.with_covariance(mapped.covariance.rescale((~constant).astype(np.float64)))


def settled(moments: "Moments") -> "Moments":
    """Return moments in which a category that all rows or no rows have is exactly constant.

    After adding categories or subtracting rows it would have a tiny variance from rounding, and a
    classifier could take that for a difference between classes.
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
    """Return which features are indicators of a category or of a missing value."""
    if moments.encoding is None:
        return np.zeros(moments.n_features, dtype=bool)
    return np.array([own for column in moments.encoding.columns for own in column.indicators])


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
    """Return moments in which missing numbers are replaced by the mean of the others.

    Changing the fill value is a linear map: the feature plus a multiple of its indicator.
    """
    encoding = moments.encoding
    if encoding is None or encoding.strict:
        return moments
    present = [m for m in moments.values() if m.weight > 0]
    weights = np.array([m.weight for m in present])
    means = np.array([m.mean for m in present])
    fills = {}
    start = 0
    for column in encoding.columns:
        width = len(column.feature_names)
        if isinstance(column, FilledColumn):
            now = column.fill or 0.0
            known = weights
            own = means[:, start : start + width]
            if column.has_indicator:
                known = weights * (1.0 - own[:, -1])
            # Missing values equal the current fill value, so that only the others differ from it.
            total = known.sum()
            if total > 0:
                step = weights @ (column.number_of(own) - now) / total
                fills[column.name] = float(now + step)
        start += width
    return reencoded(moments, encoding.with_fills(fills))
