"""Columns of which missing values are replaced by the mean and marked by an indicator."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np

from zerone._data.columns.column import Column, Reading, first_true, middle, no_feature
from zerone._typing import AnyArray, FloatArray


class FilledColumn(Column):
    """A column whose first feature is a number, and whose last one marks missing values.

    Attributes
    ----------
    fill : float or None
        Replaces missing values; in moments it is the mean of the other values. None means zero:
        no value was read yet, or none is missing.
    has_indicator : bool
        Whether there is a feature that is 1 where the value is missing. It is added at the first
        missing value.
    """

    fill: float | None
    has_indicator: bool

    @property
    def value_names(self) -> tuple[str, ...]:
        """Names of the features without the indicator."""
        return (self.name,)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the column's features."""
        names = self.value_names
        return (*names, f"{self.name} is missing") if self.has_indicator else names

    @property
    def indicators(self) -> tuple[bool, ...]:
        """Which of the features are 1 for some rows and 0 for the others."""
        return (False,) * len(self.value_names) + (True,) * self.has_indicator

    def widest(self) -> Self:
        """Return the column with an indicator."""
        return replace(self, has_indicator=True)  # type: ignore[type-var]

    @abstractmethod
    def values_of(self, array: Any, reading: Reading) -> AnyArray:
        """Return the number of each cell; NaN where there is none."""

    @abstractmethod
    def features_of(self, values: AnyArray) -> list[AnyArray]:
        """Return all features but the indicator for complete values."""

    @property
    def missing_values(self) -> FloatArray:
        """All features but the indicator of a missing value."""
        return np.append(self.fill or 0.0, np.zeros(len(self.value_names) - 1))

    def number_of(self, features: FloatArray) -> FloatArray:
        """Return the number that a column's features, the last axis, stand for."""
        return np.asarray(features[..., 0])

    def encoded(self, array: Any, reading: Reading) -> tuple[list[AnyArray], Self]:
        """Return the features of some cells, and the column with what they have added to it."""
        import pyarrow as pa

        column = self
        if pa.types.is_null(array.type):
            array = pa.nulls(len(array), pa.string())
        values = self.values_of(array, reading)
        is_float = values.dtype.kind == "f"
        missing = None
        if is_float and not (reading.strict and not array.null_count):
            # A strict reading leaves NaN to the kernels, which find it without another pass.
            finite = np.isfinite(values)
            missing = None if finite.all() else ~finite
        if missing is not None and reading.strict:
            raise reading.missing(self.name, first_true(missing))
        known = values if missing is None else values[~missing]
        is_training = reading.unknown != "accept"
        if column.fill is None and known.size and is_training and not reading.strict:
            # Any value would do, as the mean replaces it in the end; one near the data loses no
            # digits.
            column = replace(column, fill=middle(known.astype(np.float64)))  # type: ignore[type-var]
        if missing is not None:
            n_infinite = int(np.count_nonzero(np.isinf(values)))
            if n_infinite:
                reading.surprises.add(self.name, "infinite values are read as missing", n_infinite)
            values = np.where(missing, np.float64(column.fill or 0.0), values)
            if is_training and not column.has_indicator:
                column = replace(column, has_indicator=True)  # type: ignore[type-var]
        features = column.features_of(values)
        if missing is not None:
            for own, filled in zip(features, column.missing_values, strict=True):
                own[missing] = filled
        if column.has_indicator:
            features.append(np.zeros(len(values), dtype=bool) if missing is None else missing)
        return features, column

    def joined(self, other: Self) -> Self:
        """Return a column that covers both."""
        fill = other.fill if self.fill is None else self.fill
        has_indicator = self.has_indicator or other.has_indicator
        return replace(self, fill=fill, has_indicator=has_indicator)  # type: ignore[type-var]

    def map_from(self, old: Self, block: FloatArray) -> None:
        """Write the matrix from the features of ``old`` to these; raises if there is none."""
        values = self.values_from(old)
        n_new, n_old = values.shape
        block[:n_new, :n_old] = values
        if not old.has_indicator:
            return
        if not self.has_indicator:
            raise no_feature(
                f"column {old.name!r} had missing values, for which the new encoding has no "
                "indicator"
            )
        step = self.missing_values - values @ old.missing_values
        step[0] -= self.shift_from(old)
        block[:n_new, -1] = step
        block[-1, -1] = 1.0

    def values_from(self, old: Self) -> FloatArray:
        """Return the matrix from the features of ``old`` to these, both without the indicator."""
        return np.eye(len(self.value_names))
