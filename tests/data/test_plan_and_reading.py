"""What a plan says about cells is what happens to them when they are read."""

import warnings

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from zerone import Encoding
from zerone._data.encode import encode, reading_of

KINDS = [
    ["a", "b", "c"],
    ["", "NA", "?", "-", " ", "unknown", None],
    ["1", "-2.5", "3e4", "1,234.50", "$7", "(8)", "45%", "0,5", "1.234,5", "1e309", "12-34"],
    ["31.12.2020", "1.2.2021", "12/31/2020", "2020-02-30", "2020-02-29", "Mar-2018", "1 May 2020"],
    ["10:30", "23:59:59", "24:00", "3:04 pm", "2020-01-02 10:11:12+01:00"],
    ["01", "007", "12", "3"],
    ["true", "false", "inf", "nan", "x\x00y", "日本", "a,b", "٣", "x" * 300],
]


@st.composite
def columns(draw):
    """Mostly cells of one kind, some of another."""
    main, other = (st.sampled_from(draw(st.sampled_from(KINDS))) for _ in range(2))
    n = draw(st.sampled_from([1, 19, 20, 60]))
    every = draw(st.sampled_from([2, 5, 12, 1000]))
    return [draw(other if row % every == every - 1 else main) for row in range(n)]


@settings(max_examples=200)
@given(columns(), st.booleans())
def test_the_plan_counts_what_is_missing(cells, is_kept):
    rows = pa.RecordBatch.from_pydict(
        {"x": pa.array(cells, pa.string()), "z": np.arange(len(cells)) % 7 + 0.5}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        encoding = Encoding.from_table(
            pa.Table.from_batches([rows]), keep=["x"] if is_kept else [], max_categories=4
        )
    assert Encoding.from_json(encoding.to_json()) == encoding
    found, used = encode(rows, encoding, reading_of(encoding, "refuse", "the table"))
    assert used.feature_names == encoding.feature_names
    features = np.asarray(found)
    assert np.isfinite(features).all()
    missing = [i for i, name in enumerate(used.feature_names) if name == "x is missing"]
    told = [own for own in encoding.notes if own.column == "x" and "missing" in own.said]
    if encoding.columns[0].name == "x":
        assert features[:, missing].sum() == sum(own.n_values for own in told)
    parts = [encode(rows.slice(i, 1), used, reading_of(used, "accept", "X"))[0] for i in range(3)]
    if len(cells) >= 3 and not missing:
        np.testing.assert_array_equal(np.concatenate(parts), features[:3])
