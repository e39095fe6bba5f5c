"""Moments of parts with different first days are merged exactly."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.test_sources import assert_same

from zerone import Encoding, Moments
from zerone._data.columns.dates import DateColumn
from zerone._data.columns.numeric import NumericColumn


def dated(seed, n=200, missing=0.2):
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1_500, n), "D")
    days = days.to_series(index=range(n)).mask(rng.random(n) < missing)
    return pd.DataFrame({"d": days, "x": rng.normal(size=n), "y": rng.integers(0, 2, n)})


def moments(frame):
    return Moments.from_table(frame, target="y")


@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.2]))
def test_parts_are_the_whole(seed, missing):
    frame = dated(seed, missing=missing)
    recent = frame["d"] > "2020-06-01"
    pieces = [frame[recent], frame[~recent].assign(d=frame["d"] + pd.Timedelta(300, "D"))]
    pieces = [pieces[0][:40], pieces[0][40:], pd.concat([pieces[1], pieces[0]])]
    parts, whole = [moments(piece) for piece in pieces], moments(pd.concat(pieces))
    assert_same(sum(parts), whole, atol=1e-7)
    assert_same(sum(parts[::-1]), whole, atol=1e-7)
    rest = whole - parts[0]
    expected = moments(pd.concat(pieces[1:])).reencoded(rest.encoding)
    assert_same(rest, expected, atol=1e-6)


def test_rows_under_the_common_encoding_are_those_of_the_parts():
    frame = dated(3)
    early, late = frame[frame["d"] < "2022-06-01"], frame[~(frame["d"] < "2022-01-01")]
    a, b = moments(early), moments(late)
    common = a.encoding | b.encoding
    assert common.feature_names == (b.encoding | a.encoding).feature_names
    both = Moments.from_table(pd.concat([early, late]), target="y", encoding=common)
    assert_same(a.reencoded(common) + b.reencoded(common), both, atol=1e-7)


def test_what_fills_missing_dates_stays_the_same_day():
    a = DateColumn("d", None, 100.0, (), 5.0, True)
    b = DateColumn("d", None, 40.0, (), 7.0, True)
    assert a.joined(b) == DateColumn("d", None, 40.0, (), 65.0, True)
    assert b.joined(a) == DateColumn("d", None, 40.0, (), 7.0, True)
    block = np.zeros((2, 2))
    b.map_from(a, block)
    fill, day = np.array([5.0, 1.0]), np.array([30.0, 0.0])
    assert (block @ fill + [b.shift_from(a), 0]).tolist() == [7.0, 1.0]
    assert (block @ day + [b.shift_from(a), 0]).tolist() == [90.0, 0.0]


def test_a_cycle_that_one_part_lacks_cannot_be_added_later():
    frame = dated(5, missing=0.0)
    a, b = moments(frame), moments(frame[frame["d"] < "2020-03-01"])
    with pytest.raises(ValueError, match=r"cycles of dates \(year, week\) and \(week\)"):
        a + b
    with pytest.raises(ValueError, match="agree on an encoding before the tables are read"):
        b.reencoded(a.encoding | b.encoding)
    again = Moments.from_table(frame[frame["d"] < "2020-03-01"], target="y", encoding=a.encoding)
    assert (a + again).feature_names == a.feature_names


def test_text_that_is_read_differently_is_not_joined():
    for one, two, words in (
        (NumericColumn("x"), NumericColumn("x", decimal=","), "decimal comma in only one"),
        (
            DateColumn("x", "day first"),
            DateColumn("x", "month first"),
            "dates (day|month) first and",
        ),
    ):
        for a, b in ((one, two), (two, one)):
            with pytest.raises(ValueError, match=words):
                Encoding((a,)) | Encoding((b,))
    typed, text = DateColumn("x"), DateColumn("x", "day first")
    assert (Encoding((typed,)) | Encoding((text,))).columns[0].order == "day first"
