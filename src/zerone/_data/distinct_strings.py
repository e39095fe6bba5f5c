"""The different strings of a column, and how often each occurs."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zerone._data.cells.null_cells import null_mask
from zerone._data.look import ColumnLook
from zerone._data.table_options import TableOptions
from zerone._typing import AnyArray, FloatArray, IntArray

SHOWN = 3
"""So many strings are shown in a note."""


class Style(Protocol):
    """How numbers or dates are written; styles can be keys of a dictionary."""

    def parsed(self, strings: Any) -> FloatArray:
        """Return the numbers in an Arrow array of strings; NaN where there is none."""
        ...


@dataclass(frozen=True, eq=False)
class DistinctStrings:
    """The different strings of a column, without those that mean a missing value.

    Attributes
    ----------
    values : pyarrow.Array
    counts : array of int
        How often each occurs; zero for entries of a dictionary that do not occur.
    n_null : int
        Number of missing values, spelled or not.
    null_spellings : list of str
        Strings that mean a missing value and occur.
    n_lost : int
        Rows whose strings are not known, because there are too many different ones; they are among
        the rarest.
    """

    values: Any
    counts: IntArray
    n_null: int
    null_spellings: list[str]
    n_lost: int = 0
    _read: dict[Style, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(
        cls, look: ColumnLook, options: TableOptions, known: tuple[str, ...]
    ) -> "DistinctStrings":
        """Return the strings of a column; those that ``known`` lists mean a missing value."""
        values, counts = look.counts.total()
        is_null = np.zeros(len(values), dtype=bool)
        if not options.strict and len(values):
            is_null = null_mask(values, options.null_values, known).to_numpy(zero_copy_only=False)
        spelled = values.filter(pa.array(is_null & (counts > 0))).to_pylist()
        n_null = int(counts[is_null].sum()) + look.n_missing
        return cls(
            values.filter(pa.array(~is_null)),
            counts[~is_null],
            n_null,
            [spelling for spelling in spelled if spelling.strip()],
            look.counts.n_lost,
        )

    @property
    def total(self) -> int:
        """Number of rows with a value."""
        return int(self.counts.sum())

    def read(self, style: Style) -> FloatArray:
        """Return the number or date in each string; NaN where there is none."""
        if style not in self._read:
            found = np.full(len(self.values), np.nan)
            if self._with_digits.any():
                strings = self.values.filter(pa.array(self._with_digits))
                found[self._with_digits] = style.parsed(strings)
            self._read[style] = found
        return self._read[style]

    @cached_property
    def _with_digits(self) -> AnyArray:
        """Which strings have a digit, as all numbers and dates have; most categories have none."""
        found: AnyArray = pc.match_substring_regex(self.values, "[0-9]").to_numpy(
            zero_copy_only=False
        )
        return found

    def share_read(self, style: Style) -> float:
        """Return the share of rows with a value that are numbers or dates in a style."""
        is_read = ~np.isnan(self.read(style))
        n_read, n_all = float(self.counts[is_read].sum()), self.total
        if self.n_lost and n_all:
            rarest = self.counts == self.counts.min()
            n_read += self.n_lost * float(is_read[rarest].mean())
            n_all += self.n_lost
        return n_read / max(n_all, 1)

    def examples(self, chosen: AnyArray) -> list[str]:
        """Return some of the strings that are chosen."""
        found: list[str] = self.values.filter(pa.array(chosen)).slice(0, SHOWN).to_pylist()
        return found
