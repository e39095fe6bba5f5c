"""The rows of two classes, and all that is known about them before they are refined."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._typing import FloatArray, IntArray
from zerone.moments import ClassMoments, ImplicitCovariance, TwoClassMoments
from zerone.refine._folds import Folds
from zerone.refine._shrinkage import total_variances


@dataclass(frozen=True, eq=False)
class PairRows:
    """The rows of two classes.

    Attributes
    ----------
    rows : ndarray or csr array of shape (n_rows, n_features)
        Rows of other classes may be among them.
    positive, negative : ndarray of int
        Positions of the rows of each class, without rows of weight zero.
    weights : ndarray of shape (n_rows,) or None
    folds : Folds
        Of all rows.
    moments : TwoClassMoments
        Of all their rows.
    cells : sequence of (ClassMoments, ClassMoments), or None
        Moments of the positive and the negative class in each cell of the folds. None where
        they are read for each split anew: rows that are fewer than features or wide and sparse,
        and splits that overlap so much that cells are many.
    """

    rows: Any
    positive: IntArray
    negative: IntArray
    weights: FloatArray | None
    folds: Folds
    moments: TwoClassMoments
    cells: Sequence[tuple[ClassMoments, ClassMoments]] | None

    @property
    def members(self) -> IntArray:
        """Positions of all rows, the positive ones first."""
        return np.concatenate([self.positive, self.negative])

    @property
    def signs(self) -> FloatArray:
        """+1 and -1 for the members."""
        return np.repeat([1.0, -1.0], [len(self.positive), len(self.negative)])

    @property
    def row_weights(self) -> FloatArray | None:
        """Weights of the members; None if all are one."""
        return None if self.weights is None else self.weights[self.members]

    @property
    def weights_of_members(self) -> FloatArray:
        """Weights of the members."""
        weights = self.row_weights
        return np.ones(len(self.positive) + len(self.negative)) if weights is None else weights

    @property
    def is_wide(self) -> bool:
        """Whether the rows are wide and sparse, so that only their projections are handled."""
        classes = (self.moments.positive, self.moments.negative)
        return any(isinstance(m.covariance, ImplicitCovariance) for m in classes)

    @property
    def has_spread(self) -> bool:
        """Whether any feature is not constant."""
        return bool(total_variances([self.moments.positive, self.moments.negative]).any())

    def units(self, factors: tuple[float, float]) -> tuple[float, float]:
        """Return factors of the classes' weights that leave the total weight as it is."""
        positive, negative = self.moments.positive.weight, self.moments.negative.weight
        scale = (positive + negative) / (positive * factors[0] + negative * factors[1])
        return factors[0] * scale, factors[1] * scale
