"""How each column of a table is read, from what a look at its rows has shown."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from zerone._data.arrow_values import is_number, is_text
from zerone._data.cells.date_cells import TIME_OF_DAY, has_dates
from zerone._data.cells.null_cells import AMONG_NUMBERS, AMONG_STRINGS
from zerone._data.cells.number_cells import has_decorations
from zerone._data.columns.bends import knots_of, knots_per_column, may_bend
from zerone._data.columns.category import CategoryColumn, too_many_in_stream
from zerone._data.columns.column import Column
from zerone._data.columns.dates import CYCLES, DateColumn
from zerone._data.columns.hashed import HashedColumn, TextColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._data.distinct_strings import SHOWN, DistinctStrings
from zerone._data.encoding import Note
from zerone._data.look import ColumnLook, TableLook
from zerone._data.notation import MOST, Notation
from zerone._data.readers.source import TextFacts
from zerone._data.table_options import TableOptions
from zerone._errors import AdviceError, AdviceTypeError
from zerone._typing import AnyArray, FloatArray

# With fewer rows, distinct values say nothing about a column.
_FEW_ROWS = 20
# Text is at least this long on average, and this share of it is distinct.
_LONG = 25
_DISTINCT_TEXT = 0.5
# Of a column with too many categories, those with fewer rows are infrequent.
_FEW_OF_CATEGORY = 10
# Turns of a cycle that the dates of a column have to cover.
_TURNS = 1.5
# So few different strings of digits in a column of strings are categories.
_FEW_CODES = 10


class Planner:
    """Decides how each column of a table is read.

    Parameters
    ----------
    look : TableLook
    options : TableOptions
    facts : TextFacts
    """

    def __init__(self, look: TableLook, options: TableOptions, facts: TextFacts) -> None:
        self._look = look
        self._options = options
        self._facts = facts
        self.notes: list[Note] = []
        self.problems: list[Exception] = []
        # Numbers in text, with how often each occurs.
        self._values: dict[str, tuple[FloatArray, FloatArray]] = {}
        self._among_numbers = {
            name: DistinctStrings.of(own, options, AMONG_NUMBERS)
            for name, own in look.columns.items()
            if self._may_hold_numbers(own)
        }
        self._notation = Notation([*self._among_numbers.values()], facts)

    def _may_hold_numbers(self, look: ColumnLook) -> bool:
        """Whether a column holds strings that may be numbers or dates."""
        given = self._options
        if given.strict or look.name in (*given.categorical, *given.text, *given.hashed):
            return False
        return not types.is_dictionary(look.arrow_type) and _has_strings(look)

    def column(self, look: ColumnLook) -> Column | None:
        """Return how a column is read; None if it is left out."""
        given = self._options
        if look.name in given.text:
            return TextColumn(look.name)
        if look.name in given.hashed:
            return HashedColumn(look.name)
        if look.name in given.categorical:
            return self._category(look, DistinctStrings.of(look, given, AMONG_STRINGS))
        if given.strict:
            return self._strict(look)
        is_empty = look.n_present == 0 and look.n_rows > 0 and not look.counts
        if is_empty and (self._is_judged(look) or types.is_null(look.arrow_type)):
            return self._without(look, "all values are missing")
        return self._of_type(look)

    def _is_judged(self, look: ColumnLook) -> bool:
        """Whether a column is left out if its values say nothing about other rows."""
        is_kept = look.name in self._options.keep
        return look.n_rows >= _FEW_ROWS and look.is_complete and not is_kept

    def _of_type(self, look: ColumnLook) -> Column | None:
        """Return how a column is read according to its type and, if it holds text, its values."""
        given = self._options
        if types.is_dictionary(look.arrow_type):
            return self._category(look, DistinctStrings.of(look, given, AMONG_STRINGS))
        if _has_strings(look):
            return self._of_strings(look)
        if has_dates(look.arrow_type):
            self._note_missing(look, look.n_missing)
            return self._of_dates(look, None)
        if is_number(look.arrow_type) or types.is_duration(look.arrow_type):
            return self._of_numbers(look)
        if types.is_null(look.arrow_type):
            return self._without(look, "all values are missing")
        return self._without(look, f"{look.arrow_type} is neither a number nor a category")

    def bent(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """Return columns of which those of numbers bend."""
        values: dict[str, tuple[FloatArray, FloatArray | None]] = {}
        for column in columns:
            sample = self._look.columns[column.name].sample
            if isinstance(column, NumericColumn) and sample is not None:
                own = self._values.get(column.name, (sample.values, None))
                if may_bend(own[0]):
                    values[column.name] = own
        most = knots_per_column(len(values))
        return tuple(
            replace(column, knots=knots_of(*values[column.name], most))
            if isinstance(column, NumericColumn) and column.name in values
            else column
            for column in columns
        )

    # -- kinds of columns ------------------------------------------------------------------------

    def _strict(self, look: ColumnLook) -> Column | None:
        """Return how a column is read if nothing may be assumed."""
        name, arrow_type = look.name, look.arrow_type
        if is_number(arrow_type) and not look.is_mixed:
            column: Column | None = NumericColumn(name)
        elif is_text(arrow_type) or types.is_dictionary(arrow_type) or look.is_mixed:
            column = self._category(look, DistinctStrings.of(look, self._options, ()))
        else:
            self.problems.append(_unreadable(name, arrow_type))
            return None
        if look.n_missing > look.n_infinite:
            self.problems.append(
                AdviceError(
                    f"column {name!r} has {look.n_missing:,} missing "
                    f"{'value' if look.n_missing == 1 else 'values'}",
                    "fill them first, or ⟨not strict⟩, so that they are imputed and marked",
                )
            )
        return column

    def _of_numbers(self, look: ColumnLook) -> Column | None:
        lowest, highest = look.lowest, look.highest
        if self._is_judged(look) and lowest is not None and highest is not None:
            if lowest == highest and not look.n_missing:
                return self._without(look, f"all values are {lowest:.10g}")
            if look.is_rising:
                return self._without(look, "integers that rise with the row name the rows")
            is_index = look.name in self._facts.unnamed and highest - lowest == look.n_rows - 1
            if is_index:
                return self._without(look, "a column of row numbers without a name")
        n_missing = look.n_missing - look.n_infinite
        self._note_missing(look, n_missing, self._facts.null_cells.get(look.name, ()))
        if look.n_infinite:
            self.notes.append(Note(look.name, "infinite: read as missing", look.n_infinite))
        return NumericColumn(look.name, has_indicator=look.n_missing > 0)

    def _of_strings(self, look: ColumnLook) -> Column | None:
        strings = DistinctStrings.of(look, self._options, AMONG_STRINGS)
        is_judged = self._is_judged(look)
        if not strings.total and is_judged:
            return self._without(look, "all values are missing")
        distinct = len(strings.values)
        if distinct == 1 and not strings.n_null and is_judged:
            return self._without(look, f"all values are {strings.values[0].as_py()!r}")
        among_numbers = self._among_numbers[look.name]
        if among_numbers.total:
            for read in (self._as_dates, self._as_numbers):
                column = read(look, among_numbers)
                if column is not None or _is_left_out(self.notes, look.name):
                    return column
        if is_judged and strings.total >= _FEW_ROWS:
            lengths = [len(own) for own in strings.values.to_pylist()]
            length = float(np.average(lengths, weights=np.maximum(strings.counts, 1e-9)))
            if distinct > _DISTINCT_TEXT * strings.total and length > _LONG:
                return self._without(look, "free text; ⟨text⟩ reads its words")
            if distinct == strings.total and look.counts.has_all:
                return self._without(look, "every value is different, so it names the rows")
        return self._category(look, strings)

    def _category(self, look: ColumnLook, strings: DistinctStrings) -> Column | None:
        """Return a column of categories; the infrequent ones share a feature."""
        name, most = look.name, self._options.max_categories
        if not self._options.strict:
            self._note_missing(look, strings.n_null, strings.null_spellings)
        counts: dict[str, int] = {}
        for value, count in zip(strings.values.to_pylist(), strings.counts.tolist(), strict=True):
            spelled = value if self._options.strict else value.strip()
            counts[spelled] = counts.get(spelled, 0) + count
        has_missing = strings.n_null > 0 and not self._options.strict
        has_all = look.counts.has_all
        if len(counts) <= most and has_all:
            return CategoryColumn(name, tuple(sorted(counts)), has_missing=has_missing)
        if self._options.strict and not look.is_complete:
            self.problems.append(too_many_in_stream(name, most))
            return None
        # The last feature is for all other categories. Ties are broken by name, so that the order
        # of the rows does not matter.
        kept = sorted(counts, key=lambda category: (-counts[category], category))[: most - 1]
        seen = f"{len(counts):,} categories" if has_all else f"more than {len(counts):,} categories"
        if not look.is_complete:
            seen += f" in the first {look.n_rows:,} rows"
        is_named = name in self._options.categorical
        if not self._options.strict and self._is_judged(look) and not is_named:
            kept = [own for own in kept if counts[own] >= _FEW_OF_CATEGORY]
            if not kept:
                return self._without(look, f"none of its {seen} has 10 rows")
        n_others = strings.total + strings.n_lost - sum(counts[own] for own in kept)
        self.notes.append(Note(name, f"{seen}; all but {len(kept)} share a feature", n_others))
        return CategoryColumn(name, tuple(sorted(kept)), True, has_missing)

    def _as_dates(self, look: ColumnLook, strings: DistinctStrings) -> Column | None:
        style, is_assumed = self._notation.date_style(strings)
        if style is None:
            return None
        if is_assumed:
            self.notes.append(
                Note(look.name, f"dates may have the day or the month first: read {style.order}")
            )
        days = strings.read(style)
        unread = np.isnan(days)
        self._note_unread(look.name, strings, unread, "are no dates")
        self._note_missing(look, strings.n_null, strings.null_spellings)
        seen = replace(
            look,
            n_missing=strings.n_null + int(strings.counts[unread].sum()),
            lowest=float(np.nanmin(days)),
            highest=float(np.nanmax(days)),
            has_times=bool((days % 1 > 0).any()),
        )
        return self._of_dates(seen, style.order)

    def _of_dates(self, look: ColumnLook, order: str | None) -> Column | None:
        """Return a column of dates; ``order`` is that of dates in strings."""
        lowest, highest = look.lowest, look.highest
        if lowest is None or highest is None:
            lowest = highest = 0.0
        if lowest == highest and not look.n_missing and self._is_judged(look):
            return self._without(look, "all dates are the same")
        # Of a stream the first rows may be those without a time, or within a day.
        has_times = look.has_times or (not look.is_complete and types.is_timestamp(look.arrow_type))
        cycles = tuple(
            name
            for name, days in CYCLES.items()
            if (highest - lowest >= _TURNS * days or not look.is_complete)
            and (name != "day" or has_times)
        )
        if types.is_time(look.arrow_type) or order == TIME_OF_DAY.order:
            cycles, lowest = ("day",), 0.0
        has_indicator = look.n_missing > 0
        return DateColumn(look.name, order, float(np.floor(lowest)), cycles, None, has_indicator)

    def _as_numbers(self, look: ColumnLook, strings: DistinctStrings) -> Column | None:
        style = self._notation.number_style(strings)
        values = strings.read(style)
        is_read = ~np.isnan(values)
        if strings.share_read(style) < MOST or (is_read.all() and _are_codes(strings)):
            return None
        name, numbers = look.name, values[is_read]
        is_constant = len(np.unique(numbers)) == 1 and not strings.n_null and is_read.all()
        if is_constant and self._is_judged(look):
            return self._without(look, f"all values are {numbers[0]:.10g}")
        self._note_unread(name, strings, ~is_read, "are no numbers")
        self._note_missing(look, strings.n_null, strings.null_spellings)
        texts = strings.values.filter(pa.array(is_read))
        if has_decorations(texts):
            shown = int(np.argmax([len(text) for text in texts.to_pylist()]))
            example = f"{texts[shown].as_py()!r} is read as {numbers[shown]:.10g}"
            self.notes.append(Note(name, f"numbers are written as text: {example}"))
        has_indicator = strings.n_null > 0 or not is_read.all()
        if self._options.has_bends:
            self._values[name] = values, strings.counts.astype(np.float64)
        return NumericColumn(name, None, has_indicator, style.decimal, self._notation.thousands)

    # -- notes -----------------------------------------------------------------------------------

    def _without(self, look: ColumnLook, why: str) -> Column | None:
        """Leave a column out."""
        self.notes = [note for note in self.notes if note.column != look.name]
        self.notes.append(Note(look.name, why, is_left_out=True))
        return None

    def _note_missing(
        self, look: ColumnLook, n_missing: int, spellings: Sequence[str] = ()
    ) -> None:
        if n_missing:
            said = "missing" if look.is_complete else f"missing in the first {look.n_rows:,} rows"
            if spellings:
                said += f", also where it says {', '.join(map(repr, spellings[:SHOWN]))}"
            self.notes.append(Note(look.name, said, n_missing))

    def _note_unread(
        self, name: str, strings: DistinctStrings, unread: AnyArray, what: str
    ) -> None:
        if unread.any():
            shown = ", ".join(map(repr, strings.examples(unread)))
            n_values = int(strings.counts[unread].sum())
            self.notes.append(
                Note(name, f"values such as {shown} {what}: read as missing", n_values)
            )


def _unreadable(name: str, arrow_type: Any) -> Exception:
    """Return the error for a type that is not read without an assumption."""
    if types.is_temporal(arrow_type):
        return AdviceTypeError(
            f"column {name!r} has type {arrow_type}, and a date is not a number",
            "convert it to numbers first, such as days since a fixed date, ⟨leave out⟩, or ⟨not "
            "strict⟩, so that dates become such numbers",
        )
    if types.is_null(arrow_type):
        return AdviceTypeError(f"column {name!r} has only missing values", "⟨leave out⟩")
    return AdviceTypeError(
        f"column {name!r} has type {arrow_type}, which is neither a number nor a category",
        "convert it first, or ⟨leave out⟩",
    )


def _has_strings(look: ColumnLook) -> bool:
    return is_text(look.arrow_type) or bool(look.counts)


def _are_codes(strings: DistinctStrings) -> bool:
    """Whether digits are names rather than numbers: with leading zeros, or few strings."""
    texts = strings.values
    if pc.any(pc.match_substring_regex(texts, r"^\s*0[0-9]+\s*$")).as_py():
        return True
    is_integer = pc.all(pc.match_substring_regex(texts, r"^\s*-?[0-9]+\s*$")).as_py()
    return bool(is_integer) and len(texts) <= _FEW_CODES and not strings.null_spellings


def _is_left_out(notes: Sequence[Note], name: str) -> bool:
    return any(note.is_left_out and note.column == name for note in notes)
