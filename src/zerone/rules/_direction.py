"""The best threshold along a fixed direction, in closed form."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray, Label

# A class's variance along a direction is at least this share of the sum of both variances. If one
# class has no spread, rates are still defined, and the threshold lies a few millionths of a
# standard deviation beside that class, well above rounding.
LEAST_SHARE = 1e-12


@dataclass(frozen=True)
class ScoreStatistics:
    """Means and standard deviations of the two classes' scores.

    Attributes
    ----------
    gap : float
        Mean score of the positive class minus mean score of the negative class.
    sd_positive, sd_negative : float
        Both zero only if neither class has any spread.
    """

    gap: float
    sd_positive: float
    sd_negative: float

    @classmethod
    def of_variances(
        cls, gap: float, variance_positive: float, variance_negative: float
    ) -> "ScoreStatistics":
        """Return statistics from variances, which are raised to the least share."""
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
        """Return the pooled within-class standard deviation."""
        return float(
            np.hypot(
                np.sqrt(prior_positive) * self.sd_positive,
                np.sqrt(1 - prior_positive) * self.sd_negative,
            )
        )


@dataclass(frozen=True, eq=False)
class ScoredDirection:
    """A direction with the score statistics, the weights and the labels of two classes.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    negative_score : float
        coef · mean of the negative class.
    statistics : ScoreStatistics
    weights : tuple of float
        Of the positive and of the negative class.
    labels : tuple
        Of the positive and of the negative class.
    """

    coef: FloatArray
    negative_score: float
    statistics: ScoreStatistics
    weights: tuple[float, float]
    labels: tuple[Label, Label]

    @classmethod
    def of_pair(
        cls, pair: TwoClassMoments, coef: FloatArray, statistics: ScoreStatistics | None = None
    ) -> "ScoredDirection":
        """Return a direction with the statistics that moments give.

        Parameters
        ----------
        statistics : ScoreStatistics, optional
            If they are known more precisely than from the covariance matrices.
        """
        negative = float(coef @ pair.negative.mean) + float(coef @ pair.negative.mean_correction)
        return cls(
            coef,
            negative,
            ScoreStatistics.of_direction(pair, coef) if statistics is None else statistics,
            (pair.positive.weight, pair.negative.weight),
            (pair.positive_label, pair.negative_label),
        )

    def scaled(self, factor: float) -> "ScoredDirection":
        """Return the direction times a positive factor."""
        return ScoredDirection(
            self.coef * factor,
            self.negative_score * factor,
            self.statistics.scaled(factor),
            self.weights,
            self.labels,
        )

    def turned(self) -> "ScoredDirection":
        """Return the opposite direction, with the other class as the positive one."""
        own = self.statistics
        return ScoredDirection(
            -self.coef,
            -(self.negative_score + own.gap),
            ScoreStatistics(own.gap, own.sd_negative, own.sd_positive),
            self.weights[::-1],
            self.labels[::-1],
        )


def factor_between(coef: FloatArray, reference: FloatArray) -> float:
    """Return the factor between two parallel directions."""
    largest = int(np.argmax(np.abs(reference)))
    return float(coef[largest] / reference[largest]) if reference[largest] else 1.0


# Relative to the largest length; only to keep fourth powers from underflow.
_LEAST_SPREAD = 1e-70
_GAIN_REQUIRED = 1e-12


def best_offset(
    statistics: ScoreStatistics, weight_positive: float, weight_negative: float
) -> float:
    r"""Return the offset b that minimises the weighted error of two normal scores.

    .. math::
        w_+ \Phi(-(gap + b)/s_+) + w_- \Phi(b/s_-)

    Scores are counted from the negative mean: negatives are normal around 0, positives around
    ``gap``. At a minimum the weighted density of the positives rises above that of the negatives;
    this is a root of a quadratic.

    Returns
    -------
    float
        ``inf`` if always predicting positive is best, ``-inf`` for always negative.
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
