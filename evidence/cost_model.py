"""What a fit costs before it is run: rows read, operations, bytes sent, depth; and what it cost.

    python -m evidence.cost_model [--folder FOLDER]

Parquet files of 50 columns are written, fits to 4 and 12 of them on two Dask workers give the
speed of a worker, and the model then says what fits to 8, 16 and 32 files take. Each is run and
measured.
The last lines are the model for a trillion rows, at the speed measured here.
"""

import argparse
import math
import os
import pickle
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Workers inherit it; else each would start as many threads of BLAS as there are processors.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from zerone import Moments, ZeroOneClassifier

FEATURES = 50
ROWS_PER_FILE = 250_000
# Two small fits give the speed; the others are predicted.
CALIBRATED = (4, 12)
FILES = (8, 16, 32)
WORKERS = 2
REPEATS = 5
# Moments that one task merges, as in `Moments.from_data`.
FAN_IN = 8


@dataclass(frozen=True)
class Cost:
    """The cost of one fit to partitions of equal size.

    Attributes
    ----------
    n_rows, n_features, n_classes, n_partitions, n_workers : int
    """

    n_rows: float
    n_features: int
    n_classes: int
    n_partitions: int
    n_workers: int

    @property
    def bytes_read(self) -> float:
        """Every number once, in eight bytes."""
        return 8.0 * self.n_rows * self.n_features

    @property
    def operations(self) -> float:
        """A multiplication and an addition for each row and pair of features."""
        return 2.0 * self.n_rows * self.n_features**2

    @property
    def bytes_of_moments(self) -> float:
        """For every class a matrix, a mean, its correction and a weight."""
        return 8.0 * self.n_classes * (self.n_features**2 + 2 * self.n_features + 1)

    @property
    def depth(self) -> int:
        """Rounds of merging."""
        return math.ceil(math.log(self.n_partitions, FAN_IN)) if self.n_partitions > 1 else 0

    @property
    def n_merged(self) -> int:
        """How many moments go into a merge, over all rounds."""
        total, left = 0, self.n_partitions
        while left > 1:
            total += left
            left = -(-left // FAN_IN)
        return total

    @property
    def bytes_sent(self) -> float:
        """What goes into a merge and lies with another worker."""
        elsewhere = (self.n_workers - 1) / self.n_workers
        return elsewhere * self.n_merged * self.bytes_of_moments

    def seconds(self, seconds_per_row: float, overhead: float) -> float:
        """Rows shared by the workers, in whole partitions, and what does not depend on rows."""
        share = math.ceil(self.n_partitions / self.n_workers) / self.n_partitions
        return seconds_per_row * self.n_rows * share + overhead


def write_files(folder: Path, n_files: int) -> None:
    """Write two Gaussian classes, file by file."""
    for number in range(n_files):
        rng = np.random.default_rng(number)
        y = (rng.random(ROWS_PER_FILE) < 0.3).astype(np.int8)
        X = rng.standard_normal((ROWS_PER_FILE, FEATURES)) + 0.1 * y[:, None]
        table = pd.DataFrame(X, columns=[f"x{i}" for i in range(FEATURES)]).assign(y=y)
        table.to_parquet(folder / f"{number:03}.parquet", index=False)


def collections(folder: Path, n_files: int) -> tuple[Any, Any]:
    """Return rows and labels of the first files, lazily."""
    frame = dd.read_parquet(sorted(folder.glob("*.parquet"))[:n_files], split_row_groups=False)
    return frame.drop(columns="y"), frame["y"]


def fit_seconds(folder: Path, n_files: int) -> float:
    """Return the median time of a fit to the first files."""
    rows, labels = collections(folder, n_files)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        ZeroOneClassifier(refine=None).fit(rows, labels)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def speeds(folder: Path) -> tuple[float, float]:
    """Return a worker's seconds for a row while all are busy, and those that need no rows."""
    fit_seconds(folder, WORKERS)  # imports what workers need
    short, long = (fit_seconds(folder, n_files) for n_files in CALIBRATED)
    more = (CALIBRATED[1] - CALIBRATED[0]) / WORKERS * ROWS_PER_FILE
    per_row = (long - short) / more
    return per_row, max(0.0, short - per_row * CALIBRATED[0] / WORKERS * ROWS_PER_FILE)


def received() -> int:
    """Return the bytes that have come over the loopback interface so far, all messages included."""
    lines = Path("/proc/net/dev").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.strip().startswith("lo:"))


def main() -> None:
    """Measure, predict and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=given.folder) as temporary,
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
        ) as cluster,
        Client(cluster),
        # Partitions are files: nothing is merged before it is read.
        dask.config.set({"dataframe.convert-string": False}),
    ):
        folder = Path(temporary)
        write_files(folder, max(FILES))
        per_row, overhead = speeds(folder)
        print(
            f"a worker: {1e9 * per_row:.0f} ns for a row of {FEATURES} features from Parquet "
            f"({8e-6 * FEATURES / per_row:.0f} MB/s, {2e-9 * FEATURES**2 / per_row:.1f} GFLOP/s); "
            f"{overhead:.2f} s for a fit without rows"
        )
        print("| rows | read | operations | depth | sent: model | measured | s: model | measured |")
        print("|---|---|---|---|---|---|---|---|")
        for n_files in FILES:
            measure(folder, n_files, per_row, overhead)
        moments = Moments.from_data(*collections(folder, 1))
    size = len(pickle.dumps(moments))
    model = Cost(1, FEATURES, 2, 1, 1).bytes_of_moments
    print(f"moments of {FEATURES} features and two classes: {size} bytes, model {model:.0f}")
    trillion(per_row)


def measure(folder: Path, n_files: int, per_row: float, overhead: float) -> None:
    """Run one size and print it beside the model."""
    cost = Cost(n_files * ROWS_PER_FILE, FEATURES, 2, n_files, WORKERS)
    sent = received()
    taken = fit_seconds(folder, n_files)
    sent = (received() - sent) / REPEATS
    print(
        f"| {cost.n_rows:.1e} | {cost.bytes_read:.1e} B | {cost.operations:.1e} | {cost.depth} | "
        f"{cost.bytes_sent:.1e} B | {sent:.1e} B | {cost.seconds(per_row, overhead):.2f} | "
        f"{taken:.2f} |"
    )


def trillion(per_row: float) -> None:
    """Print the model for a trillion rows, at the speed of one worker here."""
    print("a trillion rows, two classes, partitions of a million rows, 1,000 workers:")
    for n_features in (50, 200):
        cost = Cost(1e12, n_features, 2, 1_000_000, 1000)
        # Reading grows with the features, multiplying with their square: between the two.
        low, high = (per_row * (n_features / FEATURES) ** power for power in (1, 2))
        hours = [cost.seconds(s, 0.0) / 3600 for s in (low, high)]
        print(
            f"  {n_features} features: {cost.bytes_read:.0e} bytes read, {cost.operations:.0e} "
            f"operations, {cost.bytes_sent:.1e} bytes sent, depth {cost.depth}, "
            f"{hours[0]:.1f} to {hours[1]:.1f} hours"
        )


if __name__ == "__main__":
    main()
