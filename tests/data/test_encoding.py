"""What an encoding says, and how two of them are joined."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.test_sources import assert_same

from zerone import Encoding, Moments
from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.dates import DateColumn
from zerone._data.columns.hashed import HashedColumn, TextColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._data.encoding import Note


def test_features_have_names_that_say_what_they_are():
    encoding = Encoding(
        (
            NumericColumn("age", 40.0, has_indicator=True),
            CategoryColumn("job", ("cook", "nurse"), has_infrequent=True, has_missing=True),
        ),
    )
    assert encoding.feature_names == (
        "age", "age is missing", "job=cook", "job=nurse", "job is infrequent", "job is missing",
    )  # fmt: skip
    assert "age, job (2 categories)" in repr(encoding)


def test_two_features_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two features would have the name 'a=b'"):
        Encoding((NumericColumn("a=b"), CategoryColumn("a", ("b",))))


def test_infrequent_categories_become_one_feature_the_same_in_any_order():
    jobs = ["a"] * 5 + ["b"] * 3 + ["c"] * 3 + ["d"]
    for order in (jobs, jobs[::-1]):
        frame = pd.DataFrame({"job": order})
        encoding = Encoding.from_table(frame, max_categories=3)
        assert encoding.feature_names == ("job=a", "job=b", "job is infrequent")
        # Of many rows, categories with less than ten are infrequent, too.
        more = pd.concat([frame] * 3)
        assert Encoding.from_table(more, max_categories=3).columns[0].categories == ("a",)
        more = pd.concat([frame] * 4)
        assert Encoding.from_table(more, max_categories=3).columns[0].categories == ("a", "b")
    table = pd.DataFrame({"job": jobs, "y": 0})
    found = Moments.from_table(table, target="y", max_categories=3)
    assert (found[0].mean * 12).round(9).tolist() == [5, 3, 4]


def test_a_column_without_frequent_categories_names_the_rows():
    names = [f"v{i // 3}" for i in range(60)]
    frame = pd.DataFrame({"id": names, "x": np.arange(60) % 7})
    with pytest.warns(UserWarning, match="'id': none of its 20 categories has 10 rows"):
        assert Encoding.from_table(frame, max_categories=10).column_names == ("x",)
    for named in ({"keep": ["id"]}, {"categorical": ["id"]}):
        encoding = Encoding.from_table(frame, max_categories=10, **named)
        assert len(encoding.columns[0].categories) == 9


def test_a_dictionary_tells_categories_that_do_not_occur():
    frame = pl.DataFrame({"job": pl.Series(["a", "c"], dtype=pl.Enum(["a", "b", "c"]))})
    assert Encoding.from_table(frame).feature_names == ("job=a", "job=b", "job=c")


def test_numbers_may_be_categories(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("code,y\n01,0\n1,0\n01,1\n")
    assert Encoding.from_table(path, target="y", categorical=["code"]).feature_names == (
        "code=01", "code=1",
    )  # fmt: skip
    frame = pd.DataFrame({"code": [3.0, None, 3.0], "y": 0})
    found = Moments.from_table(frame, target="y", categorical=["code"])
    assert found.feature_names == ("code=3", "code is missing")


@pytest.mark.parametrize(
    ("values", "words", "why"),
    [
        (pd.to_datetime(["2026-01-01"] * 2), "days since a fixed date", None),
        (pa.array([[1], [2]]), "neither a number nor a category", "neither a number nor"),
        (pa.array([b"a", b"b"]), "neither a number nor a category", "neither a number nor"),
        (pa.nulls(2), "has only missing values", "all values are missing"),
    ],
)
def test_other_types_are_left_out_or_refused_with_advice(values, words, why):
    table = pa.table({"x": values, "z": [1.5, 0.5]})
    with pytest.raises(TypeError, match=words):
        Encoding.from_table(table, strict=True)
    if why is None:
        assert Encoding.from_table(table).feature_names == ("x: days since 2026-01-01", "z")
        return
    with pytest.warns(UserWarning, match=f"columns are left out: 'x': .*{why}"):
        assert Encoding.from_table(table).column_names == ("z",)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep": ["z"]}, "keep: 'z' is not among the columns that are read"),
        ({"hashed": ["x"], "text": ["x"]}, "'x' is named twice"),
        ({"max_categories": 1}, "max_categories: got 1"),
        ({"max_categories": True}, "max_categories: got True"),
        ({"categorical": ["z"]}, "categorical: 'z'"),
        ({"columns": []}, "no column is left"),
        ({"columns": ["x", "x"]}, "named twice"),
        ({"columns": ["y"], "target": "y"}, "the target"),
        ({"target": "z"}, "target: there is no column 'z'; the table has 'x', 'y'"),
        ({"weight": "z"}, "weight: there is no column 'z'"),
        ({"columns": ["z"]}, "columns: there is no column 'z'"),
    ],
)
def test_arguments_are_checked(options, words):
    with pytest.raises(ValueError, match=words):
        Encoding.from_table(pd.DataFrame({"x": [1.0], "y": [1]}), **options)


def test_text_form_is_read_again_and_anything_else_refused():
    encoding = Encoding(
        (
            NumericColumn("Größe", 1 / 3, True, ",", "."),
            CategoryColumn("b", ("x", "ü"), True),
            DateColumn("d", "day first", 18000.0, ("year", "week"), 3.5, True),
            HashedColumn("h", 16),
            TextColumn("t", 32),
        ),
        null_values=("-9",),
        notes=(
            Note("d", "dates may have the day or the month first", 4),
            Note("e", "id", None, True),
        ),
        target="z",
        weight="w",
    )
    again = Encoding.from_json(encoding.to_json(with_notes=True))
    assert again == encoding
    assert Encoding.from_json(encoding.to_json()).notes == encoding.notes[1:]
    assert (again.notes, again.target, again.weight) == (encoding.notes, "z", "w")
    text = encoding.to_json()
    for damaged in (
        "", "{}", "[1]", text[:-5], text.replace("numeric", "other"), text.replace('"x"', "1"),
        text.replace('"strict": false', '"strict": 0'), text.replace('["-9"]', "[9]"),
        text.replace("day first", "any"), text.replace('"year", ', '"week", '),
        text.replace('"features": 16', '"features": 0'),
        text.replace('"decimal": ","', '"decimal": ";"'),
        text.replace("18000.0", "null"), text.replace('"target": "z"', '"target": 3'),
        text.replace('["x", "ü"]', '["ü", "x"]'),
        text.replace('"infrequent": true', '"infrequent": 1'),
        text.replace('"name": "b"', '"name": 7'),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="encoding of the columns"):
            Encoding.from_json(damaged)


def test_joining_needs_the_same_columns():
    numbers, text = Encoding((NumericColumn("a"),)), Encoding((CategoryColumn("a", ("b",)),))
    with pytest.raises(ValueError, match="column 'c' is in only one"):
        numbers | Encoding((NumericColumn("a"), NumericColumn("c")))
    with pytest.raises(ValueError, match="not read in the same way in both"):
        numbers | text
    with pytest.raises(TypeError):
        numbers | 3


categories = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


@given(categories, categories, st.integers(2, 5), st.booleans())
def test_reencoded_moments_are_those_of_the_reencoded_rows(one, two, max_categories, swap):
    """Whatever categories two tables have, under their common encoding both are counted exactly."""

    def frame(jobs):
        return pd.DataFrame({"job": jobs, "x": [ord(job) ** 2.0 for job in jobs], "y": 0})

    options = {"target": "y", "max_categories": max_categories}
    a, b = (Moments.from_table(frame(jobs), **options) for jobs in (one, two))
    common = b.encoding | a.encoding if swap else a.encoding | b.encoding
    merged = a.reencoded(common) + b.reencoded(common)
    expected = Moments.from_table(frame(one + two), target="y", encoding=common)
    assert_same(merged, expected, atol=1e-9)


def test_infrequent_categories_cannot_be_told_apart_again():
    a = Moments.from_table(
        pd.DataFrame({"job": list("aabc"), "y": 0}), target="y", max_categories=2
    )
    with pytest.raises(ValueError, match="may be among the infrequent ones"):
        a.reencoded(Encoding((CategoryColumn("job", ("a", "b", "c"), has_infrequent=True),)))
    with pytest.raises(ValueError, match="no feature for infrequent categories"):
        a.reencoded(Encoding((CategoryColumn("job", ("a",)),)))
    b = Moments.from_table(pd.DataFrame({"job": list("ab"), "y": 0}), target="y")
    with pytest.raises(ValueError, match="lacks the category 'b'"):
        b.reencoded(Encoding((CategoryColumn("job", ("a",)),)))


def test_merging_refuses_other_encodings_and_says_how_to_go_on():
    a, b = (
        Moments.from_table(pd.DataFrame({"job": [job], "y": [0]}), target="y")
        for job in ("male", "M")
    )
    with pytest.raises(
        ValueError, match=r"category 'male' in only one.*a\.encoding \| b\.encoding"
    ):
        a + b
    with pytest.raises(ValueError, match="cannot subtract"):
        a - b
    plain = Moments.from_data([[1.0]], [0])
    with pytest.raises(ValueError, match="only one of the moments was read from a table"):
        a + plain
    with pytest.raises(ValueError, match="not read from a table"):
        plain.reencoded(a.encoding)


def test_plain_tables_merge_with_data():
    frame = pd.DataFrame({"x": [1.0, 2.0], "z": [3.0, 5.0], "y": [0, 0]})
    a = Moments.from_table(frame, target="y")
    b = Moments.from_data(frame[["x", "z"]] + 1, frame["y"])
    assert (a + b)[0].mean.tolist() == [2.0, 4.5]
    assert (b + a).encoding == a.encoding


def test_files_keep_the_encoding(tmp_path):
    frame = pd.DataFrame({"x": [1.0, None], "job": ["ä", "b"], "y": [0, 1]})
    moments = Moments.from_table(frame, target="y")
    moments.save(tmp_path / "m.npz")
    assert Moments.load(tmp_path / "m.npz").encoding == moments.encoding
    assert moments.select(["x"]).encoding is None


def test_encodings_that_cannot_be():
    frame = pd.DataFrame({"x": [1.0], "y": [0]})
    with pytest.raises(ValueError, match=r"has the target 'y' among its features; make it with"):
        Moments.from_table(frame, target="y", encoding=Encoding.from_table(frame))
    encoding = Encoding.from_table(frame, target="y")
    with pytest.raises(ValueError, match="leave out categorical, keep"):
        Moments.from_table(frame, target="y", encoding=encoding, keep=["x"], categorical=["x"])


def test_libsvm_text_has_none(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:2\n")
    with pytest.raises(ValueError, match="LIBSVM text has no named columns"):
        Encoding.from_table(tmp_path / "t.svm")


@pytest.mark.parametrize("argument", ["categorical", "null_values", "columns"])
def test_a_string_is_no_list_of_strings(argument):
    frame = pd.DataFrame({"x": [1.0], "y": [0]})
    for wrong in ("x", 5, [5]):
        with pytest.raises(TypeError, match=f"{argument}: got .*expected a list of strings"):
            Moments.from_table(frame, target="y", **{argument: wrong})
