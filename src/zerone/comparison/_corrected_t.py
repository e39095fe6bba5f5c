"""The corrected resampled t-test of two methods over the same splits."""

import numpy as np

from zerone._typing import FloatArray

# Of a 5-fold split a quarter as many rows are tested on as trained on; the same for 80/20 draws.
_TEST_TO_TRAIN = 0.25
SIGNIFICANT = 2.0
"""The size of t beyond which a difference over twenty splits or so counts."""


def corrected_t(
    values: FloatArray, rival: FloatArray, test_to_train: float = _TEST_TO_TRAIN
) -> float:
    """Return the t statistic of the mean difference over splits [1]_.

    Splits share training rows, so their differences vary less than independent ones would; the
    variance is enlarged for that.

    Parameters
    ----------
    values, rival : ndarray of shape (n_splits,)
    test_to_train : float
        How many rows are tested on for each that is trained on.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.
    """
    if len(values) != len(rival) or len(values) < 2:
        return float("nan")
    difference = values - rival
    mean = float(difference.mean())
    variance = float(difference.var(ddof=1)) * (1 / len(difference) + test_to_train)
    if variance == 0:
        return 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    return mean / float(np.sqrt(variance))
