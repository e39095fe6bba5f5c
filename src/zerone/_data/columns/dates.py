"""`DateColumn`: days since the first date, and where in the year, the week and the day it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerone._data.columns.column import Reading, flag, number, wrong_type
from zerone._data.columns.filled import FilledColumn
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray

CYCLES = {"year": 365.2425, "week": 7.0, "day": 1.0}
"""Days of each cycle."""


@dataclass(frozen=True)
class DateColumn(FilledColumn):
    """A column of dates or time stamps.

    Its features are the days since ``origin``, a sine and a cosine for each cycle, and an indicator
    if values are missing.

    Attributes
    ----------
    name : str
    order : str or None
        How dates are written in text: "year first", "day first", "month first" or "month by name".
        None if the column has a type for dates.
    origin : float
        The first day, as days since 1970-01-01.
    cycles : tuple of str
        Some of "year", "week" and "day".
    fill : float or None
        Replaces missing days; in moments it is the mean of the others.
    has_indicator : bool
        Whether there is a feature that is 1 where the date is missing.
    """

    kind: ClassVar[str] = "date"

    name: str
    order: str | None = None
    origin: float = 0.0
    cycles: tuple[str, ...] = ()
    fill: float | None = None
    has_indicator: bool = False

    @property
    def first_day(self) -> str:
        """The first day in ISO format; midnight for times of the day."""
        if self.cycles == ("day",) and not self.origin:
            return "midnight"
        return str(np.datetime64("1970-01-01", "D") + np.timedelta64(int(self.origin), "D"))

    @property
    def value_names(self) -> tuple[str, ...]:
        """Names of the features without the indicator."""
        days = f"{self.name}: days since {self.first_day}"
        waves = [
            f"{self.name}: {wave} of the {cycle}"
            for cycle in self.cycles
            for wave in ("sine", "cosine")
        ]
        return (days, *waves)

    @property
    def read_as(self) -> str:
        """How the column is read, in words."""
        said = f"dates ({self.order})" if self.order else "dates"
        said += f": days since {self.first_day}"
        said += "".join(f", time of the {cycle}" for cycle in self.cycles)
        return said + (", missing ones imputed and marked" if self.has_indicator else "")

    def values_of(self, array: Any, reading: Reading) -> AnyArray:
        """Return days since the origin; NaN where there is no date."""
        from zerone._data.arrow_values import is_text
        from zerone._data.cells.date_cells import days_of, has_dates
        from zerone._data.cells.text_values import dates_in

        if is_text(array.type):
            return dates_in(array, self, reading) - self.origin
        if not has_dates(array.type):
            raise wrong_type(self.name, array.type, "dates")
        return days_of(array) - self.origin

    def features_of(self, values: AnyArray) -> list[AnyArray]:
        """Return days and waves for complete values."""
        features = [values]
        for cycle in self.cycles:
            turns = (values + self.origin) / CYCLES[cycle]
            angle = 2 * np.pi * (turns - np.floor(turns))
            features += [np.sin(angle), np.cos(angle)]
        return features

    def difference(self, other: "DateColumn") -> str | None:
        """Return how two columns of one name differ; None if they do not."""
        if self.cycles != other.cycles:
            one, two = (", ".join(own.cycles) or "none" for own in (self, other))
            return f"column {self.name!r} has cycles of dates ({one}) and ({two})"
        if None not in (self.order, other.order) and self.order != other.order:
            return f"column {self.name!r} has dates {self.order} and dates {other.order}"
        return None

    def joined(self, other: "DateColumn") -> "DateColumn":
        """Return a column that covers both, from the earlier first day on, with all cycles."""
        if self.order != other.order and self.cycles == other.cycles:
            _require_same(self, other, "write the dates in one order")
        cycles = tuple(own for own in CYCLES if own in {*self.cycles, *other.cycles})
        origin = min(self.origin, other.origin)
        fills = [own.fill + own.origin for own in (self, other) if own.fill is not None]
        fill = fills[0] - origin if fills else None
        order = other.order if self.order is None else self.order
        has_indicator = self.has_indicator or other.has_indicator
        return DateColumn(self.name, order, origin, cycles, fill, has_indicator)

    def map_from(self, old: "DateColumn", block: FloatArray) -> None:
        """Write the matrix from the features of ``old`` to these; raises if there is none."""
        _require_same(self, old, "agree on an encoding before the tables are read")
        super().map_from(old, block)

    def shift_from(self, old: "DateColumn") -> float:
        """Return how many days the origin of ``old`` is later."""
        return old.origin - self.origin

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "order": self.order,
            "origin": self.origin,
            "cycles": list(self.cycles),
            "fill": self.fill,
            "indicator": self.has_indicator,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "DateColumn":
        """Return the column that `to_dict` described."""
        from zerone._data.cells.date_cells import BY_ORDER

        order, cycles = given["order"], tuple(given["cycles"])
        if order is not None and order not in BY_ORDER:
            raise ValueError(f"dates are in the unknown order {order!r}")
        if list(cycles) != [own for own in CYCLES if own in cycles]:
            raise ValueError(f"the cycles {cycles!r} are not known")
        fill = None if given["fill"] is None else number(given, "fill")
        origin = number(given, "origin")
        return cls(given["name"], order, origin, cycles, fill, flag(given, "indicator"))


def _require_same(one: DateColumn, other: DateColumn, advice: str) -> None:
    reason = one.difference(other)
    if reason is not None:
        raise ArgumentError("encoding", reason, advice)
