"""The paper's starting point for the iterative solvers."""

import numpy as np

from zerone._typing import FloatArray
from zerone.objectives._objective import Objective


def paper_start(objective: Objective) -> FloatArray:
    """Return the part of the positive mean orthogonal to the negative mean, of length one.

    With an intercept, a constant 1 is appended to both means. If that part is zero (one mean is a
    multiple of the other), the difference of the means is used; if that is zero, too, the first
    axis.
    """
    delta, negative = objective.pair.delta, objective.pair.negative.mean
    if objective.fit_intercept:
        delta, negative = np.append(delta, 0.0), np.append(negative, 1.0)
    # Divided by the largest entry, so that squares do not overflow.
    negative = negative / max(np.abs(negative).max(), np.finfo(float).tiny)
    delta = delta / max(np.abs(delta).max(), np.finfo(float).tiny)
    square = float(negative @ negative)
    # The same part, computed from the difference of the means, which cancels less.
    start = delta - (negative @ delta / square) * negative if square > 0 else delta
    if np.abs(start).max() <= 1e-14 * np.abs(delta).max():
        start = delta
    if not start.any():
        start = np.eye(1, len(start))[0]
    unit: FloatArray = start / np.linalg.norm(start)
    return unit
