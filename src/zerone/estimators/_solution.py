"""The rules of all pairs of classes, from a fit or from `retarget`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

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
from zerone._refine.kept import KeptScores
from zerone._refine.recipe import Refinement
from zerone._typing import AnyArray, FitMetric, FloatArray
from zerone.estimators._kept import Kept
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

# With more pairs than this, curves pass zero at the threshold: sums in single precision are then
# precise enough for nearly all rows.
_MANY_PAIRS = 400


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


class PairProblems:
    """The problems of all pairs of classes that have rows: shrunk, and projected if needed."""

    def __init__(
        self,
        moments: Moments,
        classes: AnyArray,
        settings: Settings,
        random: np.random.RandomState | None,
    ) -> None:
        """Shrink and project.

        Parameters
        ----------
        random : RandomState or None
            For the starts of an iterative solver without intercept.
        """
        self._weight, self._classes = moments.weight, classes
        self._settings, self._random = settings, random
        self._goal = settings.goal(classes)
        shrunk, self._amounts = shrink_moments(moments, settings.shrinkage)
        reduction = reduced_moments(shrunk, moments) if moments.carries_rows else Reduction(shrunk)
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
        self._of_moments: dict[int, _PairResult] = {}

    def solution(self, refinements: Sequence[Refinement | None] | None = None) -> Solution:
        """Return the rules of all pairs; one that was refined takes the rule of its refinement."""
        refined = [None] * len(self._pairs) if refinements is None else list(refinements)
        results = [
            self._result_of_moments(number) if own is None else self._refined(number, own)
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
        return _published(kept, results, coefficients, told)

    def _wanted(self, number: int) -> "_Wanted":
        metric = self._goal.of_pair(*self._positions[number]).for_weight(self._weight)
        return _Wanted(metric, self._pairs[number][1], self._goal.is_turned)

    def _refined(self, number: int, refinement: Refinement) -> "_PairResult | None":
        pair, priors = self._pairs[number]
        if pair is None:
            return None
        wanted = self._wanted(number)
        rule = refined_rule(refinement, priors, wanted.metric)
        measured = _Measured(
            refinement.scores, refinement.threshold, refinement.error, refinement.auc
        )
        by_priors = _CurvePriors.of(wanted.metric, priors, priors)
        return _measured_result(measured, rule, pair, by_priors, wanted)

    def _result_of_moments(self, number: int) -> "_PairResult | None":
        pair, priors = self._pairs[number]
        if pair is None:
            return None
        if number not in self._of_moments:
            wanted = self._wanted(number)
            rule, n_iter = solved_rule(
                pair,
                self._settings,
                wanted.metric,
                priors,
                self._random,
                is_turned=wanted.is_turned,
            )
            self._iterations.append(n_iter)
            by_priors = _CurvePriors.of(wanted.metric, priors, priors)
            self._of_moments[number] = _moments_result(self._found, rule, pair, by_priors, wanted)
        return self._of_moments[number]


def _through_zero(results: list["_PairResult | None"]) -> list["_PairResult | None"]:
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
    results: Sequence["_PairResult | None"], reduction: Reduction
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
    results: list[_PairResult | None] = []
    weight = reduction.moments.weight
    for number, ((pair, priors), (_, training), position) in enumerate(
        zip(*views, class_pairs(len(classes)), strict=True)
    ):
        if pair is None:
            results.append(None)
            continue
        metric = goal.of_pair(*position).for_weight(weight)
        by_priors = replace(_CurvePriors.of(metric, priors, training), follows_threshold=False)
        wanted = _Wanted(metric, priors, goal.is_turned)
        columns = None
        if kept.scores is not None:
            columns = kept.scores.columns(number, (pair.positive_label, pair.negative_label))
        if columns is None:
            rule = frontier_rule(pair, metric, priors, is_turned=goal.is_turned)
            results.append(_moments_result(reduction, rule, pair, by_priors, wanted))
        else:
            scores, threshold, rule = retargeted_rule(
                columns, priors, metric, is_turned=goal.is_turned
            )
            rates = scores.rates_at(threshold)
            measured = _Measured(
                scores, threshold, priors[0] * rates[0] + priors[1] * rates[1], scores.auc
            )
            results.append(_measured_result(measured, rule, pair, by_priors, wanted))
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
class _Measured:
    """What held-out rows measured for a rule."""

    scores: MeasuredScores
    threshold: float
    error: float
    auc: float


@dataclass(frozen=True, eq=False)
class _PairResult:
    """A rule, its curves, what is expected of it, and what held-out rows measured, if they did."""

    rule: LinearRule
    decision: Curve
    posterior: Curve
    expected: float
    held_out: float = np.nan
    error: float = np.nan
    auc: float = np.nan

    def through_zero(self) -> "_PairResult":
        """Return the same rule with log-odds that are zero at its threshold."""
        if self.rule.is_constant:
            return self
        decision = self.decision.through_zero()
        posterior = decision if self.posterior is self.decision else self.posterior
        return replace(self, decision=decision, posterior=posterior)


def _measured_result(
    measured: _Measured,
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
        return HeldOutScores.of_rule(measured.scores, rule, counts, follows_threshold=follows).curve

    name = wanted.metric.name
    if name == "error":
        held_out = measured.error
    elif name == "auc":
        held_out = measured.auc
    else:
        held_out = held_out_value(
            measured.scores,
            measured.threshold,
            wanted.priors,
            wanted.metric,
            is_turned=wanted.is_turned,
        )
    decision = curve(by.deciding, True)
    return _PairResult(
        rule=rule,
        decision=decision,
        posterior=decision if by.follows_threshold else curve(by.training, False),
        expected=_expected(rule, wanted),
        held_out=held_out,
        error=measured.error,
        auc=measured.auc,
    )


def _moments_result(
    found: Reduction, rule: LinearRule, pair: TwoClassMoments, by: _CurvePriors, wanted: _Wanted
) -> _PairResult:
    """Return the result of a rule of the moments."""

    def curve(priors: Priors, follows: bool) -> Curve:
        return NormalScores.of_rule(pair, rule, priors, follows_threshold=follows).curve

    decision = curve(by.deciding, True)
    posterior = decision if by.follows_threshold else curve(by.training, False)
    expected = _expected(rule, wanted)
    return _PairResult(found.lifted(rule), decision, posterior, expected)


def _expected(rule: LinearRule, wanted: _Wanted) -> float:
    return (rule.turned() if wanted.is_turned else rule).reported(wanted.metric)


def _published(
    kept: Kept,
    results: list[_PairResult | None],
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

    def per_pair(value: Callable[[_PairResult], float]) -> FloatArray | float:
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
    )


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
