"""Which columns bend: those whose parts separate the classes better than straight lines do."""

import numpy as np

from zerone._data.reencoding import reencoding
from zerone._moments.encoded import reencoded
from zerone._moments.moments import Moments
from zerone._typing import FloatArray

# A ridge of this share of the variance, for parts that others explain.
_RIDGE = 1e-6


def bent_where_it_pays(moments: Moments) -> Moments:
    """Return moments in which only those columns bend that Akaike's criterion keeps bent."""
    encoding = moments.encoding
    assert encoding is not None, "columns that bend have an encoding"
    return reencoded(moments, encoding.straight_but(columns_that_bend(moments)))


def columns_that_bend(moments: Moments) -> set[str]:
    """Return the columns whose bends are worth their number of coefficients.

    Given straight lines in all columns, the bends of one column raise twice the log-likelihood of
    normal classes with one covariance by n log(1 + (b/n) / (1 + b₀/n)). Here b₀ is the scatter of
    the class means of the straight lines, in units of their covariance within the classes, and b
    that of the bends without what straight lines explain. By chance it is, for two classes, the
    number of bends on average; Akaike's criterion asks for twice as much.
    """
    encoding = moments.encoding
    assert encoding is not None, "columns that bend have an encoding"
    straight = encoding.straight_but()
    found = reencoding(encoding, straight)
    if found is None:
        return set()
    total, within, means, spread = _pooled(moments)
    lines = found[0] * spread
    n_contrasts = len(means) - 1
    along = lines @ within
    explained = _solved(along @ lines.T, np.hstack([along, lines @ means.T]))
    of_parts, of_means = explained[:, : len(within)], explained[:, len(within) :]
    rest_means = means - of_means.T @ along
    separated = 1.0 + float(np.sum((lines @ means.T) * of_means)) / total
    bending, start = set(), 0
    for column in encoding.columns:
        stop = start + len(column.feature_names)
        if column in encoding.bent_columns:
            # The parts add up to the straight line: without the widest one, bends are left.
            own = np.arange(start, stop - bool(getattr(column, "has_indicator", False)))
            widest = own[np.argmax(within[own, own])]
            own = own[own != widest]
            rest = within[np.ix_(own, own)] - along[:, own].T @ of_parts[:, own]
            gain = float(np.sum(rest_means[:, own].T * _solved(rest, rest_means[:, own].T)))
            gained = total * np.log1p(max(gain, 0.0) / total / separated)
            if gained > 2 * len(own) * n_contrasts:
                bending.add(column.name)
        start = stop
    return bending


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
