"""Intervals of shares of rows."""

import numpy as np

from zerone._typing import FloatArray

_Z = 1.959963984540054  # of the normal distribution, two-sided 95 %


def wilson_interval(share: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the 95 % interval of Wilson for shares of so many rows; zero to one without rows.

    Parameters
    ----------
    share, size : ndarray
        What was measured, and the number of rows.
    """
    share, size = np.broadcast_arrays(np.asarray(share, float), np.asarray(size, float))
    square = np.divide(_Z**2, size, out=np.full(share.shape, np.inf), where=size > 0)
    with np.errstate(invalid="ignore"):
        middle = (share + square / 2) / (1 + square)
        half = np.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    return np.where(size > 0, low, 0.0), np.where(size > 0, high, 1.0)


def percent_interval(share: float, size: float) -> str:
    """Return such an interval in words."""
    low, high = wilson_interval(np.array(share), np.array(size))
    return f"{float(low):.1%} to {float(high):.1%}"
