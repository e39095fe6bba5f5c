"""Numbers as people write them: with a currency, a percent sign, separators, or in parentheses."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zerone._typing import AnyArray, FloatArray

Decimal: TypeAlias = Literal[".", ","]

_CURRENCY = (
    r"(?:\p{Sc}|R\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|ZAR|TRY)"
)
# What may stand around the digits, and is no part of the number.
_FRONT = rf"^(?:{_CURRENCY}\s*)?[-+]?\s*(?:{_CURRENCY}\s*)?"
_BACK = rf"\s*(?:%|{_CURRENCY})?-?$"
_MINUS_SIGNS = "[−–]"  # the sign for minus, and a dash in its place
_SPACES = "[\u00a0\u2009\u202f]"
# Separators of thousands, by the decimal separator.
_THOUSANDS = {".": ", '’_", ",": ". '’_"}


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
        return cls(decimal, _THOUSANDS[decimal] if thousands is None else thousands)

    def parsed(self, strings: Any) -> FloatArray:
        """Return the numbers in an Arrow array of strings; NaN where there is none."""
        bare, is_negative = _bare(strings)
        point = f"\\{self.decimal}"
        group = f"[{self.thousands}]"
        grouped = rf"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+" if self.thousands else r"[0-9]+"
        pattern = rf"^(?:(?:{grouped}|[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][-+]?[0-9]+)?$"
        is_number = pc.match_substring_regex(bare, pattern).fill_null(False)
        digits = pc.if_else(is_number, bare, pa.scalar(None, bare.type))
        if self.thousands:
            digits = pc.replace_substring_regex(digits, group, "")
        digits = pc.replace_substring(digits, self.decimal, ".")
        values = np.array(pc.cast(digits, pa.float64()).to_numpy(zero_copy_only=False), copy=True)
        return np.where(is_negative, -values, values)


def _bare(strings: Any) -> tuple[Any, AnyArray]:
    """Return strings without signs, currencies and spaces around them, and which are negative."""
    text = pc.cast(strings, pa.large_string())
    text = pc.replace_substring_regex(text, _MINUS_SIGNS, "-")
    text = pc.utf8_trim_whitespace(pc.replace_substring_regex(text, _SPACES, " "))
    in_parentheses = pc.match_substring_regex(text, r"^\([^()-]*\)$").fill_null(False)
    text = pc.if_else(in_parentheses, pc.utf8_trim(text, "() "), text)
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
