"""Hashed categories and text: the same features in every process, order and part."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from zerone import Encoding, Moments
from zerone._data.columns.column import Reading
from zerone._data.columns.hashed import HashedColumn, TextColumn
from zerone._data.encode import encode, encode_frame, reading_of

COLUMNS = {"hashed": HashedColumn("x", 16), "text": TextColumn("x", 64)}
CELLS = [
    "a",
    "b",
    "",
    "Ä",
    "the black cat",
    "the black dog",
    None,
    " a ",
    "NA",
    "日本",
    "a\x00b",
    "?",
]
both = pytest.mark.parametrize("kind", COLUMNS)


def features(column, cells, **options):
    reading = Reading("accept", options.pop("strict", False), **options)
    return column.encoded(pa.array(cells, pa.string()), reading)[0].toarray()


@pytest.mark.slow
@both
def test_another_process_gives_the_same(kind):
    program = (
        "import pyarrow as pa\n"
        "from zerone._data.columns.column import Reading\n"
        "from zerone._data.columns.hashed import HashedColumn, TextColumn\n"
        f"rows, _ = {COLUMNS[kind]!r}.encoded(pa.array({CELLS!r}), Reading('accept', False))\n"
        "print(rows.toarray().tolist())"
    )
    for seed in ("1", "2"):
        found = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path)),
                 "PYTHONUTF8": "1"},
        )  # fmt: skip
        expected = features(COLUMNS[kind], CELLS)
        assert found.stdout.strip() == str(expected.tolist())


@both
@settings(max_examples=25)
@given(
    cells=st.lists(st.one_of(st.sampled_from(CELLS), st.text(max_size=8)), max_size=20),
    cut=st.integers(0, 20),
    seed=st.integers(0, 99),
)
def test_a_row_does_not_depend_on_others(kind, cells, cut, seed):
    column = COLUMNS[kind]
    whole = features(column, cells)
    parts = [features(column, part) for part in (cells[:cut], cells[cut:])]
    assert_allclose(np.concatenate(parts), whole, atol=1e-15)
    order = np.random.default_rng(seed).permutation(len(cells))
    assert_allclose(features(column, [cells[i] for i in order]), whole[order], atol=1e-15)
    entries = pa.array(cells, pa.string()).dictionary_encode()
    coded = column.encoded(entries, Reading("accept", False))[0].toarray()
    assert_allclose(coded, whole, atol=1e-15)


@both
def test_missing_values_have_no_feature(kind):
    rows = features(COLUMNS[kind], [None, "", "NA", " ? ", "-9", "a"], null_values=["-9"])
    assert (rows != 0).any(axis=1).tolist() == [False] * 5 + [True]
    assert not COLUMNS[kind].absent(3).toarray().any()
    with pytest.raises(ValueError, match="missing value in row 1 of X"):
        features(COLUMNS[kind], ["a", None], strict=True)
    assert features(COLUMNS[kind], ["NA"], strict=True).any()


def test_a_category_is_one_feature_and_spaces_around_do_not_matter():
    column = HashedColumn("x", 1024)
    rows = features(column, ["a", " a\t", "b", "c"])
    assert rows.sum(axis=1).tolist() == [1.0] * 4
    assert (rows[0] == rows[1]).all()
    assert len({tuple(row) for row in rows}) == 3
    numbers = column.encoded(pa.array([1.0, 2.5]), Reading("accept", False))[0].toarray()
    assert_allclose(numbers, features(column, ["1", "2.5"]))


def test_like_texts_have_like_features():
    column = TextColumn("x")
    one, like, other = features(column, ["the black cat", "the black cats", "free shipping"])
    assert one @ like > 3 * abs(one @ other)
    assert (features(column, ["The Black Cat"])[0] == one).all()


def table(seed, n=120):
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    return pd.DataFrame({
        "code": rng.choice([f"c{i}" for i in range(50)], n),
        "said": rng.choice(["late again", "on time", "never came", None], n),
        "job": rng.choice(["cook", "nurse", None], n),
        "since": np.where(rng.random(n) < 0.1, None, days.strftime("%d.%m.%Y")),
        "pay": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "y": rng.integers(0, 2, n),
        "w": rng.integers(0, 3, n),
    })  # fmt: skip


OPTIONS = {"target": "y", "weight": "w", "hashed": ["code"], "text": ["said"]}


@pytest.mark.parametrize("cut", [1, 60, 119])
def test_parts_of_a_table_are_encoded_as_the_whole(cut):
    frame = table(cut)
    for options in (OPTIONS, {"target": "y", "weight": "w", "keep": ["code"]}):
        encoding = Encoding.from_table(frame, **options)
        rows = pa.RecordBatch.from_pandas(frame, preserve_index=False)
        reading = reading_of(encoding, "accept", "X")

        def encoded(part, encoding=encoding, reading=reading):
            found = encode(part, encoding, reading)[0]
            return found.toarray() if hasattr(found, "toarray") else np.asarray(found)

        whole = encoded(rows)
        parts = [encoded(rows.slice(0, cut)), encoded(rows.slice(cut))]
        assert_allclose(np.concatenate(parts), whole, atol=1e-12)


def test_rows_of_weight_zero_are_absent():
    frame = table(5)
    present = frame[frame["w"] > 0]
    found, expected = (Encoding.from_table(own, **OPTIONS) for own in (frame, present))
    assert found == expected
    assert found.notes == expected.notes
    odd = frame.assign(job=np.where(frame["w"] > 0, frame["job"], "never"))
    assert Encoding.from_table(odd, **OPTIONS) == expected
    moments = [Moments.from_table(own, **OPTIONS) for own in (odd, present)]
    for label in moments[1]:
        assert_allclose(moments[0][label].mean, moments[1][label].mean, atol=1e-12)
    some = encode_frame(frame, found, reading_of(found, "refuse", "X"), (frame["w"] > 0).to_numpy())
    all_present = encode_frame(present, found, reading_of(found, "refuse", "X"))
    assert_allclose(some[0].toarray(), all_present[0].toarray(), atol=1e-12)


def test_encodings_with_other_numbers_of_hashes_are_not_joined():
    one, two = (Encoding((HashedColumn("x", n),)) for n in (16, 32))
    assert (one | one) == one
    with pytest.raises(ValueError, match="column 'x' has 16 and 32 features"):
        one | two
