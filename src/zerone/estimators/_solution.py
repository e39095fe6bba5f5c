"""The rules of all pairs of classes, from a fit or from `retarget`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerone._data.labels import label_list
from zerone._moments.moments import Moments
from zerone._moments.pair import TwoClassMoments, class_pairs
from zerone._moments.rounding import rounded_pair
from zerone._moments.shrinkage import shrink_moments
from zerone._probability.curves import Curve
from zerone._probability.held_out import HeldOutScores
from zerone._probability.normal import NormalScores
from zerone._probability.pairwise import PairwiseVote, Votes
from zerone._refine.candidates import MeasuredScores
from zerone._refine.recipe import Refinement
from zerone._typing import AnyArray, FitMetric, FloatArray, Level
from zerone.estimators._parameters import Settings
from zerone.frontier._frontier import Frontier
from zerone.frontier._projection import Reduction, reduced_moments
from zerone.metrics import ChosenMetric, Priors, chosen_metric
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._ranking_loss import RankingLoss
from zerone.rules._direction import ScoredDirection, best_offset
from zerone.rules._rule import LinearRule, constant_rule, linear_rule
from zerone.solvers._exact import Exact
from zerone.solvers._result import SolverResult

# Without intercept the error has no exact solution and several minima: the paper's start and this
# many random starts are tried.
_RANDOM_STARTS = 4

_STATUS: dict[Level, str] = {
    "frontier": "Rules of moments, logistic regression and frontier, weighted by held-out rows.",
    "polish": "Rules of moments, logistic regression and polish, weighted by held-out rows.",
}
_STATUS_OF_WIDE = "The rule was chosen on the frontier by held-out rows."


@dataclass(frozen=True, eq=False)
class Solution:
    """Rules for every pair of classes, and all that is needed to find others without the data.

    Attributes
    ----------
    classes : ndarray
    reduction : Reduction
        The moments as they were read; for wide data their projection, shrunk.
    shrinkage_setting : "auto", number or None
        How moments that were not projected are shrunk again before `retarget`: to keep both forms
        would take twice the memory.
    prior_weights : ndarray of shape (n_classes,)
        Class weights times the factors of ``class_weight``, used for the posterior.
    shrinkage : ndarray of shape (n_classes,)
    rules : tuple of LinearRule or None
        For the features, in the order of `class_pairs`; None if a class has no rows.
    refinements : tuple of Refinement or None
        What held-out rows measured for each pair; None if the rule uses the moments only.
    votes : Votes
        How scores become predicted classes and probabilities.
    n_iter : int
    """

    classes: AnyArray
    reduction: Reduction
    shrinkage_setting: Any
    prior_weights: FloatArray
    shrinkage: FloatArray
    rules: tuple[LinearRule | None, ...]
    refinements: tuple[Refinement | None, ...]
    votes: Votes
    n_iter: int

    @property
    def coefficients(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients and intercepts for the features, a row per pair; zero without a rule."""
        basis = self.reduction.basis
        n_features = self.reduction.moments.n_features if basis is None else basis.shape[0]
        coef = np.zeros((len(self.rules), n_features))
        intercept = np.zeros(len(self.rules))
        for row, rule in enumerate(self.rules):
            if rule is not None:
                coef[row], intercept[row] = rule.coef, rule.intercept
        return coef, intercept

    def shrunk(self) -> Reduction:
        """Return the moments that the rules were found for."""
        if self.reduction.basis is not None:
            return self.reduction
        # The fit has already warned of small classes.
        shrunk, _ = shrink_moments(self.reduction.moments, self.shrinkage_setting, warns=False)
        return reduced_moments(shrunk) if shrunk.carries_rows else Reduction(shrunk)

    def expected(self, name: FitMetric) -> FloatArray | float:
        """Return what the normal model predicts for the rules: a number, or one per pair."""
        return _per_pair([None if r is None else getattr(r, name) for r in self.rules])

    def held_out(self, name: FitMetric) -> FloatArray | float:
        """Return what held-out rows measured: a number, or one per pair; NaN if not measured."""
        return _per_pair([None if r is None else getattr(r, name) for r in self.refinements])

    @property
    def level(self) -> Level | None:
        """How far the rules were refined; None if no pair was."""
        levels = [refinement.level for refinement in self.refinements if refinement is not None]
        return levels[0] if levels else None

    @property
    def is_constant(self) -> bool:
        """Whether one of two classes is predicted for every row."""
        rule = self.rules[0] if len(self.rules) == 1 else None
        return rule is not None and rule.is_constant

    @property
    def status(self) -> str:
        """How the rules were found, in a sentence, or in several if pairs differ."""
        statuses = [rule.status for rule in self.rules if rule is not None]
        distinct = sorted(set(statuses))
        if len(distinct) == 1:
            return distinct[0]
        return " ".join(f"{statuses.count(s)} of {len(statuses)} pairs: {s}" for s in distinct)


def solve(
    moments: Moments,
    classes: AnyArray,
    settings: Settings,
    random: np.random.RandomState | None,
    refinements: Sequence[Refinement | None] | None = None,
) -> Solution:
    """Shrink, project if needed, and find a rule for every pair of classes that have rows.

    Parameters
    ----------
    random : RandomState or None
        For the starts of an iterative solver without intercept.
    refinements : sequence, one for each pair, optional
        A pair that has one takes its rule.
    """
    shrunk, amounts = shrink_moments(moments, settings.shrinkage)
    reduction = reduced_moments(shrunk, moments) if moments.carries_rows else Reduction(shrunk)
    if not (reduction.is_exact or isinstance(settings.solver, Exact)):
        # Iterative solvers can use sparse rows directly, without an approximation.
        found = Reduction(shrunk)
    else:
        found = reduction
    prior_weights = _prior_weights(moments, classes, settings.class_factors(classes, moments))
    pairs = _pairs(found.moments, classes, prior_weights)
    refined = [None] * len(pairs) if refinements is None else list(refinements)
    rules: list[LinearRule | None] = []
    curves: list[Curve | None] = []
    iterations = [1]
    for (pair, priors), refinement in zip(pairs, refined, strict=True):
        if pair is None:
            rules.append(None)
            curves.append(None)
        elif refinement is not None:
            rule = _refined_rule(refinement, priors)
            rules.append(rule)
            curves.append(_held_out_curve(refinement.scores, rule, pair, priors, True))
        else:
            rule, n_iter = _solved_rule(pair, settings, priors, random)
            iterations.append(n_iter)
            rules.append(rule if found.basis is None else found.lifted(rule))
            curves.append(NormalScores.of_rule(pair, rule, priors, follows_threshold=True).curve)
    vote = PairwiseVote(len(classes), tuple(curves))
    return Solution(
        classes=classes,
        reduction=reduction if reduction.basis is not None else Reduction(moments),
        shrinkage_setting=settings.shrinkage,
        prior_weights=prior_weights,
        shrinkage=amounts,
        rules=tuple(rules),
        refinements=tuple(refined),
        votes=Votes(vote, vote),
        n_iter=max(iterations),
    )


def retargeted(
    solution: Solution,
    metric: str,
    factors: FloatArray | None,
    parameters: dict[str, Any],
) -> Solution:
    """Return a solution for another metric or other class weights, without the rows.

    Held-out scores decide where there are any, otherwise the frontier of the moments. Directions
    and thresholds move; the posterior keeps the training priors.

    Parameters
    ----------
    factors : ndarray of shape (n_classes,) or None
        New factors of the class weights; None keeps the old ones.
    """
    classes, reduction = solution.classes, solution.shrunk()
    chosen = chosen_metric(metric, parameters)
    prior_weights = solution.prior_weights
    if factors is not None:
        prior_weights = _prior_weights(reduction.moments, classes, factors)
    # With several classes the predicted class depends on the metric, too.
    is_balanced = metric == "balanced_error"
    decisive = (prior_weights > 0).astype(np.float64) if is_balanced else prior_weights
    by_weights = (prior_weights, decisive, solution.prior_weights)
    views = [_pairs(reduction.moments, classes, weights) for weights in by_weights]
    rules: list[LinearRule | None] = []
    decisions: list[Curve | None] = []
    posteriors: list[Curve | None] = []
    measured = list(solution.refinements)
    for number, refinement in enumerate(solution.refinements):
        (pair, priors), (_, deciding), (_, training) = (view[number] for view in views)
        if pair is None:
            rules.append(None)
            decisions.append(None)
            posteriors.append(None)
        elif refinement is None:
            by_label = {pair.positive_label: priors[0], pair.negative_label: priors[1]}
            rule = Frontier(pair, priors=by_label).best(metric, **parameters)
            rules.append(reduction.lifted(rule))
            for curves, own, follows in (
                (decisions, deciding, True),
                (posteriors, training, False),
            ):
                scores = NormalScores.of_rule(pair, rule, own, follows_threshold=follows)
                curves.append(scores.curve)
        else:
            measured[number], found, rule = _refined_for_metric(refinement, priors, chosen)
            rules.append(rule)
            decisions.append(_held_out_curve(found, rule, pair, deciding, True))
            posteriors.append(_held_out_curve(found, rule, pair, training, False))
    votes = Votes(
        PairwiseVote(len(classes), tuple(decisions)), PairwiseVote(len(classes), tuple(posteriors))
    )
    return replace(solution, rules=tuple(rules), refinements=tuple(measured), votes=votes)


def _per_pair(values: list[float | None]) -> FloatArray | float:
    found = np.array([np.nan if value is None else value for value in values])
    return float(found[0]) if len(found) == 1 else found


def _held_out_curve(
    scores: Any, rule: LinearRule, pair: TwoClassMoments, priors: Priors, follows_threshold: bool
) -> Curve:
    # Class weights in the ratio of the priors, with the total weight of the rows.
    total = pair.positive.weight + pair.negative.weight
    counts = priors[0] * total, priors[1] * total
    return HeldOutScores.of_rule(scores, rule, counts, follows_threshold=follows_threshold).curve


def _prior_weights(moments: Moments, classes: AnyArray, factors: FloatArray) -> FloatArray:
    weights = np.array([moments[label].weight for label in label_list(classes)])
    # Only their ratios count. In this form neither weights nor factors can overflow.
    prior_weights: FloatArray = (weights / weights.max()) * (factors / factors.max())
    return prior_weights


def _pairs(
    problem: Moments, classes: AnyArray, prior_weights: FloatArray
) -> list[tuple[TwoClassMoments | None, Priors]]:
    """Return every pair (None if a class has no rows) and its (positive, negative) priors."""
    labels = label_list(classes)
    pairs: list[tuple[TwoClassMoments | None, Priors]] = []
    for negative, positive in class_pairs(len(labels)):
        total = prior_weights[positive] + prior_weights[negative]
        if prior_weights[positive] == 0 or prior_weights[negative] == 0:
            pairs.append((None, (0.0, 0.0)))
            continue
        priors = (float(prior_weights[positive] / total), float(prior_weights[negative] / total))
        pairs.append((problem.pair(labels[positive], labels[negative]), priors))
    return pairs


# -- the rule of one pair ------------------------------------------------------------------------


def _solved_rule(
    pair: TwoClassMoments,
    settings: Settings,
    priors: Priors,
    random: np.random.RandomState | None,
) -> tuple[LinearRule, int]:
    """Return the best rule for the moments of two classes, and the solver's iterations.

    Parameters
    ----------
    random : RandomState or None
        For random starts; needed only without intercept.
    """
    by_label = {pair.positive_label: priors[0], pair.negative_label: priors[1]}
    if isinstance(settings.solver, Exact) and settings.fit_intercept:
        # The frontier returns more about its rule than a solver's result holds.
        return Frontier(pair, priors=by_label).best(settings.metric), 1
    objective: Any
    rounded = rounded_pair(pair)
    if settings.metric == "error":
        objective = ExpectedError(rounded, settings.fit_intercept, by_label)
    else:
        objective = RankingLoss(rounded, settings.fit_intercept)
    solve = settings.solver.solve
    result = solve(objective)
    if settings.metric == "error" and random is not None:
        starts = random.standard_normal((_RANDOM_STARTS, pair.n_features))
        results = [result, *(solve(objective, start) for start in starts)]
        result = min(results, key=lambda candidate: candidate.value)
    rule = _rule_of_result(pair, settings, result, priors)
    # Exactly zero: an offset from the negative mean and back would leave rounding.
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


def _refined_rule(refinement: Refinement, priors: Priors) -> LinearRule:
    """Return the rule of a refinement, in the usual scale."""
    # Wide sparse rows have only the rule of the frontier, and the constant answer.
    status = _STATUS[refinement.level] if len(refinement.weights) > 2 else _STATUS_OF_WIDE
    if refinement.error_of_features is not None:
        # The name of the class comes first; see `_rule_at`.
        status = (
            f"has the lowest error on held-out rows, {refinement.error:.4g}; the best rule that "
            f"uses the features has {refinement.error_of_features:.4g}."
        )
    return _rule_at(refinement.scores, refinement.threshold, priors, status)


def _refined_for_metric(
    refinement: Refinement, priors: Priors, metric: ChosenMetric
) -> tuple[Refinement, MeasuredScores, LinearRule]:
    """Return the scores and the rule that held-out rows choose for another metric."""
    columns = (refinement.scores, *refinement.alternatives)
    found = [column.best(metric, priors) for column in columns]
    best = min(range(len(columns)), key=lambda column: found[column][0])
    scores, threshold = columns[best], found[best][1]
    status = f"The rule was chosen for {metric.metric.name!r} by held-out rows."
    if not np.isfinite(threshold):
        status = f"is best for {metric.metric.name!r} on held-out rows."
    measured = replace(refinement, error=scores.error_at(threshold, priors), auc=scores.auc)
    return measured, scores, _rule_at(scores, threshold, priors, status)


def _rule_at(measured: MeasuredScores, threshold: float, priors: Priors, status: str) -> LinearRule:
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
