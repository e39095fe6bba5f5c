"""The rules of all pairs of classes, from a fit or from `retarget`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerone._data.labels import label_list
from zerone._moments.moments import Moments
from zerone._moments.pair import TwoClassMoments, class_pairs
from zerone._moments.shrinkage import shrink_moments
from zerone._probability.curves import Curve
from zerone._probability.held_out import HeldOutScores
from zerone._probability.normal import NormalScores
from zerone._probability.pairwise import PairwiseVote, Votes
from zerone._refine.candidates import MeasuredScores
from zerone._refine.recipe import Refinement
from zerone._typing import AnyArray, FitMetric, FloatArray, Level
from zerone.estimators._pair_rules import (
    frontier_rule,
    held_out_value,
    refined_rule,
    retargeted_rule,
    solved_rule,
)
from zerone.estimators._parameters import Goal, Settings
from zerone.frontier._projection import Reduction, reduced_moments
from zerone.metrics import ChosenMetric, Priors, RankingLoss, WeightedError
from zerone.rules._rule import LinearRule
from zerone.solvers._exact import Exact


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
    expected_metric, held_out_metric : float or ndarray of shape (n_pairs,)
        The metric as it is reported: of the normal model, and of held-out rows.
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
    expected_metric: FloatArray | float
    held_out_metric: FloatArray | float

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
    goal = settings.goal(classes)
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
    positions = class_pairs(len(classes))
    results: list[_PairResult | None] = []
    iterations = [1]
    for (pair, priors), position, refinement in zip(pairs, positions, refined, strict=True):
        if pair is None:
            results.append(None)
            continue
        metric = goal.of_pair(*position).for_weight(moments.weight)
        by_priors = _CurvePriors.of(metric, priors, priors)
        wanted = _Wanted(metric, priors, goal.is_turned)
        if refinement is not None:
            rule = refined_rule(refinement, priors, metric)
            measured = refinement.scores, refinement.threshold
            results.append(_measured_result(refinement, *measured, rule, pair, by_priors, wanted))
        else:
            rule, n_iter = solved_rule(
                pair, settings, metric, priors, random, is_turned=goal.is_turned
            )
            iterations.append(n_iter)
            results.append(_moments_result(found, rule, pair, by_priors, wanted))
    return Solution(
        classes=classes,
        reduction=reduction if reduction.basis is not None else Reduction(moments),
        shrinkage_setting=settings.shrinkage,
        prior_weights=prior_weights,
        shrinkage=amounts,
        n_iter=max(iterations),
        **_published(results, len(classes), _told("Trained for", goal, classes)),
    )


def retargeted(solution: Solution, goal: Goal, factors: FloatArray | None) -> Solution:
    """Return a solution for another metric or other class weights, without the rows.

    Held-out scores decide where there are any, otherwise the frontier of the moments. Directions
    and thresholds move; the posterior keeps the training priors.

    Parameters
    ----------
    factors : ndarray of shape (n_classes,) or None
        New factors of the class weights; None keeps the old ones.
    """
    classes, reduction = solution.classes, solution.shrunk()
    prior_weights = solution.prior_weights
    if factors is not None:
        prior_weights = _prior_weights(reduction.moments, classes, factors)
    views = [
        _pairs(reduction.moments, classes, weights)
        for weights in (prior_weights, solution.prior_weights)
    ]
    positions = class_pairs(len(classes))
    results: list[_PairResult | None] = []
    for (pair, priors), (_, training), position, refinement in zip(
        *views, positions, solution.refinements, strict=True
    ):
        if pair is None:
            results.append(None)
            continue
        metric = goal.of_pair(*position).for_weight(reduction.moments.weight)
        by_priors = replace(_CurvePriors.of(metric, priors, training), follows_threshold=False)
        wanted = _Wanted(metric, priors, goal.is_turned)
        if refinement is None:
            rule = frontier_rule(pair, metric, priors, is_turned=goal.is_turned)
            results.append(_moments_result(reduction, rule, pair, by_priors, wanted))
        else:
            scores, threshold, rule = retargeted_rule(
                refinement, priors, metric, is_turned=goal.is_turned
            )
            rates = scores.rates_at(threshold)
            error = priors[0] * rates[0] + priors[1] * rates[1]
            measured = replace(refinement, error=error, auc=scores.auc)
            results.append(
                _measured_result(measured, scores, threshold, rule, pair, by_priors, wanted)
            )
    told = _told("Retargeted to", goal, classes)
    return replace(solution, **_published(results, len(classes), told))


def _told(verb: str, goal: Goal, classes: AnyArray) -> str | None:
    """Return what a status begins with; None for a fit that is what the classifier is named for."""
    if verb == "Trained for" and goal.metric.name in ("error", "auc"):
        return None
    labels = label_list(classes)
    return f"{verb} {goal.metric.describe(labels[0 if goal.is_turned else -1])}"


# -- the result of one pair ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Wanted:
    """The metric of a pair, its priors, and whether its first class is the positive one."""

    metric: ChosenMetric
    priors: Priors
    is_turned: bool


@dataclass(frozen=True)
class _CurvePriors:
    """Priors of the two curves of a rule.

    Attributes
    ----------
    deciding : tuple of float
        Of the curve by which several classes are chosen: even odds lie at the threshold.
    training : tuple of float
        Of the probabilities.
    follows_threshold : bool
        Whether probabilities are one half at the threshold, too.
    """

    deciding: Priors
    training: Priors
    follows_threshold: bool

    @classmethod
    def of(cls, metric: ChosenMetric, priors: Priors, training: Priors) -> "_CurvePriors":
        loss = metric.loss(priors)
        deciding = priors
        if isinstance(loss, WeightedError) and metric.name != "error":
            weights = loss.false_negative_weight, loss.false_positive_weight
            deciding = weights[0] / sum(weights), weights[1] / sum(weights)
        # The threshold of a ranking minimises the error.
        follows = metric.name == "error" or isinstance(loss, RankingLoss)
        return cls(deciding, training, follows)


@dataclass(frozen=True, eq=False)
class _PairResult:
    rule: LinearRule
    decision: Curve
    posterior: Curve
    refinement: Refinement | None
    expected: float
    held_out: float


def _measured_result(
    refinement: Refinement,
    scores: MeasuredScores,
    threshold: float,
    rule: LinearRule,
    pair: TwoClassMoments,
    by: _CurvePriors,
    wanted: _Wanted,
) -> _PairResult:
    """Return the result of a rule that held-out rows have judged."""

    def curve(priors: Priors, follows: bool) -> Curve:
        # Class weights in the ratio of the priors, with the total weight of the rows.
        total = pair.positive.weight + pair.negative.weight
        counts = priors[0] * total, priors[1] * total
        return HeldOutScores.of_rule(scores, rule, counts, follows_threshold=follows).curve

    name, turned = wanted.metric.name, wanted.is_turned
    if name == "error":
        held_out = refinement.error
    elif name == "auc":
        held_out = refinement.auc
    else:
        held_out = held_out_value(scores, threshold, wanted.priors, wanted.metric, is_turned=turned)
    decision = curve(by.deciding, True)
    posterior = decision if by.follows_threshold else curve(by.training, False)
    return _PairResult(rule, decision, posterior, refinement, _expected(rule, wanted), held_out)


def _moments_result(
    found: Reduction, rule: LinearRule, pair: TwoClassMoments, by: _CurvePriors, wanted: _Wanted
) -> _PairResult:
    """Return the result of a rule of the moments."""

    def curve(priors: Priors, follows: bool) -> Curve:
        return NormalScores.of_rule(pair, rule, priors, follows_threshold=follows).curve

    decision = curve(by.deciding, True)
    posterior = decision if by.follows_threshold else curve(by.training, False)
    expected = _expected(rule, wanted)
    return _PairResult(found.lifted(rule), decision, posterior, None, expected, np.nan)


def _expected(rule: LinearRule, wanted: _Wanted) -> float:
    return (rule.turned() if wanted.is_turned else rule).reported(wanted.metric)


def _published(
    results: list[_PairResult | None], n_classes: int, told: str | None
) -> dict[str, Any]:
    """Return the fields of a solution that hold results of pairs.

    Parameters
    ----------
    told : str or None
        What the status of a rule begins with.
    """
    rules = [None if own is None else own.rule for own in results]
    if told is not None:
        rules = [None if rule is None else rule.with_status(told) for rule in rules]
    decisions = tuple(None if own is None else own.decision for own in results)
    posteriors = tuple(None if own is None else own.posterior for own in results)
    return {
        "rules": tuple(rules),
        "refinements": tuple(None if own is None else own.refinement for own in results),
        "votes": Votes(PairwiseVote(n_classes, decisions), PairwiseVote(n_classes, posteriors)),
        "expected_metric": _per_pair([None if own is None else own.expected for own in results]),
        "held_out_metric": _per_pair([None if own is None else own.held_out for own in results]),
    }


def _per_pair(values: list[float | None]) -> FloatArray | float:
    found = np.array([np.nan if value is None else value for value in values])
    return float(found[0]) if len(found) == 1 else found


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
