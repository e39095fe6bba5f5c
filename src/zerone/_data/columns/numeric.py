"""`NumericColumn`: a column of numbers, also of numbers that are written as text."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from zerone._data.columns.bends import joined_knots, part_names, parts_of
from zerone._data.columns.column import Reading, flag, no_feature, wrong_type
from zerone._data.columns.filled import FilledColumn
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray


@dataclass(frozen=True)
class NumericColumn(FilledColumn):
    """A column of numbers or booleans: one feature, and an indicator if values are missing.

    If it bends, it has a feature for each part; see `zerone._data.columns.bends`.

    Attributes
    ----------
    name : str
    fill : float or None
        Replaces missing values; in moments it is the mean of the other values. None means zero:
        no value was read yet, or none is missing.
    has_indicator : bool
        Whether there is a last feature, 1 where the value is missing. It is added at the first
        missing value.
    decimal : {".", ","}
        The decimal separator of numbers in text.
    thousands : str or None
        What separates thousands in text, one or several characters; None for all usual ones.
    knots : tuple of float
        Where the column bends, in rising order.
    """

    kind: ClassVar[str] = "numeric"

    name: str
    fill: float | None = None
    has_indicator: bool = False
    decimal: str = "."
    thousands: str | None = None
    knots: tuple[float, ...] = ()

    @property
    def value_names(self) -> tuple[str, ...]:
        """Names of the features without the indicator."""
        return part_names(self.name, self.knots)

    @property
    def is_plain(self) -> bool:
        """Whether the column is one feature, unchanged."""
        return not self.has_indicator and not self.knots

    @property
    def read_as(self) -> str:
        """How the column is read, in words."""
        written = " with a decimal comma" if self.decimal == "," else ""
        if self.knots:
            written += f", bent at {len(self.knots)} value{'s' if len(self.knots) > 1 else ''}"
        if not self.has_indicator:
            return f"numbers{written}"
        value = "by the mean" if self.fill is None else f"as {self.fill:.4g}"
        return f"numbers{written}, missing ones imputed {value} and marked"

    def values_of(self, array: Any, reading: Reading) -> AnyArray:
        """Return the number of each cell; NaN where there is none."""
        from pyarrow.types import is_dictionary, is_duration

        from zerone._data.arrow_values import is_number, is_text, numbers_of
        from zerone._data.cells.text_values import numbers_in

        if is_dictionary(array.type) and not is_text(array.type):
            array = array.dictionary_decode()
        if is_text(array.type):
            return numbers_in(array, self, reading)
        if not is_number(array.type) and not is_duration(array.type):
            raise wrong_type(self.name, array.type, "numbers")
        return numbers_of(array)

    def features_of(self, values: AnyArray) -> list[AnyArray]:
        """Return the parts of complete values; those of the fill value where one is missing."""
        return parts_of(values, self.knots)

    def joined(self, other: "NumericColumn") -> "NumericColumn":
        """Return a column that covers both; raises if they read the same text differently."""
        if self.decimal != other.decimal:
            reason = self._decimals_differ
            raise ArgumentError("encoding", reason, "write numbers with one decimal separator")
        knots = joined_knots(self.knots, other.knots)
        return replace(super().joined(other), knots=knots)

    @property
    def missing_values(self) -> FloatArray:
        """All features but the indicator of a missing value: those of the fill value."""
        return np.array([float(own) for own in parts_of(np.float64(self.fill or 0.0), self.knots)])

    def number_of(self, features: FloatArray) -> FloatArray:
        """Return the number that a column's features, the last axis, stand for: their sum."""
        if not self.knots:
            return super().number_of(features)
        return np.asarray(features[..., : len(self.value_names)].sum(axis=-1))

    def values_from(self, old: "NumericColumn") -> FloatArray:
        """Return which parts of ``old`` add up to each part of this column."""
        if not {*self.knots} <= {*old.knots}:
            raise no_feature(f"column {self.name!r} bends at values where it did not before")
        ends = [*old.knots, np.inf]
        whole = np.searchsorted(self.knots, ends)
        found: FloatArray = np.equal.outer(np.arange(len(self.knots) + 1), whole).astype(np.float64)
        return found

    @property
    def _decimals_differ(self) -> str:
        return f"column {self.name!r} has a decimal comma in only one of them"

    def difference(self, other: "NumericColumn") -> str | None:
        """Return how two columns of one name differ; None if they do not."""
        if self.decimal != other.decimal:
            return self._decimals_differ
        if self.knots != other.knots:
            return f"column {self.name!r} bends at other values in one of them"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        given: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "fill": self.fill,
            "indicator": self.has_indicator,
        }
        if self.decimal != "." or self.thousands is not None:
            given |= {"decimal": self.decimal, "thousands": self.thousands}
        if self.knots:
            given["knots"] = list(self.knots)
        return given

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "NumericColumn":
        """Return the column that `to_dict` described."""
        fill = given["fill"]
        decimal, thousands = given.get("decimal", "."), given.get("thousands")
        if decimal not in (".", ","):
            raise ValueError(f"the decimal separator {decimal!r} is neither a point nor a comma")
        if thousands is not None and not isinstance(thousands, str):
            raise ValueError("the separator of thousands is not a string")
        fill = None if fill is None else float(fill)
        knots = _read_knots(given.get("knots", ()))
        return cls(given["name"], fill, flag(given, "indicator"), decimal, thousands, knots)


def _read_knots(given: Any) -> tuple[float, ...]:
    """Return knots of a description; ValueError for anything else."""
    knots = np.array([float(knot) for knot in given])
    if not (np.isfinite(knots).all() and (np.diff(knots) > 0).all()):
        raise ValueError("the knots are not rising numbers")
    return tuple(knots.tolist())
