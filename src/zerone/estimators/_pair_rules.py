"""The rule of one pair of classes: from moments, from refinement, or retargeted."""

from dataclasses import replace
from typing import Any

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._moments.rounding import rounded_pair
from zerone._refine.candidates import MeasuredScores
from zerone._refine.recipe import Refinement
from zerone._typing import Level
from zerone.estimators._parameters import Settings
from zerone.frontier._frontier import Frontier
from zerone.metrics import ChosenMetric, Priors, WeightedError
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss
from zerone.rules._direction import ScoredDirection, best_offset
from zerone.rules._rule import LinearRule, constant_rule, linear_rule
from zerone.solvers._result import SolverResult

# Without intercept the error has no exact solution and several minima: the paper's start and this
# many random starts are tried.
_RANDOM_STARTS = 4

_STATUS: dict[Level, str] = {
    "frontier": "Rules of moments, logistic regression and frontier, weighted by held-out rows.",
    "polish": "Rules of moments, logistic regression and polish, weighted by held-out rows.",
}
_STATUS_OF_WIDE = "The rule was chosen on the frontier by held-out rows."


def frontier_of(pair: TwoClassMoments, priors: Priors, *, is_turned: bool) -> Frontier:
    """Return the frontier of a pair.

    Parameters
    ----------
    priors : tuple of float
        Of the pair's positive and negative class.
    is_turned : bool
        Whether the pair's negative class is the positive class of the metric.
    """
    by_label = {pair.positive_label: priors[0], pair.negative_label: priors[1]}
    return Frontier(pair.turned() if is_turned else pair, priors=by_label)


def frontier_rule(frontier: Frontier, metric: ChosenMetric, *, is_turned: bool) -> LinearRule:
    """Return the best rule of the moments for a metric, from the frontier of `frontier_of`."""
    rule = frontier.best_for(metric)
    return rule.turned() if is_turned else rule


def solved_rule(
    pair: TwoClassMoments,
    settings: Settings,
    metric: ChosenMetric,
    priors: Priors,
    random: np.random.RandomState | None,
    *,
    is_turned: bool,
) -> tuple[LinearRule, int]:
    """Return the best rule of an iterative solver for two classes, and its iterations.

    Parameters
    ----------
    random : RandomState or None
        For random starts; needed only without intercept.
    """
    if is_turned:
        pair, priors = pair.turned(), priors[::-1]
    loss = metric.loss(priors)
    objective: Any
    rounded = rounded_pair(pair)
    if isinstance(loss, WeightedError):
        weights = loss.false_negative_weight, loss.false_positive_weight
        by_label = {pair.positive_label: weights[0], pair.negative_label: weights[1]}
        objective = ExpectedError(rounded, settings.fit_intercept, by_label)
    else:
        objective = RankingLoss(rounded, settings.fit_intercept)
    solve = settings.solver.solve
    result = solve(objective)
    if isinstance(loss, WeightedError) and random is not None:
        starts = random.standard_normal((_RANDOM_STARTS, pair.n_features))
        results = [result, *(solve(objective, start) for start in starts)]
        result = min(results, key=lambda candidate: candidate.value)
    rule = _rule_of_result(pair, settings, result, priors, sets_threshold=not metric.is_ranking)
    # Exactly zero: an offset from the negative mean and back would leave rounding.
    rule = rule if settings.fit_intercept else replace(rule, intercept=0.0)
    return (rule.turned() if is_turned else rule), result.n_iter


def _rule_of_result(
    pair: TwoClassMoments,
    settings: Settings,
    result: SolverResult,
    priors: Priors,
    *,
    sets_threshold: bool,
) -> LinearRule:
    scored = ScoredDirection.of_pair(pair, result.coef)
    if sets_threshold or not settings.fit_intercept:
        offset = result.intercept + scored.negative_score
    else:
        offset = best_offset(scored.statistics, *priors)
        if not np.isfinite(offset):
            return constant_rule(scored, priors[0], always_positive=offset > 0)
    return linear_rule(scored, offset, priors[0], result.status)


def refined_rule(refinement: Refinement, priors: Priors, metric: ChosenMetric) -> LinearRule:
    """Return the rule of a refinement, in the usual scale."""
    # Wide sparse rows have only the rule of the frontier, and the constant answer.
    status = _STATUS[refinement.level] if len(refinement.weights) > 2 else _STATUS_OF_WIDE
    if refinement.error_of_features is not None:
        # The name of the class comes first; see `rule_at`.
        status = (
            f"has the lowest error on held-out rows, {refinement.error:.4g}; the best rule that "
            f"uses the features has {refinement.error_of_features:.4g}."
        )
        if metric.name != "error":
            status = "is best on held-out rows."
    return rule_at(refinement.scores, refinement.threshold, priors, status)


def retargeted_rule(
    columns: tuple[MeasuredScores, ...], priors: Priors, metric: ChosenMetric, *, is_turned: bool
) -> tuple[MeasuredScores, float, LinearRule]:
    """Return scores, threshold and rule that held-out rows choose for another metric."""
    if is_turned:
        columns, priors = tuple(own.turned() for own in columns), priors[::-1]
    found = [column.best(metric, priors) for column in columns]
    best = min(range(len(columns)), key=lambda column: found[column][0])
    scores, threshold = columns[best], found[best][1]
    status = "Held-out rows chose direction and threshold."
    if not np.isfinite(threshold):
        status = "is best on held-out rows."
    rule = rule_at(scores, threshold, priors, status)
    return (scores.turned(), -threshold, rule.turned()) if is_turned else (scores, threshold, rule)


def held_out_value(
    scores: MeasuredScores,
    threshold: float,
    priors: Priors,
    metric: ChosenMetric,
    *,
    is_turned: bool,
) -> float:
    """Return what held-out rows measured for a metric, as it is reported."""
    if is_turned:
        return scores.turned().reported(metric, -threshold, priors[::-1])
    return scores.reported(metric, threshold, priors)


def rule_at(measured: MeasuredScores, threshold: float, priors: Priors, status: str) -> LinearRule:
    """Return the rule for a threshold; an infinite one always predicts the same class."""
    scored, predicted = measured.scored, measured.predicted
    if not np.isfinite(threshold):
        label = scored.labels[0 if threshold < 0 else 1]
        return constant_rule(
            scored,
            priors[0],
            always_positive=threshold < 0,
            status=f"Always predicting {label!r} {status}",
            predicted=predicted,
        )
    offset = measured.offset - threshold + scored.negative_score
    return linear_rule(scored, offset, priors[0], status, predicted)
