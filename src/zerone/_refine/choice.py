"""What held-out rows decide about a pair of classes: where to polish, and how rules are combined.

The error of several pairs is judged at once, because each has few rows and the same formulas.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from zerone._refine.candidates import Candidates, combined_candidates
from zerone._refine.evidence import HeldOutRule, combined
from zerone._refine.held_out import HeldOutRows
from zerone._refine.judges import ROUNDING, ErrorJudge, Judge
from zerone._refine.stacked_evidence import (
    RuleLosses,
    best_candidates,
    combinations,
    rule_losses,
)
from zerone._refine.stacked_thresholds import StackedGrids
from zerone._refine.stacks import StackedRows, continued
from zerone._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Look:
    """What candidates on the frontier show.

    Attributes
    ----------
    best : int
        The candidate to polish from.
    thresholds : ndarray of shape (n_models,) or None
        Where its thresholds start, if the loss has any.
    polishes : bool
        Whether polish may gain anything.
    losses : RuleLosses or None
        Of the candidates, if they were judged together with those of other pairs.
    """

    best: int
    thresholds: FloatArray | None
    polishes: bool
    losses: RuleLosses | None = None


@dataclass(frozen=True, eq=False)
class FirstLook:
    """Judges the candidates on the frontier.

    Attributes
    ----------
    frontier : Candidates
    judge : Judge
    least_lost : float
        Polish gains nothing if the best candidate loses no more.
    """

    frontier: Candidates
    judge: Judge
    least_lost: float

    @property
    def kind(self) -> Hashable:
        """What those have in common that are solved together."""
        return _kind(self.frontier.held_out, self.judge, len(self.frontier.scores))

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows, and of numbers for each of them."""
        return _size(self.frontier.held_out, len(self.frontier.scores))

    def solved(self) -> Look:
        """Return what is found."""
        best, judge = self.frontier.best(self.judge), self.judge
        if not judge.losses(self.frontier.counts).min() > self.least_lost:
            return Look(best, None, False)
        rows = self.frontier.held_out
        return Look(best, judge.starting_thresholds(self.frontier.scores[best], rows), True)

    @classmethod
    def solved_together(cls, looks: Sequence["FirstLook"]) -> list[Look]:
        """Return what is found for each of several pairs."""
        rows = StackedRows.of([own.frontier.held_out for own in looks])
        scores = continued([own.frontier.scores for own in looks])
        losses = rule_losses(scores, rows)
        best = best_candidates(losses.crossfit, scores, rows)
        along = scores[np.arange(len(looks)), best]
        thresholds = np.clip(StackedGrids(along, rows).by_split(along, rows), -3.0, 3.0)
        return [
            Look(
                int(best[place]),
                thresholds[place],
                bool(losses.crossfit[place].min() > look.least_lost + ROUNDING),
                losses.of_pair(place),
            )
            for place, look in enumerate(looks)
        ]


@dataclass(frozen=True, eq=False)
class Combination:
    """Combines candidates to a rule, and this with other rules.

    Attributes
    ----------
    rules : list of HeldOutRule
    candidates : list of Candidates
    judge : Judge
    known : RuleLosses or None
        Losses of the first candidates; see `Look`.
    """

    rules: list[HeldOutRule]
    candidates: list[Candidates]
    judge: Judge
    known: RuleLosses | None = None

    @property
    def held_out(self) -> HeldOutRows:
        """The rows that judge."""
        return self.candidates[0].held_out

    @property
    def kind(self) -> Hashable:
        """What those have in common that are solved together."""
        n_candidates = sum(len(own.scores) for own in self.candidates)
        own = _kind(self.held_out, self.judge, n_candidates)
        return None if own is None else (own, len(self.rules), self.known is None)

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows, and of numbers for each of them."""
        return _size(self.held_out, sum(len(own.scores) for own in self.candidates))

    def solved(self) -> tuple[HeldOutRule, FloatArray]:
        """Return the combination, and the weights of the rules."""
        refined = combined_candidates(self.candidates, self.judge)
        return combined([*self.rules, refined], self.held_out, self.judge)

    @classmethod
    def solved_together(
        cls, problems: Sequence["Combination"]
    ) -> list[tuple[HeldOutRule, FloatArray]]:
        """Return the combination of each of several pairs, and the weights of its rules."""
        rows = StackedRows.of([own.held_out for own in problems])
        scores = continued([np.vstack([c.scores for c in own.candidates]) for own in problems])
        of_rules = continued([np.array([rule.scores for rule in own.rules]) for own in problems])
        known = [own.known for own in problems if own.known is not None]
        found = combinations(scores, of_rules, rows, RuleLosses.of_pairs(known))
        results = []
        for place, own in enumerate(problems):
            shares, weights = found.candidates[place], found.rules[place]
            refined = shares @ np.vstack([c.directions for c in own.candidates])
            factors = found.factors[place]
            directions = [*(rule.direction for rule in own.rules), refined]
            intercepts = [*(rule.intercept for rule in own.rules), found.intercepts[place]]
            size = len(own.held_out.signs)
            rule = HeldOutRule(
                factors @ np.array(directions),
                float(factors @ np.array(intercepts) + found.shifts[place]),
                found.scores[place, :size].copy(),
            )
            results.append((rule, weights))
        return results


def _kind(rows: HeldOutRows, judge: Judge, n_candidates: int) -> Hashable:
    """Return what is judged at once; None for what is judged alone."""
    if not (isinstance(judge, ErrorJudge) and rows.is_sorted):
        return None
    return n_candidates, int(rows.splits.max())


def _size(rows: HeldOutRows, n_candidates: int) -> tuple[int, int]:
    """Return the number of rows, and of numbers for each: every candidate has one in each split."""
    return len(rows.signs), n_candidates * (int(rows.splits.max()) + 1)
