"""A rule's point on the frontier, carried over to the moments of other rows.

Every rule of the frontier solves (p·Σ₊ + q·Σ₋) w = δ. The moments of nearly the same rows have
nearly the same p and q, and one linear system in place of a search.
"""

import numpy as np
from scipy.linalg.lapack import dposv

from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.metrics import Priors
from zerone.rules._direction import ScoredDirection, best_offset
from zerone.rules._rule import LinearRule, constant_rule, linear_rule

# A direction is on the frontier if the equation holds to this share of δ.
_HOLDS = 1e-6
_STATUS = "The point of the frontier was taken from other moments."


def mixture_of(pair: TwoClassMoments, coef: FloatArray) -> tuple[float, float] | None:
    """Return p and q of a direction; None if it is not on the frontier of these moments."""
    delta = pair.delta
    products = [own.covariance.matvec(coef) for own in (pair.positive, pair.negative)]
    sizes = [float(np.linalg.norm(own)) for own in products]
    length = float(np.linalg.norm(delta))
    if min(*sizes, length) == 0:
        return None
    columns = np.column_stack([own / size for own, size in zip(products, sizes, strict=True)])
    found = np.linalg.lstsq(columns, delta / length, rcond=None)[0]
    if np.linalg.norm(columns @ found - delta / length) > _HOLDS:
        return None
    scaled = found / np.array(sizes)
    largest = float(np.abs(scaled).max())
    return float(scaled[0]) / largest, float(scaled[1]) / largest


def rule_of_mixture(
    pair: TwoClassMoments, mixture: tuple[float, float], priors: Priors
) -> LinearRule | None:
    """Return the direction of a mixture with the threshold of least error along it.

    None if p·Σ₊ + q·Σ₋ is not positive definite for these moments.
    """
    matrices = [own.covariance.toarray() for own in (pair.positive, pair.negative)]
    # The transpose is the same matrix in the order of LAPACK.
    mixed = (mixture[0] * matrices[0] + mixture[1] * matrices[1]).T
    _, direction, failed = dposv(mixed, pair.delta, overwrite_a=1)
    if failed or not direction.any():
        return None
    scored = ScoredDirection.of_pair(pair, direction)
    offset = best_offset(scored.statistics, *priors)
    if not np.isfinite(offset):
        return constant_rule(scored, priors[0], always_positive=offset > 0)
    return linear_rule(scored, offset, priors[0], _STATUS)
