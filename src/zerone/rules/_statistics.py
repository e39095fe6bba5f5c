"""What the moments say about the score along a direction."""

from dataclasses import dataclass

import numpy as np

from zerone._typing import FloatArray
from zerone.moments import TwoClassMoments

# The one floor for "no spread": a class's variance along a direction is at least this share of
# both classes' together. It keeps rates defined when one class has no spread, with a threshold a
# few millionths of a standard deviation beside it, well above rounding.
LEAST_SHARE = 1e-12


@dataclass(frozen=True)
class ScoreStatistics:
    """Means and standard deviations of the two classes' scores.

    Attributes
    ----------
    gap : float
        Mean of the positive class's score minus mean of the negative class's.
    sd_positive, sd_negative : float
        Both zero only where neither class has any spread.
    """

    gap: float
    sd_positive: float
    sd_negative: float

    @classmethod
    def of_variances(
        cls, gap: float, variance_positive: float, variance_negative: float
    ) -> "ScoreStatistics":
        """Return statistics from variances, raised to the floor where they are below it."""
        least = LEAST_SHARE * (variance_positive + variance_negative)
        return cls(
            float(gap),
            float(np.sqrt(max(variance_positive, least))),
            float(np.sqrt(max(variance_negative, least))),
        )

    @classmethod
    def of_direction(cls, pair: TwoClassMoments, direction: FloatArray) -> "ScoreStatistics":
        """Return the statistics of the score ``direction · x``."""
        return cls.of_variances(
            float(direction @ pair.delta),
            float(pair.positive.covariance.quad(direction)),
            float(pair.negative.covariance.quad(direction)),
        )

    def scaled(self, factor: float) -> "ScoreStatistics":
        """Return the statistics of the score times a positive factor."""
        return ScoreStatistics(
            self.gap * factor, self.sd_positive * factor, self.sd_negative * factor
        )

    def pooled_sd(self, prior_positive: float) -> float:
        """Return the within-class standard deviation."""
        return float(
            np.hypot(
                np.sqrt(prior_positive) * self.sd_positive,
                np.sqrt(1 - prior_positive) * self.sd_negative,
            )
        )
