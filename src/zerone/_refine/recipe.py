"""The recipe: three rules of two classes, weighted by one evidence."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._refine.candidates import Candidates, MeasuredScores, combined_candidates
from zerone._refine.choice import Combination, FirstLook
from zerone._refine.evidence import HeldOutRule, combined
from zerone._refine.fold_rules import FoldRules
from zerone._refine.folds import Folds
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import Judge, judge_of
from zerone._refine.models import SHARES
from zerone._refine.pair_rows import PairRows, drawn_sample
from zerone._refine.search import RowSearch, WideSearch
from zerone._refine.stacked_evidence import RuleLosses
from zerone._refine.together import Steps
from zerone._refine.training_rows import Sample
from zerone._typing import FloatArray, Level
from zerone.metrics import ChosenMetric, Priors, WeightedError

# Rules of columns that bend start with a weight between these; with next to none in the end they
# are left out.
LEAST_ODDS, MOST_ODDS = 0.1, 3.0
LEAST_BENT = 0.05


@dataclass(frozen=True, eq=False)
class Straight:
    """How columns that bend become straight ones, whose rules are found, too.

    Attributes
    ----------
    matrix : ndarray of shape (n_columns, n_features)
        Adds up the parts of each column.
    odds : float
        Weight of the bent rules before the evidence, if that of the straight ones is one: how many
        columns bend, and how many do not.
    """

    matrix: FloatArray
    odds: float


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
        Of the rules that were combined: moments, logistic (for a ranking two), refined, the same
        again for columns that bend, and, for the error, constant.
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
    straight: Straight | None = None,
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
    straight : Straight, optional
        Held-out rows weigh rules of straight columns, too.
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
    split = usable, sample, factors, shrinkage

    def search(rows: PairRows) -> Steps[_Found]:
        return _found(rows, split, metric, judge, level, is_one_of_many, least_lost)

    own = yield from search(pair)
    held_out, alternatives = own.held_out, own
    if straight is None:
        combined_rule, combination = yield Combination(own.rules, own.candidates, judge, own.known)
        rule = combined_rule.in_coordinates(own.for_features)
    else:
        lines = (yield from search(pair.mapped(straight.matrix))).mapped(straight.matrix)
        rules, bent = lines.whole_rules(judge), own.whole_rules(judge)
        starting = np.repeat([1.0, straight.odds], [len(rules), len(bent)])
        rule, combination = combined([*rules, *bent], held_out, judge, starting)
        if combination[len(rules) : len(rules) + len(bent)].sum() < LEAST_BENT:
            rule, combination = combined(rules, held_out, judge)
            alternatives = lines
    threshold = 0.0 if judge.sets_thresholds else judge.threshold(rule.scores, held_out)
    error, error_of_features = _error(rule, threshold, held_out, priors), None
    is_positive = rule.scores > threshold
    if not metric.has_limit and (is_positive.all() or not is_positive.any()):
        threshold = -np.inf if is_positive.all() else np.inf
        best = judge.threshold(rule.scores, held_out)
        error_of_features = _error(rule, best, held_out, priors)
    counts = held_out.count(rule.scores[None])
    shares = list(range(len(SHARES))) if has_alternatives else []
    return Refinement(
        scores=MeasuredScores.of_candidate(
            rule.direction, rule.intercept, held_out, rule.scores, pair.moments, counts, 0
        ),
        threshold=threshold,
        alternatives=alternatives.measured(shares, pair.moments),
        level="frontier" if pair.is_wide else level,
        error=error,
        auc=1 - float(counts.ranking_losses()[0]),
        weights=tuple(combination.tolist()),
        error_of_features=error_of_features,
        fold_rules=FoldRules.of(rule, threshold, pair, usable, priors),
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """What a search has found.

    Attributes
    ----------
    rules : list of HeldOutRule
        Of the moments, and of logistic regression.
    candidates : list of Candidates
        On the frontier, and polished ones.
    known : RuleLosses or None
        Losses of the first candidates.
    matrix : ndarray of shape (n_features, n_features_of_pair) or None
        The rows that were searched had the features ``matrix @ x``.
    """

    rules: list[HeldOutRule]
    candidates: list[Candidates]
    known: RuleLosses | None
    matrix: FloatArray | None = None

    @property
    def held_out(self) -> HeldOutRows:
        """The rows that judge."""
        return self.candidates[0].held_out

    def mapped(self, matrix: FloatArray) -> "_Found":
        """Return the same, found in rows that had the features ``matrix @ x``."""
        return replace(self, matrix=matrix)

    def for_features(self, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return directions for the features of the pair, and constants to add to their scores."""
        coef, constants = self.candidates[0].for_features(directions)
        return coef if self.matrix is None else coef @ self.matrix, constants

    def whole_rules(self, judge: Judge) -> list[HeldOutRule]:
        """Return all rules for the features of the pair; candidates are combined to one."""
        rules = [*self.rules, combined_candidates(self.candidates, judge)]
        return [rule.in_coordinates(self.for_features) for rule in rules]

    def measured(self, columns: list[int], pair: TwoClassMoments) -> tuple[MeasuredScores, ...]:
        """Return candidates of the frontier for the features of the pair."""
        frontier = replace(self.candidates[0], for_features=self.for_features)
        return frontier.measured(columns, pair)


def _found(
    pair: PairRows,
    split: tuple[Folds, Sample, tuple[float, float], Any],
    metric: ChosenMetric,
    judge: Judge,
    level: Level,
    is_one_of_many: bool,
    least_lost: float,
) -> Steps[_Found]:
    """Search the rows of a pair, in steps; see `refinement_steps`."""
    if pair.is_wide:
        return _Found([], [WideSearch(pair, *split).frontier(judge)], None)
    search = RowSearch(pair, *split)
    yield search.best_of_moments(metric, judge)
    rules = [search.rule_of_moments(metric, judge)]
    logistic = search.logistic(judge)
    if logistic is not None:
        rules += search.logistic_rules((yield logistic), judge)
    frontier = search.frontier(judge)
    candidates, known = [frontier], None
    if level == "polish":
        # If the frontier has no held-out loss, polishing cannot gain anything.
        least = least_lost / search.held_out.total if judge.sets_thresholds else 0.0
        look = yield FirstLook(frontier, judge, least)
        known = look.losses
        if look.polishes:
            problem = search.polish(look.best, look.thresholds, judge)
            states = yield problem.of_many if is_one_of_many else problem
            candidates.append(search.polished(states))
    return _Found(rules, candidates, known)


def _error(rule: HeldOutRule, threshold: float, rows: HeldOutRows, priors: Priors) -> float:
    missed, wrong = rows.rates(rule.scores, threshold)
    return priors[0] * missed + priors[1] * wrong
