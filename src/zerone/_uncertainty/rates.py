"""Intervals of the metrics of two error rates, by the delta method."""

import numpy as np

from zerone._typing import FloatArray
from zerone._uncertainty.intervals import CONFIDENCE, UNKNOWN, Interval, share_interval
from zerone.metrics import ChosenMetric, Priors, RateLoss

# Step of the numerical derivative by the prior.
_STEP = 1e-5


def rate_interval(
    metric: ChosenMetric,
    rates: tuple[float, float],
    counts: tuple[float, float],
    priors: Priors | None = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    r"""Return the interval of a metric of the predictions of some rows, as it is reported.

    With the counts c of rows right and wrong in each class, a multinomial sample, and the
    derivatives g of the metric by them, the variance is Σ c g². The threshold is taken as given.

    Parameters
    ----------
    metric : ChosenMetric
        One with a `RateLoss`.
    rates : tuple of float
        False-negative and false-positive rate.
    counts : tuple of float
        Weight of the rows of the positive and the negative class.
    priors : tuple of float, optional
        Of the two classes, if they are not those of the rows: rows are then reweighted.
    confidence : float, optional
    """
    if min(counts) <= 0:
        return UNKNOWN
    total = sum(counts)
    shares = (counts[0] / total, counts[1] / total) if priors is None else priors
    loss = _rate_loss(metric, shares)
    ends = _loss(loss, (0.0, 0.0)), _loss(loss, (1.0, 1.0))
    size = max(1.0, *ends)
    by_rates = [float(own[0]) for own in loss.slopes(*_arrays(rates))]
    by_prior = _slope_by_prior(metric, rates, shares) * shares[0] * shares[1]
    variance, unit = 0.0, 0.0
    for rate, slope, count, sign in zip(rates, by_rates, counts, (1, -1), strict=True):
        # Derivatives by the count of wrong rows, and by that of right ones, times the count.
        wrong = slope * (1 - rate) + sign * by_prior
        right = -slope * rate + sign * by_prior
        variance += (rate * wrong**2 + (1 - rate) * right**2) / count
        unit += slope**2 / count
    value = _loss(loss, rates)
    # What a share of so many rows would have, if it were 0 or 1.
    n_rows = size**2 / unit if unit > 0 else total
    ends = share_interval(value / size, variance / size**2, n_rows, confidence)
    reported = sorted(float(np.asarray(loss.reported(np.array(size * own)))) for own in ends)
    return Interval(*reported)


def _rate_loss(metric: ChosenMetric, priors: Priors) -> RateLoss:
    loss = metric.loss(priors)
    assert isinstance(loss, RateLoss), "rankings have intervals of their own"
    return loss


def _loss(loss: RateLoss, rates: tuple[float, float]) -> float:
    return float(loss.losses(*_arrays(rates))[0])


def _arrays(rates: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    return np.array([rates[0]]), np.array([rates[1]])


def _slope_by_prior(metric: ChosenMetric, rates: tuple[float, float], priors: Priors) -> float:
    """Return the derivative of the loss by the share of the positive class."""
    step = _STEP * min(priors)
    above, below = (
        _loss(_rate_loss(metric, (priors[0] + own, priors[1] - own)), rates)
        for own in (step, -step)
    )
    return (above - below) / (2 * step)
