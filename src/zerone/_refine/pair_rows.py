"""The rows of two classes, and the sample of them that is trained on and held out."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from zerone._moments.implicit import ImplicitCovariance
from zerone._moments.pair import TwoClassMoments
from zerone._moments.shrinkage import total_variances
from zerone._refine.folds import Folds
from zerone._refine.models import CellMoments
from zerone._refine.training_rows import Sample
from zerone._typing import FloatArray, IntArray
from zerone.metrics import Priors

# Most rows to train on and to hold out: more rows gain almost nothing (evidence/polish_rows.py).
# And most values, to limit memory.
MAX_ROWS = 100_000
MAX_VALUES = 2**26


@dataclass(frozen=True, eq=False)
class PairRows:
    """The rows of two classes.

    Attributes
    ----------
    rows : ndarray or csr array of shape (n_rows, n_features)
        May include rows of other classes.
    positive, negative : ndarray of int
        Positions of the rows of each class, without rows of weight zero.
    weights : ndarray of shape (n_rows,) or None
    folds : Folds
        Of all rows.
    moments : TwoClassMoments
        Of both classes; of more rows than these if they are a sample.
    cells : pair of CellMoments, or None
        Moments of the positive and the negative class in the cells of the folds. None if rows are
        read again for each split: if there are fewer rows than features, if rows are wide and
        sparse, or if splits overlap so much that there are many cells.
    is_sample : bool
        Whether the moments are those of more rows.
    is_single : bool
        Whether rules are searched for in single precision, which halves the time of many features.
    """

    rows: Any
    positive: IntArray
    negative: IntArray
    weights: FloatArray | None
    folds: Folds
    moments: TwoClassMoments
    cells: tuple[CellMoments, CellMoments] | None
    is_sample: bool = False
    is_single: bool = False

    def mapped(self, matrix: FloatArray) -> "PairRows":
        """Return the same rows with other features, ``matrix @ x``, in double precision."""
        return replace(
            self,
            is_single=False,
            rows=self.rows @ matrix.T,
            moments=self.moments.affine(matrix),
            cells=None
            if self.cells is None
            else (self.cells[0].mapped(matrix), self.cells[1].mapped(matrix)),
        )

    @cached_property
    def members(self) -> IntArray:
        """Positions of the rows of both classes, positive rows first."""
        return np.concatenate([self.positive, self.negative])

    @cached_property
    def signs(self) -> FloatArray:
        """+1 and -1 for the members."""
        return np.repeat([1.0, -1.0], [len(self.positive), len(self.negative)])

    @cached_property
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
        """Whether the rows are wide and sparse, so that only projections are used."""
        classes = (self.moments.positive, self.moments.negative)
        return any(isinstance(m.covariance, ImplicitCovariance) for m in classes)

    @property
    def has_spread(self) -> bool:
        """Whether any feature is not constant."""
        return bool(total_variances([self.moments.positive, self.moments.negative]).any())

    def priors(self, factors: tuple[float, float]) -> Priors:
        """Return the shares of the positive and the negative class, given their factors."""
        positive = self.moments.positive.weight * factors[0]
        negative = self.moments.negative.weight * factors[1]
        return positive / (positive + negative), negative / (positive + negative)

    def units(self, factors: tuple[float, float]) -> tuple[float, float]:
        """Return factors of the class weights that keep the total weight."""
        positive, negative = self.moments.positive.weight, self.moments.negative.weight
        scale = (positive + negative) / (positive * factors[0] + negative * factors[1])
        return factors[0] * scale, factors[1] * scale


def drawn_sample(pair: PairRows, seed: int) -> tuple[Sample, Folds | None]:
    """Return the rows to train on and to hold out, and the splits that these can judge.

    All rows if they are few, or if a sample of them could judge no splits. Rows of the moments are
    never left out. The splits are None if even all rows can judge none.

    Parameters
    ----------
    pair : PairRows
    seed : int
        For the sample that stands for very many rows.
    """
    folds = pair.folds.of_rows(pair.members)
    codes, weights = (pair.signs > 0).astype(np.intp), pair.row_weights
    sizes = len(pair.positive), len(pair.negative)
    n_coordinates = max(min(pair.rows.shape[1], sum(sizes)), 1)
    most = sum(sizes) if pair.is_wide else max(min(MAX_ROWS, MAX_VALUES // n_coordinates), 2)
    for limit in (most, sum(sizes)):
        sample = Sample.drawn(*sizes, limit, seed)
        chosen = sample.chosen
        own = None if weights is None else weights[chosen]
        usable = folds.of_rows(chosen).usable(codes[chosen], own)
        if usable is not None:
            return sample.by_cell(codes, folds.cells), replace(
                folds, train=usable.train, test=usable.test
            )
    return sample, None
