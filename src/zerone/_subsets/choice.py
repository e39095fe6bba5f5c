"""The columns of every size for one set of rows: candidates of moments, judged by the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.batch import Batch
from zerone._moments.moments import Moments
from zerone._subsets.deviance import LogisticRows
from zerone._subsets.groups import feature_groups
from zerone._subsets.problem import SubsetProblem
from zerone._subsets.search import Subset, subset_candidates
from zerone._typing import FloatArray, IntArray

# Rows judge subsets of at most so many features; rows and their number are limited, to save time.
_MOST_JUDGED = 100
_JUDGING_VALUES, _LEAST_ROWS, _MOST_ROWS = 20_000_000, 2_000, 20_000
# The deviance is searched, too: for so many columns and features, at most so often.
_MOST_SEARCHED, _MOST_REWEIGHTED, _REWEIGHTED_VALUES = 20, 500, 500_000_000
_MOST_SEARCHES = 3
# Larger log-odds have no curvature left.
_FARTHEST = 15.0


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
        used = np.unique(np.concatenate(candidates))
        rows = self._logistic(used, max(_JUDGING_VALUES // widest**2, _LEAST_ROWS))
        return int(np.argmin(rows.judged([np.searchsorted(used, own) for own in candidates])))

    def reweighted(self, subset: IntArray, groups: IntArray) -> SubsetProblem | None:
        """Return the problem of the deviance near the fit of a subset; None if it is too large.

        Near its least value the deviance is a weighted sum of squares. So its best subset has a
        problem like that of the moments, with rows weighted by p(1 − p), and the working response
        in place of the class means.

        Parameters
        ----------
        subset : ndarray of int
            Positions of features.
        groups : ndarray of int, shape (n_features,)
            The group of each feature.
        """
        n_features = self.rows.shape[1]
        if n_features > _MOST_REWEIGHTED or len(subset) > _MOST_JUDGED:
            return None
        rows = self._logistic(
            np.arange(n_features), max(_REWEIGHTED_VALUES // n_features**2, _LEAST_ROWS)
        )
        odds = rows.log_odds(subset)
        chance = 1 / (1 + np.exp(-np.clip(odds, -_FARTHEST, _FARTHEST)))
        curve = rows.weights * chance * (1 - chance)
        total = curve.sum()
        wanted = rows.weights * ((rows.signs > 0) - chance) + curve * (odds - curve @ odds / total)
        centred = rows.rows - curve @ rows.rows / total
        within = centred.T @ (centred * curve[:, None]) / total
        between = (centred.T @ wanted / total)[:, None]
        return SubsetProblem.of_matrices(within, between, groups)

    def _logistic(self, features: IntArray, most: int) -> LogisticRows:
        """Return at most so many of the rows with some of their features."""
        rows = _spaced(len(self.weights), most)
        values = self.rows[rows][:, features]
        dense = np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)
        weights = self.weights[rows] * (self.weights.sum() / self.weights[rows].sum())
        return LogisticRows.of(dense, self.is_positive[rows], weights)


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
            self._known[size] = self._found(size)
        return self._known[size]

    def _found(self, size: int) -> IntArray:
        found = self._features_of(self._candidates[size - 1])
        if self._rows is None:
            return found[0]
        best = found[self._rows.best(found)]
        for _ in range(_MOST_SEARCHES if size <= _MOST_SEARCHED else 0):
            problem = self._rows.reweighted(best, self._groups)
            if problem is None:
                break
            candidates = subset_candidates(problem, size)
            # The one to beat comes first, and so wins ties.
            found = [best, *self._features_of(candidates[-1])]
            after = found[self._rows.best(found)]
            if np.array_equal(after, best):
                break
            best = after
        return best

    def _features_of(self, subsets: Sequence[Subset]) -> list[IntArray]:
        """Return the positions of the features of each subset."""
        return [np.flatnonzero(np.isin(self._groups, own.groups)) for own in subsets]
