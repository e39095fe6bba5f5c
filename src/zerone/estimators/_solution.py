"""From moments to the rules of all pairs of classes: the part of fitting that needs no rows."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from zerone._typing import AnyArray, FloatArray, Level, Target
from zerone.estimators._fit_pair import fit_pair
from zerone.estimators._log_odds import LogOddsModel
from zerone.estimators._measured_model import MeasuredModel
from zerone.estimators._pairwise import PairwiseVote, class_pairs
from zerone.estimators._refined import refined_for_metric, refined_rule
from zerone.estimators._score_model import ScoreModel
from zerone.frontier import Frontier, Reduction, metric_parameters, reduced_moments
from zerone.moments import Moments, TwoClassMoments
from zerone.refine import Refinement, shrink_moments
from zerone.rules import LinearRule
from zerone.solvers import Exact, Solver
from zerone.sources import label_list


@dataclass(frozen=True, eq=False)
class Solution:
    """Rules for every pair of classes and all that is needed to find others without the data.

    Attributes
    ----------
    classes : ndarray
    reduction : Reduction
        The moments as they were read; of wide data their projection, shrunk.
    shrinkage_setting : "auto", number or None
        How moments that were not projected are shrunk before other rules are found for them;
        keeping both forms would take twice the memory.
    prior_weights : ndarray of shape (n_classes,)
        Class weights times the factors of ``class_weight``; the posterior refers to these.
    shrinkage : ndarray of shape (n_classes,)
    rules : tuple of LinearRule or None
        For the features, in the order of `class_pairs`; None where a class has no rows.
    refinements : tuple of Refinement or None
        What held-out rows said of each pair; None where the rule comes from moments alone.
    decision, posterior : PairwiseVote
        How scores decide between several classes, and how they become probabilities. The same
        unless the rules were retargeted.
    n_iter : int
    """

    classes: AnyArray
    reduction: Reduction
    shrinkage_setting: Any
    prior_weights: FloatArray
    shrinkage: FloatArray
    rules: tuple[LinearRule | None, ...]
    refinements: tuple[Refinement | None, ...]
    decision: PairwiseVote
    posterior: PairwiseVote
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
        with warnings.catch_warnings():
            # The fit has warned of small classes already.
            warnings.simplefilter("ignore", UserWarning)
            return reduced_moments(
                shrink_moments(self.reduction.moments, self.shrinkage_setting)[0]
            )

    def expectation(self, name: Literal["error", "auc"]) -> FloatArray | float:
        """Return what the rules predict of themselves: a number, or one per pair."""
        values = np.array([np.nan if r is None else getattr(r, name) for r in self.rules])
        return float(values[0]) if len(values) == 1 else values

    @property
    def level(self) -> Level | None:
        """How far the rules were refined; None where no pair was."""
        levels = [refinement.level for refinement in self.refinements if refinement is not None]
        return levels[0] if levels else None

    def held_out(self, name: Literal["error", "auc"]) -> FloatArray | float:
        """Return what held-out rows measured: a number, or one per pair; NaN where they did not."""
        values = np.array([np.nan if r is None else getattr(r, name) for r in self.refinements])
        return float(values[0]) if len(values) == 1 else values

    @property
    def status(self) -> str:
        """How the rules were found, in a sentence or, where pairs differ, one for each kind."""
        statuses = [rule.status for rule in self.rules if rule is not None]
        distinct = sorted(set(statuses))
        if len(distinct) == 1:
            return distinct[0]
        return " ".join(f"{statuses.count(s)} of {len(statuses)} pairs: {s}" for s in distinct)


def solve(
    moments: Moments,
    classes: AnyArray,
    target: Target,
    solver: Solver,
    *,
    shrinkage: Any,
    factors: FloatArray,
    fit_intercept: bool,
    random: np.random.RandomState | None,
    refinements: Sequence[Refinement | None] | None = None,
) -> Solution:
    """Shrink, project where needed, and find a rule for every pair of classes that have rows.

    Parameters
    ----------
    factors : ndarray of shape (n_classes,)
        Multiplies the class weights in the objective; never touches the covariances.
    refinements : sequence, one for each pair, optional
        Where there is one, its rule is taken.
    """
    shrunk, amounts = shrink_moments(moments, shrinkage)
    reduction = reduced_moments(shrunk, moments)
    if not (reduction.is_exact or isinstance(solver, Exact)):
        # Iterative solvers can work on sparse rows as they are; an approximation is not needed.
        found = Reduction(shrunk)
    else:
        found = reduction
    prior_weights = _prior_weights(moments, classes, factors)
    pairs = _pairs(found.moments, classes, prior_weights)
    refined = [None] * len(pairs) if refinements is None else list(refinements)
    rules: list[LinearRule | None] = []
    models: list[LogOddsModel | None] = []
    iterations = [1]
    for (pair, priors), refinement in zip(pairs, refined, strict=True):
        if pair is None:
            rules.append(None)
            models.append(None)
        elif refinement is not None:
            rule = refined_rule(refinement, priors)
            rules.append(rule)
            models.append(
                MeasuredModel.of_rule(
                    refinement.scores, rule, _counts(pair, priors), follows_threshold=True
                )
            )
        else:
            fit = fit_pair(
                pair, target, solver, priors=priors, fit_intercept=fit_intercept, random=random
            )
            iterations.append(fit.n_iter)
            rules.append(found.lifted(fit.rule))
            models.append(ScoreModel.of_rule(pair, fit.rule, priors, follows_threshold=True))
    vote = PairwiseVote(len(classes), tuple(models))
    return Solution(
        classes=classes,
        reduction=reduction if reduction.basis is not None else Reduction(moments),
        shrinkage_setting=shrinkage,
        prior_weights=prior_weights,
        shrinkage=amounts,
        rules=tuple(rules),
        refinements=tuple(refined),
        decision=vote,
        posterior=vote,
        n_iter=max(iterations),
    )


def retargeted(
    solution: Solution,
    metric: str,
    factors: FloatArray | None,
    parameters: dict[str, Any],
) -> Solution:
    """Return a solution for another metric or other class weights, without the rows.

    Where held-out scores were measured, they decide; elsewhere the frontier of the moments. The
    posterior stays that of the training priors; directions and thresholds move.

    Parameters
    ----------
    factors : ndarray of shape (n_classes,) or None
        New factors of the class weights in place of the old; None keeps the old.
    """
    classes, reduction = solution.classes, solution.shrunk()
    numbers = metric_parameters(metric, parameters)
    prior_weights = solution.prior_weights
    if factors is not None:
        prior_weights = _prior_weights(reduction.moments, classes, factors)
    decisive = prior_weights
    if metric == "balanced_error":
        decisive = (prior_weights > 0).astype(np.float64)
    rules: list[LinearRule | None] = []
    decisions: list[LogOddsModel | None] = []
    posteriors: list[LogOddsModel | None] = []
    measured = list(solution.refinements)
    for (pair, priors), (_, deciding), (_, training), refinement in zip(
        _pairs(reduction.moments, classes, prior_weights),
        _pairs(reduction.moments, classes, decisive),
        _pairs(reduction.moments, classes, solution.prior_weights),
        solution.refinements,
        strict=True,
    ):
        if pair is None:
            rules.append(None)
            decisions.append(None)
            posteriors.append(None)
            continue
        if refinement is None:
            by_label = {pair.positive_label: priors[0], pair.negative_label: priors[1]}
            rule = Frontier(pair, priors=by_label).best(metric, **parameters)
            rules.append(reduction.lifted(rule))
            decisions.append(ScoreModel.of_rule(pair, rule, deciding, follows_threshold=True))
            posteriors.append(ScoreModel.of_rule(pair, rule, training, follows_threshold=False))
            continue
        anew, scores, rule = refined_for_metric(refinement, priors, metric, numbers)
        measured[len(rules)] = anew
        rules.append(rule)
        decisions.append(
            MeasuredModel.of_rule(scores, rule, _counts(pair, deciding), follows_threshold=True)
        )
        posteriors.append(
            MeasuredModel.of_rule(scores, rule, _counts(pair, training), follows_threshold=False)
        )
    return replace(
        solution,
        rules=tuple(rules),
        refinements=tuple(measured),
        decision=PairwiseVote(len(classes), tuple(decisions)),
        posterior=PairwiseVote(len(classes), tuple(posteriors)),
    )


def _prior_weights(moments: Moments, classes: AnyArray, factors: FloatArray) -> FloatArray:
    weights = np.array([moments[label].weight for label in label_list(classes)])
    # Only their ratios count; in this form neither weights nor factors can overflow.
    prior_weights: FloatArray = (weights / weights.max()) * (factors / factors.max())
    return prior_weights


def _pairs(
    problem: Moments, classes: AnyArray, prior_weights: FloatArray
) -> list[tuple[TwoClassMoments | None, tuple[float, float]]]:
    """Return every pair of classes, None where one has no rows, with its priors.

    Priors are in the order (positive, negative).
    """
    labels = label_list(classes)
    pairs: list[tuple[TwoClassMoments | None, tuple[float, float]]] = []
    for negative, positive in class_pairs(len(labels)):
        total = prior_weights[positive] + prior_weights[negative]
        if prior_weights[positive] == 0 or prior_weights[negative] == 0:
            pairs.append((None, (0.0, 0.0)))
            continue
        priors = (float(prior_weights[positive] / total), float(prior_weights[negative] / total))
        pairs.append((problem.pair(labels[positive], labels[negative]), priors))
    return pairs


def _counts(pair: TwoClassMoments, priors: tuple[float, float]) -> tuple[float, float]:
    """Return the classes' weights in the ratio of the priors, their total that of the rows."""
    total = pair.positive.weight + pair.negative.weight
    return priors[0] * total, priors[1] * total
