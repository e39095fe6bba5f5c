"""Numbers as people write them are read as they were meant, and nothing else is a number."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerone import Encoding, TableFiles
from zerone._data.cells.number_cells import STYLES, NumberStyle, has_decorations

POINT, COMMA = (NumberStyle.of(mark) for mark in ".,")
SPACES = " \u00a0\u2009\u202f"
CURRENCIES = ("", "€", "$", "£", "USD", "EUR", "CHF", "R$", "US$", "₹", "kr", "Rs.", "zł")
BY_DECIMAL = {".": (*SPACES, ",", "'", "’", "_", ""), ",": (*SPACES, ".", "'", "’", "_", "")}

MINUS = {
    "before": lambda text, sign: f"{sign}{text}",
    "before with a space": lambda text, sign: f"{sign} {text}",
    "after": lambda text, sign: f"{text}{sign}",
    "parentheses": lambda text, sign: f"({text})",
}


def in_groups(digits, mark):
    """Thousands are separated by a mark."""
    return f"{int(digits):,}".replace(",", mark)


@st.composite
def written(draw):
    """A number, the text that shows it, and the decimal separator."""
    decimal = draw(st.sampled_from(".,"))
    mark = draw(st.sampled_from(BY_DECIMAL[decimal]))
    whole = draw(st.integers(0, 10**12))
    fraction = draw(st.text("0123456789", max_size=4))
    digits = in_groups(str(whole), mark) if mark else str(whole)
    text = digits + (decimal + fraction if fraction else "")
    value = float(f"{whole}.{fraction or 0}")
    if draw(st.booleans()) and not mark:
        exponent = draw(st.integers(-8, 8))
        text += f"e{exponent:+d}"
        value = float(f"{whole}.{fraction or 0}e{exponent}")
    currency = draw(st.sampled_from(CURRENCIES))
    space = draw(st.sampled_from(("", *SPACES)))
    if draw(st.booleans()):
        text = text + space + (currency or draw(st.sampled_from(["", "%"])))
    elif currency:
        text = currency + space + text
    if draw(st.booleans()):
        way = draw(st.sampled_from(list(MINUS)))
        if way == "parentheses" and "e" in text:
            way = "before"
        text, value = MINUS[way](text, draw(st.sampled_from("-−–"))), -value
    around = draw(st.sampled_from(["", " ", "\t", "\u00a0"]))
    return value, around + text + around, decimal


@given(written())
def test_every_way_of_writing_is_read_as_it_was_meant(case):
    value, text, decimal = case
    found = NumberStyle.of(decimal).parsed(pa.array([text]))
    np.testing.assert_array_equal(found, [value])


@given(st.lists(st.one_of(written().map(lambda case: case[1]), st.text(), st.none()), max_size=20))
def test_cells_are_read_each_for_itself(texts):
    for style in STYLES:
        together = style.parsed(pa.array(texts, pa.string()))
        alone = [style.parsed(pa.array([text], pa.string()))[0] for text in texts]
        np.testing.assert_array_equal(together, np.array(alone, float).reshape(len(texts)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read_exactly(value):
    np.testing.assert_array_equal(POINT.parsed(pa.array([repr(value), f"{value:e}"])), [
        value, float(f"{value:e}"),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "-", "+", "1,2,3", "12-34", "1.2.3", "٣", "１２", "½", "1e", "e5", "1e5.5", "0x10",
        "1__000", "_1000", "--5", "-5-", "+5-", "-+5", "(-5)", "(+5)", "(5", "5)", "()", "((5))",
        "5-5", "10–20", "5 5", "12 34", "inf", "nan", "Infinity", "1e999", "-1e999", "5\x00",
        "5\x005", "5k", "five", "$", "%", "%5", "5%%", "€5€5", "1,23,45", "1,234.5.6", "1,234,56",
        "0,123,456", "1'234,567.5", "1 234'567", "192.168.0.1", "2020-01-02", "10:30", None,
    ],
)  # fmt: skip
def test_what_is_no_number(text):
    assert np.isnan(POINT.parsed(pa.array([text], pa.string()))[0])


def test_a_decimal_comma_is_no_separator_of_thousands():
    texts = pa.array(["0,123", "00,123", "1,234", "12,34", "1234,567", "1 234,567", "1,234.5"])
    nan = np.nan
    np.testing.assert_array_equal(POINT.parsed(texts), [nan, nan, 1234, nan, nan, nan, 1234.5])
    np.testing.assert_array_equal(
        COMMA.parsed(texts), [0.123, 0.123, 1.234, 12.34, 1234.567, 1234.567, nan]
    )


def test_groups_of_two_digits_as_in_india():
    found = POINT.parsed(pa.array(["₹1,23,456.50", "12,34,56,789", "1,2,345"]))
    np.testing.assert_array_equal(found, [123456.5, 123456789, np.nan])


@pytest.mark.parametrize("mark", [".", ",", " ", "\u00a0", "'", "|"])
def test_separators_that_users_name(mark):
    decimal = "," if mark == "." else "."
    style = NumberStyle.of(decimal, mark)
    texts = pa.array([f"1{mark}234{decimal}5", "1234", "1#234", f"12{mark}34"])
    np.testing.assert_array_equal(style.parsed(texts), [1234.5, 1234, np.nan, np.nan])
    none = NumberStyle.of(decimal, "")
    np.testing.assert_array_equal(none.parsed(texts)[:2], [np.nan, 1234])


def test_no_rows_and_other_types_of_strings():
    assert POINT.parsed(pa.array([], pa.string())).tolist() == []
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert POINT.parsed(pa.array(["$1", "2"], kind)).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(["1", "-2.5", " 3e4 ", None], False), (["1", "1,234"], True), (["$1"], True)],
)
def test_decorations(texts, expected):
    assert has_decorations(pa.array(texts)) is expected


def columns_of(tmp_path, text, **options):
    (tmp_path / "t.csv").write_text(text)
    encoding = Encoding.from_table(TableFiles(tmp_path / "t.csv", **options))
    return {own.name: own for own in encoding.columns}


def test_other_columns_say_what_one_leaves_open(tmp_path):
    # Alone, these are thousands.
    open_cells = 'a\n"1,234"\n"5,678"\n"2,500"\n'
    assert columns_of(tmp_path, open_cells)["a"].decimal == "."
    both = 'a;b\n"1,234";"5,5"\n"5,678";"7,25"\n"2,500";"1,0"\n'
    assert {own.decimal for own in columns_of(tmp_path, both).values()} == {","}
    # A column that says it itself is not overruled.
    mixed = 'a;b;c\n"1,5";"$5.5";"$1.5"\n"2,5";"$7.25";"$1.7"\n"3,5";"$1.05";"$2"\n'
    found = columns_of(tmp_path, mixed)
    assert [found[name].decimal for name in "abc"] == [",", ".", "."]
    # A zero is not before thousands.
    small = 'a\n"0,123"\n"0,456"\n"0,500"\n'
    assert columns_of(tmp_path, small)["a"].decimal == ","


def test_users_may_insist(tmp_path):
    open_cells = 'a\n"1,234"\n"5,678"\n"2,500"\n'
    found = columns_of(tmp_path, open_cells, decimal=",")["a"]
    assert (found.kind, found.decimal) == ("numeric", ",")
    assert columns_of(tmp_path, open_cells, thousands="none")["a"].decimal == ","
    found = columns_of(tmp_path, open_cells, decimal=".", thousands="none")["a"]
    assert found.kind == "category"
    marks = "a\n1'234.5\n5'678.5\n2'500\n"
    assert columns_of(tmp_path, marks)["a"].thousands is None
    assert columns_of(tmp_path, marks, thousands="'")["a"].thousands == "'"
    assert columns_of(tmp_path, marks, thousands=",")["a"].kind == "category"
