"""The recipe: three rules of two classes, weighted by one evidence."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._refine.candidates import MeasuredScores, combined_candidates
from zerone._refine.evidence import HeldOutRule, ThresholdGrid, bandwidth, combined
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
        On held-out rows.
    weights : tuple of float
        Of the rules that were combined: moments, logistic (for the AUC two), refined and, for the
        error, constant.
    error_of_features : float or None
        Only if always predicting one class is best: the held-out error of the same direction with
        its best threshold.
    """

    scores: MeasuredScores
    threshold: float
    alternatives: tuple[MeasuredScores, ...]
    level: Level
    error: float
    auc: float
    weights: tuple[float, ...]
    error_of_features: float | None = None


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
    rules: list[HeldOutRule] = []
    if isinstance(search, RowSearch):
        rules = [search.moments_rule(metric), *search.logistic_rules(metric, random)]
    frontier = search.frontier(metric)
    candidates, best = [frontier], frontier.best(metric)
    # If the frontier has no held-out loss, polishing cannot gain anything.
    if isinstance(search, WideSearch):
        level = "frontier"
    elif level == "polish" and frontier.losses(metric).min() > 0:
        candidates.append(search.polished(best, frontier.scores[best], metric, random))
    held_out = search.held_out
    rule, weights = combined([*rules, combined_candidates(candidates, metric)], held_out, metric)
    grid = ThresholdGrid(rule.scores, held_out.weights, bandwidth(held_out))
    best_threshold = grid.threshold(rule.scores, held_out.weights * held_out.signs)
    threshold = best_threshold if metric == "auc" else 0.0
    error, error_of_features = held_out.error(rule.scores, threshold), None
    is_positive = rule.scores > threshold
    if is_positive.all() or not is_positive.any():
        threshold = -np.inf if is_positive.all() else np.inf
        error_of_features = held_out.error(rule.scores, best_threshold)
    counts = held_out.count(rule.scores[None])
    measured = frontier.as_measured(rule, counts, pair.moments)
    return Refinement(
        scores=measured,
        threshold=threshold,
        alternatives=frontier.measured(list(range(len(SHARES))), pair.moments),
        level=level,
        error=error,
        auc=1 - float(counts.ranking_losses()[0]),
        weights=tuple(weights.tolist()),
        error_of_features=error_of_features,
    )
