"""The evidence about rules for the error, of several pairs of classes at once.

The formulas are those of `ErrorJudge`, `combined_candidates` and `combined`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zerone._refine.evidence import CONSTANT_WEIGHT
from zerone._refine.held_out import crossfit_cuts, ranked
from zerone._refine.judges import ROUNDING, ErrorJudge
from zerone._refine.stacked_thresholds import StackedGrids, sizes
from zerone._refine.stacks import StackedRows
from zerone._typing import FloatArray, IntArray
from zerone.objectives._smoothed_error import STEEPNESS


@dataclass(frozen=True, eq=False)
class RuleLosses:
    """Held-out errors of candidates, with thresholds from other splits.

    Attributes
    ----------
    crossfit : ndarray of shape (n_pairs, n_candidates)
    elsewhere : ndarray of shape (n_pairs, n_candidates, n_splits)
        On the other splits.
    """

    crossfit: FloatArray
    elsewhere: FloatArray

    def of_pair(self, pair: int) -> "RuleLosses":
        """Return those of one pair, without the first axis."""
        return RuleLosses(self.crossfit[pair], self.elsewhere[pair])

    @classmethod
    def of_pairs(cls, losses: Sequence["RuleLosses"]) -> "RuleLosses | None":
        """Return those of several pairs; None if there are none."""
        if not losses:
            return None
        return cls(
            np.array([own.crossfit for own in losses]), np.array([own.elsewhere for own in losses])
        )

    def followed_by(self, others: "RuleLosses") -> "RuleLosses":
        """Return those of more candidates."""
        return RuleLosses(
            np.concatenate([self.crossfit, others.crossfit], axis=1),
            np.concatenate([self.elsewhere, others.elsewhere], axis=1),
        )


def rule_losses(scores: FloatArray, rows: StackedRows) -> RuleLosses:
    """Return the losses of candidates.

    Parameters
    ----------
    scores : ndarray of shape (n_pairs, n_candidates, n_rows)
    rows : StackedRows
    """
    n_pairs, n_candidates, n_rows = scores.shape
    n_columns, n_splits = n_pairs * n_candidates, rows.n_splits
    bins = ranked(scores.reshape(n_columns, n_rows))
    n_bins = bins.lower.shape[1] + 1
    first = rows.splits[:, None] + n_splits * np.arange(n_columns).reshape(n_pairs, -1, 1)
    places = bins.rows.reshape(scores.shape) + n_bins * first + 1
    signed = np.broadcast_to(rows.signed[:, None], scores.shape)
    mass = np.bincount(places.ravel(), signed.ravel(), n_bins * n_columns * n_splits)
    below: FloatArray = np.cumsum(mass.reshape(n_columns, n_splits, n_bins), axis=-1, dtype=float)
    cuts = crossfit_cuts(below, bins.lower, bins.upper)
    # The loss of a cut is the weight of positives below it, minus the weight of negatives below
    # it, plus the weight of all negatives.
    wrong = np.take_along_axis(below, cuts[..., None], axis=-1).reshape(n_pairs, -1, n_splits)
    is_in = rows.splits[:, None] == np.arange(n_splits)[:, None]
    of_splits = _mean(is_in.astype(np.float64), rows.weights)
    wrong += _mean(is_in.astype(np.float64), rows.weights * (rows.signs < 0))[:, None]
    wrong = np.maximum(wrong, 0.0)
    totals = rows.totals[:, None, None]
    errors, rest = wrong.sum(axis=-1), totals - of_splits[:, None]
    return RuleLosses(
        errors / totals[..., 0], (errors[..., None] - wrong) / np.where(rest > 0, rest, totals)
    )


def best_candidates(losses: FloatArray, scores: FloatArray, rows: StackedRows) -> IntArray:
    """Return the candidate of lowest loss of each pair; see `Candidates.best`."""
    means, variances = [], []
    for side in (1.0, -1.0):
        share = np.where(rows.signs == side, rows.weights, 0.0)
        share /= share.sum(axis=1, keepdims=True)
        mean = _mean(scores, share)
        means.append(mean)
        variances.append(_mean((scores - mean[..., None]) ** 2, share))
    spread = np.sqrt(np.maximum(variances[0] + variances[1], np.finfo(float).tiny))
    separations = (means[0] - means[1]) / spread
    return np.lexsort((-separations, losses.round(12)), axis=-1)[:, 0]


@dataclass(frozen=True, eq=False)
class Combined:
    """Weights of candidates and rules, and the scores of their sum.

    Attributes
    ----------
    candidates : ndarray of shape (n_pairs, n_candidates)
        Weights of the candidates in the refined rule.
    intercepts : ndarray of shape (n_pairs,)
        Of the refined rule.
    rules : ndarray of shape (n_pairs, n_rules + 2)
        Weights of the rules, the refined one and the constant answer.
    factors : ndarray of shape (n_pairs, n_rules + 1)
        Weights of the rules, for scores of size one.
    shifts : ndarray of shape (n_pairs,)
        What the constant answer adds to the sum.
    scores : ndarray of shape (n_pairs, n_rows)
    """

    candidates: FloatArray
    intercepts: FloatArray
    rules: FloatArray
    factors: FloatArray
    shifts: FloatArray
    scores: FloatArray


def combinations(
    scores: FloatArray, of_rules: FloatArray, rows: StackedRows, known: RuleLosses | None
) -> Combined:
    """Return the refined rule of the candidates, and its sum with other rules.

    Parameters
    ----------
    scores : ndarray of shape (n_pairs, n_candidates, n_rows)
        Of the candidates.
    of_rules : ndarray of shape (n_pairs, n_rules, n_rows)
    rows : StackedRows
    known : RuleLosses or None
        Of the first candidates.
    """
    n_known = 0 if known is None else known.crossfit.shape[1]
    losses = known
    if n_known < scores.shape[1]:
        others = rule_losses(scores[:, n_known:], rows)
        losses = others if known is None else known.followed_by(others)
    assert losses is not None, "there are candidates"
    shares, refined, intercepts = _refined(scores, rows, losses)
    of_all = np.concatenate([of_rules, refined[:, None]], axis=1)
    weights = rows.weights[:, None]
    factors = 1 / sizes(of_all, np.broadcast_to(weights, of_all.shape))
    of_all *= factors[..., None]
    rule_weights, answers = _rule_weights(of_all, rows)
    shifts = rule_weights[:, -1] * answers
    summed = (rule_weights[:, None, :-1] @ of_all)[:, 0] + shifts[:, None]
    factors *= rule_weights[:, :-1]
    return Combined(shares, intercepts, rule_weights, factors, shifts, summed)


def _refined(
    scores: FloatArray, rows: StackedRows, found: RuleLosses
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights of candidates, the scores of the rule that they make, and its intercept."""
    shares = _softened(found.crossfit[:, None], rows)
    others = _softened(found.elsewhere.swapaxes(1, 2), rows)
    mixed = (shares @ scores)[:, 0]
    elsewhere = others @ scores
    grids = StackedGrids(mixed, rows)
    is_own = rows.splits[:, None] == np.arange(rows.n_splits)[:, None]
    signed = np.where(is_own, 0.0, rows.signed[:, None])
    thresholds = grids.of_each(
        np.concatenate([elsewhere, mixed[:, None]], axis=1),
        np.concatenate([signed, rows.signed[:, None]], axis=1),
    )
    refined = np.take_along_axis(elsewhere, rows.splits[:, None], axis=1)[:, 0]
    refined -= np.take_along_axis(thresholds, rows.splits, axis=1)
    return shares[:, 0], refined, -thresholds[:, -1]


def _softened(losses: FloatArray, rows: StackedRows) -> FloatArray:
    """Return weights that fall with the losses on the last axis, with two more axes in front."""
    best, totals = losses.min(axis=-1, keepdims=True), rows.totals[:, None, None]
    errors = np.sqrt(np.maximum(best * (1 - best), 1 / totals) / totals)
    weights = np.exp((best - losses) / (ErrorJudge.softness * errors))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _rule_weights(scores: FloatArray, rows: StackedRows) -> tuple[FloatArray, FloatArray]:
    """Return weights of rules and of a constant answer, and these answers, −1 or 1.

    Parameters
    ----------
    scores : ndarray of shape (n_pairs, n_rules, n_rows)
        Of size one.
    """
    shares = rows.weights / rows.totals[:, None]
    signs = rows.signs[:, None]
    steepness = STEEPNESS / (2 * rows.bandwidths)
    smooth = 0.5 - 0.5 * np.tanh(steepness[:, None, None] * signs * scores)
    losses = _mean(smooth, shares)
    best = losses.argmin(axis=1)
    every = np.arange(len(best))
    errors = _paired_errors(smooth - smooth[every, best][:, None], shares, rows)
    excess = 2 * rows.positive - rows.totals
    answers = np.where(excess > 0, 1.0, -1.0)
    wrong = (signs * scores <= 0).astype(np.float64)
    constant = (rows.signs != answers[:, None]).astype(np.float64)
    gain = np.vecdot(constant - wrong[every, best], shares)
    least = rows.largest_units / rows.totals / 2
    against = np.maximum(_paired_errors(wrong - constant[:, None], shares, rows), least[:, None])
    # Of two classes of equal weight neither is the larger.
    is_even = np.abs(excess) <= 1e-9 * rows.totals
    wins = (gain < -ROUNDING) & ~is_even
    losses = np.column_stack([losses, losses[every, best] + gain])
    errors = np.column_stack(
        [np.where(wins[:, None], against, errors), np.where(wins, 0.0, against[every, best])]
    )
    losses[is_even, -1] = np.inf
    starting = np.ones(losses.shape)
    starting[:, -1] = CONSTANT_WEIGHT
    above = losses - losses.min(axis=1, keepdims=True)
    distance = np.divide(above, errors, out=np.zeros_like(above), where=errors > 0)
    weights = np.exp(-ErrorJudge.slope * distance) * starting
    return np.asarray(weights / weights.sum(axis=1, keepdims=True)), answers


def _paired_errors(differences: FloatArray, shares: FloatArray, rows: StackedRows) -> FloatArray:
    """Return the standard errors of weighted means of differences; weights are counts."""
    centred = differences - _mean(differences, shares)[..., None]
    each = shares * rows.units / rows.totals[:, None]
    return np.asarray(np.sqrt(rows.repeats[:, None] * _mean(centred**2, each)))


def _mean(values: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the weighted mean of each row of values of shape (n_pairs, n_columns, n_rows)."""
    return np.asarray((values @ shares[..., None])[..., 0])
