"""Which columns bend: those whose parts separate the classes better than straight lines do."""

import numpy as np
from scipy.special import fdtrc

from zerone._data.encoding import Encoding
from zerone._data.reencoding import reencoding
from zerone._moments.encoded import reencoded
from zerone._moments.moments import Moments
from zerone._typing import FloatArray, IntArray

# Of the columns that bend, this share may do so by chance.
_FALSE_SHARE = 0.2
# If fewer columns than this share seem not to bend, all do.
_FEW_STRAIGHT = 0.5
# A ridge of this share of the variance, for parts that others explain.
_RIDGE = 1e-6


def bent_where_it_pays(moments: Moments) -> Moments:
    """Return moments in which only those columns bend that are worth it."""
    encoding = moments.encoding
    assert encoding is not None, "columns that bend have an encoding"
    return reencoded(moments, encoding.straight_but(columns_that_bend(moments)))


def straight_lines(encoding: Encoding | None) -> FloatArray | None:
    """Return the matrix that adds up the parts of every column; None if no column bends."""
    found = None if encoding is None else reencoding(encoding, encoding.straight_but())
    return None if found is None else found[0]


def columns_that_bend(moments: Moments) -> set[str]:
    """Return the columns whose bends separate the classes by more than chance.

    Beside its own straight line, the bends of each column are tested by their partial F statistic,
    for classes of one covariance. Let b₀ be the scatter of the class means along the line, in units
    of its variance within the classes, and b₀ + b that of all parts; of n rows, b / (n + b₀) then
    has an F distribution but for its degrees of freedom. The false discovery rate is limited as
    Benjamini and Hochberg do: where many columns bend, less evidence is asked of each.
    """
    encoding = moments.encoding
    assert encoding is not None, "columns that bend have an encoding"
    total, within, means, spread = _pooled(moments)
    n_contrasts = len(means) - 1
    names, chances, start = [], [], 0
    for column in encoding.columns:
        stop = start + len(column.feature_names)
        if column in encoding.bent_columns:
            own = slice(start, start + len(column.value_names))
            parts, along = within[own, own], spread[own]
            line = float(np.sum((means[:, own] @ along) ** 2))
            # A column without a spread within the classes separates them by its line alone.
            line /= max(float(along @ parts @ along), np.finfo(float).tiny)
            both = float(np.sum(means[:, own].T * _solved(parts, means[:, own].T)))
            n_bends = len(parts) - 1
            freedom, rest_freedom = n_bends * n_contrasts, max(total - n_bends - 2.0, 1.0)
            statistic = max(both - line, 0.0) / (total + line) * rest_freedom / freedom
            names.append(column.name)
            chances.append(float(fdtrc(freedom, rest_freedom, statistic)))
        start = stop
    return {names[place] for place in _unlikely(np.array(chances)).tolist()}


def _unlikely(chances: FloatArray) -> IntArray:
    """Return the positions of the tests that are passed, by the rule of Benjamini and Hochberg.

    As Storey does, the share of columns that do not bend is estimated from the larger chances.
    Where most columns bend, all are passed: rows that are few show it of some columns only.
    """
    if not len(chances):
        return np.empty(0, dtype=np.intp)
    straight = min(1.0, (1 + np.count_nonzero(chances > 0.5)) / (0.5 * len(chances)))
    if straight < _FEW_STRAIGHT:
        return np.arange(len(chances))
    order = np.argsort(chances)
    limits = _FALSE_SHARE / straight * np.arange(1, len(chances) + 1) / len(chances)
    passed = np.flatnonzero(chances[order] <= limits)
    return order[: passed[-1] + 1] if len(passed) else order[:0]


def _pooled(moments: Moments) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Return total weight, pooled covariance, class means around their mean, and deviations.

    Features have a variance of one, and means are weighted by the root of the class weights, so
    that the sum of their squares is the scatter between the classes.
    """
    present = [own for own in moments.values() if own.weight > 0]
    weights = np.array([own.weight for own in present])
    total = float(weights.sum())
    shares = weights / total
    parts = zip(shares, present, strict=True)
    within = sum(share * own.covariance.toarray() for share, own in parts)
    means = np.array([own.minus_mean(present[0]) for own in present])
    means -= shares @ means
    spread = np.sqrt(np.diagonal(within))
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    scaled = inverse[:, None] * within * inverse
    return total, scaled, means * inverse * np.sqrt(weights)[:, None], spread


def _solved(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Return matrix⁺ right for a covariance matrix, with a small ridge."""
    scale = np.diagonal(matrix).copy()
    scale[scale <= 0] = 1.0
    return np.asarray(np.linalg.solve(matrix + _RIDGE * np.diag(scale), right))
