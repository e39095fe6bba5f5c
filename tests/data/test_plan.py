"""How every column of a table is read, and what the plan says about it."""

import subprocess
import sys
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerone import Encoding, Moments, ZeroOneClassifier, load_model
from zerone._data import look as _look
from zerone._data import string_counts as _string_counts
from zerone._data.plan import PlanWarning

N = 60


def planned(frame, **options):
    """The encoding of a table, and the notes of its plan by column."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlanWarning)
        encoding = Encoding.from_table(frame, **options)
    return encoding, {own.column: own for own in encoding.plan}


def plan_of(values, **options):
    """How one column of a table is read: its column, if any, and its plan."""
    frame = pd.DataFrame({"x": values})
    frame["other"] = np.arange(len(frame)) % 7 + 0.5
    encoding, plan = planned(frame, **options)
    columns = {own.name: own for own in encoding.columns}
    return columns.get("x"), plan["x"]


def words(seed, n=N, length=12):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("abcdefgh"), length)) for _ in range(n)]


LEFT_OUT = {
    "a constant number": ([3.0] * N, "all values are 3"),
    "a large constant": ([1234567] * N, "all values are 1234567"),
    "a constant boolean": ([True] * N, "all values are 1"),
    "a constant string": (["DE"] * N, "all values are 'DE'"),
    "a constant number in strings": (["$5", "5.0"] * (N // 2), "all values are 5"),
    "a constant date": ([pd.Timestamp("2020-01-01")] * N, "all dates are the same"),
    "a constant date in strings": (["2020-01-01", "2020/01/01"] * (N // 2), "all dates are the"),
    "a constant duration": ([pd.Timedelta(5, "h")] * N, "all values are 0.2083333333"),
    "nothing": ([None] * N, "all values are missing"),
    "no number": ([np.nan] * N, "all values are missing"),
    "no date": ([pd.NaT] * N, "all values are missing"),
    "no string": (["", "NA"] * (N // 2), "all values are missing"),
    "rising integers": (range(100, 100 + 3 * N, 3), "integers that rise with the row name"),
    "rising large integers": ([2**60 + i for i in range(N)], "integers that rise with the row"),
    "rising floats": (np.arange(N, dtype=float), "integers that rise with the row name the rows"),
    "identifiers": ([f"u-{i * 7919 % 1009}" for i in range(N)], "every value is different"),
    "text": ([f"the {a} and the {a}" for a in words(1)], "free text"),
    "bytes": ([b"a", b"b"] * (N // 2), "neither a number nor a category"),
    "lists": ([[1], [2, 3]] * (N // 2), "neither a number nor a category"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_columns_that_say_nothing_are_left_out(name):
    values, why = LEFT_OUT[name]
    column, plan = plan_of(values)
    assert column is None
    assert (plan.read_as, plan.n_features) == ("left out", 0)
    assert why in plan.assumed[0]
    with pytest.warns(PlanWarning, match="columns are left out: 'x': .*To read one, name it in"):
        Encoding.from_table(pd.DataFrame({"x": values, "z": np.arange(N) % 3}))


@pytest.mark.parametrize("name", [own for own in LEFT_OUT if own not in ("bytes", "lists")])
def test_columns_that_users_keep(name):
    values, _ = LEFT_OUT[name]
    column, plan = plan_of(values, keep=["x"])
    if name == "nothing":  # It has no type.
        assert column is None
    else:
        assert column is not None
        assert plan.n_features == len(column.feature_names) > 0


@pytest.mark.parametrize("name", [own for own in LEFT_OUT if own not in ("bytes", "lists")])
def test_of_few_rows_nothing_is_left_out(name):
    values = list(LEFT_OUT[name][0])[:19]
    column, _ = plan_of(values)
    assert (column is None) == (name == "nothing")


READ = {
    "fractions": (np.arange(N) / 8, "numeric", 1),
    "numbers that come twice": (np.arange(N) // 2, "numeric", 1),
    "falling integers": (range(N, 0, -1), "numeric", 1),
    "booleans": ([True, False] * (N // 2), "numeric", 1),
    "few numbers": ([0, 1] * (N // 2), "numeric", 1),
    "integers with gaps": (pd.array([1, None, 5] * (N // 3), "Int64"), "numeric", 2),
    "decimals": (pd.arrays.ArrowExtensionArray(
        pa.array(np.arange(N) // 2 * 1.25).cast(pa.decimal128(10, 2))), "numeric", 1),
    "durations": (pd.to_timedelta(np.arange(N) // 2, "h"), "numeric", 1),
    "time stamps": (pd.date_range("2020-01-01", periods=N, freq="7h"), "date", 5),
    "time stamps with a zone": (
        pd.date_range("2020-01-01", periods=N, freq="7h", tz="Asia/Tokyo"), "date", 5),
    "days": (pd.date_range("2020-01-01", periods=N, freq="13D"), "date", 5),
    "days of one week": (pd.date_range("2020-01-01", periods=5).repeat(N // 5), "date", 1),
    "times": (pd.date_range("2020-01-01", periods=N, freq="7h").time, "date", 3),
    "times in strings": (
        pd.date_range("2020-01-01", periods=N, freq="7h").strftime("%H:%M"), "date", 3),
    "days in strings": (
        pd.date_range("2020-01-01", periods=N, freq="13D").strftime("%d.%m.%Y"), "date", 5),
    "categories": (["a", "b", "c"] * (N // 3), "category", 3),
    "strings of yes and no": (["yes", "no"] * (N // 2), "category", 2),
    "codes with a zero before": ([f"0{i % 9}" for i in range(N)], "category", 9),
    "few codes": ([str(i % 9) for i in range(N)], "category", 9),
    "many codes": ([str(i // 2) for i in range(N)], "numeric", 1),
    "percents": ([f"{i // 2}%" for i in range(N)], "numeric", 1),
    "money": ([f"${i // 2 * 1000.5:,.2f}" for i in range(N)], "numeric", 1),
    "a dictionary": (pd.Categorical(["a", "b"] * (N // 2), ["a", "b", "z"]), "category", 3),
    "a dictionary of numbers": (pd.Categorical([5, 6] * (N // 2)), "category", 2),
    "values of several types": ([1, "a", True] * (N // 3), "category", 3),
    "numbers and words": ([*range(3, N), "few", "few", "lots"], "numeric", 2),
    "a missing category": (["a", None, "b"] * (N // 3), "category", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_columns_that_become_features(name, tmp_path):
    values, kind, n_features = READ[name]
    column, plan = plan_of(values)
    assert (column.kind, plan.n_features) == (kind, n_features)
    # The same table in a file of a typed format is read in the same way.
    frame = pd.DataFrame({"x": values, "other": np.arange(N) % 7})
    # Parquet has no such types.
    if name not in ("values of several types", "numbers and words", "a dictionary of numbers"):
        frame.to_parquet(tmp_path / "t.parquet", index=False)
        assert planned(tmp_path / "t.parquet")[0].columns[0] == column


def test_an_index_without_a_name_is_left_out(tmp_path):
    frame = pd.DataFrame({"x": np.arange(N) % 7}).sample(frac=1, random_state=0)
    frame.to_csv(tmp_path / "t.csv")
    encoding, plan = planned(tmp_path / "t.csv")
    assert encoding.column_names == ("x",)
    assert plan["column 1"].assumed == ("a column of row numbers without a name",)
    assert len(planned(tmp_path / "t.csv", keep=["column 1"])[0].columns) == 2


def test_what_users_name_is_read_as_they_say():
    frame = pd.DataFrame({"a": np.arange(N), "b": words(2), "c": words(3), "d": [1.0] * N})
    encoding, _ = planned(frame, categorical=["a"], hashed=["b"], text=["c"], keep=["d"])
    assert [own.kind for own in encoding.columns] == ["category", "hashed", "text", "numeric"]


@given(st.lists(st.sampled_from("abcdefghijkl"), min_size=20, max_size=200), st.integers(2, 8))
def test_infrequent_categories_are_counted(cells, most):
    column, plan = plan_of(cells, max_categories=most, categorical=["x"])
    counts = Counter(cells)
    if len(counts) <= most:
        assert (column.categories, plan.assumed) == (tuple(sorted(counts)), ())
        return
    kept = sorted(counts, key=lambda own: (-counts[own], own))[: most - 1]
    n_others = sum(count for own, count in counts.items() if own not in kept)
    assert column.categories == tuple(sorted(kept))
    assert plan.assumed == (
        f"{len(counts)} categories; all but {len(kept)} share a feature ({n_others})",
    )


@given(st.integers(0, 2**31))
def test_counts_in_notes_are_those_of_pandas(seed):
    rng = np.random.default_rng(seed)
    n = 300
    frame = pd.DataFrame({
        "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "infinite": np.where(rng.random(n) < 0.1, np.inf, rng.normal(size=n)),
        "category": rng.choice(["a", "b", "?", " n/a "], n),
        "money": np.where(rng.random(n) < 0.05, "free", [f"${v:.2f}" for v in rng.random(n)]),
        "day": np.where(
            rng.random(n) < 0.05,
            "soon",
            (pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")).strftime(
                "%d.%m.%Y"
            ),
        ),
        "target": rng.choice(["yes", "no", None], n, p=[0.5, 0.4, 0.1]),
    })  # fmt: skip
    encoding, _ = planned(frame, target="target")
    frame = frame[frame["target"].notna()]
    expected = {
        ("number", "missing"): frame["number"].isna().sum(),
        ("infinite", "infinite"): np.isinf(frame["infinite"]).sum(),
        ("category", "missing"): frame["category"].isin(["?", " n/a "]).sum(),
        ("money", "values such as 'free' are no numbers"): (frame["money"] == "free").sum(),
        ("day", "values such as 'soon' are no dates"): (frame["day"] == "soon").sum(),
        ("target", "rows without a label"): n - len(frame),
    }
    told = [own for own in encoding.notes if own.n_values is not None]
    found = {
        key: sum(
            own.n_values for own in told if own.column == key[0] and own.said.startswith(key[1])
        )
        for key in expected
    }
    assert found == expected
    assert len(told) == sum(count > 0 for count in expected.values())


def test_a_column_that_is_left_out_has_one_line():
    cells = [f"v{i // 2}" for i in range(N)]
    cells[0] = None
    encoding, _ = planned(pd.DataFrame({"id": cells, "x": np.arange(N) % 7}), max_categories=5)
    assert [own.column for own in encoding.plan] == ["x", "id"]
    assert encoding.plan[1].read_as == "left out"


def test_all_problems_at_once():
    frame = pd.DataFrame({
        "gap": [1.0, None], "day": pd.to_datetime(["2020-01-01"] * 2), "none": [None, None],
        "job": ["a", None], "fine": [1, 2],
    })  # fmt: skip
    with pytest.raises(ValueError, match="4 columns cannot be read as they are") as caught:
        Encoding.from_table(frame, strict=True)
    for told in (
        "column 'gap' has 1 missing value", "column 'day' has type timestamp",
        "column 'none' has only missing values", "column 'job' has 1 missing value",
    ):  # fmt: skip
        assert told in str(caught.value)
    assert "fine" not in str(caught.value)


def test_no_column_is_left():
    with pytest.raises(ValueError, match=r"no column is left .*'x': all values are 1.*keep"):
        Encoding.from_table(pd.DataFrame({"x": [1] * N}))


def messy(seed, n=200):
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2019-03-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    return pd.DataFrame({
        "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 80, n)),
        "pay": [f"{v:.2f}".replace(".", ",") for v in rng.normal(3000, 500, n)],
        "since": days.strftime("%d.%m.%Y"),
        "job": rng.choice(["cook", "nurse", "baker", "NA"], n),
        "town": rng.choice([f"town {i}" for i in range(30)], n),
        "note": [f"he said that {own}" for own in words(seed, n, 15)],
        "country": "DE",
        "y": rng.choice(["yes", "no"], n),
    })  # fmt: skip


@given(st.integers(0, 2**31))
def test_the_plan_does_not_depend_on_the_order_of_rows(seed):
    frame = messy(seed)
    options = {"target": "y", "max_categories": 10}
    encoding, plan = planned(frame, **options)
    assert planned(frame, **options)[0] == encoding
    other, other_plan = planned(frame.sample(frac=1, random_state=1), **options)
    assert other == encoding

    def counts(plans):
        return {name: (own.read_as, len(own.assumed)) for name, own in plans.items()}

    assert counts(other_plan) == counts(plan)


def test_a_plan_is_the_same_in_a_file_and_in_another_process(tmp_path):
    frame = messy(7)
    encoding, _ = planned(frame, target="y")
    again = Encoding.from_json(encoding.to_json(with_notes=True))
    assert (again, again.plan) == (encoding, encoding.plan)
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(PlanWarning, match="left out"):
        model = ZeroOneClassifier(refine=None).fit_table(tmp_path / "t.csv", target="y")
    model.save(tmp_path / "m.zerone")
    assert load_model(tmp_path / "m.zerone").encoding_.plan == model.encoding_.plan
    program = (
        "import sys, zerone, pandas; model = zerone.load_model(sys.argv[1]);"
        "print(*model.decision_function(pandas.read_csv(sys.argv[2], dtype=str)))"
    )
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, tmp_path / "m.zerone", tmp_path / "t.csv"],
        capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7", **_path()},
    )  # fmt: skip
    expected = model.decision_function(frame)
    np.testing.assert_allclose(np.array(found.stdout.split(), float), expected, rtol=1e-9)


def _path():
    return {"PYTHONPATH": ":".join(own for own in sys.path if own)}


def test_frames_and_files_have_the_same_plan(tmp_path):
    polars = pytest.importorskip("polars")
    frame = messy(11)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    encoding, plan = planned(frame, target="y")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    sources = [
        tmp_path / "t.csv", tmp_path / "t.parquet", tmp_path / "t.jsonl", table,
        polars.from_pandas(frame),
    ]  # fmt: skip
    for source in sources:
        other, other_plan = planned(source, target="y")
        assert other == encoding
        assert other_plan.keys() == plan.keys()


def typed(n=500):
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "late": np.where(np.arange(n) < 400, 1.5, np.nan),
        "constant": 1.0,
        "rises": np.arange(n),
        "rises at first": np.minimum(np.arange(n), 450),
        "infinite": np.where(np.arange(n) == 499, np.inf, rng.normal(size=n)),
        "job": rng.choice(["a", "b"], n),
        "last": np.where(np.arange(n) < 499, "a", "z"),
        "y": rng.integers(0, 2, n),
    })  # fmt: skip


@pytest.mark.usefixtures("small_parts")
def test_typed_tables_are_read_no_longer_than_needed(monkeypatch, tmp_path):
    pq.write_table(pa.Table.from_pandas(typed(), preserve_index=False), tmp_path / "t.parquet")
    whole, whole_plan = planned(tmp_path / "t.parquet", target="y")
    monkeypatch.setattr(_look, "_ENOUGH_ROWS", 100)
    part, plan = planned(tmp_path / "t.parquet", target="y")
    assert whole.column_names == ("late", "rises at first", "infinite", "job", "last")
    # A constant may change later, so that it is kept.
    assert part.column_names == (
        "late", "constant", "rises at first", "infinite", "job", "last",
    )  # fmt: skip
    assert plan["rises"].read_as == whole_plan["rises"].read_as == "left out"
    assert plan["job"] == whole_plan["job"]
    # Missing values that first occur later get their feature when they are read.
    with pytest.warns(PlanWarning, match="'rises': integers that rise"):
        found = Moments.from_table(tmp_path / "t.parquet", target="y")
    monkeypatch.undo()
    options = {"target": "y", "keep": ["constant", "rises"]}
    expected = Moments.from_table(tmp_path / "t.parquet", **options).select(found.feature_names)
    assert found.feature_names == expected.feature_names
    assert "late is missing" in found.feature_names
    for label in expected:
        np.testing.assert_allclose(found[label].mean, expected[label].mean, atol=1e-9)


def test_a_stream_is_looked_at_once_and_grows():
    frame = typed()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=50))
    with pytest.warns(UserWarning, match=r"'infinite': infinite .* missing \(1 value\)"):
        found = Moments.from_table(reader, target="y")
    expected = Moments.from_table(frame, target="y", keep=["constant", "rises"])
    assert sorted(found.feature_names) == sorted(expected.feature_names)
    place = [found.feature_names.index(name) for name in expected.feature_names]
    for label in expected:
        np.testing.assert_allclose(found[label].mean[place], expected[label].mean, atol=1e-9)


@pytest.mark.usefixtures("small_parts")
def test_a_stream_has_no_more_categories_than_may_be():
    table = pa.table({"town": [f"t{i % 20}" for i in range(N)], "y": [0, 1] * (N // 2)})
    found = Moments.from_table(table.to_reader(10), target="y", max_categories=4)
    assert found.n_features == 4
    assert found.encoding.plan[0].assumed == (
        "7 categories in the first 7 rows; all but 3 share a feature (4)",
    )
    with pytest.raises(ValueError, match="'town' has more than max_categories=4 categories"):
        Moments.from_table(table.to_reader(10), target="y", max_categories=4, strict=True)


def test_of_very_many_strings_the_rare_ones_are_judged_by_those_that_are_known(monkeypatch):
    monkeypatch.setattr(_string_counts, "_MOST_COUNTED", 400)
    rng = np.random.default_rng(1)
    cells = [f"${v:,.2f}" for v in rng.normal(5e4, 1e4, 20_000)]
    cells[::20] = ["n.b."] * 1_000
    column, plan = plan_of(cells)
    assert column.kind == "numeric"
    assert column.has_indicator
    assert plan.assumed[0] == "values such as 'n.b.' are no numbers: read as missing (1,000)"
    assert plan_of(words(4, 20_000))[1].read_as == "left out"
    towns = [*words(5, 5_000), *(["a", "b", "c"] * 5_000)]
    column, plan = plan_of(towns, max_categories=10)
    assert column.categories == ("a", "b", "c")
    assert plan.assumed[0].startswith("more than ")
    assert plan.assumed[0].endswith("all but 3 share a feature (5,000)")
