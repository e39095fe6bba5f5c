"""Scans: streams of batches, checkpoints, progress, and what is left after a failure."""

import io
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.test_sources import SOURCES, assert_same
from tests.helpers import make_table

from zerone import Encoding, Moments, ScanError, ZeroOneClassifier
from zerone._progress import Progress


def bits(moments):
    """All numbers of moments, for comparing them exactly."""
    return [
        (
            label,
            m.weight,
            *(a.tobytes() for a in (m.mean, m.mean_correction, m.covariance.toarray())),
        )
        for label, m in moments.items()
    ]


class StopError(Exception):
    """Stands for whatever may stop a scan."""


def stopping_after(n_parts):
    """Return a progress function that stops the scan after some parts."""
    seen = []

    def report(rows, share):
        seen.append(rows)
        if len(seen) == n_parts:
            raise StopError

    return report


class TestBatches:
    def test_equal_one_pass_over_all_rows(self, rng):
        X, y = rng.normal(size=(100, 3)) + 50, rng.integers(0, 3, 100)
        w = rng.integers(0, 3, 100).astype(float)
        pieces = [slice(0, 30), slice(30, 31), slice(31, 100)]
        found = Moments.from_batches(((X[s], y[s], w[s]) for s in pieces), n_jobs=2)
        assert_same(found, Moments.from_data(X, y, sample_weight=w))
        assert_same(Moments.from_batches([(X[s], y[s]) for s in pieces]), Moments.from_data(X, y))

    def test_frames_by_an_encoding(self, rng):
        table = make_table(rng)
        encoding = Encoding.from_table(table, target="late")
        parts = ((part.drop(columns="late"), part["late"]) for part in (table[:50], table[50:]))
        found = Moments.from_batches(parts, encoding=encoding)
        assert_same(found, Moments.from_table(table, target="late"))
        fills = {c.name: c.fill for c in found.encoding.columns if hasattr(c, "fill")}
        assert found.encoding == encoding.with_fills(fills)
        strange = table.assign(job="tailor", pay=np.nan).head(2)
        weights = np.r_[np.ones(200), 0, 0]
        both = pd.concat([table, strange])
        found = Moments.from_batches([(both, both["late"], weights)], encoding=encoding)
        assert_same(found, Moments.from_table(table, target="late"))
        with pytest.raises(ValueError, match="category 'tailor' in batch 0"):
            Moments.from_batches([(table.assign(job="tailor"), table["late"])], encoding=encoding)

    def test_batches_without_rows_that_count_are_passed_over(self):
        nothing = (np.empty((0, 1)), [])
        batches = [([[1.0]], [0], [0.0]), nothing, ([[2.0]], [0], [1.0])]
        assert Moments.from_batches(batches)[0].mean.tolist() == [2.0]

    @pytest.mark.parametrize(
        ("batches", "error", "words"),
        [
            ([], ValueError, "all sample weights are zero, or the source is empty"),
            (5, TypeError, "batches: got int"),
            ([np.ones((2, 2))], TypeError, r"expected \(X, y\)"),
            ([([[1.0]],)], TypeError, "batch 0 is of type tuple"),
            ([([[1.0]], [0]), ([[np.nan]], [0])], ScanError, "batch 1: X: feature 0"),
            ([([[1.0]], [0]), ([[1.0, 2.0]], [0])], ScanError, "batch 1 has 2 features"),
            ([([[1.0]], [0]), ([[1.0]], [0, 1])], ScanError, "y: got 2 labels"),
        ],
    )
    def test_bad_ones(self, batches, error, words):
        with pytest.raises(error, match=words):
            Moments.from_batches(batches)

    def test_what_was_counted_before_a_failure_is_kept(self):
        with pytest.raises(ScanError) as caught:
            Moments.from_batches([([[1.0]], [0]), ([[3.0]], [0]), ([["a"]], [0])])
        assert caught.value.rows == 2
        assert caught.value.moments[0].mean.tolist() == [2.0]
        copied = pickle.loads(pickle.dumps(caught.value))
        assert str(copied) == str(caught.value)
        assert copied.moments[0].mean.tolist() == [2.0]

    def test_an_interruption_stays_one(self):
        def batches():
            yield [[1.0]], [0]
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Moments.from_batches(batches())


@pytest.mark.usefixtures("small_parts")
class TestCheckpoints:
    options = {"target": "late"}  # noqa: RUF012

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "kind",
        [
            "parquet",
            "parquet folder",
            "partitioned",
            "arrow file",
            "csv",
            "csv.xz",
            "two csv",
            "csv.zst",
            "zip",
            "utf-16",
            "text with comments",
            "json lines",
            "workbook",
        ],
    )
    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_every_source_goes_on_where_it_stopped(self, kind, n_jobs, table, tmp_path):
        table.loc[60:, "pay"] = table.loc[60:, "pay"].where(table["left"])
        source, path = SOURCES[kind](table, tmp_path), tmp_path / "scan.npz"
        options = self.options | {"n_jobs": n_jobs}
        whole = Moments.from_table(source, **options)
        stopped = []
        while True:
            try:
                found = Moments.from_table(
                    source, checkpoint=path, progress=stopping_after(3), **options
                )
                break
            except ScanError as error:
                stopped.append((type(error.__cause__), error.rows, Moments.load(path).weight))
        assert len(stopped) >= 2
        assert all(cause is StopError and rows == weight for cause, rows, weight in stopped)
        assert bits(found) == bits(whole)
        assert found.encoding == whole.encoding

    @pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow table", "reader", "duckdb"])
    def test_rows_in_memory_may_change_unnoticed(self, kind, table, tmp_path):
        with pytest.raises(ValueError, match="needs a source of files"):
            Moments.from_table(
                SOURCES[kind](table, tmp_path), checkpoint=tmp_path / "scan.npz", **self.options
            )

    def test_a_finished_scan_is_not_done_again(self, table, tmp_path):
        path, table = tmp_path / "scan.npz", SOURCES["csv"](table, tmp_path)
        found = Moments.from_table(table, checkpoint=path, **self.options)
        seen = []
        again = Moments.from_table(
            table, checkpoint=path, progress=lambda *how_far: seen.append(how_far), **self.options
        )
        assert bits(again) == bits(found)
        assert seen == []

    def test_batches_are_passed_over(self, rng, tmp_path):
        X, y, path = rng.normal(size=(60, 2)), rng.integers(0, 2, 60), tmp_path / "scan.npz"

        def batches(stop=None):
            for start in range(0, 60, 10):
                if start == stop:
                    raise StopError
                yield X[start : start + 10], y[start : start + 10]

        with pytest.raises(ScanError):
            Moments.from_batches(batches(40), checkpoint=path)
        found = Moments.from_batches(batches(), checkpoint=path)
        assert bits(found) == bits(Moments.from_batches(batches()))

    @pytest.mark.parametrize(
        "others",
        [
            [],
            [([[1.0]], [0]), ([[2.0], [3.0]], [0, 1])],
            [([[1.0], [2.0]], [0, 1])],
            [([[1.0], [2.0]], [0, 1]), ([[3.5]], [0])],
            [([[1.0], [2.0]], [0, 1]), ([[3.0]], [1])],
        ],
    )
    def test_batches_that_changed_are_noticed(self, others, tmp_path):
        path = tmp_path / "scan.npz"
        batches = [([[1.0], [2.0]], [0, 1]), ([[3.0]], [0])]
        found = Moments.from_batches(batches, checkpoint=path)
        with pytest.raises(ScanError, match=r"the first 2 batches \(3 rows\) are not those"):
            Moments.from_batches(others, checkpoint=path)
        more = [*batches, ([[4.0]], [0])]
        assert Moments.from_batches(more, checkpoint=path).weight == found.weight + 1

    def test_another_scan_is_refused(self, table, tmp_path):
        path = tmp_path / "scan.npz"
        source = SOURCES["parquet"](table, tmp_path)
        Moments.from_table(source, checkpoint=path, **self.options)
        before = path.read_bytes()
        with pytest.raises(ValueError, match=r"another scan: columns was .* delete it"):
            Moments.from_table(source, checkpoint=path, columns=["age"], **self.options)
        pq.write_table(pa.Table.from_pandas(table[:50]), source)
        with pytest.raises(
            ValueError, match=r"another scan: the file .*table\.parquet' has changed"
        ):
            Moments.from_table(source, checkpoint=path, **self.options)
        assert path.read_bytes() == before

    def test_other_files_are_refused(self, table, tmp_path):
        table = SOURCES["parquet"](table, tmp_path)
        path = tmp_path / "scan.npz"
        Moments.from_table(table, **self.options).save(path)
        with pytest.raises(ValueError, match="not the state of a scan"):
            Moments.from_table(table, checkpoint=path, **self.options)
        path.write_bytes(b"!")
        with pytest.raises(ValueError, match="is not a moments file"):
            Moments.from_table(table, checkpoint=path, **self.options)

    @pytest.mark.parametrize("every", [-1, np.inf, "often"])
    def test_seconds(self, every, table):
        with pytest.raises(ValueError, match="checkpoint_every: got"):
            Moments.from_table(table, checkpoint_every=every, **self.options)

    def test_folder(self, table, tmp_path):
        table = SOURCES["parquet"](table, tmp_path)
        with pytest.raises(FileNotFoundError, match="checkpoint: there is no folder"):
            Moments.from_table(table, checkpoint=tmp_path / "a" / "b", **self.options)

    def test_the_same_file_by_another_name(self, table, tmp_path, monkeypatch):
        source, path = SOURCES["parquet"](table, tmp_path), tmp_path / "scan.npz"
        found = Moments.from_table(source, checkpoint=path, **self.options)
        monkeypatch.chdir(tmp_path)
        assert bits(Moments.from_table(source.name, checkpoint=path, **self.options)) == bits(found)

    def test_other_cells_that_mean_missing_are_another_scan(self, tmp_path):
        source, path = tmp_path / "t.csv", tmp_path / "scan.npz"
        source.write_text("x,y\n1,0\n-999,0\n")
        Moments.from_table(source, target="y", checkpoint=path)
        with pytest.raises(ValueError, match="belongs to another scan"):
            Moments.from_table(source, target="y", checkpoint=path, null_values=["-999"])

    def test_a_full_disk_does_not_lose_what_was_counted(self, table, tmp_path, monkeypatch):
        def full(*arguments, **options):
            raise OSError("No space left on device")

        monkeypatch.setattr("zerone._engines.checkpoint.save_moments", full)
        source = SOURCES["parquet"](table, tmp_path)
        with pytest.raises(ScanError, match=r"No space.*could not be written") as caught:
            Moments.from_table(
                source, checkpoint=tmp_path / "scan.npz", checkpoint_every=0, **self.options
            )
        assert caught.value.rows == 7

    def test_moments_so_far_are_imputed(self, table, tmp_path):
        table["pay"] = table["pay"].mask(table["left"])
        source, path = SOURCES["parquet"](table, tmp_path), tmp_path / "scan.npz"
        found = Moments.from_table(source, checkpoint=path, **self.options)
        assert bits(Moments.load(path)) == bits(found)

    def test_remains_of_killed_writings_are_removed(self, table, tmp_path):
        table = SOURCES["parquet"](table, tmp_path)
        remains = tmp_path / ".scan.npz.abc.partial"
        remains.touch()
        Moments.from_table(table, checkpoint=tmp_path / "scan.npz", **self.options)
        assert not remains.exists()

    def test_written_in_time(self, table, tmp_path):
        pq.write_table(pa.Table.from_pandas(table), tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
        path = tmp_path / "scan.npz"
        weights = []

        def report(rows, share):
            weights.append(Moments.load(path).weight if path.exists() else 0)

        Moments.from_table(
            table, checkpoint=path, checkpoint_every=0, progress=report, **self.options
        )
        assert weights == [*range(7, 200, 7), 200]

    @given(st.lists(st.integers(1, 30), max_size=4), st.integers(0, 2**31))
    def test_categories_of_a_stream_that_is_read_once(self, cuts, seed):
        """Levels are added as they come; where the batches end does not matter."""
        table = make_table(np.random.default_rng(seed), 40)
        arrow = pa.Table.from_pandas(table, preserve_index=False)
        edges = [0, *np.minimum(np.cumsum(cuts), 40), 40]
        batches = [
            b
            for a, z in zip(edges[:-1], edges[1:], strict=True)  # noqa: RUF007
            for b in arrow.slice(a, z - a).to_batches()
        ]
        reader = pa.RecordBatchReader.from_batches(arrow.schema, batches)
        assert_same(
            Moments.from_table(reader, target="late"), Moments.from_table(table, target="late")
        )


@pytest.mark.usefixtures("small_parts")
def test_a_stream_with_too_many_categories():
    table = pa.table({"x": [f"c{i % 20}" for i in range(40)], "y": [0] * 40})

    def stream():
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=5))

    with pytest.raises(
        ValueError,
        match=r"more than max_categories=10 categories.*pass an encoding that Encoding",
    ):
        Moments.from_table(stream(), target="y", max_categories=10, strict=True)
    with pytest.warns(UserWarning, match="'x': more categories than max_categories; those that"):
        found = Moments.from_table(stream(), target="y", max_categories=10)
    # All ten were counted before there was one too many.
    assert found.n_features == 11
    assert found[0].mean.sum() == pytest.approx(1.0)
    assert found[0].mean[-1] == pytest.approx(10 / 20)
    encoding = Encoding.from_table(table, target="y", max_categories=10, categorical=["x"])
    found = Moments.from_table(table.to_reader(), target="y", encoding=encoding)
    assert found.n_features == 10


@pytest.mark.slow
def test_scans_that_are_killed():
    command = [sys.executable, "-m", "evidence.killed_scans", "--tries", "3", "--rows", "1000000"]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "3 of 3 scans" in outcome.stdout


class TestProgress:
    def draw(self, monkeypatch, updates, **terminal):
        clock = iter(np.arange(100.0))
        monkeypatch.setattr("zerone._progress.time.monotonic", lambda: next(clock))
        stream = io.StringIO()
        stream.isatty = lambda: terminal.get("isatty", False)
        progress = Progress(terminal.get("wanted"), "moments", stream)
        for rows, share in updates:
            progress.update(rows, share)
        progress.close()
        return stream.getvalue()

    def test_rows_rate_and_time_left(self, monkeypatch):
        text = self.draw(monkeypatch, [(0, 0.0), (1000, 0.02), (2000, 0.04)], wanted=True)
        last = text.split("\r")[-1]
        assert last == "moments: 2,000 rows, 1,000 per second, 4%, 48 s left\n"

    def test_only_in_a_terminal_by_default(self, monkeypatch):
        updates = [(1, None), (2, None), (3, None)]
        assert self.draw(monkeypatch, updates) == ""
        assert "3 rows" in self.draw(monkeypatch, updates, isatty=True)
        assert self.draw(monkeypatch, updates, isatty=True, wanted=False) == ""

    def test_rows_before_a_checkpoint_do_not_count_for_the_rate(self, monkeypatch):
        text = self.draw(monkeypatch, [(10**6, 0.5), (10**6 + 20, 0.6)], wanted=True)
        assert "1,000,020 rows, 20 per second, 60%, 4 s left" in text

    def test_hours(self, monkeypatch):
        text = self.draw(monkeypatch, [(0, 0.0), (1, 1e-4)], wanted=True)
        assert "2 h 46 min left" in text

    def test_something_else(self):
        with pytest.raises(TypeError, match="progress: got 'yes'"):
            Moments.from_batches([([[1.0]], [0])], progress="yes")

    def test_share_of_the_whole(self, small_parts, rng):
        shares = []
        frame = pd.DataFrame({"x": rng.random(20), "y": 0})
        Moments.from_table(
            frame, target="y", progress=lambda rows, share: shares.append((rows, share))
        )
        assert shares == [(7, 0.35), (14, 0.7), (20, 1.0)]

    @pytest.mark.usefixtures("small_parts")
    def test_every_pass_says_what_it_does(self, monkeypatch, rng, capsys, tmp_path):
        monkeypatch.setattr("zerone._progress._FIRST_AFTER", -1.0)
        monkeypatch.setattr("zerone._progress._EVERY", -1.0)
        frame = pd.DataFrame({"x": rng.random(40), "y": np.arange(40) % 2})
        frame.to_csv(tmp_path / "t.csv", index=False)
        ZeroOneClassifier().fit_table(tmp_path / "t.csv", target="y", progress=True)
        shown = capsys.readouterr().err
        assert list(dict.fromkeys(re.findall(r"[a-z ]+(?=: [0-9])", shown))) == [
            "columns", "moments", "rows to refine on",
        ]  # fmt: skip
        assert len(re.findall("40 rows", shown)) == 3
