"""The columns of every size for one set of rows: candidates of moments, judged by the rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.batch import Batch
from zerone._moments.moments import Moments
from zerone._subsets.deviance import judged_deviances
from zerone._subsets.groups import feature_groups
from zerone._subsets.problem import SubsetProblem
from zerone._subsets.search import Subset, subset_candidates
from zerone._typing import FloatArray, IntArray

# Rows judge subsets of at most so many features; rows and their number are limited, to save time.
_MOST_JUDGED = 100
_JUDGING_VALUES, _LEAST_ROWS, _MOST_ROWS = 20_000_000, 2_000, 20_000


@dataclass(frozen=True, eq=False)
class JudgingRows:
    """Rows of two classes that judge subsets.

    Attributes
    ----------
    rows : ndarray or csr array of shape (n_rows, n_features)
    is_positive : ndarray of bool, shape (n_rows,)
    weights : ndarray of shape (n_rows,)
    """

    rows: Any
    is_positive: Any
    weights: FloatArray

    @classmethod
    def of(cls, batch: Batch, positions: IntArray, factors: FloatArray) -> "JudgingRows":
        """Return rows of a batch, or a sample of them that keeps the rarer class.

        Parameters
        ----------
        batch : Batch
        positions : ndarray of int
            Of rows of the two classes of the batch.
        factors : ndarray of shape (2,)
            Of the weights of the classes.
        """
        codes = batch.codes[positions]
        weights = np.ones(len(codes)) if batch.weights is None else batch.weights[positions]
        weights = weights * factors[codes]
        parts = [np.flatnonzero(codes == code) for code in (0, 1)]
        rarer = min(len(part) for part in parts)
        kept = []
        for part in parts:
            most = max(_MOST_ROWS // 2, _MOST_ROWS - rarer)
            chosen = part[_spaced(len(part), most)]
            weights[chosen] *= weights[part].sum() / weights[chosen].sum()
            kept.append(chosen)
        rows = np.sort(np.concatenate(kept))
        return cls(batch.rows[positions[rows]], codes[rows] == 1, weights[rows])

    def best(self, candidates: list[IntArray]) -> int:
        """Return which subset of the features fits best."""
        widest = max(len(own) for own in candidates)
        if len(candidates) == 1 or widest > _MOST_JUDGED:
            return 0
        most = max(_JUDGING_VALUES // widest**2, _LEAST_ROWS)
        rows = _spaced(len(self.weights), most)
        used = np.unique(np.concatenate(candidates))
        values = self.rows[rows][:, used]
        dense = np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)
        places = [np.searchsorted(used, own) for own in candidates]
        weights = self.weights[rows] * (self.weights.sum() / self.weights[rows].sum())
        found = judged_deviances(dense, self.is_positive[rows], weights, places)
        return int(np.argmin(found))


def _spaced(size: int, most: int) -> IntArray:
    """Return the positions of at most so many rows, evenly spaced."""
    if size <= most:
        return np.arange(size)
    return np.linspace(0, size - 1, most).astype(np.intp)


class ColumnSearch:
    """The best features of every number of columns, up to a largest one."""

    def __init__(
        self, moments: Moments, most: int, factors: FloatArray, rows: JudgingRows | None = None
    ) -> None:
        """Search.

        Parameters
        ----------
        moments : Moments
        most : int
            Columns, at most.
        factors : ndarray of shape (n_classes,)
            Of the weights of the classes.
        rows : JudgingRows, optional
            Judge among the candidates of the moments.
        """
        self._groups = feature_groups(moments)
        self._rows = rows
        problem = SubsetProblem.of(moments, self._groups, factors)
        self._candidates: list[list[Subset]] = subset_candidates(problem, most)
        self._known: dict[int, IntArray] = {}

    @property
    def n_sizes(self) -> int:
        """The largest number of columns that vary, and so can be chosen."""
        return len(self._candidates)

    def features(self, size: int) -> IntArray:
        """Return the positions of the features of so many columns, or fewer if not more vary."""
        if not self._candidates:
            # Without a feature that varies, the first column is as good as any.
            return np.flatnonzero(self._groups == self._groups[0])
        size = min(size, len(self._candidates))
        if size not in self._known:
            found = [
                np.flatnonzero(np.isin(self._groups, own.groups))
                for own in self._candidates[size - 1]
            ]
            self._known[size] = found[0 if self._rows is None else self._rows.best(found)]
        return self._known[size]
