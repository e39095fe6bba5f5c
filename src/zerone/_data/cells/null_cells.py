"""Cells of text that mean a missing value."""

from collections.abc import Sequence
from typing import Any

AMONG_STRINGS = (
    "", "NA", "N/A", "n/a", "N.A.", "n.a.", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan",
    "-NaN", "NaT", "NULL", "null", "Null", "<null>", "(null)", "?", "\\N",
)  # fmt: skip
"""Cells that mean a missing value in every column, also in that of the labels."""

AMONG_NUMBERS = (
    *AMONG_STRINGS, "na", "None", "none", "NONE", "nil", "-", "--", "---", ".", "..", "…", "–", "—",
    "missing", "Missing", "unknown", "Unknown", "#N/A N/A", "#DIV/0!", "#REF!",
    "#VALUE!", "#NUM!", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
)  # fmt: skip
"""Cells that mean a missing value among numbers and dates, where they can be nothing else."""


def null_mask(strings: Any, null_values: Sequence[str], known: Sequence[str]) -> Any:
    """Return which strings of an Arrow array mean a missing value, nulls among them.

    Parameters
    ----------
    null_values : sequence of str
        Spellings that the user has added.
    known : sequence of str
        ``AMONG_STRINGS``, ``AMONG_NUMBERS``, or no spelling.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    spellings = pa.array([*known, *null_values], pa.large_string())
    # String views have no function that trims them.
    trimmed = pc.utf8_trim_whitespace(pc.cast(strings, pa.large_string()))
    is_spelled = pc.is_in(trimmed, spellings)
    return pc.or_(is_spelled, pc.is_null(strings))
