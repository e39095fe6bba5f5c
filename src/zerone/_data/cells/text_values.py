"""Columns of text read as numbers or dates; each different cell is read once."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zerone._data.arrow_values import decoded_text
from zerone._data.cells.date_cells import BY_ORDER, STYLES
from zerone._data.cells.null_cells import AMONG_NUMBERS, null_mask
from zerone._data.cells.number_cells import NumberStyle
from zerone._errors import AdviceError
from zerone._typing import FloatArray

if TYPE_CHECKING:
    from zerone._data.columns.column import Reading
    from zerone._data.columns.dates import DateColumn
    from zerone._data.columns.numeric import NumericColumn

_EXAMPLES = 3


def numbers_in(array: Any, column: "NumericColumn", reading: "Reading") -> FloatArray:
    """Return the numbers in cells of text; NaN where there is none."""
    style = NumberStyle.of(column.decimal, column.thousands)  # type: ignore[arg-type]
    return _read_once(array, style.parsed, "no numbers", column.name, reading)


def dates_in(array: Any, column: "DateColumn", reading: "Reading") -> FloatArray:
    """Return the dates in cells of text as days since 1970-01-01; NaN where there is none."""

    def parsed(strings: Any) -> FloatArray:
        if column.order is not None:
            return BY_ORDER[column.order].parsed(strings)  # type: ignore[index]
        days = STYLES[0].parsed(strings)
        for style in STYLES[1:]:
            days = np.where(np.isnan(days), style.parsed(strings), days)
        return days

    return _read_once(array, parsed, "no dates", column.name, reading)


def _read_once(array: Any, parsed: Any, what: str, name: str, reading: "Reading") -> FloatArray:
    encoded = pc.dictionary_encode(decoded_text(array))
    strings = encoded.dictionary
    values = np.concatenate([parsed(strings), [np.nan]])
    codes = encoded.indices.fill_null(len(strings)).to_numpy(zero_copy_only=False)
    mask = null_mask(strings, reading.null_values, () if reading.strict else AMONG_NUMBERS)
    is_null = mask.to_numpy(zero_copy_only=False)
    values[:-1][is_null] = np.nan
    unread = np.isnan(values[:-1])
    if unread.any():
        odd = unread & ~is_null
        if odd.any():
            examples = strings.filter(pa.array(odd)).slice(0, _EXAMPLES).to_pylist()
            if reading.strict:
                raise AdviceError(
                    f"column {name!r} has {examples[0]!r} in {reading.where}, and holds {what[3:]} "
                    "otherwise",
                    "correct it, list it in ⟨null_values⟩, or ⟨not strict⟩",
                )
            n_odd = int(np.count_nonzero(np.concatenate([odd, [False]])[codes]))
            reading.surprises.add(name, f"{what}, read as missing", n_odd, examples)
    found: FloatArray = values[codes]
    return found
