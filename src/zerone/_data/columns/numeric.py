"""`NumericColumn`: a column of numbers, also of numbers that are written as text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from zerone._data.columns.column import Reading, flag, wrong_type
from zerone._data.columns.filled import FilledColumn
from zerone._errors import ArgumentError
from zerone._typing import AnyArray


@dataclass(frozen=True)
class NumericColumn(FilledColumn):
    """A column of numbers or booleans: one feature, and an indicator if values are missing.

    Attributes
    ----------
    name : str
    fill : float or None
        Replaces missing values; in moments it is the mean of the other values. None means zero:
        no value was read yet, or none is missing.
    has_indicator : bool
        Whether there is a second feature, 1 where the value is missing. It is added at the first
        missing value.
    decimal : {".", ","}
        The decimal separator of numbers in text.
    thousands : str or None
        What separates thousands in text, one or several characters; None for all usual ones.
    """

    kind: ClassVar[str] = "numeric"

    name: str
    fill: float | None = None
    has_indicator: bool = False
    decimal: str = "."
    thousands: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the column is one feature, unchanged."""
        return not self.has_indicator

    @property
    def read_as(self) -> str:
        """How the column is read, in words."""
        written = " with a decimal comma" if self.decimal == "," else ""
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

    def joined(self, other: "NumericColumn") -> "NumericColumn":
        """Return a column that covers both; raises if they read the same text differently."""
        reason = self.difference(other)
        if reason is not None:
            raise ArgumentError("encoding", reason, "write numbers with one decimal separator")
        return super().joined(other)

    def difference(self, other: "NumericColumn") -> str | None:
        """Return how two columns of one name differ; None if they do not."""
        if self.decimal != other.decimal:
            return f"column {self.name!r} has a decimal comma in only one of them"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        given = {
            "name": self.name,
            "kind": self.kind,
            "fill": self.fill,
            "indicator": self.has_indicator,
        }
        if self.decimal != "." or self.thousands is not None:
            given |= {"decimal": self.decimal, "thousands": self.thousands}
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
        return cls(given["name"], fill, flag(given, "indicator"), decimal, thousands)
