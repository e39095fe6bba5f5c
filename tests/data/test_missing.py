"""Missing values: refused, or imputed exactly as scikit-learn does in memory."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.impute import SimpleImputer
from tests.data.test_sources import assert_same

from zerone import Encoding, Moments, ZeroOneClassifier, cross_validate_moments
from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.numeric import NumericColumn


def with_holes(rng, n=120, shift=0.0):
    X = rng.normal(size=(n, 3)) * [1, 5, 0.1] + shift
    X[rng.random((n, 3)) < [0.3, 0.1, 0.0]] = np.nan
    return pd.DataFrame(X, columns=list("abc")).assign(y=rng.integers(0, 2, n))


def imputed_rows(frame):
    """Rows by scikit-learn, features in the order of the encoding."""
    imputer = SimpleImputer(add_indicator=True).set_output(transform="pandas")
    rows = imputer.fit_transform(frame[list("abc")])
    names = {f"missingindicator_{name}": f"{name} is missing" for name in "abc"}
    rows = rows.rename(columns=names)
    order = [n for name in "abc" for n in (name, f"{name} is missing") if n in rows.columns]
    return rows[order]


def from_table(frame, **options):
    return Moments.from_table(frame, target="y", **options)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_as_in_memory(rng, shift):
    frame = with_holes(rng, shift=shift)
    found = from_table(frame)
    rows = imputed_rows(frame)
    assert found.feature_names == tuple(rows.columns)
    assert_same(found, Moments.from_data(rows, frame["y"]), rtol=1e-8, atol=1e-8)


@given(st.lists(st.integers(0, 90), min_size=1, max_size=3), st.integers(0, 2**31))
def test_exact_under_merging_and_subtracting(cuts, seed):
    frame = with_holes(np.random.default_rng(seed))
    edges = [0, *sorted(cuts), 120]
    pieces = [frame[a:b] for a, b in itertools.pairwise(edges) if b > a]
    parts = [from_table(piece) for piece in pieces]
    whole = from_table(frame)
    assert_same(sum(parts), whole, atol=1e-9)
    assert_same(sum(parts[::-1]), whole, atol=1e-9)
    if len(parts) > 1:
        rest = whole - parts[0]
        assert_same(rest, from_table(pd.concat(pieces[1:])).reencoded(rest.encoding), atol=1e-8)


def test_weights_count_in_the_mean():
    frame = pd.DataFrame({"x": [1.0, 4.0, None], "w": [1, 2, 1], "y": [0, 0, 0]})
    found = from_table(frame, weight="w")
    repeated = from_table(frame.loc[[0, 1, 1, 2], ["x", "y"]])
    assert_same(found, repeated)
    assert found.encoding.columns[0].fill == pytest.approx(3.0)


def test_a_column_without_any_value_counts_as_zero_or_is_left_out():
    frame = pd.DataFrame({"x": [1.0, 2.0], "z": pd.Series([None, None], dtype=float), "y": [0, 0]})
    found = from_table(frame)
    assert found.feature_names == ("x", "z", "z is missing")
    assert found[0].mean.tolist() == [1.5, 0.0, 1.0]
    # So few rows say nothing about others; more of them do.
    frame = pd.concat([frame] * 10)
    with pytest.warns(UserWarning, match="'z': all values are missing"):
        assert from_table(frame).feature_names == ("x",)
    assert from_table(frame, keep=["z"]).feature_names == ("x", "z", "z is missing")


def test_missing_values_are_a_category_of_their_own():
    for nothing in (None, np.nan):
        frame = pd.DataFrame({"job": ["a", nothing, "b", "a"], "y": 0})
        found = from_table(frame)
        assert found.feature_names == ("job=a", "job=b", "job is missing")
        assert found[0].mean.tolist() == [0.5, 0.25, 0.25]
    # Also where the dictionary itself has an entry for it.
    entries = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None]))
    found = from_table(pa.table({"job": entries, "y": [0, 0, 0]}))
    assert (found[0].mean * 3).round(9).tolist() == [2, 1]


@pytest.mark.parametrize(
    "values", [[1.0, np.nan], [1.0, None], [True, None], ["a", None], pd.array([1, None], "Int64")]
)
def test_an_error_if_nothing_may_be_assumed(values):
    frame = pd.DataFrame({"x": values, "y": [0, 0]})
    with pytest.raises(ValueError, match=r"'x' has 1 missing value; fill them.*strict"):
        from_table(frame, strict=True)
    assert "x is missing" in from_table(frame).feature_names


def test_infinity_is_read_as_missing_with_a_note():
    frame = pd.DataFrame({"x": [1.0, np.inf, 3.0, -np.inf], "y": 0})
    with pytest.raises(ValueError, match=r"'x'.*infinity"):
        from_table(frame, strict=True)
    encoding = Encoding.from_table(frame, target="y")
    assert encoding.plan[0].assumed == ("infinite: read as missing (2)",)
    with_nan = from_table(frame.replace([np.inf, -np.inf], np.nan))
    assert_same(from_table(frame), with_nan)


def test_cells_of_csv_that_mean_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,job,y\n1,a,0\n,?,0\nNA,,1\n-9,NA,1\n3,b,1\n")
    found = from_table(path, null_values=["?", "-9"])
    assert found.feature_names == ("x", "x is missing", "job=a", "job=b", "job is missing")
    weights = np.array([found[0].weight, found[1].weight])
    assert_allclose(weights @ [found[0].mean, found[1].mean], [10, 3, 1, 1, 3])
    # The same words mean the same in memory.
    frame = pd.read_csv(path, keep_default_na=False)
    assert_same(from_table(frame.assign(y=frame["y"].astype(int)), null_values=["-9"]), found)


def test_indicators_and_categories_of_other_moments_are_no_difference(rng):
    a = from_table(with_holes(rng))
    b = Moments.from_table(with_holes(rng).dropna(), target="y")
    assert (a + b).feature_names == (b + a).feature_names == a.feature_names
    with pytest.raises(ValueError, match="no indicator"):
        a.reencoded(b.encoding)


def test_indicators_cannot_be_lost():
    old = CategoryColumn("j", ("a",), has_missing=True)
    moments = Moments.from_table(pd.DataFrame({"j": ["a", None], "y": 0}), target="y")
    assert moments.encoding.columns == (old,)
    with pytest.raises(ValueError, match="no feature"):
        moments.reencoded(Encoding((CategoryColumn("j", ("a",)),), "impute"))
    with pytest.raises(ValueError, match="not read in the same way in both"):
        moments.reencoded(Encoding((NumericColumn("j"),)))


def test_folds_of_a_table_with_holes_are_judged_by_what_was_learned(rng):
    frames = [with_holes(rng) for _ in range(3)]
    frames[1] = frames[1].dropna()
    losses = cross_validate_moments(
        ZeroOneClassifier(), [Moments.from_table(f, target="y") for f in frames]
    )
    rows = []
    for number in range(3):
        model = ZeroOneClassifier().fit_moments(
            sum(from_table(f) for i, f in enumerate(frames) if i != number)
        )
        # Judged on rows that are filled by the model's own means.
        held_out = Moments.from_table(frames[number], target="y", encoding=model.encoding_)
        rows.append(held_out.reencoded(model.encoding_))
        folded = cross_validate_moments(
            ZeroOneClassifier(),
            [sum(from_table(f) for i, f in enumerate(frames) if i != number), held_out],
        )[1]
        assert losses[number] == pytest.approx(folded)


@pytest.mark.parametrize("mean", [1e6, 1e8, 1e10])
def test_no_digits_are_lost_where_the_first_rows_have_no_value(mean, rng):
    values = mean + rng.normal(size=200)
    values[:100] = np.nan
    frame = pd.DataFrame({"x": values, "y": np.arange(200) % 2})
    encoding = Encoding.from_table(frame, target="y")
    first, rest = (from_table(part, encoding=encoding) for part in (frame[:100], frame[100:]))
    batches = pa.Table.from_pandas(frame).to_batches(max_chunksize=50)
    expected = Moments.from_data(
        SimpleImputer(add_indicator=True).fit_transform(frame[["x"]]), frame["y"]
    )
    for found in (from_table(pa.Table.from_batches(batches)), first + rest, rest + first):
        for label in (0, 1):
            variances = found[label].covariance.diagonal()
            assert_allclose(variances, expected[label].covariance.diagonal(), rtol=1e-5)


def test_a_constant_with_holes_stays_constant_and_can_be_read_again(rng, tmp_path):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        parts = []
        for _ in range(3):
            values = np.where(rng.random(8) < 0.6, np.nan, 0.1)
            parts.append(pd.DataFrame({"x": values, "z": rng.random(8), "y": 0}))
        total = sum(map(from_table, parts))
        assert total[0].covariance.diagonal()[0] == 0.0
        total.save(tmp_path / "m.npz")
        assert Moments.load(tmp_path / "m.npz").feature_names == total.feature_names


def test_names_that_clash_are_noticed_before_a_value_is_missing():
    frame = pd.DataFrame({"x": [1.0, 3.0], "x is missing": [2.0, 5.0], "y": [0, 0]})
    assert from_table(frame).n_features == 2
    with pytest.raises(ValueError, match="two features would have the name 'x is missing'"):
        from_table(frame.assign(x=[1.0, None]))
    with pytest.raises(ValueError, match="two features would have the name 'x is missing'"):
        from_table(pa.Table.from_pandas(frame).to_reader())
