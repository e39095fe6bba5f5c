"""The corrected resampled t-test of two methods over the same splits."""

import numpy as np

from zerone._typing import FloatArray
from zerone._uncertainty.intervals import UNKNOWN, Interval, student

# A 5-fold split has a quarter as many test rows as training rows; so has an 80/20 draw.
_TEST_TO_TRAIN = 0.25
SIGNIFICANT = 2.0
"""Differences over about twenty splits are significant if |t| is larger than this."""


def corrected_t(
    values: FloatArray, rival: FloatArray, test_to_train: float = _TEST_TO_TRAIN
) -> float:
    """Return the t statistic of the mean difference over splits.

    Splits share training rows, so their differences vary less than independent ones; the variance
    is enlarged to correct for that [1]_.

    Parameters
    ----------
    values, rival : ndarray of shape (n_splits,)
    test_to_train : float
        Number of test rows divided by number of training rows.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.
    """
    if len(values) != len(rival) or len(values) < 2:
        return float("nan")
    difference = values - rival
    mean, error = float(difference.mean()), _corrected_error(difference, test_to_train)
    if error == 0:
        return 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    return mean / error


def corrected_interval(values: FloatArray, test_to_train: float = _TEST_TO_TRAIN) -> Interval:
    """Return the interval of the mean over splits, of a figure or of differences in pairs.

    It contains zero if and only if the t of `corrected_t` is not significant. Where all splits have
    the same value, they tell nothing.
    """
    if len(values) < 2 or not (error := _corrected_error(values, test_to_train)) > 0:
        return UNKNOWN
    mean, half = float(values.mean()), student(len(values) - 1) * error
    return Interval(mean - half, mean + half)


def _corrected_error(values: FloatArray, test_to_train: float) -> float:
    return float(np.sqrt(values.var(ddof=1) * (1 / len(values) + test_to_train)))
