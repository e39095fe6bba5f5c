"""What each column of a table adds to a score, as SQL."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from zerone._data.cells.null_cells import AMONG_NUMBERS, AMONG_STRINGS
from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.column import Column
from zerone._data.columns.dates import CYCLES, DateColumn
from zerone._data.columns.filled import FilledColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._data.encoding import Encoding
from zerone._errors import AdviceError
from zerone._typing import FloatArray
from zerone.export._dialects._dialect import Dialect
from zerone.export._dialects._numbers import as_float, float_of

_LARGEST = float(np.finfo(np.float64).max)
# Databases limit how deep an expression is; a sum is as deep as it has terms.
_TERMS_AT_ONCE = 50


class ColumnTerms:
    """The terms of a score.

    Parameters
    ----------
    encoding : Encoding
    dialect : Dialect
    """

    def __init__(self, encoding: Encoding, dialect: Dialect) -> None:
        self._encoding = encoding
        self._write = dialect

    def score(self, coef: FloatArray, intercept: float) -> str:
        """Return the score of a rule; NULL where a strict model has no value."""
        terms = [self._write.number(intercept)]
        names, position = [], 0
        for column in self._encoding.columns:
            own = coef[position : position + len(column.feature_names)]
            position += len(own)
            # A rule of a few columns needs no others in the table.
            if own.any():
                names.append(column.name)
                terms.append(self._term(column, own))
        self._write.check_names(names)
        return sum_of(terms)

    def _term(self, column: Column, coef: FloatArray) -> str:
        if isinstance(column, NumericColumn):
            missing = self._missing(column, coef)
            return self.of_number(
                column, lambda number: self._on_lines(column, coef, number), missing
            )
        if isinstance(column, CategoryColumn):
            n, number = len(column.categories), self._write.number
            other = number(coef[n] if column.has_infrequent else 0.0)
            missing = number(coef[-1] if column.has_missing else 0.0)
            return self.of_category(column, list(map(number, coef[:n].tolist())), other, missing)
        if isinstance(column, DateColumn) and has_days(column):
            missing = self._missing(column, coef)
            return self.of_date(column, lambda days: self._on_waves(column, coef, days), missing)
        raise AdviceError(
            f"SQL cannot read column {column.name!r} as the model does ({column.read_as})",
            "⟨not sql⟩, or leave the column out",
        )

    # -- numbers ---------------------------------------------------------------------------------

    def of_number(self, column: NumericColumn, known: Callable[[str], str], missing: str) -> str:
        """Return what a column of numbers adds.

        Parameters
        ----------
        column : NumericColumn
        known : callable
            From the expression of a finite number to what it adds.
        missing : str
            What a missing number adds.
        """
        write, name = self._write, self._write.name(column.name)
        # Strings of a column with a decimal comma would be read as other numbers.
        number = write.cast(name) if column.decimal == "." else write.strict_cast(name)
        # What is no number is beyond all numbers, or unknown, to databases.
        cases = [self._between(number, -_LARGEST, _LARGEST, known(number))]
        unreadable = write.unreadable(name)
        if unreadable is not None:
            cases.insert(0, unreadable)
        return f"CASE {' '.join(cases)} ELSE {missing} END"

    def _between(self, value: str, low: float, high: float, then: str) -> str:
        write = self._write
        return f"WHEN {value} BETWEEN {write.number(low)} AND {write.number(high)} THEN {then}"

    def _on_lines(self, column: NumericColumn, coef: FloatArray, number: str) -> str:
        """Return a straight line for each part of a column, in the form of `Lines`."""
        write = self._write
        slopes = coef[: len(column.value_names)].tolist()
        if not column.knots:
            return write.product(slopes[0], number)
        starts = (column.knots[0], *column.knots)
        heights = [slopes[0] * starts[0]]
        for slope, (start, end) in zip(slopes[1:-1], itertools.pairwise(column.knots), strict=True):
            heights.append(heights[-1] + slope * (end - start))
        heights.insert(0, heights[0])
        steps = [
            write.product(slope, f"({number} - {write.number(start)})")
            for slope, start in zip(slopes, starts, strict=True)
        ]
        lines = [
            f"{write.number(height)} + ({step})"
            for height, step in zip(heights, steps, strict=True)
        ]
        cases = [
            f"WHEN {number} <= {write.number(end)} THEN {line}"
            for end, line in zip(column.knots, lines[:-1], strict=True)
        ]
        return f"CASE {' '.join(cases)} ELSE {lines[-1]} END"

    def _missing(self, column: FilledColumn, coef: FloatArray) -> str:
        """Return what a missing number or date adds: its replacement, and the indicator."""
        if self._encoding.strict:
            return "NULL"
        values = np.append(column.missing_values, [1.0] * column.has_indicator)
        return self._write.number(float(values @ coef))

    # -- dates -----------------------------------------------------------------------------------

    def of_date(self, column: DateColumn, known: Callable[[str], str], missing: str) -> str:
        """Return what a column of dates adds; ``known`` takes the days since 1970-01-01."""
        write, name = self._write, self._write.name(column.name)
        text = write.trimmed(write.as_text(name))
        days = write.days(name, text)
        # Days that the calendar does not have are missing.
        written = f"CASE WHEN {days} IS NULL THEN {missing} ELSE {known(days)} END"
        is_missing = f"{name} IS NULL"
        if not self._encoding.strict:
            is_missing += f" OR {self._says_missing(text, AMONG_NUMBERS)}"
        is_date = write.is_date(name, text)
        return f"CASE WHEN {is_missing} THEN {missing} WHEN {is_date} THEN {written} END"

    def _on_waves(self, column: DateColumn, coef: FloatArray, days: str) -> str:
        write = self._write
        terms = [write.product(coef[0], f"({days} - {write.number(column.origin)})")]
        for position, cycle in enumerate(column.cycles):
            turns = f"({days} / {write.number(CYCLES[cycle])})"
            angle = f"{write.number(2 * np.pi)} * ({turns} - FLOOR({turns}))"
            for wave, own in zip(("SIN", "COS"), coef[1 + 2 * position :][:2], strict=True):
                terms.append(write.product(float(own), f"{wave}({angle})"))
        return sum_of([f"({own})" for own in terms])

    def _says_missing(self, text: str, known: Sequence[str]) -> str:
        """Return the condition that the string in a cell means a missing value."""
        spellings = dict.fromkeys([*known, *self._encoding.null_values])
        return f"{text} IN ({', '.join(map(self._write.string, spellings))})"

    # -- categories ------------------------------------------------------------------------------

    def of_category(
        self, column: CategoryColumn, points: Sequence[str], other: str, missing: str
    ) -> str:
        """Return what a column of categories adds.

        Parameters
        ----------
        column : CategoryColumn
        points : sequence of str
            What each category adds.
        other, missing : str
            What other categories and missing values add; NULL if the model is strict.
        """
        write, name = self._write, self._write.name(column.name)
        spellings = () if write.knows_types else self._encoding.null_values
        write.check_categories(column.name, (*column.categories, *spellings))
        values = dict(zip(column.categories, points, strict=True))
        if self._encoding.strict:
            missing = "NULL"
        text = write.as_text(name)
        read = text if self._encoding.strict else write.trimmed(text)

        def chosen(given: str, names: dict[str, str]) -> str:
            cases = " ".join(f"WHEN {own} THEN {values[c]}" for c, own in names.items())
            return f"CASE {given} {cases} ELSE {other} END" if cases else other

        cases = [f"WHEN {name} IS NULL THEN {missing}"]
        if write.knows_types:
            cases += self._of_booleans(name, values, other)
            cases += self._of_floats(name, values, other, missing)
        if not self._encoding.strict:
            spelled = [own for own in self._encoding.null_values if as_float(own) is not None]
            if spelled and write.knows_types:
                # These words mean a missing value among strings only.
                integers = {own: write.string(own) for own in values if as_float(own) is not None}
                cases.append(f"WHEN {write.is_type(name, 'integer')} THEN {chosen(text, integers)}")
            cases.append(f"WHEN {self._says_missing(read, AMONG_STRINGS)} THEN {missing}")
        strings = {own: write.string(own) for own in values}
        return f"CASE {' '.join(cases)} ELSE {chosen(read, strings)} END"

    def _of_booleans(self, name: str, values: dict[str, str], other: str) -> list[str]:
        """Return the case of a column of booleans, whose categories are True and False."""
        write = self._write
        if not {"True", "False", "true", "false"} & {*values}:
            return []
        if write.engine == "SQLite" and not {*values} <= {"True", "False"}:
            return []
        given, true, false = write.true_or_false(name)
        cases = " ".join(
            f"WHEN {spelled} THEN {values[own]}"
            for own, spelled in (("True", true), ("False", false))
            if own in values
        )
        then = f"CASE {given} {cases} ELSE {other} END" if cases else other
        return [f"WHEN {write.is_type(name, 'boolean')} THEN {then}"]

    def _of_floats(self, name: str, values: dict[str, str], other: str, missing: str) -> list[str]:
        """Return the case of a column of floats, whose integers have no decimal point."""
        write, cell = self._write, self._write.float_cell(name)
        if all(as_float(own) is None for own in values):
            return []
        numbers = ((float_of(own), value) for own, value in values.items())
        listed = " ".join(
            f"WHEN {write.category(number)} THEN {value}"
            for number, value in numbers
            if number is not None and np.isfinite(number)
        )
        then = f"CASE {cell} {listed} ELSE {other} END" if listed else other
        largest = write.number(_LARGEST)
        ends = [values.get(c, other) for c in ("inf", "-inf")]
        cases = [
            self._between(cell, -_LARGEST, _LARGEST, then),
            # What is not a number is greater than all numbers to some databases.
            f"WHEN -{cell} < -{largest} THEN {ends[0]}",
            f"WHEN {cell} < -{largest} THEN {ends[1]}",
        ]
        inner = f"CASE {' '.join(cases)} ELSE {missing} END"
        return [f"WHEN {write.is_type(name, 'float')} THEN {inner}"]


def has_days(column: DateColumn) -> bool:
    """Whether databases read the dates of a column as the model does: not times without a day."""
    return column.order in (None, "year first") and column.first_day != "midnight"


def sum_of(terms: Sequence[str]) -> str:
    """Return a sum, of sums if there are many terms."""
    while len(terms) > _TERMS_AT_ONCE:
        terms = [
            f"({' + '.join(terms[start : start + _TERMS_AT_ONCE])})"
            for start in range(0, len(terms), _TERMS_AT_ONCE)
        ]
    return f"({' + '.join(terms)})"
