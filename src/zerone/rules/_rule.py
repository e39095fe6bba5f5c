"""A linear rule and what the moments predict for it."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from zerone._typing import FloatArray, Label
from zerone.moments import TwoClassMoments

# Φ(−40) is zero in float64.
_CERTAIN = 40.0
# Beyond this many standard deviations between the classes the spread is rounding.
_NO_SPREAD = 1e-7


@dataclass(frozen=True, eq=False)
class LinearRule:
    """Answer ``positive_label`` where ``coef · x + intercept > 0``, else ``negative_label``.

    Scaled so that the pooled within-class standard deviation of the score is one (where the
    classes have no spread along ``coef``: so that their means are two apart).

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    intercept : float
    true_positive_rate, false_positive_rate : float
        What the normal model predicts.
    miss_rate : float
        1 − true_positive_rate, precise where that rounds to zero.
    auc : float
        Predicted probability that a positive scores above a negative.
    error : float
        Predicted error under ``prior_positive``.
    prior_positive : float
    is_constant : bool
        Whether the rule gives the same answer for every row.
    status : str
        How it was found, in a sentence.
    positive_label, negative_label : label
    """

    coef: FloatArray
    intercept: float
    miss_rate: float
    false_positive_rate: float
    auc: float
    prior_positive: float
    is_constant: bool
    status: str
    positive_label: Label
    negative_label: Label

    @property
    def true_positive_rate(self) -> float:
        """Predicted share of the positives that are found."""
        return 1.0 - self.miss_rate

    @property
    def error(self) -> float:
        """Predicted zero-one error."""
        p = self.prior_positive
        return p * self.miss_rate + (1 - p) * self.false_positive_rate

    @property
    def balanced_error(self) -> float:
        """Predicted mean of the two error rates."""
        return (self.miss_rate + self.false_positive_rate) / 2


def linear_rule(
    pair: TwoClassMoments, direction: FloatArray, offset: float, prior_positive: float, status: str
) -> LinearRule:
    """Return the scaled rule for a direction and an offset counted from the negative mean."""
    direction, offset, gap, s_pos, s_neg = _scaled(pair, direction, offset, prior_positive)
    intercept = offset - float(direction @ pair.negative.mean)
    intercept -= float(direction @ pair.negative.mean_correction)
    return LinearRule(
        coef=direction,
        intercept=intercept,
        miss_rate=_tail(gap + offset, s_pos),
        false_positive_rate=_tail(-offset, s_neg),
        auc=1.0 - _tail(gap, float(np.hypot(s_pos, s_neg))) if direction.any() else 0.5,
        prior_positive=prior_positive,
        is_constant=False,
        status=status,
        positive_label=pair.positive_label,
        negative_label=pair.negative_label,
    )


def constant_rule(
    pair: TwoClassMoments,
    direction: FloatArray,
    prior_positive: float,
    *,
    always_positive: bool,
) -> LinearRule:
    """Return the rule that always gives one answer but still ranks along ``direction``.

    Its threshold lies beyond every row: no row of a class of weight n is further than √n
    standard deviations from its mean.
    """
    direction, _, gap, s_pos, s_neg = _scaled(pair, direction, 0.0, prior_positive)
    reach_pos = max(_CERTAIN, np.sqrt(pair.positive.weight)) * s_pos
    reach_neg = max(_CERTAIN, np.sqrt(pair.negative.weight)) * s_neg
    if always_positive:
        label, offset = pair.positive_label, 1.0 + max(reach_neg, reach_pos - gap)
    else:
        label, offset = pair.negative_label, -1.0 - max(reach_neg, reach_pos + gap)
    status = (
        f"Always answering {label!r} has the lowest expected loss; the coefficients keep the "
        "ranking direction."
    )
    rule = linear_rule(pair, direction, offset, prior_positive, status)
    return LinearRule(**{**vars(rule), "is_constant": True})


def _scaled(
    pair: TwoClassMoments, direction: FloatArray, offset: float, prior_positive: float
) -> tuple[FloatArray, float, float, float, float]:
    """Return direction, offset, mean gap and the classes' standard deviations, scaled."""
    largest = float(np.abs(direction).max())
    if largest > 0:
        direction, offset = direction / largest, offset / largest
    gap = float(direction @ pair.delta)
    s_pos = float(np.sqrt(pair.positive.covariance.quad(direction)))
    s_neg = float(np.sqrt(pair.negative.covariance.quad(direction)))
    pooled = float(np.sqrt(prior_positive * s_pos**2 + (1 - prior_positive) * s_neg**2))
    unit = pooled if pooled > _NO_SPREAD * abs(gap) else abs(gap) / 2
    if unit == 0.0:
        unit = 1.0
    return direction / unit, offset / unit, gap / unit, s_pos / unit, s_neg / unit


def _tail(mean: float, sd: float) -> float:
    """Return the probability that a normal score is not positive."""
    if sd == 0.0:
        return 0.0 if mean > 0 else 1.0
    return float(ndtr(-mean / sd))
