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

    Given straight lines in all columns, the bends of one column are tested by their partial F
    statistic, for classes of one covariance. Let b₀ be the scatter of the class means of the
    straight lines, in units of their covariance within the classes, and b that of the bends
    without what straight lines explain; of n rows, b / (n + b₀) then has an F distribution but for
    its degrees of freedom. The false discovery rate is limited as Benjamini and Hochberg do: where
    many columns bend, less evidence is asked of each.
    """
    encoding = moments.encoding
    assert encoding is not None, "columns that bend have an encoding"
    lines = straight_lines(encoding)
    if lines is None:
        return set()
    total, within, means, spread = _pooled(moments)
    lines = lines * spread
    n_contrasts = len(means) - 1
    along = lines @ within
    explained = _solved(along @ lines.T, np.hstack([along, lines @ means.T]))
    of_parts, of_means = explained[:, : len(within)], explained[:, len(within) :]
    rest_means = means - of_means.T @ along
    separated = 1.0 + float(np.sum((lines @ means.T) * of_means)) / total
    names, chances, start = [], [], 0
    for column in encoding.columns:
        stop = start + len(column.feature_names)
        if column in encoding.bent_columns:
            # The parts add up to the straight line: without the widest one, bends are left.
            own = np.arange(start, stop - bool(getattr(column, "has_indicator", False)))
            widest = own[np.argmax(within[own, own])]
            own = own[own != widest]
            rest = within[np.ix_(own, own)] - along[:, own].T @ of_parts[:, own]
            gain = float(np.sum(rest_means[:, own].T * _solved(rest, rest_means[:, own].T)))
            freedom = len(own) * n_contrasts
            rest_freedom = max(total - len(lines) - len(own) - 1.0, 1.0)
            statistic = max(gain, 0.0) / total / separated * rest_freedom / freedom
            names.append(column.name)
            chances.append(float(fdtrc(freedom, rest_freedom, statistic)))
        start = stop
    return {names[place] for place in _unlikely(np.array(chances)).tolist()}


def _unlikely(chances: FloatArray) -> IntArray:
    """Return the positions of the tests that are passed, by the rule of Benjamini and Hochberg."""
    order = np.argsort(chances)
    limits = _FALSE_SHARE * np.arange(1, len(chances) + 1) / max(len(chances), 1)
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
