"""Confidence intervals from an estimate and its variance."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from zerone._typing import FloatArray

CONFIDENCE = 0.95
"""Of every interval that is published."""

# Fewer rows, by weight, tell nothing about a share.
_LEAST_ROWS = 1e-6
# Shares nearer to 0 or 1 are sums of rounded numbers.
_ROUNDING = 1e-12


class Interval(NamedTuple):
    """The two ends of a confidence interval; NaN where nothing is known."""

    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether both ends are numbers."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def short(self) -> str:
        """The interval in few characters, for tables: "0.812–0.874"; empty if it is not known."""
        return f"{self.low:.3f}–{self.high:.3f}" if self.is_known else ""

    @property
    def percent(self) -> str:
        """The interval of a share, in percent: "81.2% to 87.4%"; empty if it is not known."""
        return f"{self.low:.1%} to {self.high:.1%}" if self.is_known else ""

    def __str__(self) -> str:
        return f"{self.low:.4f} to {self.high:.4f}" if self.is_known else ""


UNKNOWN = Interval(float("nan"), float("nan"))


def wilson_interval(
    share: FloatArray, n_rows: FloatArray, confidence: float = CONFIDENCE
) -> tuple[FloatArray, FloatArray]:
    r"""Return both ends of Wilson's interval for shares of so many rows.

    .. math::
        \frac{p + z^2/2n \pm z \sqrt{p(1 - p)/n + z^2/4n^2}}{1 + z^2/n}.

    It stays between 0 and 1, and is right for few rows, too. Without rows it is 0 to 1.

    Parameters
    ----------
    share, n_rows : ndarray
    confidence : float, optional
    """
    share, n_rows = np.broadcast_arrays(np.asarray(share, float), np.asarray(n_rows, float))
    is_known = n_rows >= _LEAST_ROWS
    square = float(ndtri(0.5 + confidence / 2)) ** 2 / np.where(is_known, n_rows, 1.0)
    centre = share + square / 2
    half = np.sqrt(square * (share * (1 - share) + square / 4))
    low, high = (centre - half) / (1 + square), (centre + half) / (1 + square)
    # Exactly so, without rounding.
    low = np.where(is_known & (share > 0), low, 0.0)
    return low, np.where(is_known & (share < 1), high, 1.0)


def share_interval(
    share: float, variance: float, n_rows: float, confidence: float = CONFIDENCE
) -> Interval:
    """Return the interval of a share of rows, or of another figure between 0 and 1.

    Wilson's interval for as many rows as a plain share would need for the same variance,
    n = p(1 − p)/variance.

    Parameters
    ----------
    share : float
    variance : float
        Of the estimate.
    n_rows : float
        Weight of the rows, which takes the place of n where the variance is zero: where the share
        is 0 or 1.
    confidence : float, optional
    """
    if not (np.isfinite(share) and n_rows > 0):
        return UNKNOWN
    # A mean of ones may be a little less than one: its interval would have no width.
    share = 0.0 if share < _ROUNDING else 1.0 if share > 1 - _ROUNDING else share
    plain = share * (1 - share)
    n = plain / variance if plain > 0 and variance > 0 else n_rows
    low, high = wilson_interval(np.array(share), np.array(n), confidence)
    return Interval(float(low), float(high))


def mean_interval(
    values: FloatArray, weights: FloatArray | None = None, confidence: float = CONFIDENCE
) -> Interval:
    """Return Student's interval of the weighted mean of rows; weights are counts of rows."""
    counts = np.ones(len(values)) if weights is None else weights
    total = float(counts.sum())
    if total <= 1:
        return UNKNOWN
    mean = float(counts @ values) / total
    variance = float(counts @ (values - mean) ** 2) / (total - 1) / total
    half = student(total - 1, confidence) * np.sqrt(variance)
    return Interval(mean - half, mean + half)


def difference_interval(
    difference: float, variance: float, confidence: float = CONFIDENCE
) -> Interval:
    """Return the normal interval of a difference of two figures of the same rows."""
    half = float(ndtri(0.5 + confidence / 2)) * float(np.sqrt(variance))
    return Interval(difference - half, difference + half)


def student(degrees: float, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's t."""
    return float(stdtrit(degrees, 0.5 + confidence / 2))
