"""How a table of text writes numbers and dates: what one column leaves open, others may say."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow.compute as pc

from zerone._data.cells.date_cells import STYLES, DateStyle
from zerone._data.cells.number_cells import NumberStyle
from zerone._data.distinct_strings import DistinctStrings
from zerone._data.readers.source import TextFacts
from zerone._data.table_files import NO_THOUSANDS

MOST = 0.9
"""A column of strings holds numbers or dates if so large a share of its values does."""

_WITH_TWO_ORDERS = [style for style in STYLES if style.order in ("day first", "month first")]


class Notation:
    """How numbers and dates are written in the columns of a table.

    Parameters
    ----------
    columns : sequence of DistinctStrings
        The columns that say how; none if nothing may be assumed.
    facts : TextFacts
        What users said.
    """

    def __init__(self, columns: Sequence[DistinctStrings], facts: TextFacts) -> None:
        self.thousands = "" if facts.thousands == NO_THOUSANDS else facts.thousands
        self._is_said = facts.decimal is not None
        found = [self._decimal_of(strings) for strings in columns]
        self._decimal = facts.decimal if self._is_said else _most_frequent(found)
        self._order = _most_frequent([_order_of(strings) for strings in columns])

    def number_style(self, strings: DistinctStrings) -> NumberStyle:
        """Return how a column writes numbers, if it holds any."""
        own = None if self._is_said else self._only_decimal(strings)
        return self._style(own or self._decimal or ".")

    def date_style(self, strings: DistinctStrings) -> tuple[DateStyle | None, bool]:
        """Return how a column writes dates, and whether that was assumed.

        None if it holds no dates.
        """
        shares = [strings.share_read(style) for style in STYLES]
        best = max(shares)
        if best < MOST:
            return None, False
        fitting = [own for own, share in zip(STYLES, shares, strict=True) if share == best]
        wanted = self._order or _usual_order(strings)
        style = next((own for own in fitting if own.order == wanted), fitting[0])
        return style, len(fitting) > 1

    def _style(self, decimal: str) -> NumberStyle:
        return NumberStyle.of(decimal, self.thousands)  # type: ignore[arg-type]

    def _only_decimal(self, strings: DistinctStrings) -> str | None:
        """Return the decimal separator that a column can only have; None if it may have both."""
        return _larger({mark: strings.share_read(self._style(mark)) for mark in ".,"})

    def _decimal_of(self, strings: DistinctStrings) -> str | None:
        """Return the decimal separator of a column of numbers; None if it does not say it."""
        own = self._only_decimal(strings)
        return own if own and strings.share_read(self._style(own)) >= MOST else None


def _order_of(strings: DistinctStrings) -> str | None:
    """Return whether a column of dates has the day or the month first; None if it may be both."""
    shares = {style.order: strings.share_read(style) for style in _WITH_TWO_ORDERS}
    own = _larger(shares)  # type: ignore[arg-type]
    return own if max(shares.values()) >= MOST else None


def _usual_order(strings: DistinctStrings) -> str:
    """Return the order that is usual for the marks between day and month: slashes are American."""
    has_slash = pc.match_substring(strings.values, "/").to_numpy(zero_copy_only=False)
    n_with_slash = int(strings.counts[has_slash].sum())
    return "month first" if 2 * n_with_slash > strings.total else "day first"


def _larger(shares: Mapping[str, float]) -> str | None:
    """Return which of two shares is the larger one; None if they are equal."""
    if len(set(shares.values())) == 1:
        return None
    return max(shares, key=lambda own: shares[own])


def _most_frequent(votes: Sequence[str | None]) -> str | None:
    """Return what most say; None if nothing is said, or both as often."""
    said, counts = np.unique([own for own in votes if own is not None], return_counts=True)
    if not len(said) or (len(said) > 1 and counts[0] == counts[1]):
        return None
    return str(said[np.argmax(counts)])
