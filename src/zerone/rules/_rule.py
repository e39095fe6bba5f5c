"""`LinearRule`: a linear rule with the rates that the moments predict for it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from zerone._typing import AnyArray, FloatArray, Label
from zerone.metrics import AUCLoss, ChosenMetric, Priors, RateLoss, chosen_metric
from zerone.rules._direction import ScoredDirection, ScoreStatistics

# Φ(−40) is zero in float64.
_CERTAIN = 40.0
# If the means are more standard deviations apart than this, the gap sets the scale of scores.
_FAR_APART = 1e7


@dataclass(frozen=True, eq=False)
class LinearRule:
    """Predict ``positive_label`` where ``coef · x + intercept > 0``, else ``negative_label``.

    Scaled so that the pooled within-class standard deviation of the score is one. If the classes
    have no spread along ``coef``, their means are two apart.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    intercept : float
    false_negative_rate, false_positive_rate : float
        What the normal model predicts. ``true_positive_rate`` is 1 − false_negative_rate.
    auc : float
        Predicted probability that a positive scores above a negative.
    statistics : ScoreStatistics
        Distance of the mean scores and standard deviation of each class, as predicted.
    prior_positive : float
        Probability of the positive class, for ``error`` and ``f_score``.
    is_constant : bool
        Whether the rule predicts the same class for every row.
    status : str
        How it was found, in a sentence.
    positive_label, negative_label : label
    """

    coef: FloatArray
    intercept: float
    false_negative_rate: float
    false_positive_rate: float
    auc: float
    statistics: ScoreStatistics
    prior_positive: float
    is_constant: bool
    status: str
    positive_label: Label
    negative_label: Label

    @property
    def true_positive_rate(self) -> float:
        """Predicted recall of the positive class."""
        return 1.0 - self.false_negative_rate

    @property
    def error(self) -> float:
        """Predicted zero-one error."""
        return self.loss("error")

    @property
    def balanced_error(self) -> float:
        """Predicted mean of the two error rates."""
        return self.loss("balanced_error")

    def f_score(self, beta: float = 1.0) -> float:
        """Return the predicted F-score; ``beta`` weighs recall."""
        return 1.0 - self.loss("fbeta", beta=beta)

    def loss(self, metric: str, **parameters: Any) -> float:
        """Return the predicted loss for a metric of `zerone.metrics`; for "auc" it is 1 − AUC."""
        return self._loss(chosen_metric(metric, parameters))

    def reported(self, metric: ChosenMetric) -> float:
        """Return what is predicted for a metric, as it is reported: F1, not 1 − F1."""
        loss = metric.loss(self._priors)
        if isinstance(loss, RateLoss):
            rates = np.array([[self.false_negative_rate], [self.false_positive_rate]])
            return float(np.asarray(loss.reported(loss.losses(rates[0], rates[1])))[0])
        return float(loss.reported(self._loss(metric)))

    def turned(self) -> "LinearRule":
        """Return the same rule with the other class as the positive one."""
        own = self.statistics
        return replace(
            self,
            coef=-self.coef,
            intercept=-self.intercept,
            false_negative_rate=self.false_positive_rate,
            false_positive_rate=self.false_negative_rate,
            statistics=ScoreStatistics(own.gap, own.sd_negative, own.sd_positive),
            prior_positive=1.0 - self.prior_positive,
            positive_label=self.negative_label,
            negative_label=self.positive_label,
        )

    def with_status(self, first: str) -> "LinearRule":
        """Return the same rule with a status that begins with other words and a colon."""
        return replace(self, status=f"{first}: {self.status[:1].lower()}{self.status[1:]}")

    @property
    def _priors(self) -> Priors:
        return self.prior_positive, 1.0 - self.prior_positive

    def _loss(self, metric: ChosenMetric) -> float:
        loss = metric.loss(self._priors)
        if isinstance(loss, RateLoss):
            rates = np.array([[self.false_negative_rate], [self.false_positive_rate]])
            return float(loss.limited_losses(rates[0], rates[1])[0])
        if isinstance(loss, AUCLoss):
            return 1.0 - self.auc
        own = self.statistics
        if own.sd_positive == 0.0:
            return 0.0 if own.gap > 0 else 1.0
        given = (np.array([value]) for value in (own.gap, own.sd_positive, own.sd_negative))
        return float(loss.of_normal_scores(*given)[0])

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of rows (an array or a sparse matrix)."""
        scores: FloatArray = X @ self.coef + self.intercept
        return scores

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each row."""
        labels = np.array([self.negative_label, self.positive_label])
        predicted: AnyArray = labels[(self.decision_function(X) > 0).astype(np.intp)]
        return predicted


def linear_rule(
    scored: ScoredDirection,
    offset: float,
    prior_positive: float,
    status: str,
    predicted: ScoredDirection | None = None,
) -> LinearRule:
    """Return the scaled rule for a direction and an offset.

    Parameters
    ----------
    offset : float
        From the negative mean: the score of a row is
        ``coef · (x − mean of the negatives) + offset``.
    predicted : ScoredDirection, optional
        The same direction with the statistics of the moments, which give the predicted rates; by
        default ``scored``. The scale always comes from ``scored``.
    """
    factor = scale_of(scored.statistics, prior_positive)
    offset *= factor
    intercept = offset - scored.negative_score * factor
    judge = scored if predicted is None else predicted
    scores = judge.statistics.scaled(factor)
    from_negative = offset if predicted is None else intercept + judge.negative_score * factor
    false_negative_rate, false_positive_rate = _error_rates(scores, from_negative)
    return LinearRule(
        coef=scored.coef * factor,
        intercept=intercept,
        false_negative_rate=false_negative_rate,
        false_positive_rate=false_positive_rate,
        auc=_auc(scores),
        statistics=scores,
        prior_positive=prior_positive,
        is_constant=False,
        status=status,
        positive_label=scored.labels[0],
        negative_label=scored.labels[1],
    )


def constant_rule(
    scored: ScoredDirection,
    prior_positive: float,
    *,
    always_positive: bool,
    status: str | None = None,
    predicted: ScoredDirection | None = None,
) -> LinearRule:
    """Return the rule that always predicts one class, but still ranks along a direction.

    Its threshold lies beyond every row: in a class of weight n no row is more than √n standard
    deviations from the mean.
    """
    scores = scored.statistics
    unit = 1 / scale_of(scores, prior_positive)
    reach_pos, reach_neg = (
        max(_CERTAIN, np.sqrt(weight)) * spread
        for weight, spread in zip(
            scored.weights, (scores.sd_positive, scores.sd_negative), strict=True
        )
    )
    if always_positive:
        label, offset = scored.labels[0], unit + max(reach_neg, reach_pos - scores.gap)
    else:
        label, offset = scored.labels[1], -unit - max(reach_neg, reach_pos + scores.gap)
    if status is None:
        status = (
            f"Always predicting {label!r} has the lowest expected loss; the coefficients keep the "
            "direction that ranks best."
        )
    rule = linear_rule(scored, offset, prior_positive, status, predicted)
    return replace(rule, is_constant=True)


def _error_rates(scores: ScoreStatistics, offset: float) -> tuple[float, float]:
    """Return the two error rates of normal scores; a score of exactly zero is negative."""
    margin = scores.gap + offset
    if scores.sd_positive == 0.0:
        return (0.0 if margin > 0 else 1.0), (1.0 if offset > 0 else 0.0)
    return float(ndtr(-margin / scores.sd_positive)), float(ndtr(offset / scores.sd_negative))


def _auc(scores: ScoreStatistics) -> float:
    spread = float(np.hypot(scores.sd_positive, scores.sd_negative))
    if spread == 0.0:
        return 0.5 if scores.gap == 0 else float(scores.gap > 0)
    return float(ndtr(scores.gap / spread))


def scale_of(statistics: ScoreStatistics, prior_positive: float) -> float:
    """Return the factor that makes the pooled standard deviation one."""
    pooled, gap = statistics.pooled_sd(prior_positive), abs(statistics.gap)
    unit = pooled if pooled * _FAR_APART > gap else gap / 2
    return 1.0 / unit if unit > 0 else 1.0
