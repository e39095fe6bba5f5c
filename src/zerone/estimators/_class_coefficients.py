"""A linear summary of the rules of several classes: one row of coefficients for each class."""

from typing import Any

import numpy as np

from zerone._data.devices import to_host
from zerone._moments.pair import class_pairs
from zerone._typing import FloatArray
from zerone.estimators._state import fitted_votes

# Log-odds are taken for linear between these scores, on both sides of the threshold.
_NEAR = 1.0
# Classes that no row confuses have log-odds that rise without limit; predictions count a pair no
# more than its probability, so that beyond these log-odds nothing is added.
_MOST = 2.0
# How much a pair counts: this power of its expected error. Both were chosen by how often the
# summary agrees with predict on penguins, seattle-weather, chile, digits, vowel and letter; iris,
# wine, segment, satimage and shuttle confirmed them.
_POWER = 0.5
# Pairs with less error count all the same, so that every class is compared with every other one.
_LEAST_ERROR = 1e-12
# Beyond rounding, and below the least weight.
_TOLERANCE = 1e-9


def class_coefficients(estimator: Any) -> tuple[FloatArray, FloatArray]:
    r"""Return coefficients of shape (n_classes, n_features), and intercepts.

    The log-odds of each pair are taken for linear in its score, :math:`m_{ab} f_{ab}`, and the
    scores s of the classes are those that solve

    .. math::
        \min_s \sum_{a < b} w_{ab} (s_b - s_a - m_{ab} f_{ab})^2, \qquad \sum_a s_a = 0,

    with more weight w for pairs that are confused more often.
    """
    decision = fitted_votes(estimator).decision
    n_classes = decision.n_classes
    coef, intercept = to_host(estimator.coef_), to_host(estimator.intercept_)
    rules = np.column_stack([coef, intercept])
    laplacian = np.zeros((n_classes, n_classes))
    wanted = np.zeros((n_classes, rules.shape[1]))
    found = zip(
        class_pairs(n_classes), decision.curves, rules, _pair_weights(estimator), strict=True
    )
    for (negative, positive), curve, rule, weight in found:
        if curve is None:
            continue
        ends = np.clip(curve.log_odds(np.array([-_NEAR, _NEAR])), -_MOST, _MOST)
        log_odds = (ends[1] - ends[0]) / (2 * _NEAR) * rule
        for one, other, sign in ((positive, negative, 1), (negative, positive, -1)):
            laplacian[one, one] += weight
            laplacian[one, other] -= weight
            wanted[one] += sign * weight * log_odds
    scores = np.linalg.pinv(laplacian, rcond=_TOLERANCE, hermitian=True) @ wanted
    return scores[:, :-1], scores[:, -1]


def _pair_weights(estimator: Any) -> FloatArray:
    """Return how much each pair counts; the largest weight is one."""
    lost = 1 - estimator.expected_auc_ if estimator._is_ranking else estimator.expected_error_
    errors = np.nan_to_num(np.atleast_1d(to_host(lost)), nan=0.0)
    weights = np.maximum(errors, _LEAST_ERROR) ** _POWER
    return np.asarray(weights / weights.max())
