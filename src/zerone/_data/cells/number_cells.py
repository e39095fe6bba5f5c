"""Numbers as people write them: with a currency, a percent sign, separators, or in parentheses."""

import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zerone._typing import AnyArray, FloatArray

Decimal: TypeAlias = Literal[".", ","]

_CURRENCY = (
    r"(?:[A-Z]{0,3}\p{Sc}|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|ZAR|TRY"
    r"|kr\.?|zł|Kč|Rs\.?)"
)
# What may stand around the digits, and is no part of the number: one sign at most.
_FRONT = rf"^(?:{_CURRENCY}\s*)?[-+]?\s*(?:{_CURRENCY}\s*)?"
_BACK = rf"\s*(?:%|{_CURRENCY})?-?$"
_TWO_SIGNS = rf"^(?:{_CURRENCY}\s*)?[-+].*-$"
_IN_PARENTHESES = rf"^((?:{_CURRENCY}\s*)?)\(\s*([^()+-]*?)\s*\)(\s*%?)$"
_MINUS_SIGNS = "[−–]"  # the sign for minus, and a dash in its place
_SPACES = "[\u00a0\u2009\u202f]"
# Separators of thousands, by the decimal separator.
_THOUSANDS = {".": ", '’_", ",": ". '’_"}
# Groups of two digits, as they are usual in India.
_LAKHS = "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written in a column of strings.

    Attributes
    ----------
    decimal : {".", ","}
    thousands : str
        The separators of thousands that are taken for such, one character each.
    """

    decimal: Decimal
    thousands: str

    @classmethod
    def of(cls, decimal: Decimal, thousands: str | None = None) -> "NumberStyle":
        """Return the style with a decimal separator, and by default all usual ones of thousands."""
        marks = _THOUSANDS[decimal] if thousands is None else re.sub(_SPACES, " ", thousands)
        return cls(decimal, marks)

    def parsed(self, strings: Any) -> FloatArray:
        """Return the numbers in an Arrow array of strings; NaN where there is none."""
        bare, is_negative = _bare(strings)
        point = re.escape(self.decimal)
        whole = "|".join(self._whole_numbers())
        pattern = rf"^(?:(?:{whole})(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][-+]?[0-9]+)?$"
        is_number = pc.match_substring_regex(bare, pattern).fill_null(False)
        digits = pc.if_else(is_number, bare, pa.scalar(None, bare.type))
        if self.thousands:
            digits = pc.replace_substring_regex(digits, f"[{re.escape(self.thousands)}]", "")
        digits = pc.replace_substring(digits, self.decimal, ".")
        values = np.array(pc.cast(digits, pa.float64()).to_numpy(zero_copy_only=False), copy=True)
        values[np.isinf(values)] = np.nan
        return np.where(is_negative, -values, values)

    def _whole_numbers(self) -> list[str]:
        """Return patterns of digits before the decimal separator.

        All thousands of a number have the same separator, and there is no zero before them: 0,123
        has a decimal comma.
        """
        patterns = ["[0-9]+"]
        for mark in self.thousands:
            patterns.append(rf"[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+")
            if mark == ",":
                patterns.append(_LAKHS)
        return patterns


def _bare(strings: Any) -> tuple[Any, AnyArray]:
    """Return strings without signs, currencies and spaces around them, and which are negative."""
    text = pc.cast(strings, pa.large_string())
    text = pc.replace_substring_regex(text, _MINUS_SIGNS, "-")
    text = pc.utf8_trim_whitespace(pc.replace_substring_regex(text, _SPACES, " "))
    in_parentheses = pc.match_substring_regex(text, _IN_PARENTHESES).fill_null(False)
    text = pc.replace_substring_regex(text, _IN_PARENTHESES, r"\1\2\3")
    has_two = pc.match_substring_regex(text, _TWO_SIGNS).fill_null(False)
    text = pc.if_else(has_two, "", text)
    has_minus = pc.match_substring_regex(text, rf"^(?:{_CURRENCY}\s*)?-|-$").fill_null(False)
    is_negative = pc.or_(in_parentheses, has_minus).to_numpy(zero_copy_only=False)
    text = pc.replace_substring_regex(text, _FRONT, "")
    return pc.replace_substring_regex(text, _BACK, ""), is_negative


STYLES = (NumberStyle.of("."), NumberStyle.of(","))
"""The styles to try where nothing is known."""


def has_decorations(strings: Any) -> bool:
    """Whether some strings hold more than digits, a sign, a point and an exponent."""
    plain = pc.match_substring_regex(strings, r"^\s*[-+]?[0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?\s*$")
    return not bool(pc.all(plain, skip_nulls=True).as_py())
