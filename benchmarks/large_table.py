"""A table that is larger than the memory it is read in: rate, peak memory, precision, solving.

    python -m benchmarks.large_table [--rows 20000000] [--folder FOLDER] [--output FILE]

Writes a Parquet file of 50 float64 columns (8 GB for 20 million rows) with pyarrow's own settings,
reads it by turns with and without computing the moments, each time in a process of its own, and
deletes it.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from zerone import Moments, ZeroOneClassifier

FEATURES = 50
ROWS_AT_ONCE = 250_000
SLICE = 1_000_000
TURNS = 3
FITS = 20


def write_table(path: Path, n_rows: int) -> None:
    """Write two Gaussian classes that differ in means and scales."""
    rng = np.random.default_rng(0)
    means, scales = rng.normal(0, 0.2, FEATURES), rng.uniform(0.5, 2.0, FEATURES)
    fields = [pa.field(f"x{i}", pa.float64()) for i in range(FEATURES)]
    schema = pa.schema([*fields, pa.field("y", pa.int8())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, ROWS_AT_ONCE):
            n = min(ROWS_AT_ONCE, n_rows - start)
            y = (rng.random(n) < 0.3).astype(np.int8)
            columns = [
                rng.standard_normal(n) * np.where(y, scales[i], 1.0) + y * means[i]
                for i in range(FEATURES)
            ]
            writer.write_table(pa.table([*columns, y], schema=schema))


def read_only(path: Path) -> int:
    """Read the batches and do nothing with them."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        return sum(batch.num_rows for batch in file.iter_batches())


def child(task: str, path: Path, n_jobs: int) -> None:
    """Do one of the two jobs and print what it took."""
    start = time.perf_counter()
    if task == "read":
        rows = read_only(path)
    else:
        moments = Moments.from_table(path, target="y", n_jobs=n_jobs)
        rows = round(moments.weight)
        moments.save(path.with_suffix(".npz"))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"rows": rows, "seconds": seconds, "peak": peak}))


def in_a_process(task: str, path: Path, n_jobs: int) -> dict[str, float]:
    """Run one job in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.large_table", "--child", task]
    command += ["--file", str(path), "--jobs", str(n_jobs)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(outcome.stdout))


def slice_difference(path: Path) -> float:
    """Compare the streamed moments of some rows with those computed in memory.

    The largest difference of a mean, in standard deviations, or of a covariance, relative to the
    product of the standard deviations.
    """
    with pq.ParquetFile(path, pre_buffer=False) as file:
        batches, rows = [], 0
        for batch in file.iter_batches():
            batches.append(batch.slice(0, SLICE - rows))
            rows += batches[-1].num_rows
            if rows == SLICE:
                break
    table = pa.Table.from_batches(batches)
    streamed = Moments.from_table(table, target="y")
    X = np.column_stack([table.column(i).to_numpy() for i in range(FEATURES)])
    at_once = Moments.from_data(X, table.column("y").to_numpy())
    differences = []
    for label in at_once:
        a, b = streamed[label], at_once[label]
        sd = np.sqrt(b.covariance.diagonal())
        differences.append(np.abs((a.mean - b.mean) / sd).max())
        change = np.asarray(a.covariance) - np.asarray(b.covariance)
        differences.append(np.abs(change / np.multiply.outer(sd, sd)).max())
        differences.append(abs(a.weight - b.weight))
    return float(max(differences))


def solving_times(few: Moments, many: Moments) -> tuple[float, float]:
    """Return the median times of fitting to the moments of few and of many rows, by turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(FITS + 2):
        for own, moments in zip(times, (few, many), strict=True):
            start = time.perf_counter()
            ZeroOneClassifier().fit_moments(moments)
            if turn >= 2:
                own.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def report(n_rows: int, folder: Path | None) -> str:
    """Measure, and return the figures as text."""
    lines = []
    with tempfile.TemporaryDirectory(dir=folder) as name:
        path = Path(name) / "large.parquet"
        write_table(path, n_rows)
        raw = n_rows * FEATURES * 8
        lines.append(
            f"{n_rows:,} rows x {FEATURES} float64 columns: {raw / 1e9:.1f} GB of numbers, "
            f"{path.stat().st_size / 1e9:.1f} GB on disk"
        )
        outcomes: dict[str, list[dict[str, float]]] = {}
        for _ in range(TURNS):
            for job in ("read", "moments, n_jobs=1", "moments, n_jobs=2"):
                task, _, jobs = job.partition(", n_jobs=")
                outcomes.setdefault(job, []).append(in_a_process(task, path, int(jobs or 1)))
        base = statistics.median(own["seconds"] for own in outcomes["read"])
        for job, found in outcomes.items():
            seconds = statistics.median(own["seconds"] for own in found)
            peak = max(own["peak"] for own in found)
            turns = ", ".join(f"{own['seconds']:.1f}" for own in found)
            lines.append(
                f"{job:18s} {n_rows / seconds / 1e6:5.2f} million rows/s, "
                f"{base / seconds:4.2f} of the rate of only reading, "
                f"peak memory {peak / 2**20:4.0f} MiB ({turns} s)"
            )
        difference = slice_difference(path)
        lines.append(f"moments of {SLICE:,} rows, streamed against in memory: {difference:.1e}")
        many = Moments.load(path.with_suffix(".npz"))
        with pq.ParquetFile(path, pre_buffer=False) as file:
            few = Moments.from_table(next(file.iter_batches(100_000)), target="y")
        times = solving_times(few, many)
        lines.append(
            f"solving, median of {FITS}: {times[0] * 1e3:.2f} ms for {few.weight:,.0f} rows, "
            f"{times[1] * 1e3:.2f} ms for {many.weight:,.0f}, ratio {times[1] / times[0]:.2f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path, help="where the table is written for a while")
    parser.add_argument("--output", type=Path, help="a file for the figures")
    parser.add_argument("--child", choices=("read", "moments"), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=1, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.file, given.jobs)
        return
    text = report(given.rows, given.folder)
    print(text)
    if given.output:
        given.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
