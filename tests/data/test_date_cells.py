"""Dates and times as people write them are the days that NumPy gives."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerone import Encoding
from zerone._data.cells.date_cells import BY_ORDER, STYLES, days_of

WITH_DAY = {
    "year first": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y - %m - %d"],
    "day first": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d. %m. %Y"],
    "month first": ["%m/%d/%Y", "%m-%d-%Y", "%m.%d.%Y"],
    "month by name": [
        "%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%d/%b/%Y", "%d%b%Y", "%B %d, %Y", "%b %d %Y",
        "%b. %d, %Y", "%Y-%b-%d", "%Y %B %d", "%A, %d %B %Y", "%a %d %b %Y", "%A, %B %d, %Y",
    ],
}  # fmt: skip
FORMS = [(order, form) for order, forms in WITH_DAY.items() for form in forms]
TIMES = ["%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p"]
moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 12, 31))
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: dt.timedelta(minutes=minutes))


def day(when):
    return np.datetime64(when, "us").astype(np.int64) / 86_400e6


def parsed(order, *texts):
    return BY_ORDER[order].parsed(pa.array(texts, pa.string()))


def with_case(text, case):
    return {"as it is": text, "upper": text.upper(), "lower": text.lower()}[case]


@given(
    moments.map(dt.datetime.date), st.sampled_from(FORMS), st.sampled_from(["upper", "as it is"])
)
def test_days(when, form, case):
    text = with_case(when.strftime(form[1]), case)
    assert parsed(form[0], text, f" {text}\t").tolist() == [day(when)] * 2
    short = when.strftime(form[1].replace("%d", str(when.day)).replace("%m", str(when.month)))
    assert parsed(form[0], short).tolist() == [day(when)]


@given(moments, st.sampled_from(FORMS), st.sampled_from(TIMES), st.sampled_from(" T"), st.data())
def test_days_with_times(when, form, time, between, data):
    text = when.strftime(f"{form[1]}{between}{time}")
    known = dt.datetime.strptime(when.strftime(f"%Y-%m-%d {time}"), f"%Y-%m-%d {time}")
    np.testing.assert_allclose(parsed(form[0], text), [day(known)], rtol=0, atol=1e-9)
    offset = data.draw(offsets)
    if "%p" not in time:
        zone = dt.datetime(2000, 1, 1, tzinfo=dt.timezone(offset)).strftime("%z")
        for own in (zone, f" {zone}", f"{zone[:3]}:{zone[3:]}"):
            found = parsed(form[0], text + own)
            np.testing.assert_allclose(found, [day(known - offset)], rtol=0, atol=1e-9)
    for own in ("Z", " UTC", " GMT"):
        np.testing.assert_allclose(parsed(form[0], text + own), [day(known)], rtol=0, atol=1e-9)


@given(st.dates(dt.date(1969, 1, 1), dt.date(2068, 12, 31)))
def test_years_of_two_digits(when):
    for order, form in (
        ("day first", "%d.%m.%y"), ("month first", "%m/%d/%y"), ("month by name", "%d-%b-%y"),
    ):  # fmt: skip
        assert parsed(order, when.strftime(form)).tolist() == [day(when)]


@given(st.dates(dt.date(1900, 1, 1), dt.date(2100, 12, 31)))
def test_months_without_a_day_are_their_first_day(when):
    first = day(when.replace(day=1))
    for form in ("%b-%Y", "%B %Y", "%Y-%b", "%Y %B"):
        assert parsed("month by name", when.strftime(form)).tolist() == [first]
    assert parsed("year first", when.strftime("%Y-%m")).tolist() == [first]


@given(st.times())
def test_times_of_the_day(when):
    for form in TIMES:
        known = dt.datetime.strptime(when.strftime(form), form).time()
        expected = day(dt.datetime.combine(dt.date(1970, 1, 1), known))
        found = parsed("time of day", when.strftime(form))
        np.testing.assert_allclose(found, [expected], rtol=0, atol=1e-9)


@pytest.mark.parametrize("year", [1900, 1999, 2000, 2023, 2024, 2100])
def test_leap_years(year):
    is_leap = pd.Timestamp(year, 1, 1).is_leap_year
    found = np.concatenate([
        parsed("day first", f"29.02.{year}"), parsed("month first", f"02/29/{year}"),
        parsed("year first", f"{year}-02-29"), parsed("month by name", f"29 Feb {year}"),
    ])  # fmt: skip
    assert np.isfinite(found).tolist() == [is_leap] * 4


@pytest.mark.parametrize(
    "text",
    [
        "31.02.2020", "02/31/2020", "2020-02-31", "31 Feb 2020", "2020-13-01", "13/13/2020",
        "2020-00-10", "2020-01-00", "00/00/0000", "0000-00-00", "0000-01-01", "2020-04-31",
        "2020-01-02 24:00", "2020-01-02 10:60", "2020-01-02 10:11:61", "2020-01-02 13:00 PM",
        "2020-01-02 0:30 AM", "2020-01-02T10:11:12-99:99", "2020-01-02T10:11:12+05:60", "24:00",
        "2020-13", "20200102", "2020", "12", "1.5", "1,234", "192.168.0.1", "1/1/100", "", " ",
        "May", "5 Mai 2020", "-2020-01-02", "2020-01-02-", "2020-01-02T", "٣/٣/2020",
        "Q1 2020", "1 day", None,
    ],
)  # fmt: skip
def test_what_is_no_date(text):
    assert all(np.isnan(style.parsed(pa.array([text], pa.string()))).all() for style in STYLES)


texts = st.one_of(
    st.none(),
    st.text(max_size=12),
    st.text("0123456789-/.: TZPM+", max_size=20),
    st.tuples(moments, st.sampled_from(FORMS)).map(lambda own: own[0].strftime(own[1][1])),
)


@given(st.lists(texts, max_size=20))
def test_cells_are_read_each_for_itself(cells):
    for style in STYLES:
        together = style.parsed(pa.array(cells, pa.string()))
        alone = [style.parsed(pa.array([cell], pa.string()))[0] for cell in cells]
        np.testing.assert_array_equal(together, np.array(alone, float))


@given(st.lists(st.one_of(st.none(), moments), min_size=1, max_size=10))
def test_columns_of_every_type_for_dates(values):
    known = [np.nan if own is None else day(own) for own in values]
    for unit, digits in (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-6)):
        for zone in (None, "UTC", "America/New_York"):
            array = pa.array(values, pa.timestamp(unit, zone))
            np.testing.assert_allclose(days_of(array), known, rtol=0, atol=digits / 86_400 + 1e-9)
    for kind in (pa.date32(), pa.date64()):
        dates = [None if own is None else own.date() for own in values]
        np.testing.assert_array_equal(days_of(pa.array(dates, kind)), np.floor(known))
    times = pa.array([None if own is None else own.time() for own in values], pa.time64("us"))
    for kind, digits in ((pa.time64("ns"), 0), (pa.time64("us"), 0), (pa.time32("ms"), 1e-3)):
        found = days_of(times.cast(kind, safe=False))
        np.testing.assert_allclose(found, np.mod(known, 1), rtol=0, atol=digits / 86_400 + 1e-9)


def test_days_far_away_do_not_wrap():
    assert days_of(pa.array([2**31 - 1], pa.date32())).tolist() == [2**31 - 1]
    assert days_of(pa.array([2**62], pa.timestamp("s"))).tolist() == [2**62 / 86_400]


def column_of(*cells, **others):
    frame = pd.DataFrame({"when": cells, **others})
    encoding = Encoding.from_table(frame)
    return encoding.columns[0], encoding.plan[0].assumed


@pytest.mark.parametrize(
    ("last", "order"), [("13/01/2020", "day first"), ("01/13/2020", "month first")]
)
def test_a_number_above_twelve_decides_the_order(last, order):
    column, assumed = column_of(*["01/02/2020", "03/04/2020", "05/06/2020"], last)
    assert (column.order, assumed) == (order, ())


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["01/02/2020", "03/04/2020"], "month first"),
        (["01.02.2020", "03.04.2020"], "day first"),
        (["01-02-2020", "03-04-2020"], "day first"),
        (["01.02.2020", "03/04/2020", "05/06/2020"], "month first"),
        (["03/04/2020", "01.02.2020", "05.06.2020"], "day first"),
    ],
)
def test_otherwise_slashes_are_american_and_the_plan_says_so(texts, order):
    column, assumed = column_of(*texts)
    assert column.order == order
    assert assumed == (f"dates may have the day or the month first: read {order}",)
    assert column_of(*texts[::-1]) == (column, assumed)


@pytest.mark.parametrize(
    ("other", "order"), [("25/12/2020", "day first"), ("12/25/2020", "month first")]
)
def test_the_other_columns_of_the_table_decide_before(other, order):
    column, assumed = column_of("01.02.2020", "03.04.2020", other=[other, "01/02/2020"])
    assert column.order == order
    assert assumed == (f"dates may have the day or the month first: read {order}",)


def test_some_cells_that_are_no_dates_are_missing():
    good = [f"2020-03-{number:02d}" for number in range(1, 31)]
    column, assumed = column_of(*good, "soon", "later")
    assert column.has_indicator
    assert assumed == ("values such as 'soon', 'later' are no dates: read as missing (2)",)
    # Of too many, they are categories.
    assert column_of(*good, *["soon"] * 4)[0].kind == "category"


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M:%S"])
def test_a_time_in_one_row_is_enough(form):
    days = pd.date_range("2020-01-01", periods=40)
    at_midnight = column_of(*days.strftime(form))[0]
    assert at_midnight.cycles == ("week",)
    assert column_of(*days)[0].cycles == ("week",)
    some = days + pd.to_timedelta((np.arange(40) == 20) * 5, "h")
    assert column_of(*some.strftime(form))[0].cycles == ("week", "day")
    assert column_of(*some)[0].cycles == ("week", "day")
