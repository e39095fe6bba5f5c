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
# more than its probability, so that beyond these log-odds nothing is added. Chosen
# among 1, 2, 4 and 8 on seven data sets by how often the summary agrees with predict; no others
# have confirmed it.
_MOST = 2.0


def class_coefficients(estimator: Any) -> tuple[FloatArray, FloatArray]:
    """Return coefficients of shape (n_classes, n_features), and intercepts.

    The score of a class is the mean of its log-odds against the other classes, which are taken for
    linear in the score of each pair.
    """
    decision = fitted_votes(estimator).decision
    n_classes = decision.n_classes
    coef, intercept = to_host(estimator.coef_), to_host(estimator.intercept_)
    total, constant = np.zeros((n_classes, coef.shape[1])), np.zeros(n_classes)
    rules = zip(class_pairs(n_classes), decision.curves, coef, intercept, strict=True)
    for (negative, positive), curve, own, own_intercept in rules:
        if curve is None:
            continue
        ends = np.clip(curve.log_odds(np.array([-_NEAR, _NEAR])), -_MOST, _MOST)
        slope = (ends[1] - ends[0]) / (2 * _NEAR) / n_classes
        for label, sign in ((positive, slope), (negative, -slope)):
            total[label] += sign * own
            constant[label] += sign * own_intercept
    return total, constant
