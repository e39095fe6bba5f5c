"""From rows to refined rules for all pairs of classes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from zerone._typing import FloatArray, Level, Target
from zerone.estimators._pairwise import class_pairs
from zerone.moments import Moments, chosen_kind, moments_by_cell
from zerone.refine import (
    Folds,
    MeasuredScores,
    PairRows,
    Refinement,
    make_folds,
    refine_pair,
)
from zerone.rules import LinearRule, constant_rule, linear_rule
from zerone.sources import Batch, label_list

# With more cells, each with matrices of its own, reading every split's rows anew is cheaper.
_CELLS_PER_SPLIT = 3

_STATUS: dict[Level, str] = {
    "frontier": "The rule was chosen on the frontier by rows held out.",
    "polish": "The rule was polished on the rows and chosen by rows held out.",
}


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """Rows read once: their moments, and how they are held out.

    Attributes
    ----------
    batch : Batch
    moments : Moments
        Of all rows.
    folds : Folds
    cells : list of Moments or None
        Of each cell of the folds; None where matrices would be too large or too many.
    """

    batch: Batch
    moments: Moments
    folds: Folds
    cells: list[Moments] | None

    @classmethod
    def read(
        cls, batch: Batch, cv: Any, level: Level, random_state: Any, n_jobs: int | None
    ) -> "FoldedRows":
        """Accumulate the moments of every class and cell in one pass."""
        folds = make_folds(cv, batch.codes, batch.weights, level, random_state)
        many = _CELLS_PER_SPLIT * folds.n_splits
        if chosen_kind(batch) != "explicit" or folds.n_cells > many:
            return cls(batch, Moments.from_batch(batch, n_jobs=n_jobs), folds, None)
        cells = moments_by_cell(batch, folds.cells, folds.n_cells, n_jobs=n_jobs)
        return cls(batch, sum(cells[1:], cells[0]), folds, cells)

    def pair(self, positive: int, negative: int) -> PairRows:
        """Return the rows of two classes, given by position."""
        labels = label_list(self.batch.classes)
        chosen = labels[positive], labels[negative]
        return PairRows(
            rows=self.batch.rows,
            positive=self.batch.members[positive],
            negative=self.batch.members[negative],
            weights=self.batch.weights,
            folds=self.folds,
            moments=self.moments.pair(*chosen),
            cells=None
            if self.cells is None
            else [(cell[chosen[0]], cell[chosen[1]]) for cell in self.cells],
        )


def refine_all(
    rows: FoldedRows,
    target: Target,
    level: Level,
    *,
    factors: FloatArray,
    shrinkage: Any,
    random_state: Any,
    n_jobs: int | None,
) -> list[Refinement | None]:
    """Refine every pair of classes, in the order of `class_pairs`; None where rows are too few."""
    seed = check_random_state(random_state).randint(2**31)

    def refined(negative: int, positive: int) -> Refinement | None:
        return refine_pair(
            rows.pair(positive, negative),
            target,
            level,
            factors=(float(factors[positive]), float(factors[negative])),
            shrinkage=shrinkage,
            random=np.random.RandomState(seed),
        )

    pairs = list(class_pairs(len(rows.batch.classes)))
    if len(pairs) == 1:
        return [refined(*pairs[0])]
    found: Sequence[Refinement | None] = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(refined)(*pair) for pair in pairs
    )
    return list(found)


def refined_rule(refinement: Refinement, priors: tuple[float, float]) -> LinearRule:
    """Return the rule of a refinement, in the usual scale."""
    return _rule(refinement.scores, refinement.threshold, priors, _STATUS[refinement.level])


def refined_for_metric(
    refinement: Refinement,
    priors: tuple[float, float],
    metric: str,
    parameters: dict[str, float],
) -> tuple[Refinement, MeasuredScores, LinearRule]:
    """Return what held-out rows find best for another metric: measured anew, scores and rule."""
    columns = (refinement.scores, *refinement.alternatives)
    found = [column.best(metric, priors, parameters) for column in columns]
    best = min(range(len(columns)), key=lambda column: found[column][0])
    status = f"The rule was chosen for {metric!r} by rows held out."
    scores, threshold = columns[best], found[best][1]
    measured = replace(refinement, error=scores.error_at(threshold, priors), auc=scores.auc)
    return measured, scores, _rule(scores, threshold, priors, status)


def _rule(
    measured: MeasuredScores, threshold: float, priors: tuple[float, float], status: str
) -> LinearRule:
    """Return the rule for a threshold on a score; an infinite one always gives one answer."""
    scored = measured.scored
    if not np.isfinite(threshold):
        return constant_rule(scored, priors[0], always_positive=threshold < 0)
    offset = measured.offset - threshold + scored.negative_score
    return linear_rule(scored, offset, priors[0], status)
