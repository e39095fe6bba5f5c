"""One rule for one pair of classes: by a solver from moments, or as held-out rows chose it."""

from dataclasses import replace
from typing import Any

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._refine.measured import MeasuredScores
from zerone._refine.recipe import Refinement
from zerone._typing import Level
from zerone.estimators._parameters import Settings
from zerone.frontier._frontier import Frontier
from zerone.metrics import ChosenMetric, Priors
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss
from zerone.rules._direction import ScoredDirection, best_offset
from zerone.rules._rule import LinearRule, constant_rule, linear_rule
from zerone.solvers._exact import Exact
from zerone.solvers._result import SolverResult

# Without intercept the error has no exact solution and several minima; the paper's start and
# these many random ones are tried.
_RANDOM_STARTS = 4

_STATUS: dict[Level, str] = {
    "frontier": "The rule was chosen on the frontier by rows held out.",
    "polish": "The rule was polished on the rows and chosen by rows held out.",
}


def solved_rule(
    pair: TwoClassMoments,
    settings: Settings,
    priors: Priors,
    random: np.random.RandomState | None,
) -> tuple[LinearRule, int]:
    """Return the rule that is best for the moments of two classes, and the solver's iterations.

    Parameters
    ----------
    random : RandomState or None
        For more starts; needed only without intercept.
    """
    by_label = {pair.positive_label: priors[0], pair.negative_label: priors[1]}
    if isinstance(settings.solver, Exact) and settings.fit_intercept:
        # The frontier knows more about its rule than a solver's result can say.
        return Frontier(pair, priors=by_label).best(settings.metric), 1
    objective: Any
    if settings.metric == "error":
        objective = ExpectedError(pair, settings.fit_intercept, by_label)
    else:
        objective = RankingLoss(pair, settings.fit_intercept)
    solve = settings.solver.solve
    result = solve(objective)
    if settings.metric == "error" and random is not None:
        starts = random.standard_normal((_RANDOM_STARTS, pair.n_features))
        results = [result, *(solve(objective, start) for start in starts)]
        result = min(results, key=lambda candidate: candidate.value)
    rule = _rule_of_result(pair, settings, result, priors)
    # Counted from the negative mean and back, zero would be left with rounding.
    return (rule if settings.fit_intercept else replace(rule, intercept=0.0)), result.n_iter


def _rule_of_result(
    pair: TwoClassMoments, settings: Settings, result: SolverResult, priors: Priors
) -> LinearRule:
    scored = ScoredDirection.of_pair(pair, result.coef)
    if settings.metric == "error" or not settings.fit_intercept:
        offset = result.intercept + scored.negative_score
    else:
        offset = best_offset(scored.statistics, *priors)
        if not np.isfinite(offset):
            return constant_rule(scored, priors[0], always_positive=offset > 0)
    return linear_rule(scored, offset, priors[0], result.status)


def refined_rule(refinement: Refinement, priors: Priors) -> LinearRule:
    """Return the rule of a refinement, in the usual scale."""
    return _rule_at(refinement.scores, refinement.threshold, priors, _STATUS[refinement.level])


def refined_for_metric(
    refinement: Refinement, priors: Priors, metric: ChosenMetric
) -> tuple[Refinement, MeasuredScores, LinearRule]:
    """Return what held-out rows find best for another metric: measured anew, scores and rule."""
    columns = (refinement.scores, *refinement.alternatives)
    found = [column.best(metric, priors) for column in columns]
    best = min(range(len(columns)), key=lambda column: found[column][0])
    status = f"The rule was chosen for {metric.metric.name!r} by rows held out."
    scores, threshold = columns[best], found[best][1]
    measured = replace(refinement, error=scores.error_at(threshold, priors), auc=scores.auc)
    return measured, scores, _rule_at(scores, threshold, priors, status)


def _rule_at(measured: MeasuredScores, threshold: float, priors: Priors, status: str) -> LinearRule:
    """Return the rule for a threshold on a score; an infinite one always gives one answer."""
    scored, predicted = measured.scored, measured.predicted
    if not np.isfinite(threshold):
        return constant_rule(scored, priors[0], always_positive=threshold < 0, predicted=predicted)
    offset = measured.offset - threshold + scored.negative_score
    return linear_rule(scored, offset, priors[0], status, predicted)
