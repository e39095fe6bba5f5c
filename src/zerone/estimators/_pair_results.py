"""The result of one pair of classes: its rule, curves, and what is expected and measured of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._probability.curves import Curve
from zerone._probability.held_out import HeldOutScores, curves_of
from zerone._probability.normal import NormalScores
from zerone._refine.candidates import MeasuredScores
from zerone._uncertainty.intervals import UNKNOWN, Interval
from zerone._uncertainty.rankings import ranking_interval
from zerone._uncertainty.rates import rate_interval
from zerone.estimators._pair_rules import held_out_value
from zerone.frontier._projection import Reduction
from zerone.metrics import ChosenMetric, Priors, RankingLoss, WeightedError
from zerone.rules._rule import LinearRule


@dataclass(frozen=True)
class Wanted:
    """The metric of a pair, its priors, and whether its first class is the positive one."""

    metric: ChosenMetric
    priors: Priors
    is_turned: bool


@dataclass(frozen=True)
class CurvePriors:
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
    def of(cls, metric: ChosenMetric, priors: Priors, training: Priors) -> "CurvePriors":
        """Return the priors for a metric, given those of the threshold and those of training."""
        loss = metric.loss(priors)
        deciding = priors
        if isinstance(loss, WeightedError) and metric.name != "error":
            weights = loss.false_negative_weight, loss.false_positive_weight
            deciding = weights[0] / sum(weights), weights[1] / sum(weights)
        # The threshold of a ranking minimises the error.
        follows = metric.name == "error" or isinstance(loss, RankingLoss)
        return cls(deciding, training, follows)


@dataclass(frozen=True, eq=False)
class Measured:
    """What held-out rows measured for a rule.

    Attributes
    ----------
    scores : MeasuredScores
        For probabilities.
    threshold, error, auc : float
    judged : MeasuredScores
        For figures: the same, unless splits chose their own columns.
    """

    scores: MeasuredScores
    threshold: float
    error: float
    auc: float
    judged: MeasuredScores


@dataclass(frozen=True, eq=False)
class PairResult:
    """A rule, its curves, what is expected of it, and what held-out rows measured, if they did."""

    rule: LinearRule
    decision: Curve
    posterior: Curve
    expected: float
    held_out: float = np.nan
    error: float = np.nan
    auc: float = np.nan
    held_out_interval: Interval = UNKNOWN

    def through_zero(self) -> "PairResult":
        """Return the same rule with log-odds that are zero at its threshold."""
        if self.rule.is_constant:
            return self
        decision = self.decision.through_zero()
        posterior = decision if self.posterior is self.decision else self.posterior
        return replace(self, decision=decision, posterior=posterior)


@dataclass(frozen=True, eq=False)
class MeasuredRule:
    """A rule that held-out rows have judged, with all that its result needs."""

    measured: Measured
    rule: LinearRule
    pair: TwoClassMoments
    by: CurvePriors
    wanted: Wanted

    def scores(self) -> list[HeldOutScores]:
        """Return the held-out scores for its decision and, if that is another, its posterior."""
        found = [self._scores(self.by.deciding, True)]
        return (
            found if self.by.follows_threshold else [*found, self._scores(self.by.training, False)]
        )

    def result(self, curves: Sequence[Curve]) -> PairResult:
        """Return the result, given the curves of `scores`."""
        name, wanted, measured = self.wanted.metric.name, self.wanted, self.measured
        if name == "error":
            held_out = measured.error
        elif name == "auc":
            held_out = measured.auc
        else:
            held_out = held_out_value(
                measured.judged,
                measured.threshold,
                wanted.priors,
                wanted.metric,
                is_turned=wanted.is_turned,
            )
        return PairResult(
            rule=self.rule,
            decision=curves[0],
            posterior=curves[-1],
            expected=_expected(self.rule, wanted),
            held_out=held_out,
            error=measured.error,
            auc=measured.auc,
            held_out_interval=_interval(measured, wanted),
        )

    def _scores(self, priors: Priors, follows: bool) -> HeldOutScores:
        # Class weights in the ratio of the priors, with the total weight of the rows.
        total = self.pair.positive.weight + self.pair.negative.weight
        counts = priors[0] * total, priors[1] * total
        return HeldOutScores.of_rule(
            self.measured.scores, self.rule, counts, follows_threshold=follows
        )


def measured_results(rules: Sequence[MeasuredRule]) -> list[PairResult]:
    """Return the results of rules that held-out rows have judged."""
    scores = [own.scores() for own in rules]
    curves = iter(curves_of(list(chain(*scores))))
    return [
        own.result([next(curves) for _ in of_rule])
        for own, of_rule in zip(rules, scores, strict=True)
    ]


def _interval(measured: Measured, wanted: Wanted) -> Interval:
    """Return the interval of the metric that held-out rows measured."""
    scores, threshold, priors = measured.judged, measured.threshold, wanted.priors
    if wanted.is_turned:
        scores, threshold, priors = scores.turned(), -threshold, priors[::-1]
    loss = wanted.metric.loss(priors)
    if isinstance(loss, RankingLoss):
        rates = scores.false_negative_rates, scores.false_positive_rates
        value = 1 - measured.auc if wanted.metric.name == "auc" else float(loss.of_roc(*rates))
        return ranking_interval(loss, value, scores.positive, scores.negative, scores.counts)
    return rate_interval(wanted.metric, scores.rates_at(threshold), scores.counts, priors)


def moments_result(
    found: Reduction, rule: LinearRule, pair: TwoClassMoments, by: CurvePriors, wanted: Wanted
) -> PairResult:
    """Return the result of a rule of the moments."""

    def curve(priors: Priors, follows: bool) -> Curve:
        return NormalScores.of_rule(pair, rule, priors, follows_threshold=follows).curve

    decision = curve(by.deciding, True)
    posterior = decision if by.follows_threshold else curve(by.training, False)
    expected = _expected(rule, wanted)
    return PairResult(found.lifted(rule), decision, posterior, expected)


def _expected(rule: LinearRule, wanted: Wanted) -> float:
    return (rule.turned() if wanted.is_turned else rule).reported(wanted.metric)
