"""The best threshold along a fixed direction, in closed form."""

import math

import numpy as np
from scipy.special import log_ndtr

from zerone.rules._statistics import ScoreStatistics

# Relative to the largest length around; only so that fourth powers do not underflow.
_LEAST_SPREAD = 1e-70
_GAIN_REQUIRED = 1e-12


def best_offset(
    statistics: ScoreStatistics, weight_positive: float, weight_negative: float
) -> float:
    r"""Return the offset b that minimises the weighted error of two normal scores.

    .. math::
        w_+ \Phi(-(gap + b)/s_+) + w_- \Phi(b/s_-)

    The scores are measured from the negative class's mean: negatives are normal around 0,
    positives around ``gap``. A minimum is where the weighted densities cross upwards, a root of
    a quadratic.

    Returns
    -------
    float
        ``inf`` where answering always positive is best, ``-inf`` for always negative.
    """
    constant = np.inf if weight_positive > weight_negative else -np.inf
    largest = max(statistics.sd_positive, statistics.sd_negative, abs(statistics.gap))
    if largest == 0.0:
        return constant
    gap = statistics.gap / largest
    s_pos = max(statistics.sd_positive / largest, _LEAST_SPREAD)
    s_neg = max(statistics.sd_negative / largest, _LEAST_SPREAD)
    log_positive, log_negative = math.log(weight_positive), math.log(weight_negative)
    log_ratio = log_positive + math.log(s_neg) - log_negative - math.log(s_pos)
    discriminant = gap**2 - 2 * (s_pos - s_neg) * (s_pos + s_neg) * log_ratio
    if discriminant < 0:
        return constant
    # a t² + b t + c = 0 for the threshold t = −offset, the root where the left side increases.
    a = 0.5 * (s_pos - s_neg) * (s_pos + s_neg)
    b = gap * s_neg**2
    c = s_neg**2 * (s_pos**2 * log_ratio - gap**2 / 2)
    root = s_pos * s_neg * math.sqrt(discriminant)
    if b >= 0:
        if b + root == 0:
            return constant
        numerator, denominator = -2 * c, b + root
    else:
        if a == 0:
            return constant
        numerator, denominator = root - b, 2 * a
    with np.errstate(over="ignore"):
        threshold = np.divide(numerator, denominator)
    log_error = np.logaddexp(
        log_positive + log_ndtr((threshold - gap) / s_pos),
        log_negative + log_ndtr(-threshold / s_neg),
    )
    if log_error >= min(log_positive, log_negative) - _GAIN_REQUIRED:
        return constant
    return float(-threshold * largest)
