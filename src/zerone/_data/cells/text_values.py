"""Columns of text read as numbers or dates; each different cell is read once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zerone._data.arrow_values import decoded_text
from zerone._data.cells.date_cells import BY_ORDER, DateStyle
from zerone._data.cells.null_cells import AMONG_NUMBERS, null_mask
from zerone._data.cells.number_cells import NumberStyle
from zerone._errors import AdviceError
from zerone._typing import FloatArray

if TYPE_CHECKING:
    from zerone._data.columns.column import Reading
    from zerone._data.columns.dates import DateColumn
    from zerone._data.columns.numeric import NumericColumn

_EXAMPLES = 3
_WITHOUT_DOUBT = [BY_ORDER[own] for own in ("year first", "month by name", "time of day")]


def numbers_in(array: Any, column: "NumericColumn", reading: "Reading") -> FloatArray:
    """Return the numbers in cells of text; NaN where there is none."""
    style = NumberStyle.of(column.decimal, column.thousands)  # type: ignore[arg-type]

    def parsed(strings: Any) -> FloatArray:
        values = style.parsed(strings)
        return values if reading.unknown != "accept" else _with_flags(values, strings)

    return _read_once(array, parsed, "no numbers", column.name, reading)


def _with_flags(values: FloatArray, strings: Any) -> FloatArray:
    """Return numbers with 0 and 1 for false and true.

    A column of booleans is one of numbers, and comes as text where a cell is another word.
    """
    lowered = pc.utf8_lower(pc.utf8_trim_whitespace(strings))
    flags = pc.index_in(lowered, pa.array(["false", "true"], pa.large_string()))
    is_flag = flags.is_valid().to_numpy(zero_copy_only=False)
    values[is_flag] = flags.drop_null().to_numpy()
    return values


def dates_in(array: Any, column: "DateColumn", reading: "Reading") -> FloatArray:
    """Return the dates in cells of text as days since 1970-01-01; NaN where there is none."""

    def parsed(strings: Any) -> FloatArray:
        if column.order is not None:
            own = BY_ORDER[column.order]  # type: ignore[index]
            if reading.unknown != "accept":
                return own.parsed(strings)
        else:
            own = _likely_style(strings)
        # Rows to predict may come from elsewhere; these cannot be mistaken.
        return _first_read(strings, (own, *_WITHOUT_DOUBT))

    return _read_once(array, parsed, "no dates", column.name, reading)


def _likely_style(strings: Any) -> DateStyle:
    """Return whether the day or the month comes first, where training has seen no text."""
    styles = [BY_ORDER["day first"], BY_ORDER["month first"]]
    n_read = [np.count_nonzero(~np.isnan(style.parsed(strings))) for style in styles]
    if n_read[0] != n_read[1]:
        return styles[int(np.argmax(n_read))]
    has_slash = pc.sum(pc.match_substring(strings, "/")).as_py() or 0
    return styles[int(2 * has_slash > len(strings))]


def _first_read(strings: Any, styles: Sequence[DateStyle]) -> FloatArray:
    """Return the dates by the first style that reads each string."""
    days = np.full(len(strings), np.nan)
    for style in styles:
        unread = np.isnan(days)
        if unread.any():
            days[unread] = style.parsed(strings.filter(pa.array(unread)))
    return days


def _read_once(array: Any, parsed: Any, what: str, name: str, reading: "Reading") -> FloatArray:
    encoded = pc.dictionary_encode(decoded_text(array))
    strings = pc.cast(encoded.dictionary, pa.large_string())
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
