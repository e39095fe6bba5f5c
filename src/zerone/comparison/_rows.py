"""The rows of a comparison, split into training rows and held-out rows."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from zerone._data.encoding import Encoding
from zerone._rows.array_rows import ArrayRows
from zerone._rows.table_rows import SampledColumns, TableRows
from zerone._typing import AnyArray, FloatArray
from zerone.comparison._split_encoding import encoded_split


@dataclass(frozen=True, eq=False)
class Part:
    """The training rows or the held-out rows of a split.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_rows, n_features)
        Sparse if a column is hashed.
    y : ndarray of shape (n_rows,)
    weights : ndarray of shape (n_rows,) or None
        Row weights times the number of rows that each row of a sample stands for.
    """

    X: Any
    y: AnyArray
    weights: FloatArray | None = None

    @property
    def as_array(self) -> "Part":
        """The same rows as an array, for classifiers that do not take sparse rows."""
        return replace(self, X=self.X.toarray()) if sp.issparse(self.X) else self

    def __getitem__(self, chosen: AnyArray) -> "Part":
        return Part(self.X[chosen], self.y[chosen], _chosen(self.weights, chosen))

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True, eq=False)
class Split:
    """Training rows and held-out rows with the same features.

    Attributes
    ----------
    train, test : Part
    encoding : Encoding or None
        How columns became these features; None for features without names.
    bends : Encoding or None
        Where the features may bend; None for features without names.
    """

    train: Part
    test: Part
    encoding: Encoding | None = None
    bends: Encoding | None = None

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features; None for features without names."""
        return None if self.encoding is None else self.encoding.feature_names


class ComparedRows(Protocol):
    """The rows of a comparison."""

    @property
    def y(self) -> AnyArray:
        """Labels."""
        ...

    @property
    def weights(self) -> FloatArray | None:
        """Row weights times the number of rows that each row of a sample stands for."""
        ...

    def split(self, is_held_out: AnyArray) -> Split:
        """Return the rows of a split; with a boolean for each row."""
        ...

    def chosen(self, is_chosen: AnyArray) -> "ComparedRows":
        """Return some of the rows; with a boolean for each row."""
        ...


@dataclass(frozen=True, eq=False)
class NumberRows:
    """Rows of numbers, which need no encoding."""

    X: FloatArray
    y: AnyArray
    weights: FloatArray | None = None

    @classmethod
    def of(cls, rows: ArrayRows) -> "NumberRows":
        """Return the same rows as an array."""
        batch = rows.in_memory().batch.with_array()
        return cls(batch.rows, batch.classes[batch.codes], batch.weights)

    def split(self, is_held_out: AnyArray) -> Split:
        """Return the rows of a split."""
        every = Part(self.X, self.y, self.weights)
        return Split(every[~is_held_out], every[is_held_out])

    def chosen(self, is_chosen: AnyArray) -> "NumberRows":
        """Return some of the rows."""
        return NumberRows(self.X[is_chosen], self.y[is_chosen], _chosen(self.weights, is_chosen))


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """Rows of a table, whose columns are encoded anew for every split.

    Categories, fill values and columns that are left out follow from the training rows only; the
    held-out rows are encoded as `predict` would encode them.
    """

    table: SampledColumns

    @property
    def y(self) -> AnyArray:
        """Labels."""
        return self.table.labels

    @property
    def weights(self) -> FloatArray | None:
        """Row weights times the number of rows that each row of a sample stands for."""
        return self.table.weights

    def split(self, is_held_out: AnyArray) -> Split:
        """Return the rows of a split."""
        train, test = self.chosen(~is_held_out), self.chosen(is_held_out)
        X_train, X_test, encoding, bends = encoded_split(train.table, test.table)
        return Split(
            Part(X_train, train.y, train.weights),
            Part(X_test, test.y, test.weights),
            encoding,
            bends,
        )

    def chosen(self, is_chosen: AnyArray) -> "ColumnRows":
        """Return some of the rows."""
        columns: Any = self.table.columns.take(np.flatnonzero(is_chosen))
        return ColumnRows(
            replace(
                self.table,
                columns=columns,
                labels=self.y[is_chosen],
                weights=_chosen(self.weights, is_chosen),
            )
        )


def sampled_rows(table: TableRows, max_values: int, random_state: int) -> tuple[ComparedRows, bool]:
    """Return the rows of a table, and whether they are only a sample, as in `Rows.sample`."""
    random = np.random.RandomState(random_state)
    if table.has_columns:
        sampled = table.sampled_columns(max_values, random)
        return ColumnRows(sampled), sampled.is_sample
    numbers = table.sample(max_values, random)
    return NumberRows.of(numbers), numbers.is_sample


def _chosen(weights: FloatArray | None, chosen: AnyArray) -> FloatArray | None:
    return None if weights is None else weights[chosen]
