"""Candidate directions, their held-out scores, and what was measured on these."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._refine.evidence import HeldOutRule, ThresholdGrid, bandwidth
from zerone._refine.held_out import Counts, HeldOutRows, best_cuts
from zerone._typing import FitMetric, FloatArray
from zerone.metrics import ChosenMetric, Priors
from zerone.rules._direction import ScoredDirection, ScoreStatistics

# A candidate's weight falls by a factor e when its loss rises by this many standard errors.
_SOFTNESS: dict[FitMetric, float] = {"error": 0.3, "auc": 0.1}


@dataclass(frozen=True, eq=False)
class MeasuredScores:
    """Held-out scores of two classes along one direction.

    Attributes
    ----------
    scored : ScoredDirection
        The direction, with the means and variances of the held-out scores.
    offset : float
        A row's score is ``scored.coef · x + offset``.
    values : ndarray of shape (n_bins,)
        Scores, in rising order.
    positive, negative : ndarray of shape (n_bins,)
        Share of each class in each bin; the shares of a class add up to one.
    thresholds : ndarray of shape (n_bins + 1,)
        Between the bins; infinite at both ends.
    predicted : ScoredDirection
        The direction with the means and variances of the moments, for the normal model.
    """

    scored: ScoredDirection
    offset: float
    values: FloatArray
    positive: FloatArray
    negative: FloatArray
    thresholds: FloatArray
    predicted: ScoredDirection

    @classmethod
    def of_candidate(
        cls,
        coef: FloatArray,
        offset: float,
        held_out: HeldOutRows,
        scores: FloatArray,
        pair: TwoClassMoments,
        counts: Counts,
        column: int,
    ) -> "MeasuredScores":
        """Return the scores of one candidate, all splits together.

        Parameters
        ----------
        coef, offset : direction for the features
        held_out, scores : rows and their scores
        pair : TwoClassMoments
            Of the rows.
        counts, column : the counts, and the candidate's column in them
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
            (pair.positive_label, pair.negative_label),
        )
        return cls(
            scored=scored,
            offset=offset,
            values=(lower + upper) / 2,
            positive=positive / positive.sum(),
            negative=negative / negative.sum(),
            thresholds=np.concatenate([[-np.inf], (upper[:-1] + lower[1:]) / 2, [np.inf]]),
            predicted=ScoredDirection.of_pair(pair, coef),
        )

    @property
    def false_negative_rates(self) -> FloatArray:
        """Share of the positives at or below each threshold."""
        return np.concatenate([[0.0], np.minimum(np.cumsum(self.positive), 1.0)])

    @property
    def false_positive_rates(self) -> FloatArray:
        """Share of the negatives above each threshold."""
        above = np.minimum(np.cumsum(self.negative[::-1]), 1.0)[::-1]
        return np.concatenate([above, [0.0]])

    @property
    def auc(self) -> float:
        """Share of the pairs in the right order."""
        below = np.cumsum(self.negative) - self.negative / 2
        return float(self.positive @ below)

    def best(self, metric: ChosenMetric, priors: Priors) -> tuple[float, float]:
        """Return the lowest loss along this direction and its threshold.

        Parameters
        ----------
        metric : ChosenMetric
            For a ranking metric the loss is 1 − AUC, and the threshold has the lowest error.
        priors : tuple of float
            Of the positive and the negative class.
        """
        losses = metric.losses(self.false_negative_rates, self.false_positive_rates, priors)
        gaps = np.diff(self.values, prepend=-np.inf, append=np.inf)
        cut = int(best_cuts(losses[None], gaps[None], self.thresholds[None])[0])
        loss = 1 - self.auc if metric.is_ranking else float(losses[cut])
        return loss, float(self.thresholds[cut])

    def error_at(self, threshold: float, priors: tuple[float, float]) -> float:
        """Return the error of a threshold that `best` found."""
        cut = int(np.searchsorted(self.thresholds, threshold))
        return float(
            priors[0] * self.false_negative_rates[cut] + priors[1] * self.false_positive_rates[cut]
        )


@dataclass(frozen=True, eq=False)
class Candidates:
    """Directions, each the mean over the models of all splits.

    Attributes
    ----------
    held_out : HeldOutRows
    scores : ndarray of shape (n_candidates, n_held_out_rows)
        Every row scored by the model that was trained without it.
    directions : ndarray of shape (n_candidates, n_coordinates)
    for_features : callable
        Turns directions into directions for the features and constants to add to the scores.
    """

    held_out: HeldOutRows
    scores: FloatArray
    directions: FloatArray
    for_features: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    @cached_property
    def counts(self) -> Counts:
        """Counts of the held-out scores."""
        return self.held_out.count(self.scores)

    def losses(self, metric: FitMetric) -> FloatArray:
        """Return the held-out loss of every candidate."""
        counts = self.counts
        return counts.crossfit_errors() if metric == "error" else counts.ranking_losses()

    def losses_elsewhere(self, metric: FitMetric) -> FloatArray:
        """Return by (candidate, split) the loss on the other splits."""
        counts = self.counts
        if metric == "error":
            return counts.errors_elsewhere()
        return counts.ranking_losses_elsewhere()

    def best(self, metric: FitMetric) -> int:
        """Return the candidate with the lowest loss.

        Among ties the one that separates the means best: the order of the candidates would make
        the choice depend on which class is positive.
        """
        losses = self.losses(metric).round(12)
        return int(np.lexsort((-self.held_out.separations(self.scores), losses))[0])

    def as_measured(
        self, rule: HeldOutRule, counts: Counts, pair: TwoClassMoments
    ) -> MeasuredScores:
        """Return a rule in these coordinates as a direction for the features, with its scores.

        Parameters
        ----------
        rule : HeldOutRule
        counts : Counts
            Of its scores.
        pair : TwoClassMoments
            Of all rows.
        """
        coef, constants = self.for_features(rule.direction[None])
        offset = float(constants[0]) + rule.intercept
        return MeasuredScores.of_candidate(
            coef[0], offset, self.held_out, rule.scores, pair, counts, 0
        )

    def measured(self, columns: list[int], pair: TwoClassMoments) -> tuple[MeasuredScores, ...]:
        """Return some candidates as directions for the features, with their held-out scores.

        Parameters
        ----------
        columns : list of int
        pair : TwoClassMoments
            Of all rows.
        """
        coef, constants = self.for_features(self.directions[columns])
        return tuple(
            MeasuredScores.of_candidate(
                coef[row],
                float(constants[row]),
                self.held_out,
                self.scores[column],
                pair,
                self.counts,
                column,
            )
            for row, column in enumerate(columns)
        )


def combined_candidates(parts: list[Candidates], metric: FitMetric) -> HeldOutRule:
    """Return the mean of candidates as one rule; for the error with a threshold.

    Weights fall with the loss. Those for the rows of a split, and the threshold there, come from
    the other splits, so that the rule can be judged by the same rows.
    """
    rows = parts[0].held_out
    all_scores = np.vstack([own.scores for own in parts])
    losses = np.concatenate([own.losses(metric) for own in parts])
    elsewhere = np.vstack([own.losses_elsewhere(metric) for own in parts])
    weights = _weights(losses, rows, metric)
    direction = weights @ np.vstack([own.directions for own in parts])
    mixed, signed = weights @ all_scores, rows.weights * rows.signs
    grid = ThresholdGrid(mixed, rows.weights, bandwidth(rows)) if metric == "error" else None
    scores = np.empty(len(mixed))
    for split, found in enumerate(elsewhere.T):
        own = rows.splits == split
        others = _weights(found, rows, metric) @ all_scores
        scores[own] = others[own]
        if grid is not None:
            scores[own] -= grid.threshold(others[~own], signed[~own])
    return HeldOutRule(direction, 0.0 if grid is None else -grid.threshold(mixed, signed), scores)


def _weights(losses: FloatArray, rows: HeldOutRows, metric: FitMetric) -> FloatArray:
    best = float(losses.min())
    variance = max(best * (1 - best), 1 / rows.total)
    if metric == "error":
        error = float(np.sqrt(variance / rows.total))
    else:
        error = float(np.sqrt(variance / max(min(rows.positive, rows.negative), 1.0)))
    weights = np.exp((best - losses) / (_SOFTNESS[metric] * error))
    return np.asarray(weights / weights.sum())
