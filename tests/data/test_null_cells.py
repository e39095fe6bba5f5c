"""Which cells of text mean a missing value, in columns of strings and of numbers."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from zerone import Encoding
from zerone._data.cells.null_cells import AMONG_NUMBERS, AMONG_STRINGS, null_mask


def masked(texts, null_values=(), known=AMONG_STRINGS):
    return null_mask(pa.array(texts, pa.string()), null_values, known).to_pylist()


@pytest.mark.parametrize("spelling", AMONG_STRINGS)
@pytest.mark.parametrize("around", ["", " ", "\t", "\u00a0"])
def test_words_among_strings(spelling, around):
    assert masked([around + spelling + around, "NASA", None]) == [True, False, True]
    assert masked([spelling, None], known=()) == [False, True]


def test_words_that_mean_a_missing_value_only_among_numbers():
    only = [own for own in AMONG_NUMBERS if own not in AMONG_STRINGS]
    assert not any(masked(only))
    assert all(masked(only, known=AMONG_NUMBERS))
    assert len(set(AMONG_NUMBERS)) == len(AMONG_NUMBERS)


def test_words_that_users_add():
    assert masked(["-9", " -9 ", "9"], ["-9"], ()) == [True, True, False]


@pytest.mark.parametrize("spelling", AMONG_NUMBERS)
def test_in_columns_of_numbers_and_dates(spelling):
    numbers = [f"{i}.5" for i in range(20)]
    dates = [f"2020-03-{day:02d}" for day in range(1, 21)]
    frame = pd.DataFrame({"x": [*numbers, spelling], "d": [*dates, spelling]})
    encoding = Encoding.from_table(frame)
    assert [column.kind for column in encoding.columns] == ["numeric", "date"]
    assert all(column.has_indicator for column in encoding.columns)
    said = f"missing, also where it says {spelling!r} (1)" if spelling else "missing (1)"
    assert all(said in own.assumed for own in encoding.plan)


@pytest.mark.parametrize("spelling", ["unknown", "None", "-", "missing"])
def test_a_word_that_may_be_a_category_is_one(spelling):
    frame = pd.DataFrame({"job": ["cook", "nurse", spelling] * 10})
    column = Encoding.from_table(frame).columns[0]
    assert spelling in column.categories
    assert not column.has_missing


@pytest.mark.parametrize("spelling", AMONG_STRINGS)
def test_in_columns_of_categories(spelling):
    frame = pd.DataFrame({"job": ["cook", "nurse", spelling] * 10})
    encoding = Encoding.from_table(frame)
    assert encoding.feature_names == ("job=cook", "job=nurse", "job is missing")
    assert encoding.notes[0].n_values == 10
    kept = Encoding.from_table(frame, strict=True)
    assert kept.n_features == 3
    assert "job is missing" not in kept.feature_names


def test_nothing_is_a_word_where_nothing_may_be_assumed():
    frame = pd.DataFrame({"x": [*np.arange(20).astype(str), "NA"]})
    assert "NA" in Encoding.from_table(frame, strict=True).columns[0].categories
