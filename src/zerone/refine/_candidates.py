"""Candidates and their held-out scores, put together into one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._typing import FloatArray, Target
from zerone.moments import TwoClassMoments
from zerone.refine._held_out import Counts, HeldOutRows
from zerone.refine._measured import MeasuredScores
from zerone.rules import ScoredDirection

# How sharply the weight of a candidate falls with its loss, in standard errors of the best.
_SOFTNESS: dict[Target, float] = {"error": 0.3, "auc": 0.1}


@dataclass(frozen=True, eq=False)
class Candidates:
    """Directions, each a mean over the models of all splits.

    Attributes
    ----------
    held_out : HeldOutRows
    scores : ndarray of shape (n_candidates, n_held_out_rows)
        Every row scored by the model that has not seen it.
    directions : ndarray of shape (n_candidates, n_coordinates)
    offsets : ndarray of shape (n_candidates,)
    for_features : callable
        Turns directions into directions for the features, with the constant to be added.
    """

    held_out: HeldOutRows
    scores: FloatArray
    directions: FloatArray
    offsets: FloatArray
    for_features: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    def losses(self, target: Target) -> FloatArray:
        """Return the loss of every candidate on held-out rows."""
        return self.counts.crossfit_errors() if target == "error" else self.counts.ranking_losses()

    def best(self, target: Target) -> int:
        """Return the candidate of least loss; of equal ones that which ranks best.

        The order of the candidates would make the choice depend on which class is called
        positive.
        """
        losses = self.losses(target).round(12)
        return int(np.lexsort((self.counts.ranking_losses(), losses))[0])

    @cached_property
    def counts(self) -> Counts:
        """Where the held-out rows score."""
        return self.held_out.count(self.scores)

    def measured(self, moments: TwoClassMoments, columns: list[int]) -> tuple[MeasuredScores, ...]:
        """Return some candidates as directions for the features, with their held-out scores.

        Parameters
        ----------
        moments : TwoClassMoments
            Of all rows.
        columns : list of int
        """
        coef, constants = self.for_features(self.directions[columns])
        return tuple(
            MeasuredScores.of_counts(
                ScoredDirection.of_pair(moments, coef[row]),
                float(constants[row] + self.offsets[column]),
                self.counts,
                column,
            )
            for row, column in enumerate(columns)
        )

    def joined(self, other: "Candidates") -> "Candidates":
        """Return these candidates and others of the same rows."""
        return Candidates(
            self.held_out,
            np.vstack([self.scores, other.scores]),
            np.vstack([self.directions, other.directions]),
            np.concatenate([self.offsets, other.offsets]),
            self.for_features,
        )

    def combined(self, losses: FloatArray, target: Target) -> "Candidates":
        """Return their mean, with weights that fall off with the loss."""
        best = float(losses.min())
        weights = np.exp((best - losses) / (_SOFTNESS[target] * self._standard_error(best, target)))
        weights /= weights.sum()
        return Candidates(
            self.held_out,
            (weights @ self.scores)[None],
            (weights @ self.directions)[None],
            np.array([weights @ self.offsets]),
            self.for_features,
        )

    def _standard_error(self, loss: float, target: Target) -> float:
        total = self.held_out.total
        variance = max(loss * (1 - loss), 1 / total)
        if target == "error":
            return float(np.sqrt(variance / total))
        positive = float(self.held_out.weights[self.held_out.signs > 0].sum())
        return float(np.sqrt(variance / max(min(positive, total - positive), 1.0)))
