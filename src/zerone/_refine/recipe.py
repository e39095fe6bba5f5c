"""The recipe: search the frontier, polish, combine; all judged by rows held out."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._refine.candidates import MeasuredScores
from zerone._refine.models import SHARES
from zerone._refine.search import PairRows, RowSearch, WideSearch
from zerone._typing import FitMetric, Level


@dataclass(frozen=True, eq=False)
class Refinement:
    """A refined direction and what held-out rows said about it.

    Attributes
    ----------
    scores : MeasuredScores
        The direction; its scores are in total standard deviations.
    threshold : float
        Infinite where always giving one answer is best.
    alternatives : tuple of MeasuredScores
        The frontier beside it, for other metrics.
    level : "frontier" or "polish"
        What was done; wide sparse rows are never polished.
    error, auc : float
        Of held-out rows; the error of each split with the threshold of the others.
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

    None if there are too few rows to hold any out, or no feature tells rows apart.

    Parameters
    ----------
    pair : PairRows
    metric : "error" or "auc"
    level : "frontier" or "polish"
    factors : tuple of float
        Factor of the weights of the positive and the negative class in the error.
    shrinkage : "auto", number or None
    random : RandomState
        For the sample that is polished on, if there are very many rows.
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
    # Where the frontier loses no held-out row, nothing is left to gain.
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
            # What was polished to tell the classes apart did not; rank as well as possible.
            combination = frontier.combined(frontier.losses("auc"), "auc")
    # Of the frontier the shares with the shrinkage of the best.
    first = best // len(SHARES) * len(SHARES)
    return Refinement(
        scores=combination.measured([0], pair.moments)[0],
        threshold=threshold,
        alternatives=frontier.measured(list(range(first, first + len(SHARES))), pair.moments),
        level=level,
        error=error,
        auc=1 - float(combination.counts.ranking_losses()[0]),
    )
