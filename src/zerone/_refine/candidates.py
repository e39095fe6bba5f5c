"""Candidates and their held-out scores, put together into one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._refine.held_out import Counts, HeldOutRows
from zerone._refine.measured import MeasuredScores
from zerone._typing import FitMetric, FloatArray

# How sharply the weight of a candidate falls with its loss, in standard errors of the best.
_SOFTNESS: dict[FitMetric, float] = {"error": 0.3, "auc": 0.1}


@dataclass(frozen=True, eq=False)
class Candidates:
    """Directions, each a mean over the models of all splits.

    Attributes
    ----------
    held_out : HeldOutRows
    scores : ndarray of shape (n_candidates, n_held_out_rows)
        Every row scored by the model that has not seen it.
    directions : ndarray of shape (n_candidates, n_coordinates)
    for_features : callable
        Turns directions into directions for the features and the constants to be added.
    """

    held_out: HeldOutRows
    scores: FloatArray
    directions: FloatArray
    for_features: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    @cached_property
    def counts(self) -> Counts:
        """Where the held-out rows score."""
        return self.held_out.count(self.scores)

    def losses(self, metric: FitMetric) -> FloatArray:
        """Return the loss of every candidate on held-out rows."""
        counts = self.counts
        return counts.crossfit_errors() if metric == "error" else counts.ranking_losses()

    def best(self, metric: FitMetric) -> int:
        """Return the candidate of least loss; of equal ones that which separates the means best.

        The order of the candidates would make the choice depend on which class is called
        positive.
        """
        losses = self.losses(metric).round(12)
        return int(np.lexsort((-self.held_out.separations(self.scores), losses))[0])

    def joined(self, other: "Candidates") -> "Candidates":
        """Return these candidates and others of the same rows."""
        return replace(
            self,
            scores=np.vstack([self.scores, other.scores]),
            directions=np.vstack([self.directions, other.directions]),
        )

    def combined(self, losses: FloatArray, metric: FitMetric) -> "Candidates":
        """Return their mean, with weights that fall off with the loss."""
        best = float(losses.min())
        weights = np.exp((best - losses) / (_SOFTNESS[metric] * self._standard_error(best, metric)))
        weights /= weights.sum()
        return replace(
            self,
            scores=(weights @ self.scores)[None],
            directions=(weights @ self.directions)[None],
        )

    def measured(self, columns: list[int], pair: TwoClassMoments) -> tuple[MeasuredScores, ...]:
        """Return some candidates as directions for the features, with their held-out scores.

        Parameters
        ----------
        columns : list of int
        pair : TwoClassMoments
            Of all rows.
        """
        coef, constants = self.for_features(self.directions[columns])
        return tuple(
            MeasuredScores.of_candidate(
                coef[row],
                float(constants[row]),
                self.held_out,
                self.scores[column],
                pair,
                self.counts,
                column,
            )
            for row, column in enumerate(columns)
        )

    def _standard_error(self, loss: float, metric: FitMetric) -> float:
        total, positive = self.held_out.total, self.held_out.positive
        variance = max(loss * (1 - loss), 1 / total)
        if metric == "error":
            return float(np.sqrt(variance / total))
        return float(np.sqrt(variance / max(min(positive, total - positive), 1.0)))
