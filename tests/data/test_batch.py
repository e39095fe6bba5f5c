import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from zerone._data.batch import read_batch

COLUMNS = {"age": [1, 2, 3], "height": [0.5, 1.5, 2.5], "member": [True, False, True]}
VALUES = [[1.0, 0.5, 1.0], [2.0, 1.5, 0.0], [3.0, 2.5, 1.0]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).convert_dtypes(),
        pd.DataFrame(COLUMNS).astype({"age": pd.ArrowDtype(pa.int64())}),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        pa.RecordBatch.from_pydict(COLUMNS),
    ],
    ids=["pandas", "pandas nullable", "pandas arrow", "polars", "table", "record batch"],
)
def test_frames(frame):
    batch = read_batch(frame, [0, 1, 0])
    assert np.asarray(batch.rows).tolist() == VALUES
    assert batch.feature_names == ("age", "height", "member")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, None]}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pl.DataFrame({"a": [1, None]}),
        pa.table({"a": [1, None]}),
        pa.table({"a": [True, None]}),
    ],
)
def test_missing_values_in_frames_become_nan(frame):
    assert np.isnan(read_batch(frame, [0, 1]).rows).tolist() == [[False], [True]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 2], "town": ["x", "y"]}),
        pd.DataFrame({"a": [1, 2], "town": pd.Categorical(["x", "y"])}),
        pl.DataFrame({"a": [1, 2], "town": ["x", "y"]}),
        pa.table({"a": [1, 2], "town": ["x", "y"]}),
        pd.DataFrame({"a": [1, 2], "town": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
    ],
)
def test_a_column_that_is_not_numeric_is_named(frame):
    with pytest.raises(TypeError, match=r"column 'town'.*OneHotEncoder"):
        read_batch(frame, [0, 1])


def test_names_that_are_not_strings_are_dropped():
    assert read_batch(pd.DataFrame({0: [1.0], "b": [2.0]}), [0]).feature_names is None


def test_float32_frames_stay_float32():
    frame = pd.DataFrame({"a": np.ones(2, np.float32), "b": np.ones(2, np.float32)})
    assert read_batch(frame, [0, 1]).rows.dtype == np.float32


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.coo_matrix])
def test_sparse(make):
    batch = read_batch(make(np.eye(3)), [0, 1, 1])
    assert batch.is_sparse
    assert batch.rows.toarray().tolist() == np.eye(3).tolist()


def test_members_skip_rows_of_weight_zero():
    batch = read_batch(np.ones((4, 1)), ["b", "a", "b", "c"], sample_weight=[1, 2, 3, 0])
    assert batch.classes.tolist() == ["a", "b"]
    assert [member.tolist() for member in batch.members] == [[1], [0, 2]]
    assert batch.n_rows == 3


@pytest.mark.parametrize(
    ("X", "y", "weights", "error", "message"),
    [
        (np.ones(3), [0, 1, 0], None, ValueError, "2-D"),
        (np.ones((0, 2)), [], None, ValueError, "0 rows"),
        (np.ones((2, 0)), [0, 1], None, ValueError, "0 features"),
        (np.ones((2, 1)), [0], None, ValueError, "1 labels for 2 rows"),
        (np.ones((2, 1)), 3, None, ValueError, "a single value"),
        (np.array([["a"], ["b"]]), [0, 1], None, TypeError, "real numbers"),
        (np.array([["a"], [1]], dtype=object), [0, 1], None, TypeError, "not numbers"),
        (np.ones((2, 1), complex), [0, 1], None, TypeError, "complex"),
        (np.ones((2, 1)), [0, 1], [1.0], ValueError, r"shape \(1,\)"),
        (np.ones((2, 1)), [0, 1], [1, -2], ValueError, "row 1 has weight -2"),
        (np.ones((2, 1)), [0, 1], [1, np.nan], ValueError, "NaN"),
        (np.ones((2, 1)), [0, 1], [0, 0], ValueError, "all sample weights are zero"),
    ],
)
def test_bad_input(X, y, weights, error, message):
    with pytest.raises(error, match=message):
        read_batch(X, y, weights)


def test_containers_that_need_a_step_first():
    with pytest.raises(TypeError, match=r"lazy LazyFrame; call \.collect"):
        read_batch(pl.LazyFrame(COLUMNS), [0, 1, 0])
    with pytest.raises(TypeError, match="masked array"):
        read_batch(np.ma.masked_array(VALUES, mask=np.eye(3)), [0, 1, 0])
    with pytest.raises(ValueError, match="2-D"):
        read_batch(sp.coo_array(np.ones(3)), [0, 1, 0])
    with pytest.raises(ValueError, match="overflows in total"):
        read_batch(np.ones((2, 1)), [0, 1], [1e308, 1e308])
