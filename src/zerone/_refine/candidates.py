"""Candidate directions, their held-out scores, and what was measured on these."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._refine.evidence import HeldOutRule
from zerone._refine.held_out import Counts, HeldOutRows, best_cuts
from zerone._refine.judges import Judge
from zerone._refine.thresholds import ThresholdGrid, bandwidth
from zerone._typing import FloatArray
from zerone.metrics import ChosenMetric, Priors, RateLoss
from zerone.rules._direction import ScoredDirection, ScoreStatistics


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
    counts : tuple of float
        Weight of the held-out rows of the positive and the negative class.
    """

    scored: ScoredDirection
    offset: float
    values: FloatArray
    positive: FloatArray
    negative: FloatArray
    thresholds: FloatArray
    predicted: ScoredDirection
    counts: tuple[float, float]

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
        means, variances = [], []
        for sign in (1.0, -1.0):
            chosen = held_out.signs == sign
            total = float(held_out.weights[chosen].sum())
            mean = float(held_out.weights[chosen] @ scores[chosen]) / total
            means.append(mean)
            variances.append(float(held_out.weights[chosen] @ (scores[chosen] - mean) ** 2) / total)
        scored = ScoredDirection(
            coef,
            means[1] - offset,
            ScoreStatistics.of_variances(means[0] - means[1], *variances),
            (pair.positive.weight, pair.negative.weight),
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
            counts=held_out.counts,
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
            For a ranking metric the threshold has the lowest error.
        priors : tuple of float
            Of the positive and the negative class.
        """
        rates = self.false_negative_rates, self.false_positive_rates
        losses = metric.losses(*rates, priors)
        gaps = np.diff(self.values, prepend=-np.inf, append=np.inf)
        cut = int(best_cuts(losses[None], gaps[None], self.thresholds[None])[0])
        loss = metric.loss(priors)
        found = losses[cut] if isinstance(loss, RateLoss) else loss.of_roc(*rates)
        return float(found), float(self.thresholds[cut])

    def rates_at(self, threshold: float) -> tuple[float, float]:
        """Return the false-negative and the false-positive rate of a threshold."""
        cut = int(np.searchsorted(self.thresholds, threshold))
        return float(self.false_negative_rates[cut]), float(self.false_positive_rates[cut])

    def reported(self, metric: ChosenMetric, threshold: float, priors: Priors) -> float:
        """Return what held-out rows measured for a metric, as it is reported."""
        loss = metric.loss(priors)
        if isinstance(loss, RateLoss):
            rates = (np.array([rate]) for rate in self.rates_at(threshold))
            return float(np.asarray(loss.reported(loss.losses(*rates)))[0])
        return float(
            loss.reported(loss.of_roc(self.false_negative_rates, self.false_positive_rates))
        )

    def scaled(self, factor: float) -> "MeasuredScores":
        """Return the scores times a positive factor."""
        return MeasuredScores(
            scored=self.scored.scaled(factor),
            offset=self.offset * factor,
            values=self.values * factor,
            positive=self.positive,
            negative=self.negative,
            thresholds=self.thresholds * factor,
            predicted=self.predicted.scaled(factor),
            counts=self.counts,
        )

    def turned(self) -> "MeasuredScores":
        """Return the same scores with the other class as the positive one."""
        return MeasuredScores(
            scored=self.scored.turned(),
            offset=-self.offset,
            values=-self.values[::-1],
            positive=self.negative[::-1],
            negative=self.positive[::-1],
            thresholds=-self.thresholds[::-1],
            predicted=self.predicted.turned(),
            counts=self.counts[::-1],
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
    of_splits : ndarray of shape (n_splits, n_candidates, n_coordinates), optional
        Directions of the models of the splits; None if they have no common coordinates.
    """

    held_out: HeldOutRows
    scores: FloatArray
    directions: FloatArray
    for_features: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    of_splits: FloatArray | None = None

    @cached_property
    def counts(self) -> Counts:
        """Counts of the held-out scores."""
        return self.held_out.count(self.scores)

    def best(self, judge: Judge) -> int:
        """Return the candidate with the lowest loss.

        Among ties the one that separates the means best: the order of the candidates would make
        the choice depend on which class is positive.
        """
        losses = judge.losses(self.counts).round(12)
        return int(np.lexsort((-self.held_out.separations(self.scores), losses))[0])

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


def combined_candidates(parts: list[Candidates], judge: Judge) -> HeldOutRule:
    """Return the mean of candidates as one rule; for the error with a threshold.

    Weights fall with the loss. Those for the rows of a split, and the threshold there, come from
    the other splits, so that the rule can be judged by the same rows.
    """
    rows = parts[0].held_out
    all_scores = np.vstack([own.scores for own in parts])
    losses = np.concatenate([judge.losses(own.counts) for own in parts])
    elsewhere = np.vstack([judge.losses_elsewhere(own.counts) for own in parts])
    weights = _weights(losses, rows, judge)
    direction = weights @ np.vstack([own.directions for own in parts])
    mixed, signed = weights @ all_scores, rows.weights * rows.signs
    grid = ThresholdGrid(mixed, rows.weights, bandwidth(rows)) if judge.sets_thresholds else None
    scores = np.empty(len(mixed))
    of_splits = _of_splits(parts)
    found_of_splits = np.zeros((elsewhere.shape[1], len(direction) + 1))
    for split, found in enumerate(elsewhere.T):
        own = rows.splits == split
        own_weights = _weights(found, rows, judge)
        others = own_weights @ all_scores
        scores[own] = others[own]
        if grid is not None:
            threshold = grid.threshold(others[~own], signed[~own])
            scores[own] -= threshold
            found_of_splits[split, -1] = -threshold
        if of_splits is not None:
            found_of_splits[split, :-1] = own_weights @ of_splits[split]
    return HeldOutRule(
        direction,
        0.0 if grid is None else -grid.threshold(mixed, signed),
        scores,
        None if of_splits is None else found_of_splits,
    )


def _of_splits(parts: list[Candidates]) -> FloatArray | None:
    """Return the directions of all candidates by (split, candidate)."""
    known = [own.of_splits for own in parts if own.of_splits is not None]
    return np.concatenate(known, axis=1) if len(known) == len(parts) else None


def _weights(losses: FloatArray, rows: HeldOutRows, judge: Judge) -> FloatArray:
    best = float(losses.min())
    error = judge.error_of(best, rows)
    weights = np.exp((best - losses) / (judge.softness * error))
    return np.asarray(weights / weights.sum())
