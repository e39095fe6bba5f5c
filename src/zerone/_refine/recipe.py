"""Refinement of two classes: search the frontier, polish, combine, by held-out losses."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._refine.candidates import MeasuredScores
from zerone._refine.models import SHARES
from zerone._refine.search import PairRows, RowSearch, WideSearch
from zerone._typing import FitMetric, Level


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
        On held-out rows; the error of a split uses the threshold of the other splits.
    """

    scores: MeasuredScores
    threshold: float
    alternatives: tuple[MeasuredScores, ...]
    level: Level
    error: float
    auc: float


def refine_pair(
    pair: PairRows,
    metric: FitMetric,
    level: Level,
    *,
    factors: tuple[float, float],
    shrinkage: Any,
    random: np.random.RandomState,
) -> Refinement | None:
    """Return the refined rule of two classes.

    None if there are too few rows to hold any out, or all features are constant.

    Parameters
    ----------
    pair : PairRows
    metric : "error" or "auc"
    level : "frontier" or "polish"
    factors : tuple of float
        Factor of the weights of the positive and the negative class in the error.
    shrinkage : "auto", number or None
    random : RandomState
        For the sample of rows that very many rows are polished on.
    """
    folds = pair.folds.of_rows(pair.members)
    usable = folds.usable((pair.signs > 0).astype(np.intp), pair.row_weights)
    if usable is None or not pair.has_spread:
        return None
    kind = WideSearch if pair.is_wide else RowSearch
    search = kind(pair, usable, factors, shrinkage)
    frontier = search.frontier()
    candidates, losses = frontier, frontier.losses(metric)
    best = frontier.best(metric)
    if isinstance(search, WideSearch):
        level = "frontier"
    # If the frontier has no held-out loss, polishing cannot gain anything.
    elif level == "polish" and losses.min() > 0:
        polished = search.polished(best, frontier.scores[best], metric, random)
        candidates = frontier.joined(polished)
        losses = np.concatenate([losses, polished.losses(metric)])
    combination = candidates.combined(losses, metric)
    counts, held_out = combination.counts, frontier.held_out
    error, threshold = float(counts.crossfit_errors()[0]), held_out.threshold(combination.scores[0])
    if not counts.improve_on_one_answer()[0]:
        error, threshold = held_out.constant_error, held_out.constant_threshold
        if metric == "error":
            # Polishing did not separate the classes: use the direction that ranks best.
            combination = frontier.combined(frontier.losses("auc"), "auc")
    # All shares of the frontier that have the shrinkage of the best candidate.
    first = best // len(SHARES) * len(SHARES)
    return Refinement(
        scores=combination.measured([0], pair.moments)[0],
        threshold=threshold,
        alternatives=frontier.measured(list(range(first, first + len(SHARES))), pair.moments),
        level=level,
        error=error,
        auc=1 - float(combination.counts.ranking_losses()[0]),
    )
