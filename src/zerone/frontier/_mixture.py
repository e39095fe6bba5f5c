"""Mixtures of two covariances, whose solutions are the rules of the frontier.

Every rule of the frontier solves (p·Σ₊ + q·Σ₋) w = δ. The moments of nearly the same rows have
nearly the same p and q, and one linear system in place of a search: so a rule's point is carried
over to other moments.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg.lapack import dposv

from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.rules._direction import ScoredDirection, ScoreStatistics, best_offset
from zerone.rules._rule import constant_rule, scale_of

ArrayMoments = tuple[FloatArray, FloatArray, FloatArray]

# A direction is on the frontier if the equation holds to this share of δ.
_HOLDS = 1e-6


def solved_mixtures(
    covariances: Sequence[FloatArray] | FloatArray,
    delta: FloatArray,
    positive: FloatArray,
    negative: FloatArray,
) -> FloatArray | None:
    """Return the solutions w of (p·Σ₊ + q·Σ₋) w = δ by factorisation.

    None if a matrix is not positive definite, or all directions are equally good.

    Parameters
    ----------
    covariances : pair of ndarray of shape (n_features, n_features)
        Of the positive and the negative class.
    delta : ndarray of shape (n_features,)
    positive, negative : ndarray of shape (n_solutions,)
        p and q.
    """
    if not delta.any():
        return None
    solutions = np.empty((len(positive), len(delta)))
    for row, (p, q) in enumerate(zip(positive.tolist(), negative.tolist(), strict=True)):
        # Its transpose is the same matrix in the order of LAPACK.
        mixed = (p * covariances[0] + q * covariances[1]).T
        _, solution, failed = dposv(mixed, delta, overwrite_a=1)
        if failed:
            return None
        solutions[row] = solution
    return solutions


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


def rules_along(
    directions: FloatArray, moments: ArrayMoments, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return coefficients and intercepts of the rules of least error along directions.

    Parameters
    ----------
    directions : ndarray of shape (n_directions, n_features)
        A direction of NaN gives a rule of NaN.
    moments : tuple of ndarray
        Weights, means and covariances of the positive and the negative class of the model of every
        direction, and perhaps of more: their first two axes are (n_models, 2).
    shares : ndarray of shape (n_models, 2)
        Priors of the positive and the negative class.
    """
    weights, means, covariances = moments
    priors = shares.tolist()
    coef, intercepts = np.full_like(directions, np.nan), np.full(len(directions), np.nan)
    for model, own in enumerate(directions):
        if np.isnan(own[0]):
            continue
        variances = [max(float((own * (o @ own)).sum()), 0.0) for o in covariances[model]]
        gap = float(own @ (means[model, 0] - means[model, 1]))
        negative = float(own @ means[model, 1])
        statistics = ScoreStatistics.of_variances(gap, *variances)
        offset = best_offset(statistics, *priors[model])
        if np.isfinite(offset):
            factor = scale_of(statistics, priors[model][0])
            coef[model] = own * factor
            intercepts[model] = offset * factor - negative * factor
            continue
        both = float(weights[model, 0]), float(weights[model, 1])
        scored = ScoredDirection(own, negative, statistics, both, (1, 0))
        rule = constant_rule(scored, priors[model][0], always_positive=offset > 0)
        coef[model], intercepts[model] = rule.coef, rule.intercept
    return coef, intercepts
