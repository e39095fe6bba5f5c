"""Columns of types that are rarely seen are read, left out, or refused with a sentence."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from zerone import Encoding, ZeroOneClassifier

N = 40
TYPES = {
    "string views": (pa.array(["a", "b"] * 20, pa.string_view()), "category"),
    "numbers in string views": (pa.array(["1,5", "2,5"] * 20, pa.string_view()), "numeric"),
    "dates in string views": (pa.array(["1.2.2020", "25.3.2020"] * 20, pa.string_view()), "date"),
    "wide decimals": (pa.array([*range(20)] * 2).cast(pa.decimal256(40, 2)), "numeric"),
    "half floats": (pa.array(np.arange(N, dtype=np.float16) / 8), "numeric"),
    "unsigned integers": (pa.array([2**63 + i % 7 for i in range(N)], pa.uint64()), "numeric"),
    "durations": (pa.array([1, 2] * 20, pa.duration("s")), "numeric"),
    "times": (pa.array([1, 2] * 20, pa.time32("s")), "date"),
    "days in milliseconds": (pa.array([0, 86_400_000] * 20, pa.date64()), "date"),
    "a dictionary of dates": (
        pa.array([1, 2] * 20, pa.timestamp("s")).dictionary_encode(), "category"),
    "a dictionary of booleans": (pa.array([True, False] * 20).dictionary_encode(), "category"),
    "a dictionary with a null": (pa.array([None, "a"] * 20).dictionary_encode(), "category"),
    "a dictionary with NaN": (pa.array([1.0, np.nan] * 20).dictionary_encode(), "category"),
    "bytes": (pa.array([b"a", b"b"] * 20), None),
    "binary views": (pa.array([b"a", b"b"] * 20, pa.binary_view()), None),
    "lists": (pa.array([[1], [2]] * 20), None),
    "records": (pa.array([{"a": 1}, {"a": 2}] * 20), None),
    "intervals": (pa.array([None] * N, pa.month_day_nano_interval()), None),
    "extensions": (pa.array([b"0123456789abcdef"] * N, pa.uuid()), None),
}  # fmt: skip


def table_of(name):
    rng = np.random.default_rng(0)
    labels = pa.array([None, *["p", "q"] * 19, "p"])
    return pa.table({"x": TYPES[name][0], "z": rng.normal(size=N), "y": labels})


@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_read_or_left_out(name):
    table, kind = table_of(name), TYPES[name][1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ZeroOneClassifier(refine=None).fit_table(table, target="y")
        assert len(model.predict(table)) == N
    kinds = {own.name: own.kind for own in model.encoding_.columns}
    assert kinds.get("x") == kind
    if kind is None:
        assert model.encoding_.plan[-1].read_as == "left out"


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("option", ["categorical", "hashed", "text"])
def test_every_type_is_a_category_or_refused(name, option):
    table = table_of(name)
    nested = name in ("lists", "records", "intervals", "extensions")
    if nested:
        with pytest.raises(TypeError, match=f"{option}: column 'x' has type .*strings first"):
            Encoding.from_table(table, columns=["x", "z"], **{option: ["x"]})
        return
    encoding = Encoding.from_table(table, columns=["x", "z"], **{option: ["x"]})
    assert encoding.columns[0].kind == option.replace("categorical", "category")
