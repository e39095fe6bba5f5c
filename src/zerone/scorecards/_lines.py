"""The lines of a card: a column with its bins and their points."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.column import Column
from zerone._data.columns.dates import DateColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._data.encoding import column_from_dict
from zerone._errors import AdviceError
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.scorecards._bins import cuts_of


@dataclass(frozen=True, eq=False)
class CardColumn:
    """A column of a card.

    Attributes
    ----------
    column : Column
        How its cells are read.
    features : slice
        Where its features are in the rows of the card's columns.
    cuts : tuple of float
        Of numbers and dates: a bin has the values up to its cut, the last one those above.
    points : tuple of int
        Of each bin. Of numbers and dates in rising order and, last, of missing values; of
        categories in their order, infrequent and missing ones, and last any other one.
    """

    column: Column
    features: slice
    cuts: tuple[float, ...]
    points: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        column: Column,
        features: slice,
        rows: FloatArray,
        is_positive: AnyArray,
        weights: FloatArray,
    ) -> "CardColumn":
        """Return a column with its bins, without points.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_features)
            The features of the column.
        """
        if isinstance(column, CategoryColumn):
            return cls(column, features, ())
        if not isinstance(column, NumericColumn | DateColumn):
            raise AdviceError(
                f"a card has no line for column {column.name!r} ({column.read_as})",
                "leave the column out",
            )
        known = np.ones(len(rows), dtype=bool)
        if column.has_indicator:
            known = rows[:, -1] == 0
        if not known.any():
            return cls(column, features, ())
        return cls(column, features, cuts_of(rows[known, 0], is_positive[known], weights[known]))

    @property
    def n_bins(self) -> int:
        """Number of bins, of missing values and other categories included."""
        if isinstance(self.column, CategoryColumn):
            return len(self.column.feature_names) + 1
        return len(self.cuts) + 1 + self.has_missing

    @property
    def has_missing(self) -> bool:
        """Whether missing numbers or dates have a bin."""
        return isinstance(self.column, NumericColumn | DateColumn) and self.column.has_indicator

    def bins(self, rows: FloatArray) -> IntArray:
        """Return the bin of each row, given the features of the column."""
        if isinstance(self.column, CategoryColumn):
            has = rows > 0
            return np.asarray(np.where(has.any(axis=1), has.argmax(axis=1), rows.shape[1]))
        found = np.searchsorted(self.cuts, rows[:, 0], side="left")
        if self.has_missing:
            found[rows[:, -1] > 0] = len(self.cuts) + 1
        return found

    def with_points(self, points: Any) -> "CardColumn":
        """Return the column with the points of its bins."""
        return replace(self, points=tuple(int(own) for own in points))

    @property
    def cases(self) -> list[tuple[str, int]]:
        """What each bin holds, in words, with its points; bins of the same points together."""
        if isinstance(self.column, CategoryColumn):
            return self._cases_of_categories()
        found: list[tuple[str, int]] = []
        first = 0
        for number in range(1, len(self.cuts) + 1):
            if self.points[number] != self.points[first]:
                found.append((self._range(first, number - 1), self.points[first]))
                first = number
        found.append((self._range(first, len(self.cuts)), self.points[first]))
        if self.has_missing:
            found.append(("missing", self.points[-1]))
        return found

    def _range(self, first: int, last: int) -> str:
        low = None if first == 0 else self._shown(self.cuts[first - 1])
        high = None if last == len(self.cuts) else self._shown(self.cuts[last])
        if low is None:
            return "any value" if high is None else f"up to {high}"
        return f"above {low}" if high is None else f"above {low}, up to {high}"

    def _shown(self, value: float) -> str:
        if isinstance(self.column, DateColumn):
            days = np.floor(value + self.column.origin).astype(np.int64)
            return str(days.astype("datetime64[D]"))
        return f"{value:.15g}"

    def _cases_of_categories(self) -> list[tuple[str, int]]:
        assert isinstance(self.column, CategoryColumn)
        names = [
            *self.column.categories,
            *["infrequent"] * self.column.has_infrequent,
            *["missing"] * self.column.has_missing,
            "any other",
        ]
        found: dict[int, list[str]] = {}
        for name, points in zip(names, self.points, strict=True):
            found.setdefault(points, []).append(name)
        return [(", ".join(own), points) for points, own in sorted(found.items())]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "column": self.column.to_dict(),
            "features": [self.features.start, self.features.stop],
            "cuts": list(self.cuts),
            "points": list(self.points),
        }

    @classmethod
    def from_dict(cls, given: Any) -> "CardColumn":
        """Return the column that `to_dict` described."""
        return cls(
            column_from_dict(given["column"]),
            slice(*map(int, given["features"])),
            tuple(map(float, given["cuts"])),
            tuple(map(int, given["points"])),
        )


def features_of(rows: Any, features: slice) -> FloatArray:
    """Return some features of rows as an array of floats."""
    own = rows[:, features]
    dense = own.toarray() if sp.issparse(own) else own
    return np.asarray(dense, dtype=np.float64)


def straightened(column: Column, rows: FloatArray) -> tuple[Column, FloatArray]:
    """Return a column that may bend as one of numbers, and its features."""
    if not isinstance(column, NumericColumn) or not column.knots:
        return column, rows
    own = [column.number_of(rows)]
    if column.has_indicator:
        own.append(rows[:, -1])
    return replace(column, knots=()), np.column_stack(own)
