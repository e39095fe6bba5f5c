"""What a fitted classifier keeps to find other rules without the data."""

from dataclasses import dataclass
from typing import Any

from zerone._moments.shrinkage import shrink_moments
from zerone._refine.kept import KeptScores
from zerone._typing import AnyArray, FloatArray, Level
from zerone.frontier._projection import Reduction, reduced_moments


@dataclass(frozen=True, eq=False)
class Kept:
    """Moments and held-out scores of a fit; `retarget` does not change them.

    Attributes
    ----------
    classes : ndarray
    reduction : Reduction
        The moments as they were read; for wide data their projection, shrunk.
    shrinkage_setting : "auto", number or None
        How moments that were not projected are shrunk again before `retarget`: to keep both forms
        would take twice the memory.
    prior_weights : ndarray of shape (n_classes,)
        Class weights times the factors of ``class_weight``, used for the posterior.
    shrinkage : ndarray of shape (n_classes,)
    n_iter : int
    level : "frontier", "polish" or None
        How far the rules were refined; None if no pair was.
    scores : KeptScores or None
        Held-out scores of every pair; None if the rules use the moments only.
    """

    classes: AnyArray
    reduction: Reduction
    shrinkage_setting: Any
    prior_weights: FloatArray
    shrinkage: FloatArray
    n_iter: int
    level: Level | None
    scores: KeptScores | None

    def shrunk(self) -> Reduction:
        """Return the moments that the rules were found for."""
        if self.reduction.basis is not None:
            return self.reduction
        # The fit has already warned of small classes.
        shrunk, _ = shrink_moments(self.reduction.moments, self.shrinkage_setting, warns=False)
        return reduced_moments(shrunk) if shrunk.carries_rows else Reduction(shrunk)
