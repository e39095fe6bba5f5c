"""Dates and times as people write them, as days since 1970-01-01."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from zerone._typing import AnyArray, FloatArray

Order: TypeAlias = Literal["year first", "day first", "month first", "month by name", "time of day"]

SECONDS_PER_DAY = 86_400.0
_MINUTES_PER_DAY = 1_440
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?))\.?"
)
_WEEKDAY = r"(?:(?i:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)\.?,?\s+)?"
_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:[.,][0-9]+)?))?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z|z|UTC|GMT|[-+][0-9]{2}:?[0-5][0-9]|[-+][0-9]{2})?"
)
_TIME = rf"(?:(?:T|\s+|,\s*){_CLOCK})?"
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_TWO = "[0-9]{1,2}"
_DAY = rf"(?P<day>{_TWO})(?:st|nd|rd|th)?"
_MARK = r"\s*[-/.]\s*"
# A year of two digits is in the century that ends here.
_LAST_SHORT_YEAR = 68


@dataclass(frozen=True)
class DateStyle:
    """How dates are written in a column of strings.

    Attributes
    ----------
    order : str
    patterns : tuple of str
        Regular expressions with groups for the parts of a date.
    """

    order: Order
    patterns: tuple[str, ...]

    def parsed(self, strings: Any) -> FloatArray:
        """Return days since 1970-01-01, with fractions for times; NaN where there is no date."""
        text = pc.utf8_trim_whitespace(pc.cast(strings, pa.large_string()))
        days = np.full(len(text), np.nan)
        for pattern in self.patterns:
            # Finding out whether a pattern matches is much faster than taking it apart.
            is_found = pc.match_substring_regex(text, f"^{pattern}$").fill_null(False)
            found = is_found.to_numpy(zero_copy_only=False)
            if found.any():
                own = pc.extract_regex(text.filter(is_found), f"^{pattern}$")
                days[found] = _days(dict(zip(_names(own), own.flatten(), strict=True)))
        return days


def _names(fields: Any) -> list[str]:
    return [field.name for field in fields.type]


def _dates(*patterns: str) -> tuple[str, ...]:
    """Return patterns of dates with those of weekdays and times around them."""
    return tuple(f"{_WEEKDAY}{pattern}{_TIME}" for pattern in patterns)


STYLES = (
    DateStyle(
        "year first",
        _dates(
            rf"{_YEAR}{_MARK}(?P<month>{_TWO}){_MARK}(?P<day>{_TWO})",
            rf"{_YEAR}[-/](?P<month>[0-9]{{2}})",
        ),
    ),
    DateStyle("day first", _dates(rf"(?P<day>{_TWO}){_MARK}(?P<month>{_TWO}){_MARK}{_ANY_YEAR}")),
    DateStyle("month first", _dates(rf"(?P<month>{_TWO}){_MARK}(?P<day>{_TWO}){_MARK}{_ANY_YEAR}")),
    DateStyle(
        "month by name",
        _dates(
            rf"{_DAY}[-/.\s]*{_MONTH}[-/.,\s]*{_ANY_YEAR}",
            rf"{_MONTH}[-/.\s]+{_DAY}[-/.,\s]+{_YEAR}",
            rf"{_MONTH}[-/.,\s]+{_ANY_YEAR}",
            rf"{_YEAR}[-/.\s]+{_MONTH}(?:[-/.\s]+(?P<day>{_TWO}))?",
        ),
    ),
    DateStyle("time of day", (_CLOCK,)),
)
"""All styles. A month without a day means its first day."""

TIME_OF_DAY = STYLES[-1]
BY_ORDER = {style.order: style for style in STYLES}


def _days(fields: dict[str, Any]) -> FloatArray:
    """Return days since 1970-01-01 from the parts of dates; NaN where a part is out of range."""
    days, is_date = _midnights(fields)
    hour, minute, second = (_number(fields[own]) for own in ("hour", "minute", "second"))
    half = pc.utf8_slice_codeunits(pc.utf8_lower(fields["half"]), 0, 1)
    is_pm, is_am = (_true(pc.equal(half, own)) for own in ("p", "a"))
    is_date &= (hour < 24) & (minute < 60) & (second < 61)
    is_date &= ~(is_pm | is_am) | ((hour >= 1) & (hour <= 12))
    hour = np.where(is_pm | is_am, hour % 12 + 12 * is_pm, hour)
    zone = _zone_minutes(fields["zone"])
    is_date &= np.abs(zone) < _MINUTES_PER_DAY
    seconds = hour * 3600 + minute * 60 + second - 60 * zone
    return np.where(is_date, days + seconds / SECONDS_PER_DAY, np.nan)


def _midnights(fields: dict[str, Any]) -> tuple[FloatArray, AnyArray]:
    """Return the days of dates, and which of them there are; zero for times without a date."""
    if "year" not in fields:
        n = len(fields["hour"])
        return np.zeros(n), np.ones(n, dtype=bool)
    year = _number(fields["year"])
    is_short = pc.equal(pc.utf8_length(fields["year"]), 2).to_numpy(zero_copy_only=False)
    century = np.where(year > _LAST_SHORT_YEAR, 1900, 2000)
    year = np.where(is_short, century + year, year)
    month = _month_number(fields["name"]) if "name" in fields else _number(fields["month"])
    day = _number(fields["day"], 1) if "day" in fields else np.ones(len(year))
    is_date = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    first = _first_of_month(year, np.where(is_date, month, 1))
    following = _first_of_month(year + (month == 12), np.where(is_date, month % 12 + 1, 1))
    return first + day - 1.0, is_date & (day <= following - first)


def _first_of_month(year: FloatArray, month: FloatArray) -> FloatArray:
    months = ((year - 1970) * 12 + month - 1).astype(np.int64).astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64).astype(np.float64)


def _true(mask: Any) -> AnyArray:
    found: AnyArray = mask.fill_null(False).to_numpy(zero_copy_only=False)
    return found


def _number(strings: Any, otherwise: float = 0) -> FloatArray:
    """Return the numbers in strings; empty ones, parts that are not there, are ``otherwise``."""
    given = pc.replace_substring(strings, ",", ".")
    given = pc.if_else(pc.equal(pc.utf8_length(given), 0), str(otherwise), given)
    values: FloatArray = pc.cast(given, pa.float64()).to_numpy(zero_copy_only=False)
    return values


def _month_number(names: Any) -> FloatArray:
    short = pc.utf8_lower(pc.utf8_slice_codeunits(names, 0, 3))
    position = pc.index_in(short, pa.array(_MONTHS, short.type))
    numbers: FloatArray = pc.cast(position, pa.float64()).to_numpy(zero_copy_only=False) + 1
    return numbers


def _zone_minutes(zones: Any) -> FloatArray:
    """Return how many minutes a time zone is ahead of UTC; zero where none is written."""
    has_offset = pc.match_substring_regex(zones, "^[-+]")
    bare = pc.if_else(has_offset, pc.replace_substring(zones, ":", ""), "+0000")
    sign = np.where(_true(pc.starts_with(bare, "-")), -1.0, 1.0)
    hours = _number(pc.utf8_slice_codeunits(bare, 1, 3))
    return sign * (60 * hours + _number(pc.utf8_slice_codeunits(bare, 3, 5)))


def has_dates(arrow_type: Any) -> bool:
    """Whether a type is one of dates, time stamps or times of the day."""
    return bool(
        types.is_date(arrow_type) or types.is_timestamp(arrow_type) or types.is_time(arrow_type)
    )


def days_of(array: Any) -> FloatArray:
    """Return days since 1970-01-01 for an Arrow array of dates or time stamps; NaN for nulls.

    Times of the day are shares of a day.
    """
    arrow_type = array.type
    if types.is_date32(arrow_type):
        return _floats(pc.cast(array, pa.int32()))
    unit = "ms" if types.is_date64(arrow_type) else arrow_type.unit
    whole = pc.cast(array, pa.int32() if types.is_time32(arrow_type) else pa.int64())
    return _floats(whole) / (_PER_SECOND[unit] * SECONDS_PER_DAY)


def _floats(array: Any) -> FloatArray:
    values: FloatArray = pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return values
