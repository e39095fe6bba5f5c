"""The paper's starting point for the iterative solvers."""

import numpy as np

from zerone._typing import FloatArray
from zerone.objectives import Objective


def paper_start(objective: Objective) -> FloatArray:
    """Return the part of the positive mean orthogonal to the negative mean, of length one.

    With an intercept the means are those of features with a constant 1 appended. Where that
    part vanishes (one mean a multiple of the other) the difference of the means is used, and
    where that vanishes too, the first axis.
    """
    positive, negative = objective.pair.positive.mean, objective.pair.negative.mean
    if objective.fit_intercept:
        positive, negative = np.append(positive, 1.0), np.append(negative, 1.0)
    square = float(negative @ negative)
    start = positive - (negative @ positive / square) * negative if square > 0 else positive
    if np.linalg.norm(start) <= 1e-12 * np.linalg.norm(positive):
        start = positive - negative
    if not start.any():
        start = np.eye(1, len(start))[0]
    unit: FloatArray = start / np.linalg.norm(start)
    return unit
