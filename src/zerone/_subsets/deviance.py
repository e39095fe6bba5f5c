"""How well logistic regression fits rows with each of several subsets: the judge of near ties.

Moments often rank many subsets within a percent of each other, and rows that are not normal tell
them apart. The deviance needs no threshold and little noise, whatever the metric; two more for each
coefficient (the criterion of Akaike) makes up for the rows being those of the fit.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from zerone._typing import AnyArray, FloatArray, IntArray

# Penalty on squared coefficients of standardised features: separable rows stay finite.
_RIDGE = 1.0
_MOST_STEPS = 12
_CONVERGED = 1e-3
# Larger log-odds change no deviance.
_FARTHEST = 30.0


def judged_deviances(
    rows: FloatArray,
    is_positive: AnyArray,
    weights: FloatArray,
    subsets: Sequence[IntArray],
) -> FloatArray:
    """Return the deviance of each subset, and two for each of its features.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
    is_positive : ndarray of bool, shape (n_rows,)
    weights : ndarray of shape (n_rows,)
    subsets : sequence of ndarray of int
        Positions of features.
    """
    mean = weights @ rows / weights.sum()
    standard = rows - mean
    spread = np.sqrt(weights @ standard**2 / weights.sum())
    standard /= np.where(spread > 0, spread, 1.0)
    signs = np.where(is_positive, 1.0, -1.0)
    share = float(weights @ is_positive) / float(weights.sum())
    start = float(np.log(share / (1 - share)))
    return np.array(
        [_deviance(standard[:, own], signs, weights, start) + 2 * len(own) for own in subsets]
    )


def _deviance(rows: FloatArray, signs: FloatArray, weights: FloatArray, start: float) -> float:
    """Return twice the least penalised logistic loss, found by Newton steps."""
    design = np.column_stack([rows, np.ones(len(rows))])
    point = np.zeros(design.shape[1])
    point[-1] = start
    penalty = np.full(len(point), _RIDGE)
    penalty[-1] = 1e-9
    value = _loss(design, signs, weights, penalty, point)
    for _ in range(_MOST_STEPS):
        margins = np.clip(signs * (design @ point), -_FARTHEST, _FARTHEST)
        wrong = 1 / (1 + np.exp(margins))
        gradient = penalty * point - design.T @ (weights * signs * wrong)
        curvature = design.T @ (design * (weights * wrong * (1 - wrong))[:, None])
        curvature[np.diag_indices(len(point))] += penalty
        step = cho_solve(cho_factor(curvature), gradient)
        length = 1.0
        for _ in range(20):
            after = _loss(design, signs, weights, penalty, point - length * step)
            if after <= value:
                break
            length /= 2
        else:
            break
        point, gained, value = point - length * step, value - after, after
        if gained < _CONVERGED:
            break
    return 2 * value


def _loss(
    design: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    penalty: FloatArray,
    point: FloatArray,
) -> float:
    losses = np.logaddexp(0.0, -signs * (design @ point))
    return float(weights @ losses + penalty @ point**2 / 2)
