"""One rule for one pair of classes, by whichever solver was asked for."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from zerone.frontier import Frontier
from zerone.moments import TwoClassMoments
from zerone.objectives import ExpectedError, RankingLoss
from zerone.rules import LinearRule, ScoredDirection, best_offset, constant_rule, linear_rule
from zerone.solvers import Exact, Solver, SolverResult

# Without intercept the error has no exact solution and several minima; the paper's start and
# these many random ones are tried.
_RANDOM_STARTS = 4


@dataclass(frozen=True)
class PairFit:
    """A rule and how it was found."""

    rule: LinearRule
    n_iter: int


def fit_pair(
    pair: TwoClassMoments,
    target: Literal["error", "auc"],
    solver: Solver,
    *,
    priors: tuple[float, float],
    fit_intercept: bool,
    random: np.random.RandomState | None,
) -> PairFit:
    """Return the rule that minimises the expected error or the ranking loss of two classes.

    Parameters
    ----------
    random : RandomState or None
        For more starts; needed only without intercept.
    """
    by_label = {pair.positive_label: priors[0], pair.negative_label: priors[1]}
    if isinstance(solver, Exact) and fit_intercept:
        # The frontier knows more about its rule than a solver's result can say.
        return PairFit(Frontier(pair, priors=by_label).best(target), 1)
    objective: Any
    if target == "error":
        objective = ExpectedError(pair, fit_intercept, by_label)
    else:
        objective = RankingLoss(pair, fit_intercept)
    result = solver.solve(objective)
    if target == "error" and random is not None:
        starts = random.standard_normal((_RANDOM_STARTS, pair.n_features))
        results = [result, *(solver.solve(objective, start) for start in starts)]
        result = min(results, key=lambda candidate: candidate.value)
    rule = _rule(pair, target, result, priors, fit_intercept)
    # Counted from the negative mean and back, zero would be left with rounding.
    return PairFit(rule if fit_intercept else replace(rule, intercept=0.0), result.n_iter)


def _rule(
    pair: TwoClassMoments,
    target: str,
    result: SolverResult,
    priors: tuple[float, float],
    fit_intercept: bool,
) -> LinearRule:
    scored = ScoredDirection.of_pair(pair, result.coef)
    if target == "error" or not fit_intercept:
        offset = result.intercept + scored.negative_score
    else:
        offset = best_offset(scored.statistics, *priors)
        if not np.isfinite(offset):
            return constant_rule(scored, priors[0], always_positive=offset > 0)
    return linear_rule(scored, offset, priors[0], result.status)
