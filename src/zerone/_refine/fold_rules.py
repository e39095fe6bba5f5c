"""The rules of the models that held rows out: how far they are spread says how sure the rule is."""

from dataclasses import dataclass, replace

import numpy as np

from zerone._refine.evidence import HeldOutRule
from zerone._refine.folds import Folds
from zerone._refine.pair_rows import PairRows
from zerone._typing import AnyArray, FloatArray
from zerone.metrics import Priors
from zerone.rules._direction import ScoreStatistics


@dataclass(frozen=True, eq=False)
class FoldRules:
    """Refined rules that were fitted without one part of the rows each.

    Attributes
    ----------
    rules : ndarray of shape (n_splits, n_features + 1)
        Coefficients and, last, intercepts, in pooled within-class standard deviations.
    left_out : float
        Share of the rows that a model leaves out, on average.
    varies : ndarray of bool of shape (n_features,)
        Whether a feature varies within both classes in every part of the rows. The coefficients
        of others rest on few rows.
    """

    rules: FloatArray
    left_out: float
    varies: AnyArray

    @classmethod
    def of(
        cls,
        rule: HeldOutRule,
        threshold: float,
        pair: PairRows,
        folds: Folds,
        priors: Priors,
    ) -> "FoldRules | None":
        """Return the rules of the splits in the units of the features.

        Parameters
        ----------
        rule : HeldOutRule
            In the coordinates of the features.
        threshold : float
            On its scores.
        pair : PairRows
            The rows, with the moments that set the scale.
        folds : Folds
        priors : tuple of float
        """
        if rule.of_splits is None or pair.cells is None or not np.isfinite(threshold):
            return None
        coef = rule.of_splits[:, :-1]
        own = np.column_stack([coef, rule.of_splits[:, -1] - threshold])
        spreads = [
            ScoreStatistics.of_direction(pair.moments, one).pooled_sd(priors[0]) for one in coef
        ]
        if min(spreads) == 0:
            return None
        weights = np.zeros(len(pair.cells[0].present))
        for of_class in pair.cells:
            weights[of_class.present] += of_class.weights
        left_out = np.mean([weights[list(cells)].sum() for cells in folds.test]) / weights.sum()
        varies = [
            (of_class.covariances.diagonal(axis1=1, axis2=2) > 0).all(axis=0)
            for of_class in pair.cells
        ]
        return cls(own / np.array(spreads)[:, None], float(left_out), np.all(varies, axis=0))

    def scaled(self, factor: float) -> "FoldRules":
        """Return the rules times a positive factor."""
        return replace(self, rules=self.rules * factor)

    def turned(self) -> "FoldRules":
        """Return the same rules with the other class as the positive one."""
        return replace(self, rules=-self.rules)
