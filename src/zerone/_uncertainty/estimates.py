"""A figure of some rows with its variance, and the mean of such figures of several splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zerone._uncertainty.intervals import CONFIDENCE, Interval, share_interval


@dataclass(frozen=True)
class Estimate:
    """A figure that rows measure, and how much it differs from sample to sample.

    Attributes
    ----------
    value, variance : float
    n_rows : float
        Of a share with this variance, where the figure is as low or as high as it can be.
    scale : float
        What the figure is at most; at least it is zero.
    """

    value: float
    variance: float
    n_rows: float
    scale: float = 1.0

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Return Wilson's interval for as many rows as a share with this variance has."""
        low, high = share_interval(
            self.value / self.scale, self.variance / self.scale**2, self.n_rows, confidence
        )
        return Interval(low * self.scale, high * self.scale)


def mean_of_splits(estimates: Sequence[Estimate], n_repeats: int = 1) -> Estimate:
    """Return the mean of a figure of the held-out rows of several splits.

    Parameters
    ----------
    estimates : sequence of Estimate
    n_repeats : int, optional
        How often each row is held out. Rows that are measured again are no new ones, so that the
        variance is that of one repeat.
    """
    size = len(estimates) / n_repeats
    variances = np.array([own.variance for own in estimates])
    rows = np.array([own.n_rows for own in estimates])
    return Estimate(
        float(np.mean([own.value for own in estimates])),
        float(variances.mean() / size),
        float(size * len(rows) / np.sum(1 / rows)),
        max(own.scale for own in estimates),
    )
