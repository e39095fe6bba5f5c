"""Scores along a direction as held-out rows measured them: rates at every threshold."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._typing import FloatArray, Label
from zerone.refine._held_out import Counts, HeldOutRows, best_cuts
from zerone.rules import ScoredDirection, ScoreStatistics


@dataclass(frozen=True, eq=False)
class MeasuredScores:
    """Where the two classes score along one direction, on rows that no model was trained on.

    Attributes
    ----------
    scored : ScoredDirection
        The direction, with the means and variances of the held-out scores.
    offset : float
        A row's score is ``scored.coef · x + offset``.
    values : ndarray of shape (n_places,)
        Rising scores.
    positive, negative : ndarray of shape (n_places,)
        Share of each class at each place; each adds up to one.
    thresholds : ndarray of shape (n_places + 1,)
        Between the places, and infinite at the ends.
    """

    scored: ScoredDirection
    offset: float
    values: FloatArray
    positive: FloatArray
    negative: FloatArray
    thresholds: FloatArray

    @classmethod
    def of_candidate(
        cls,
        coef: FloatArray,
        offset: float,
        held_out: HeldOutRows,
        scores: FloatArray,
        labels: tuple[Label, Label],
        counts: Counts,
        column: int,
    ) -> "MeasuredScores":
        """Return what was measured of one candidate, all splits together.

        Parameters
        ----------
        coef, offset : direction for the features
        held_out, scores : rows and their scores
        labels : tuple
            Of the positive and of the negative class.
        counts, column : where these scores were counted
        """
        used = np.isfinite(counts.lower[column])
        positive = counts.positive[column].sum(axis=0)[used]
        negative = counts.negative[column].sum(axis=0)[used]
        lower, upper = counts.lower[column][used], counts.upper[column][used]
        means, variances, weights = [], [], []
        for sign, unit in zip((1.0, -1.0), held_out.units, strict=True):
            chosen = held_out.signs == sign
            total = float(held_out.weights[chosen].sum())
            mean = float(held_out.weights[chosen] @ scores[chosen]) / total
            means.append(mean)
            variances.append(float(held_out.weights[chosen] @ (scores[chosen] - mean) ** 2) / total)
            weights.append(total / unit)
        scored = ScoredDirection(
            coef,
            means[1] - offset,
            ScoreStatistics.of_variances(means[0] - means[1], *variances),
            (weights[0], weights[1]),
            labels,
        )
        return cls(
            scored=scored,
            offset=offset,
            values=(lower + upper) / 2,
            positive=positive / positive.sum(),
            negative=negative / negative.sum(),
            thresholds=np.concatenate([[-np.inf], (upper[:-1] + lower[1:]) / 2, [np.inf]]),
        )

    @property
    def miss_rates(self) -> FloatArray:
        """Share of the positives at or below each threshold."""
        return np.concatenate([[0.0], np.cumsum(self.positive)])

    @property
    def false_alarm_rates(self) -> FloatArray:
        """Share of the negatives above each threshold."""
        return np.concatenate([np.cumsum(self.negative[::-1])[::-1], [0.0]])

    @property
    def auc(self) -> float:
        """Share of the pairs in the right order."""
        below = np.cumsum(self.negative) - self.negative / 2
        return float(self.positive @ below)

    def best(
        self, metric: str, priors: tuple[float, float], parameters: dict[str, float]
    ) -> tuple[float, float]:
        """Return the lowest loss along this direction and its threshold.

        Parameters
        ----------
        metric : str
            As in `Frontier.best`; for "auc" the loss is 1 − AUC and the threshold that of the
            least error.
        priors : tuple of float
            Of the positive and the negative class.
        parameters : dict
            What the metric needs, checked.
        """
        miss, alarm = self.miss_rates, self.false_alarm_rates
        losses = _LOSSES["error" if metric == "auc" else metric](miss, alarm, *priors, **parameters)
        room = np.diff(self.values, prepend=-np.inf, append=np.inf)
        cut = int(best_cuts(losses[None], room[None], self.thresholds[None])[0])
        loss = 1 - self.auc if metric == "auc" else float(losses[cut])
        return loss, float(self.thresholds[cut])

    def error_at(self, threshold: float, priors: tuple[float, float]) -> float:
        """Return the error of a threshold that `best` found."""
        cut = int(np.searchsorted(self.thresholds, threshold))
        return float(priors[0] * self.miss_rates[cut] + priors[1] * self.false_alarm_rates[cut])


def _error(miss: FloatArray, alarm: FloatArray, p: float, q: float) -> FloatArray:
    return p * miss + q * alarm


def _balanced_error(miss: FloatArray, alarm: FloatArray, p: float, q: float) -> FloatArray:
    return (miss + alarm) / 2


def _f_loss(miss: FloatArray, alarm: FloatArray, p: float, q: float, beta: float) -> FloatArray:
    wrong = beta**2 * p * miss + q * alarm
    loss: FloatArray = wrong / ((1 + beta**2) * p * (1 - miss) + wrong)
    return loss


def _cost(
    miss: FloatArray, alarm: FloatArray, p: float, q: float,
    false_negative_cost: float, false_positive_cost: float,
) -> FloatArray:  # fmt: skip
    return p * false_negative_cost * miss + q * false_positive_cost * alarm


def _true_positive_rate(
    miss: FloatArray, alarm: FloatArray, p: float, q: float, max_false_positive_rate: float
) -> FloatArray:
    # Beyond the rate the loss is above that of every rule that keeps to it.
    return np.where(alarm <= max_false_positive_rate + 1e-12, miss, 1.0 + alarm)


def _false_positive_rate(
    miss: FloatArray, alarm: FloatArray, p: float, q: float, min_true_positive_rate: float
) -> FloatArray:
    return np.where(1 - miss >= min_true_positive_rate - 1e-12, alarm, 1.0 + miss)


_LOSSES: dict[str, Any] = {
    "error": _error,
    "balanced_error": _balanced_error,
    "f1": _f_loss,
    "fbeta": _f_loss,
    "cost": _cost,
    "true_positive_rate": _true_positive_rate,
    "false_positive_rate": _false_positive_rate,
}
