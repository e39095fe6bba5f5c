"""`FeaturePath`: the best rule of every number of columns, and what held-out rows say of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._moments.moments import Moments
from zerone._subsets.groups import feature_groups, group_names
from zerone._typing import FloatArray
from zerone._uncertainty.intervals import UNKNOWN, Interval, student
from zerone.estimators._solution import Solution
from zerone.metrics import ChosenMetric

# Every size up to ten columns, then steps of about a quarter.
_SIZES = (*range(1, 11), 12, 15, 20, 25, 32, 40, 50, 64, 80, 100)


@dataclass(frozen=True, eq=False)
class PathPoint:
    """The best rule of one number of columns.

    Attributes
    ----------
    columns : tuple of str
        Those that are used; positions where features have no names.
    coef : ndarray of shape (n_pairs, n_features)
        Zero for features of other columns.
    intercept : ndarray of shape (n_pairs,)
    expected : float
        The metric that the normal model expects; of several classes the mean over the pairs.
    held_out : float
        The metric on held-out rows; NaN if none were held out.
    held_out_interval : Interval
        Of 95 %.
    """

    columns: tuple[str, ...]
    coef: FloatArray
    intercept: FloatArray
    expected: float
    held_out: float = np.nan
    held_out_interval: Interval = UNKNOWN

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)


@dataclass(frozen=True, eq=False)
class FeaturePath:
    """The best rule of every number of columns; made by `zerone.feature_path`.

    Attributes
    ----------
    points : tuple of PathPoint
        From one column on.
    metric : str
        What was optimised, in words.
    lower_is_better : bool
    chosen : int or None
        The position of the smallest number of columns whose held-out metric is within one standard
        error of the best; None if nothing was held out.
    """

    points: tuple[PathPoint, ...]
    metric: str
    lower_is_better: bool
    chosen: int | None

    @classmethod
    def of(
        cls, points: Sequence[PathPoint], metric: ChosenMetric, degrees: float = np.inf
    ) -> "FeaturePath":
        """Return the path of some points, with the one that is chosen.

        Parameters
        ----------
        points : sequence of PathPoint
        metric : ChosenMetric
        degrees : float
            Degrees of freedom of the intervals.
        """
        sign = 1.0 if metric.lower_is_better else -1.0
        losses = np.array([sign * own.held_out for own in points])
        chosen = None
        if np.isfinite(losses).any():
            best = int(np.nanargmin(losses))
            low, high = points[best].held_out_interval
            error = (high - low) / (2 * student(degrees)) if np.isfinite(high - low) else 0.0
            chosen = int(np.flatnonzero(losses <= losses[best] + error)[0])
        return cls(tuple(points), metric.title, metric.lower_is_better, chosen)

    def frame(self) -> Any:
        """Return a pandas DataFrame with a row for each number of columns."""
        import pandas as pd

        return pd.DataFrame(
            {
                "n_columns": [own.n_columns for own in self.points],
                "expected": [own.expected for own in self.points],
                "held_out": [own.held_out for own in self.points],
                "low": [own.held_out_interval.low for own in self.points],
                "high": [own.held_out_interval.high for own in self.points],
                "columns": [", ".join(own.columns) for own in self.points],
            }
        )

    def __repr__(self) -> str:
        chosen = "" if self.chosen is None else f"; {self.points[self.chosen].n_columns} are enough"
        return f"<FeaturePath of 1 to {self.points[-1].n_columns} columns{chosen}>"


def path_sizes(n_columns: int) -> list[int]:
    """Return the numbers of columns that a path has."""
    sizes = [size for size in _SIZES if size < n_columns]
    return [*sizes, n_columns] if n_columns <= _SIZES[-1] else [*sizes]


def point_of(solution: Solution, moments: Moments) -> PathPoint:
    """Return the point of a path that a fit is."""
    coef, intercept = solution.coefficients
    groups, names = feature_groups(moments), group_names(moments)
    used = np.unique(groups[(coef != 0).any(axis=0)])
    ends = np.atleast_2d(solution.held_out_interval)
    return PathPoint(
        tuple(names[group] for group in used.tolist()),
        coef,
        intercept,
        _mean(solution.expected_metric),
        _mean(solution.held_out_metric),
        Interval(_mean(ends[:, 0]), _mean(ends[:, 1])),
    )


def _mean(values: FloatArray | float) -> float:
    known = np.atleast_1d(np.asarray(values, dtype=np.float64))
    known = known[np.isfinite(known)]
    return float(known.mean()) if known.size else np.nan
