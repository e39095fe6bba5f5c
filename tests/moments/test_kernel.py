"""The dense kernel: every layout, weights, many groups and threads give one answer."""

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
import threadpoolctl

from zerone import Moments
from zerone._kernels import accumulate as _accumulate
from zerone._kernels import block_sums as _block_sums
from zerone._threads import one_blas_thread, worker_count

LAYOUTS = {
    "C": lambda X: X,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: X.astype(np.int16),
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "pandas": pd.DataFrame,
    "pandas, mixed": lambda X: pd.DataFrame(X).astype({0: np.float32, 1: np.int64}),
    "arrow": lambda X: pa.table({str(j): X[:, j] for j in range(X.shape[1])}),
}


def whole_numbers(n, d, n_classes, seed=0):
    """Rows that every layout can hold, and moments that can be computed without rounding."""
    rng = np.random.default_rng(seed)
    return rng.integers(-9, 30, (n, d)).astype(float), rng.integers(0, n_classes, n)


def reference(X, y, label, weights):
    """Weight, mean and covariance in extended precision."""
    rows = X[y == label].astype(np.longdouble)
    share = weights[y == label].astype(np.longdouble)
    mean = share @ rows / share.sum()
    centred = rows - mean
    return share.sum(), mean, (centred.T * share) @ centred / share.sum()


@pytest.fixture
def small_windows(monkeypatch):
    """Windows and blocks so small that rows of a test fill many of them."""
    monkeypatch.setattr(_accumulate, "_WINDOW_VALUES", 200)
    monkeypatch.setattr(_accumulate, "_WINDOW_VALUES_MAXIMUM", 400)
    monkeypatch.setattr(_accumulate, "_WINDOW_ROWS_MINIMUM", 7)
    monkeypatch.setattr(_accumulate, "_SHORT_ROW", 5)
    monkeypatch.setattr(_accumulate, "_BLOCK_VALUES", 100)
    monkeypatch.setattr(_accumulate, "_BLOCK_ROWS", 11)
    monkeypatch.setattr(_accumulate, "_BLOCK_ROWS_MINIMUM", 5)
    monkeypatch.setattr(_block_sums, "_TILE_VALUES", 30)


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("n_jobs", [None, 2, 3])
@pytest.mark.parametrize("n_classes", [1, 2, 7])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout, weighted, n_classes, n_jobs):
    X, y = whole_numbers(500, 9, n_classes)
    weights = np.random.default_rng(1).integers(0, 4, len(y)) if weighted else np.ones(len(y))
    moments = Moments.from_data(
        LAYOUTS[layout](X), y, sample_weight=weights if weighted else None, n_jobs=n_jobs
    )
    for label in range(n_classes):
        weight, mean, covariance = reference(X, y, label, weights)
        assert moments[label].weight == weight
        np.testing.assert_allclose(moments[label].mean, mean.astype(float), rtol=1e-14)
        found = np.asarray(moments[label].covariance)
        np.testing.assert_allclose(found, covariance.astype(float), rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("long_row", [5, 256])
def test_rows_are_picked_or_read_in_windows(monkeypatch, long_row):
    monkeypatch.setattr(_accumulate, "_LONG_ROW", long_row)
    X, y = whole_numbers(300, 6, 3)
    moments = Moments.from_data(X, y, n_jobs=2)
    for label in range(3):
        covariance = reference(X, y, label, np.ones(len(y)))[2].astype(float)
        np.testing.assert_allclose(
            np.asarray(moments[label].covariance), covariance, rtol=1e-12, atol=1e-12
        )


@pytest.mark.usefixtures("small_windows")
def test_a_class_in_the_rows_of_one_worker_only():
    X, y = whole_numbers(400, 3, 1)
    y[:5] = 1
    moments = Moments.from_data(X, y, n_jobs=4)
    covariance = reference(X, y, 1, np.ones(len(y)))[2].astype(float)
    np.testing.assert_allclose(np.asarray(moments[1].covariance), covariance, rtol=1e-12)


HARD = {
    "classes far apart": lambda Z, y: Z + 1e6 * y[:, None],
    "scales apart": lambda Z, y: Z * np.where(y == 1, 1e6, 1.0)[:, None],
    "large means": lambda Z, y: Z + 1e8,
    "all at once": lambda Z, y: (Z + 1e6 * y[:, None]) * np.logspace(-3, 3, Z.shape[1]) + 1e6,
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("problem", HARD)
def test_digits(problem, order, n_jobs):
    rng = np.random.default_rng(0)
    n, d = 20_000, 15
    y = rng.integers(0, 2, n)
    X = np.asarray(HARD[problem](rng.standard_normal((n, d)), y), order=order)
    moments = Moments.from_data(X, y, n_jobs=n_jobs)
    for label in (0, 1):
        covariance = reference(X, y, label, np.ones(n))[2].astype(float)
        unit = np.sqrt(covariance.diagonal())
        error = np.abs(np.asarray(moments[label].covariance) - covariance) / np.outer(unit, unit)
        assert error.max() < 1e-13


def test_a_frame_is_not_copied_whole():
    X, y = whole_numbers(4_000, 4, 2)
    frame = pd.DataFrame(X)
    from zerone._data.batch import read_batch

    columns = read_batch(frame, y).rows._columns
    assert all(np.shares_memory(column, frame.iloc[:, j]) for j, column in enumerate(columns))


# -- threads -----------------------------------------------------------------------------------


def test_workers_of_joblib_start_no_threads():
    counts = joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(worker_count)(2) for _ in range(2)
    )
    assert counts == [1, 1]
    assert worker_count(2) == 2
    assert worker_count(None) == 1
    with joblib.parallel_config(n_jobs=3):
        assert worker_count(None) == 3


def test_processes_of_joblib_start_no_threads():
    counts = joblib.Parallel(n_jobs=2)(joblib.delayed(worker_count)(-1) for _ in range(2))
    assert counts == [1, 1]


def test_limit_of_blas_threads_is_lifted_by_the_last():
    def n_threads():
        return {
            library["num_threads"]
            for library in threadpoolctl.threadpool_info()
            if library["user_api"] == "blas"
        }

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        first, second = one_blas_thread(True), one_blas_thread(True)
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert n_threads() == {1}
        second.__exit__(None, None, None)
        assert n_threads() == {2}


def test_one_row_that_outweighs_all_others():
    X = np.array([[1e6, 0.0], [1.0, 1.0], [2.0, 5.0], [4.0, 2.0]])
    weights = np.array([1e12, 1.0, 1.0, 1.0])
    moments = Moments.from_data(X, np.zeros(4), sample_weight=weights)
    covariance = reference(X, np.zeros(4), 0, weights)[2].astype(float)
    np.testing.assert_allclose(np.asarray(moments[0].covariance), covariance, rtol=1e-9)


def test_sparse_values_that_are_not_finite_are_blamed_on_their_feature():
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 30)) < np.where(np.arange(30) < 27, 0.01, 0.3)).astype(float)
    y = np.arange(2000) % 2
    for row in range(0, 400, 7):
        broken = X.copy()
        broken[row, 28] = np.nan
        with pytest.raises(ValueError, match="feature 28"):
            Moments.from_data(sp.csr_array(broken), y)


def test_very_many_classes():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30_000, 5)) + 3, rng.integers(0, 400, 30_000)
    moments = Moments.from_data(X, y, n_jobs=2)
    for label in (0, 399):
        covariance = reference(X, y, label, np.ones(len(y)))[2].astype(float)
        np.testing.assert_allclose(np.asarray(moments[label].covariance), covariance, atol=1e-12)
