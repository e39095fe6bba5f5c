"""Dask collections: the same moments and rules as of rows in one place, and lazy predictions."""

import os
import pickle
import signal
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.data.test_sources import assert_same
from tests.helpers import assert_same_classifier, gaussian_rows

from zerone import AUCClassifier, Moments, ZeroOneClassifier
from zerone._data.dask_partitions import per_partition
from zerone._engines import dask as _from_dask
from zerone.estimators import _fit_rows
from zerone.estimators._state import predictor_of

NAMES = ["a", "b", "c"]


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads"):
        yield


def frame_of(X, y, n_parts=5):
    table = pd.DataFrame(X, columns=NAMES[: X.shape[1]]).assign(y=y)
    return dd.from_pandas(table, npartitions=n_parts)


class TestMoments:
    @given(
        seed=st.integers(0, 2**32 - 1),
        row_chunks=st.integers(1, 90),
        column_chunks=st.integers(1, 3),
        label_chunks=st.integers(1, 90),
        weighted=st.booleans(),
    )
    def test_equal_those_in_memory(self, seed, row_chunks, column_chunks, label_chunks, weighted):
        X, y, rng = gaussian_rows(seed, n=90, classes=3)
        weights = rng.integers(0, 3, 90).astype(float) if weighted else None
        rows = da.from_array(X + 100, chunks=(row_chunks, column_chunks))
        labels = da.from_array(y, chunks=label_chunks)
        found = Moments.from_data(
            rows, labels, sample_weight=None if weights is None else da.from_array(weights)
        )
        assert_same(found, Moments.from_data(X + 100, y, sample_weight=weights))

    def test_frames_keep_their_names(self):
        X, y, _ = gaussian_rows(0)
        frame = frame_of(X, y)
        found = Moments.from_data(frame[NAMES], frame["y"])
        assert found.feature_names == tuple(NAMES)
        assert_same(found, Moments.from_data(pd.DataFrame(X, columns=NAMES), y))
        assert_same(Moments.from_data(frame[NAMES], frame[["y"]]), found)
        counted = Moments.from_data(frame[NAMES], frame["y"], sample_weight=frame["y"] + 1)
        assert_same(counted, Moments.from_data(frame[NAMES].compute(), y, sample_weight=y + 1))

    # Of Dask's own, under pandas 3.1.
    @pytest.mark.filterwarnings("ignore:The inplace keyword")
    def test_small_files(self, tmp_path):
        X, y, _ = gaussian_rows(18)
        table = pd.DataFrame(X, columns=NAMES).assign(y=y, w=y + 1, unused="text")
        for start in range(0, 120, 20):
            table[start : start + 20].to_parquet(tmp_path / f"{start:03}.parquet", index=False)
        frame = dd.read_parquet(tmp_path)
        rows, labels, weights = frame[NAMES], frame["y"], frame[["w"]]
        # Dask reads fewer files together the more columns are needed.
        assert len(rows.to_delayed()) != len(labels.to_delayed())
        found = Moments.from_data(rows, labels, sample_weight=weights)
        assert found.feature_names == tuple(NAMES)
        expected = Moments.from_data(table[NAMES], y, sample_weight=y + 1)
        assert_same(found, expected)
        array = da.from_array(y, chunks=20)
        assert_same(Moments.from_data(rows, array, sample_weight=weights), expected)
        fitted = ZeroOneClassifier().fit(rows, labels)
        said = fitted.predict(rows)
        assert said.numblocks == (frame.npartitions,)
        assert (said.compute() == fitted.predict(table[NAMES])).all()

    def test_partitions_of_unknown_size(self):
        X, y, _ = gaussian_rows(1)
        rows, labels = da.from_array(X, chunks=(17, 2)), da.from_array(y, chunks=17)
        chosen = rows[:, 0] > 0.5
        found = Moments.from_data(rows[chosen], labels[chosen])
        assert_same(found, Moments.from_data(X[X[:, 0] > 0.5], y[X[:, 0] > 0.5]))
        # Some partitions have no row at all.
        frame = frame_of(X, y, 10)
        few = frame[frame["a"] > 3]
        assert few.map_partitions(len).compute().min() == 0
        found = Moments.from_data(few[NAMES], few["y"])
        local = few.compute()
        assert_same(found, Moments.from_data(local[NAMES], local["y"]))
        with pytest.raises(ValueError, match="X: all sample weights are zero, or X is empty"):
            Moments.from_data(frame[frame["a"] > 99][NAMES], frame[frame["a"] > 99]["y"])

    def test_sparse_blocks(self, rng):
        X, y = sp.random_array((200, 30), density=0.1, rng=rng).toarray(), rng.integers(2, size=200)
        rows = da.from_array(X, chunks=(40, 30)).map_blocks(sp.csr_matrix)
        assert_same(Moments.from_data(rows, y), Moments.from_data(X, y))

    def test_partitions_that_fit_are_left_alone(self, rng):
        X, y = rng.normal(size=(100, 40)), np.arange(100) % 2
        rows = da.from_array(X, chunks=(10, 40))  # small enough to be put together
        labels = dd.from_pandas(pd.Series(y), npartitions=10)
        assert_same(Moments.from_data(rows, labels), Moments.from_data(X, y))

    def test_labels_in_memory_are_cut(self):
        X, y, _ = gaussian_rows(2)
        rows = da.from_array(X, chunks=(50, 3))
        found = Moments.from_data(rows, y.tolist(), sample_weight=y + 1)
        assert_same(found, Moments.from_data(X, y, sample_weight=y + 1))

    def test_classes_that_occur_in_few_partitions(self):
        X, _, _ = gaussian_rows(3)
        y = np.repeat(["a", "b", "c"], 40)
        rows = da.from_array(X, chunks=(20, 3))
        assert_same(Moments.from_data(rows, y), Moments.from_data(X, y))
        known = Moments.from_data(rows, y, classes=["a", "b", "c", "d"])
        assert known["d"].weight == 0
        with pytest.raises(ValueError, match=r"y: partition \d: found the label 'b'"):
            Moments.from_data(rows, y, classes=["a", "c"])

    def test_small_partitions_are_put_together(self):
        labels = da.zeros(1000, chunks=10)
        # Up to twice as many rows as there are features.
        rows = da.zeros((1000, 200), chunks=(10, 200))
        assert len(per_partition(print, rows, labels, None)) == 3
        assert len(per_partition(print, rows[:, :4], labels, None)) == 100

    def test_merging_is_a_tree(self, monkeypatch):
        merged = []
        plain = _from_dask._merged

        def watched(partials):
            merged.append(len(partials))
            return plain(partials)

        monkeypatch.setattr(_from_dask, "_merged", watched)
        X, y, _ = gaussian_rows(4, n=1200)
        found = Moments.from_data(da.from_array(X, chunks=(10, 3)), da.from_array(y, chunks=10))
        assert_same(found, Moments.from_data(X, y))
        assert sorted(merged) == [2, 7, *[8] * 16]

    @pytest.mark.parametrize(
        ("given", "error", "message"),
        [
            (lambda X, y: (X[:, 0], y), ValueError, r"expected rows and features \(2-D\)"),
            (lambda X, y: (X, y[:-1]), ValueError, "has 119 values for 120 rows"),
            (lambda X, y: (X, y.compute()[:-1]), ValueError, "has 119 values for 120 rows"),
            (lambda X, y: (X[X[:, 0] > 0], y[:5]), ValueError, "has 1 partitions, but X has 3"),
            (lambda X, y: (X[X[:, 0] > 0], y.compute()), TypeError, "X has unknown chunk sizes"),
            (lambda X, y: (X[X[:, 0] > 0], y), ValueError, r"y: partition \d: got \d+ labels for"),
            (lambda X, y: (X, X), ValueError, "expected one value per row"),
            (lambda X, y: (X, ["a", 1] * 60), ValueError, "labels of different types"),
            (lambda X, y: (X, y * 1j), ValueError, "Complex data not supported"),
            (lambda X, y: (X.to_delayed()[0, 0], y), TypeError, r"X: got a Dask Delayed"),
            (
                lambda X, y: (X.map_blocks(np.log), y),
                ValueError,
                r"partition \d: X: feature \d contains",
            ),
            (lambda X, y: (da.zeros((9, 20_000)), np.zeros(9)), ValueError, "20000 features are"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:invalid value encountered in log")
    def test_errors_name_what_is_wrong(self, given, error, message):
        X, y, _ = gaussian_rows(5)
        rows, labels = da.from_array(X, chunks=(50, 3)), da.from_array(y, chunks=50)
        with pytest.raises(error, match=message):
            Moments.from_data(*given(rows, labels))

    def test_columns_that_are_no_numbers(self):
        X, y, _ = gaussian_rows(6)
        frame = frame_of(X, y).assign(job="cook")
        with pytest.raises(TypeError, match="column 'job' has type"):
            Moments.from_data(frame[["a", "job"]], frame["y"])

    def test_covariances_are_explicit(self):
        with pytest.raises(ValueError, match="covariance: got 'implicit', but a Dask collection"):
            Moments.from_data(da.eye(4), np.arange(4) % 2, covariance="implicit")


class TestEstimators:
    @pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
    @pytest.mark.parametrize("refine", ["auto", None])
    def test_fit_equals_that_in_memory(self, cls, refine):
        X, y, rng = gaussian_rows(7, n=400)
        weights = rng.integers(0, 3, 400)
        rows, labels = da.from_array(X, chunks=(90, 2)), da.from_array(y, chunks=100)
        for counted in (None, weights):
            expected = cls(refine=refine).fit(X, y, counted)
            found = cls(refine=refine).fit(rows, labels, counted)
            assert_same_classifier(found, expected, 1e-7)
            assert found.refine_ == expected.refine_

    def test_frames(self):
        X, y, _ = gaussian_rows(8)
        text = np.array(["no", "yes"])[y]
        frame = frame_of(X, text)
        found = ZeroOneClassifier().fit(frame[NAMES], frame["y"])
        local = pd.DataFrame(X, columns=NAMES)
        expected = ZeroOneClassifier().fit(local, text)
        assert_same_classifier(found, expected, 1e-7)
        assert found.feature_names_in_.tolist() == NAMES
        assert (found.predict(frame[NAMES]).compute() == expected.predict(local)).all()
        with pytest.raises(ValueError, match="feature names"):
            found.predict(frame[["b", "a", "c"]])

    @pytest.mark.parametrize("weighted", [False, True])
    def test_a_large_collection_is_refined_on_a_sample(self, monkeypatch, samples, weighted):
        X, y, rng = gaussian_rows(9, n=4000)
        weights = 0.001 * rng.integers(1, 3, 4000) if weighted else None
        monkeypatch.setattr(_fit_rows, "REFINED_VALUES", 1500)
        rows = da.from_array(X, chunks=(600, 3))
        found = ZeroOneClassifier().fit(rows, y, sample_weight=weights)
        again = ZeroOneClassifier().fit(rows, y, sample_weight=weights)
        assert_same_classifier(again, found, 1e-12)
        assert 350 < len(samples[0].rows) < 650
        assert samples[0].weight == pytest.approx(4000 if weights is None else weights.sum())
        assert found.refine_ == "polish"

    def test_partial_fit(self):
        X, y, _ = gaussian_rows(10)
        rows = da.from_array(X, chunks=(30, 3))
        parts = ZeroOneClassifier().partial_fit(rows[:60], y[:60], classes=[0, 1])
        parts.partial_fit(rows[60:], y[60:])
        assert_same_classifier(parts, ZeroOneClassifier(refine=None).fit(X, y))

    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize(
        "method", ["predict", "predict_proba", "predict_log_proba", "decision_function"]
    )
    def test_predictions_are_lazy(self, classes, method):
        X, y, _ = gaussian_rows(11, classes=classes)
        fitted = ZeroOneClassifier(refine=None).fit(X, y)
        read = []
        rows = da.from_array(X, chunks=(50, 2)).map_blocks(
            lambda block: read.append(len(block)) or block, meta=np.empty((0, 0))
        )
        said = getattr(fitted, method)(rows)
        assert isinstance(said, da.Array)
        assert not read
        expected = getattr(fitted, method)(X)
        assert said.shape == expected.shape
        assert said.dtype == expected.dtype
        assert_allclose(said.compute(), expected, rtol=1e-12)
        assert_allclose(said[:3].compute(), expected[:3], rtol=1e-12)
        # Rows of unknown number, none of them in some partitions.
        some = getattr(fitted, method)(rows[da.from_array(X[:, 0], chunks=50) > 2.5])
        assert_allclose(some.compute(), expected[X[:, 0] > 2.5], rtol=1e-12)
        frame = frame_of(X, y, 7)[NAMES]
        named = ZeroOneClassifier(refine=None).fit(pd.DataFrame(X, columns=NAMES), y)
        assert_allclose(getattr(named, method)(frame).compute(), expected, rtol=1e-9, atol=1e-12)

    def test_predictions_are_those_of_the_time(self):
        X, y, _ = gaussian_rows(19)
        fitted = ZeroOneClassifier(refine=None).fit(X, y)
        expected = fitted.predict(X)
        later = fitted.predict(da.from_array(X, chunks=(50, 3)))
        fitted.fit(X, 1 - y)
        assert (later.compute() == expected).all()
        # Without the moments, whose size is the square of the features.
        sent = [v for v in later.dask.values() if "ZeroOneClassifier" in repr(v)]
        assert len(sent) <= 1
        assert len(pickle.dumps(predictor_of(fitted))) < len(pickle.dumps(fitted))

    def test_an_index_means_nothing(self):
        X, y, _ = gaussian_rows(20)
        local = pd.DataFrame(X, columns=NAMES)
        labels = pd.Series(y, index=local.index[::-1])
        rows = dd.from_pandas(local, npartitions=3, sort=False)
        beside = dd.from_pandas(labels, npartitions=3, sort=False)
        assert_same(Moments.from_data(rows, beside), Moments.from_data(local, labels))
        with pytest.raises(ValueError, match=r"a partition has \d+ values for 40 rows"):
            Moments.from_data(rows, dd.from_pandas(labels[:100], npartitions=3, sort=False))

    def test_positions_of_rows_stay(self):
        X, y, rng = gaussian_rows(21, n=200)
        weights = rng.integers(0, 2, 200).astype(float)
        splits = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.arange(100))]
        rows = da.from_array(X, chunks=(30, 3))
        found = ZeroOneClassifier(cv=splits).fit(rows, y, weights)
        expected = ZeroOneClassifier(cv=splits).fit(X, y, weights)
        assert found.held_out_error_ == pytest.approx(expected.held_out_error_, abs=1e-12)
        assert_same_classifier(found, expected, 1e-7)

    def test_wide_sparse_rows_stay_sparse(self, rng):
        X = sp.random_array((120, 1500), density=0.02, rng=rng, format="csr")
        y = np.arange(120) % 2
        rows = da.from_array(X.toarray(), chunks=(40, 1500)).map_blocks(sp.csr_matrix)
        found, expected = ZeroOneClassifier().fit(rows, y), ZeroOneClassifier().fit(X, y)
        assert found.refine_ == expected.refine_

    def test_partitions_are_drawn_from_differently(self, monkeypatch, samples):
        monkeypatch.setattr(_fit_rows, "REFINED_VALUES", 600)
        X, y, _ = gaussian_rows(22, n=500)
        twice = da.concatenate([da.from_array(X, chunks=(500, 3))] * 2)
        ZeroOneClassifier().fit(twice, np.concatenate([y, y]))
        assert len(np.unique(samples[0].rows[:, 0])) > 0.8 * len(samples[0].rows)

    def test_wrong_rows_are_refused_at_once(self):
        X, y, _ = gaussian_rows(12)
        fitted = ZeroOneClassifier().fit(X, y)
        with pytest.raises(ValueError, match="expecting 3 features"):
            fitted.predict(da.zeros((5, 2)))

    def test_score(self):
        X, y, _ = gaussian_rows(13)
        rows, labels = da.from_array(X, chunks=(50, 3)), da.from_array(y, chunks=50)
        fitted = ZeroOneClassifier().fit(rows, labels)
        assert fitted.score(rows, labels) == pytest.approx(fitted.score(X, y))
        assert fitted.score(rows, y, y + 1) == pytest.approx(fitted.score(X, y, y + 1))
        frame = frame_of(X, y, 4)
        named = ZeroOneClassifier().fit(frame[NAMES], frame["y"])
        assert named.score(frame[NAMES], frame["y"]) == pytest.approx(fitted.score(X, y), abs=0.05)


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def bytes_received():
    """What has come over the loopback interface so far."""
    lines = Path("/proc/net/dev").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.strip().startswith("lo:"))


@pytest.mark.engines
class TestCluster:
    @pytest.fixture(autouse=True)
    def in_the_cluster(self, client):
        with dask.config.set(scheduler="distributed"):
            yield

    def test_the_same_answer(self, client):
        X, y, _ = gaussian_rows(14, n=3000)
        rows, labels = da.from_array(X, chunks=(200, 2)), da.from_array(y, chunks=300)
        assert_same(Moments.from_data(rows, labels), Moments.from_data(X, y))
        found = ZeroOneClassifier().fit(rows, labels)
        assert_same_classifier(found, ZeroOneClassifier().fit(X, y), 1e-7)
        assert (found.predict(rows).compute() == found.predict(X)).all()

    def test_rows_do_not_leave_a_worker(self):
        distributed = pytest.importorskip("distributed")
        random = da.random.default_rng(0)
        X = random.normal(size=(400_000, 5), chunks=(50_000, 5))
        with (
            distributed.LocalCluster(1, dashboard_address=":0", host="127.0.0.1") as cluster,
            distributed.Client(cluster) as client,
        ):
            rows, labels = client.persist([X, X[:, 0] > 0])
            distributed.wait([rows, labels])
            before = bytes_received()
            Moments.from_data(rows, labels)
            assert bytes_received() - before < X.nbytes / 10

    def test_errors_of_workers(self, client):
        X, y, _ = gaussian_rows(16)
        X[70, 1] = np.nan
        with pytest.raises(ValueError, match=r"partition 1: X: feature 1 contains NaN"):
            Moments.from_data(da.from_array(X, chunks=(50, 3)), y)

    def test_a_killed_worker_changes_nothing(self, client, tmp_path, monkeypatch):
        X, y, _ = gaussian_rows(17, n=2400)

        def slow(block):
            time.sleep(0.05)
            with (tmp_path / "begun").open("a") as file:
                file.write(f"{os.getpid()}\n")
            return block

        rows = da.from_array(X, chunks=(40, 3)).map_blocks(slow, meta=np.empty((0, 0)))

        def kill_one():
            begun = tmp_path / "begun"
            while not begun.exists() or len(begun.read_text().split()) < 12:
                time.sleep(0.01)
            os.kill(int(begun.read_text().split()[-1]), signal.SIGKILL)

        killer = threading.Thread(target=kill_one)
        killer.start()
        found = Moments.from_data(rows, y)
        killer.join()
        pids = (tmp_path / "begun").read_text().split()
        # A third process has taken the place of the killed one, or the other did its work again.
        assert len(set(pids)) > 2 or len(pids) > 60
        assert_same(found, Moments.from_data(X, y))
