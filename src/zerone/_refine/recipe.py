"""The recipe: three rules of two classes, weighted by one evidence."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerone._refine.candidates import MeasuredScores
from zerone._refine.choice import Combination, FirstLook
from zerone._refine.evidence import HeldOutRule
from zerone._refine.fold_rules import FoldRules
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import judge_of
from zerone._refine.models import SHARES
from zerone._refine.pair_rows import PairRows, drawn_sample
from zerone._refine.search import RowSearch, WideSearch
from zerone._refine.together import Steps
from zerone._typing import Level
from zerone.metrics import ChosenMetric, Priors, WeightedError


@dataclass(frozen=True, eq=False)
class Refinement:
    """A refined direction and what held-out rows measured for it.

    Attributes
    ----------
    scores : MeasuredScores
        The direction; its scores have a total standard deviation of one.
    threshold : float
        Infinite if always predicting one class is best.
    alternatives : tuple of MeasuredScores
        Directions of the frontier, for other metrics.
    level : "frontier" or "polish"
        How far the rule was refined; wide sparse rows are never polished.
    error, auc : float
        On held-out rows.
    weights : tuple of float
        Of the rules that were combined: moments, logistic (for a ranking two), refined and, for the
        error, constant.
    error_of_features : float or None
        Only if always predicting one class is best: the held-out error of the same direction with
        its best threshold.
    fold_rules : FoldRules or None
        Those of the models that held rows out; None if they have no common coordinates.
    nested : MeasuredScores or None
        What splits measured that chose their own columns; None if all have the same columns.
    """

    scores: MeasuredScores
    threshold: float
    alternatives: tuple[MeasuredScores, ...]
    level: Level
    error: float
    auc: float
    weights: tuple[float, ...]
    error_of_features: float | None = None
    fold_rules: FoldRules | None = None
    nested: MeasuredScores | None = None

    def turned(self) -> "Refinement":
        """Return the same rule with the other class as the positive one."""
        return replace(
            self,
            scores=self.scores.turned(),
            threshold=-self.threshold,
            alternatives=tuple(own.turned() for own in self.alternatives),
            fold_rules=None if self.fold_rules is None else self.fold_rules.turned(),
            nested=None if self.nested is None else self.nested.turned(),
        )


def refinement_steps(
    pair: PairRows,
    metric: ChosenMetric,
    level: Level,
    *,
    factors: tuple[float, float],
    shrinkage: Any,
    seed: int,
    has_alternatives: bool = True,
    is_one_of_many: bool = False,
    least_lost: float = 0.0,
) -> Steps[Refinement | None]:
    """Return the refined rule of two classes, in steps between which problems are solved.

    None if there are too few rows to hold any out, or all features are constant.

    Parameters
    ----------
    pair : PairRows
    metric : ChosenMetric
        Its positive class is that of the pair.
    level : "frontier" or "polish"
    factors : tuple of float
        Factor of the weights of the positive and the negative class.
    shrinkage : "auto", number or None
    seed : int
        For the sample that stands for very many rows.
    has_alternatives : bool, optional
        Whether directions of the frontier are measured, too.
    is_one_of_many : bool, optional
        Whether there are more pairs, whose rules decide together.
    least_lost : float, optional
        A rule for the error is polished if the frontier loses more than this weight of held-out
        rows.
    """
    sample, usable = drawn_sample(pair, seed)
    if usable is None or not pair.has_spread:
        return None
    priors = pair.priors(factors)
    loss = metric.loss(priors)
    if isinstance(loss, WeightedError):
        # The error of rows that weigh as much more as their class does in the loss.
        weights = loss.false_negative_weight / priors[0], loss.false_positive_weight / priors[1]
        factors = factors[0] * weights[0], factors[1] * weights[1]
    judge = judge_of(loss)
    search: WideSearch | RowSearch
    rules: list[HeldOutRule] = []
    if pair.is_wide:
        search = WideSearch(pair, usable, sample, factors, shrinkage)
    else:
        search = RowSearch(pair, usable, sample, factors, shrinkage)
        yield search.best_of_moments(metric, judge)
        rules.append(search.rule_of_moments(metric, judge))
        logistic = search.logistic(judge)
        if logistic is not None:
            rules += search.logistic_rules((yield logistic), judge)
    frontier = search.frontier(judge)
    candidates, held_out, known = [frontier], search.held_out, None
    if isinstance(search, WideSearch):
        level = "frontier"
    elif level == "polish":
        # If the frontier has no held-out loss, polishing cannot gain anything.
        least = least_lost / held_out.total if judge.sets_thresholds else 0.0
        look = yield FirstLook(frontier, judge, least)
        known = look.losses
        if look.polishes:
            problem = search.polish(look.best, look.thresholds, judge)
            states = yield problem.of_many if is_one_of_many else problem
            candidates.append(search.polished(states))
    rule, combination = yield Combination(rules, candidates, judge, known)
    threshold = 0.0 if judge.sets_thresholds else judge.threshold(rule.scores, held_out)
    error, error_of_features = _error(rule, threshold, held_out, priors), None
    is_positive = rule.scores > threshold
    if not metric.has_limit and (is_positive.all() or not is_positive.any()):
        threshold = -np.inf if is_positive.all() else np.inf
        best = judge.threshold(rule.scores, held_out)
        error_of_features = _error(rule, best, held_out, priors)
    counts = held_out.count(rule.scores[None])
    shares = list(range(len(SHARES))) if has_alternatives else []
    measured = frontier.as_measured(rule, counts, pair.moments)
    return Refinement(
        scores=measured,
        threshold=threshold,
        alternatives=frontier.measured(shares, pair.moments),
        level=level,
        error=error,
        auc=1 - float(counts.ranking_losses()[0]),
        weights=tuple(combination.tolist()),
        error_of_features=error_of_features,
        fold_rules=FoldRules.of(rule, threshold, frontier.for_features, pair, usable, priors),
    )


def _error(rule: HeldOutRule, threshold: float, rows: HeldOutRows, priors: Priors) -> float:
    missed, wrong = rows.rates(rule.scores, threshold)
    return priors[0] * missed + priors[1] * wrong
