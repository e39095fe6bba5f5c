"""One look at a table: what there is to know about every column before it is read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from zerone._data.arrow_values import filtered as filtered_rows
from zerone._data.arrow_values import (
    is_number,
    is_text,
    labelled,
    numbers_of,
    present_rows,
)
from zerone._data.cells.date_cells import days_of, has_dates
from zerone._data.readers.source import START, Position, TablePart, followed_parts
from zerone._data.string_counts import StringCounts
from zerone._data.table_options import TableOptions
from zerone._data.value_sample import ValueSample
from zerone._progress import ProgressReport
from zerone._typing import FloatArray

# Of columns that have a type, so many rows show how they are to be read.
_ENOUGH_ROWS = 2**18


@dataclass
class ColumnLook:
    """What was seen of one column, in all rows that count.

    Attributes
    ----------
    name : str
    arrow_type : pyarrow.DataType
    n_rows, n_missing, n_infinite : int
        Missing are nulls, NaN and infinite numbers, whatever a string may mean.
    lowest, highest : float or None
        Of numbers, dates (as days since 1970-01-01), durations (in days) and booleans.
    has_times : bool
        Whether some dates have a time of the day.
    is_rising : bool
        Whether all values are integers, each larger than the one before.
    counts : StringCounts
        How often each string occurs, with spaces around it.
    is_category : bool
        Whether numbers, too, are counted as strings.
    is_complete : bool
        Whether all rows of the table were seen.
    sample : ValueSample or None
        Some of the numbers, if columns are to bend.
    """

    name: str
    arrow_type: Any
    is_category: bool = False
    n_rows: int = 0
    n_missing: int = 0
    n_infinite: int = 0
    lowest: float | None = None
    highest: float | None = None
    has_times: bool = False
    is_rising: bool = True
    counts: StringCounts = field(default_factory=StringCounts)
    is_complete: bool = True
    sample: ValueSample | None = None
    _last: Any = -np.inf

    @property
    def n_present(self) -> int:
        """Number of rows with a value."""
        return self.n_rows - self.n_missing

    @property
    def is_mixed(self) -> bool:
        """Whether some parts hold text where the type says numbers."""
        return bool(self.counts) and not self.is_category and not _has_strings(self.arrow_type)

    @property
    def is_settled(self) -> bool:
        """Whether more rows would hardly change how the column is read: it holds numbers."""
        if self.sample is not None:
            return False
        return is_number(self.arrow_type) and not self.is_category and not self.is_rising

    def see(self, array: Any) -> None:
        """Take in the cells of some rows."""
        self.n_rows += len(array)
        arrow_type = array.type
        if self.is_category or _has_strings(arrow_type):
            self.n_missing += self.counts.add(array)
        elif is_number(arrow_type):
            self._see_numbers(array)
        elif types.is_duration(arrow_type):
            self._see_days(numbers_of(array))
        elif has_dates(arrow_type):
            days = days_of(array)
            self._see_days(days)
            self.has_times |= bool((days % 1 > 0).any())
        else:
            self.n_missing += array.null_count

    def _see_days(self, days: FloatArray) -> None:
        if self.sample is not None:
            self.sample.add(days)
        present = days[~np.isnan(days)]
        self.n_missing += len(days) - len(present)
        self.is_rising = False
        if len(present):
            self._extend(float(present.min()), float(present.max()))

    def _see_numbers(self, array: Any) -> None:
        if not types.is_integer(array.type) and not types.is_boolean(array.type):
            array = pc.cast(array, pa.float64(), safe=False)
            self.n_infinite += pc.sum(pc.is_inf(array)).as_py() or 0
            array = pc.if_else(pc.is_finite(array), array, pa.scalar(None, pa.float64()))
        if self.sample is not None:
            self.sample.add(numbers_of(array))
        self.n_missing += array.null_count
        if array.null_count == len(array):
            return
        ends = pc.min_max(pc.cast(array, pa.int8()) if types.is_boolean(array.type) else array)
        # Large integers are not rounded.
        self._extend(ends["min"].as_py(), ends["max"].as_py())
        if self.is_rising:
            self.is_rising = self._goes_on_rising(array)

    def _goes_on_rising(self, array: Any) -> bool:
        if array.null_count or types.is_boolean(array.type):
            return False
        values = array.to_numpy(zero_copy_only=False)
        rises = bool(values[0] > self._last and (values[1:] > values[:-1]).all())
        self._last = values[-1]
        return rises and (values.dtype.kind != "f" or bool((values == np.rint(values)).all()))

    def _extend(self, lowest: float, highest: float) -> None:
        self.lowest = lowest if self.lowest is None else min(self.lowest, lowest)
        self.highest = highest if self.highest is None else max(self.highest, highest)


def _has_strings(arrow_type: Any) -> bool:
    return is_text(arrow_type) or types.is_dictionary(arrow_type)


@dataclass
class TableLook:
    """What was seen of a table.

    Attributes
    ----------
    columns : dict name -> ColumnLook
    n_rows : int
        Rows that count: those with a weight and a label.
    n_unlabelled : int
        Rows that are left out because they have no label.
    """

    columns: dict[str, ColumnLook]
    n_rows: int = 0
    n_unlabelled: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether all rows of all columns were seen."""
        return all(own.is_complete for own in self.columns.values())


def look_at(
    source: Any,
    names: Sequence[str],
    options: TableOptions,
    progress: bool | ProgressReport | None = None,
) -> TableLook:
    """Return what is to be seen of some columns of a table, in one pass.

    Columns that turn out to hold text after all take another pass.
    """
    seen = _seen(source, names, options, progress)
    mixed = [name for name, own in seen.columns.items() if own.is_mixed]
    target = options.target
    if source.facts is not None and target is not None and target in source.facts.mixed:
        mixed.append(target)
    if mixed:
        source.read_as_strings(mixed)
        again = _seen(source, [name for name in mixed if name != target], options, progress)
        seen.columns |= {name: again.columns[name] for name in again.columns}
        seen.n_rows, seen.n_unlabelled = again.n_rows, again.n_unlabelled
    return seen


def _seen(
    source: Any,
    names: Sequence[str],
    options: TableOptions,
    progress: bool | ProgressReport | None,
) -> TableLook:
    columns = {
        name: ColumnLook(
            name,
            source.schema.field(name).type,
            name in options.categorical,
            sample=ValueSample() if options.has_bends else None,
        )
        for name in names
    }
    look = TableLook(columns)
    others = [name for name in options.other_columns if name in source.schema.names]
    if not source.is_rereadable:
        for part in source.peeked([*names, *others]):
            _take_in(look, part, names, options)
        for column in columns.values():
            column.is_complete = False
        return look
    wanted = list(names)
    position: Position | None = START
    while position is not None and (wanted or others):
        parts, position = source.parts([*wanted, *others], position), None
        for part in followed_parts(parts, progress, "columns"):
            _take_in(look, part, wanted, options)
            rest = [name for name in wanted if not columns[name].is_settled]
            # A table of text is read whole: only then it is known that a column holds numbers.
            if source.facts is None and look.n_rows >= _ENOUGH_ROWS and len(rest) < len(wanted):
                # The other columns are read on; where there are no more rows, all were seen.
                position, wanted = part.position, rest
                break
    return look


def _take_in(look: TableLook, part: TablePart, names: Sequence[str], options: TableOptions) -> None:
    """Look at some rows of a table."""
    rows, _ = present_rows(part.rows, options.weight, part.where)
    target = options.target
    if target in rows.schema.names and not options.strict:
        has_label = labelled(rows.column(target), options.null_values)
        if not has_label.all():
            look.n_unlabelled += int(np.count_nonzero(~has_label))
            rows = filtered_rows(rows, has_label)
    look.n_rows += rows.num_rows
    seen = set(names)
    for name, column in look.columns.items():
        if name in seen:
            column.see(rows.column(name))
        else:
            column.is_complete = False
