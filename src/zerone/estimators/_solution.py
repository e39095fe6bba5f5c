"""The rules of all pairs of classes, from a fit or from `retarget`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from zerone._data.labels import label_list
from zerone._moments.moments import Moments
from zerone._moments.pair import TwoClassMoments, class_pairs
from zerone._moments.shrinkage import shrink_moments
from zerone._probability.pairwise import PairwiseVote, Votes
from zerone._refine.fold_rules import FoldRules
from zerone._refine.kept import KeptScores
from zerone._refine.recipe import Refinement
from zerone._typing import AnyArray, FitMetric, FloatArray
from zerone._uncertainty.intervals import UNKNOWN
from zerone.estimators._kept import Kept
from zerone.estimators._pair_results import (
    CurvePriors,
    Measured,
    MeasuredRule,
    PairResult,
    Wanted,
    measured_results,
    moments_result,
)
from zerone.estimators._pair_rules import (
    frontier_of,
    frontier_rule,
    refined_rule,
    retargeted_rule,
    solved_rule,
)
from zerone.estimators._parameters import Goal, Settings
from zerone.frontier._frontier import Frontier
from zerone.frontier._nearby import search_nearby
from zerone.frontier._projection import Reduction, reduced_moments
from zerone.frontier._together import search_together
from zerone.metrics import Priors
from zerone.solvers._exact import Exact

if TYPE_CHECKING:
    from zerone.estimators._feature_path import FeaturePath

# With more pairs than this, curves pass zero at the threshold: sums in single precision are then
# precise enough for nearly all rows.
_MANY_PAIRS = 400
# Pairs whose frontiers are in memory together.
_PAIRS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Solution:
    """Rules for every pair of classes.

    Attributes
    ----------
    kept : Kept
        All that is needed to find others without the data.
    votes : Votes
        How scores become predicted classes and probabilities.
    coefficients : tuple of ndarray
        Coefficients and intercepts for the features, a row for each pair in the order of
        `class_pairs`; zero without a rule.
    status : str
        How the rules were found, in a sentence, or in several if pairs differ.
    is_constant : bool
        Whether one of two classes is predicted for every row.
    expected, held_out : dict
        Error and AUC of the normal model, and of held-out rows: a number, or one per pair; NaN if
        not measured.
    expected_metric, held_out_metric : float or ndarray of shape (n_pairs,)
        The same for the metric, as it is reported.
    held_out_interval : ndarray of shape (2,) or (n_pairs, 2)
        Of ``held_out_metric``; NaN if not measured.
    fold_rules : FoldRules or None
        Of a refined rule of two classes.
    path : FeaturePath or None
        Of ``max_features="auto"``.
    """

    kept: Kept
    votes: Votes
    coefficients: tuple[FloatArray, FloatArray]
    status: str
    is_constant: bool
    expected: dict[FitMetric, FloatArray | float]
    held_out: dict[FitMetric, FloatArray | float]
    expected_metric: FloatArray | float
    held_out_metric: FloatArray | float
    held_out_interval: FloatArray
    fold_rules: FoldRules | None = None
    path: "FeaturePath | None" = None


class PairProblems:
    """The problems of all pairs of classes that have rows: shrunk, and projected if needed."""

    def __init__(
        self,
        moments: Moments,
        classes: AnyArray,
        settings: Settings,
        random: np.random.RandomState | None,
        basis: FloatArray | None = None,
        *,
        hides_rows: bool = False,
    ) -> None:
        """Shrink and project.

        Parameters
        ----------
        moments, classes, settings
        random : RandomState or None
            For the starts of an iterative solver without intercept.
        basis : ndarray of shape (n_features, n_chosen), optional
            If the moments are those of some features only: ``basisᵀ x`` gives these.
        hides_rows : bool
            Whether the moments of all features carry rows, so that only those of some are kept.
        """
        self._weight, self._classes = moments.weight, classes
        self._settings, self._random = settings, random
        self._goal = settings.goal(classes)
        shrunk, self._amounts = shrink_moments(moments, settings.shrinkage)
        if moments.carries_rows:
            reduction = reduced_moments(shrunk, moments)
        else:
            reduction = Reduction(shrunk, basis, unshrunk=moments if hides_rows else None)
        if not (reduction.is_exact or isinstance(settings.solver, Exact)):
            # Iterative solvers can use sparse rows directly, without an approximation.
            self._found = Reduction(shrunk)
        else:
            self._found = reduction
        self._reduction = reduction if reduction.basis is not None else Reduction(moments)
        factors = settings.class_factors(classes, moments)
        self._prior_weights = _prior_weights(moments, classes, factors)
        self._pairs = _pairs(self._found.moments, classes, self._prior_weights)
        self._positions = list(class_pairs(len(classes)))
        self._iterations = [1]
        self._of_moments: dict[int, PairResult] = {}
        self._searched: dict[int, Frontier] = {}

    def solution(self, refinements: Sequence[Refinement | None] | None = None) -> Solution:
        """Return the rules of all pairs; one that was refined takes the rule of its refinement."""
        refined: list[Refinement | None] = list(refinements or [None] * len(self._pairs))
        self._solve_moments([number for number, own in enumerate(refined) if own is None])
        measured = self._measured(refined)
        results = [
            self._of_moments.get(number) if own is None else measured.get(number)
            for number, own in enumerate(refined)
        ]
        if refinements is not None:
            results = _through_zero(results)
        coefficients = _coefficients(results, self._reduction)
        levels = [own.level for own in refined if own is not None]
        kept = Kept(
            classes=self._classes,
            reduction=self._reduction,
            shrinkage_setting=self._settings.shrinkage,
            prior_weights=self._prior_weights,
            shrinkage=self._amounts,
            n_iter=max(self._iterations),
            level=levels[0] if levels else None,
            scores=_kept_scores(refined, coefficients[0]),
        )
        told = _told("Trained for", self._goal, self._classes)
        found = _published(kept, results, coefficients, told)
        return replace(found, fold_rules=self._fold_rules(refined, results))

    def _fold_rules(
        self, refined: list[Refinement | None], results: list[PairResult | None]
    ) -> FoldRules | None:
        """Return the rules of the folds in the scale of the published rule of two classes."""
        if len(results) > 1 or refined[0] is None or results[0] is None:
            return None
        found, (_, priors) = refined[0].fold_rules, self._pairs[0]
        if found is None or results[0].rule.is_constant:
            return None
        return found.scaled(results[0].rule.statistics.pooled_sd(priors[0]))

    def _wanted(self, number: int) -> "Wanted":
        metric = self._goal.of_pair(*self._positions[number]).for_weight(self._weight)
        return Wanted(metric, self._pairs[number][1], self._goal.is_turned)

    def _measured(self, refined: Sequence[Refinement | None]) -> dict[int, PairResult]:
        """Return the results of the pairs that were refined, and that have rows."""
        found: dict[int, MeasuredRule] = {}
        for number, own in enumerate(refined):
            pair, priors = self._pairs[number]
            if own is None or pair is None:
                continue
            wanted = self._wanted(number)
            judged = own.scores if own.nested is None else own.nested
            measured = Measured(own.scores, own.threshold, own.error, own.auc, judged)
            rule = refined_rule(own, priors, wanted.metric)
            by_priors = CurvePriors.of(wanted.metric, priors, priors)
            found[number] = MeasuredRule(measured, rule, pair, by_priors, wanted)
        return dict(zip(found, measured_results(list(found.values())), strict=True))

    def _solve_moments(self, numbers: Sequence[int]) -> None:
        """Find the rules of the moments of some pairs."""
        missing = [
            number
            for number in numbers
            if self._pairs[number][0] is not None and number not in self._of_moments
        ]
        for start in range(0, len(missing), _PAIRS_AT_ONCE):
            self._solve_some(missing[start : start + _PAIRS_AT_ONCE])

    def _frontiers(self, numbers: Sequence[int]) -> list[Frontier]:
        """Return the frontiers of some pairs that have rows; none without an exact solution."""
        if not (isinstance(self._settings.solver, Exact) and self._settings.fit_intercept):
            return []
        found = []
        for number in numbers:
            (pair, priors), is_turned = self._pairs[number], self._goal.is_turned
            assert pair is not None, "the caller has looked"
            known = self._searched.pop(number, None)
            found.append(known or frontier_of(pair, priors, is_turned=is_turned))
        return found

    def _solve_some(self, numbers: Sequence[int]) -> None:
        """Find the rules of the moments of a few pairs, which are in memory together."""
        all_wanted = [self._wanted(number) for number in numbers]
        pairs = [own for own in (self._pairs[number][0] for number in numbers) if own is not None]
        frontiers = self._frontiers(numbers)
        if len(frontiers) > 1:
            search_together(frontiers, [wanted.metric for wanted in all_wanted])
        for place, (number, pair, wanted) in enumerate(
            zip(numbers, pairs, all_wanted, strict=True)
        ):
            metric, is_turned = wanted.metric, wanted.is_turned
            if frontiers:
                # The frontier returns more about its rule than a solver's result holds.
                rule = frontier_rule(frontiers[place], metric, is_turned=is_turned)
            else:
                rule, n_iter = solved_rule(
                    pair, self._settings, metric, wanted.priors, self._random, is_turned=is_turned
                )
                self._iterations.append(n_iter)
            by_priors = CurvePriors.of(metric, wanted.priors, wanted.priors)
            self._of_moments[number] = moments_result(self._found, rule, pair, by_priors, wanted)


def search_replicates(whole: PairProblems, replicates: Sequence[PairProblems]) -> None:
    """Search the frontiers of problems of two classes that differ little from another one.

    Solutions have less to do then, and are the same, up to rounding.
    """
    known = whole._frontiers([0])
    frontiers = [frontier for own in replicates for frontier in own._frontiers([0])]
    if known:
        search_nearby(known[0], frontiers, whole._wanted(0).metric)
    for own, frontier in zip(replicates, frontiers, strict=False):
        own._searched[0] = frontier


def _through_zero(results: list["PairResult | None"]) -> list["PairResult | None"]:
    """Return results whose curves are fast to sum if there are many; otherwise the same ones."""
    if len(results) <= _MANY_PAIRS:
        return results
    return [None if own is None else own.through_zero() for own in results]


def _kept_scores(refinements: Sequence[Refinement | None], coef: FloatArray) -> KeptScores | None:
    if all(own is None for own in refinements):
        return None
    columns = [None if own is None else (own.scores, *own.alternatives) for own in refinements]
    thresholds = [0.0 if own is None else own.threshold for own in refinements]
    return KeptScores.of(columns, thresholds, coef)


def _coefficients(
    results: Sequence["PairResult | None"], reduction: Reduction
) -> tuple[FloatArray, FloatArray]:
    basis = reduction.basis
    n_features = reduction.moments.n_features if basis is None else basis.shape[0]
    coef, intercept = np.zeros((len(results), n_features)), np.zeros(len(results))
    for row, own in enumerate(results):
        if own is not None:
            coef[row], intercept[row] = own.rule.coef, own.rule.intercept
    return coef, intercept


def retargeted(kept: Kept, goal: Goal, factors: FloatArray | None) -> Solution:
    """Return a solution for another metric or other class weights, without the rows.

    Held-out scores decide where there are any, otherwise the frontier of the moments. Directions
    and thresholds move; the posterior keeps the training priors.

    Parameters
    ----------
    factors : ndarray of shape (n_classes,) or None
        New factors of the class weights; None keeps the old ones.
    """
    classes, reduction = kept.classes, kept.shrunk()
    prior_weights = kept.prior_weights
    if factors is not None:
        prior_weights = _prior_weights(reduction.moments, classes, factors)
    views = [
        _pairs(reduction.moments, classes, weights)
        for weights in (prior_weights, kept.prior_weights)
    ]
    results: list[PairResult | None] = []
    weight = reduction.moments.weight
    for number, ((pair, priors), (_, training), position) in enumerate(
        zip(*views, class_pairs(len(classes)), strict=True)
    ):
        if pair is None:
            results.append(None)
            continue
        metric = goal.of_pair(*position).for_weight(weight)
        by_priors = replace(CurvePriors.of(metric, priors, training), follows_threshold=False)
        wanted = Wanted(metric, priors, goal.is_turned)
        columns = None
        if kept.scores is not None:
            columns = kept.scores.columns(number, (pair.positive_label, pair.negative_label))
        if columns is None:
            frontier = frontier_of(pair, priors, is_turned=goal.is_turned)
            rule = frontier_rule(frontier, metric, is_turned=goal.is_turned)
            results.append(moments_result(reduction, rule, pair, by_priors, wanted))
        else:
            scores, threshold, rule = retargeted_rule(
                columns, priors, metric, is_turned=goal.is_turned
            )
            rates = scores.rates_at(threshold)
            error = priors[0] * rates[0] + priors[1] * rates[1]
            measured = Measured(scores, threshold, error, scores.auc, scores)
            results += measured_results([MeasuredRule(measured, rule, pair, by_priors, wanted)])
    if kept.scores is not None:
        results = _through_zero(results)
    told = _told("Retargeted to", goal, classes)
    return _published(kept, results, _coefficients(results, kept.reduction), told)


def _told(verb: str, goal: Goal, classes: AnyArray) -> str | None:
    """Return what a status begins with; None for a fit that is what the classifier is named for."""
    if verb == "Trained for" and goal.metric.name in ("error", "auc"):
        return None
    labels = label_list(classes)
    return f"{verb} {goal.metric.describe(labels[0 if goal.is_turned else -1])}"


def _published(
    kept: Kept,
    results: list[PairResult | None],
    coefficients: tuple[FloatArray, FloatArray],
    told: str | None,
) -> Solution:
    """Return the solution that results of pairs make.

    Parameters
    ----------
    told : str or None
        What the status of a rule begins with.
    """
    rules = [own.rule for own in results if own is not None]
    if told is not None:
        rules = [rule.with_status(told) for rule in rules]
    n_classes = len(kept.classes)
    decisions = tuple(None if own is None else own.decision for own in results)
    posteriors = tuple(None if own is None else own.posterior for own in results)
    decision = PairwiseVote(n_classes, decisions)
    is_same = all(one is other for one, other in zip(decisions, posteriors, strict=True))
    posterior = decision if is_same else PairwiseVote(n_classes, posteriors)

    def per_pair(value: Callable[[PairResult], float]) -> FloatArray | float:
        found = np.array([np.nan if own is None else value(own) for own in results])
        return float(found[0]) if len(found) == 1 else found

    return Solution(
        kept=kept,
        votes=Votes(decision, posterior),
        coefficients=coefficients,
        status=_status([rule.status for rule in rules]),
        is_constant=len(results) == 1 and rules[0].is_constant,
        expected={
            "error": per_pair(lambda own: own.rule.error),
            "auc": per_pair(lambda own: own.rule.auc),
        },
        held_out={"error": per_pair(lambda own: own.error), "auc": per_pair(lambda own: own.auc)},
        expected_metric=per_pair(lambda own: own.expected),
        held_out_metric=per_pair(lambda own: own.held_out),
        held_out_interval=_intervals(results),
    )


def _intervals(results: list[PairResult | None]) -> FloatArray:
    found = np.array([UNKNOWN if own is None else own.held_out_interval for own in results])
    return found[0] if len(found) == 1 else found


def _status(statuses: list[str]) -> str:
    distinct = sorted(set(statuses))
    if len(distinct) == 1:
        return distinct[0]
    return " ".join(f"{statuses.count(s)} of {len(statuses)} pairs: {s}" for s in distinct)


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
