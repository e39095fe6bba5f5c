"""Two Dask workers against one on rows that lie in their memory: time and ratio.

    python -m benchmarks.dask_workers [--rows 4000000] [--features 100]

Each worker is a process with one thread. Clusters of one and of two come by turns; the rows are
made, and spread over the workers, before the clock starts.
"""

import argparse
import os
import statistics
import time
from itertools import pairwise
from typing import Any

# Workers inherit it; else each would start as many threads of BLAS as there are processors.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

from zerone import Moments, ZeroOneClassifier

TURNS = 3
REPEATS = 3
PARTITIONS = 40


def make_rows(n_rows: int, n_features: int) -> tuple[Any, Any]:
    """Return two Gaussian classes, lazily."""
    chunk = n_rows // PARTITIONS
    random = da.random.default_rng(0)
    y = (random.random(n_rows, chunks=chunk) < 0.3).astype(np.int8)
    X = random.standard_normal((n_rows, n_features), chunks=(chunk, n_features))
    return X + 0.1 * y[:, None], y


def product(X: Any) -> Any:
    """Return the sum of what each partition is multiplied with itself: what Dask makes of that."""
    products = [dask.delayed(lambda rows: rows.T @ rows)(part) for part in X.to_delayed().ravel()]
    return dask.delayed(sum)(products).compute()


def measured(n_workers: int, n_rows: int, n_features: int) -> list[tuple[float, ...]]:
    """Return the times of the contestants, in a cluster of so many processes."""
    found = []
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
        ) as cluster,
        Client(cluster) as client,
    ):
        X, y = client.persist(make_rows(n_rows, n_features))
        wait([X, y])
        Moments.from_data(X[: n_rows // PARTITIONS], y[: n_rows // PARTITIONS])
        for _ in range(REPEATS):
            clock = [time.perf_counter()]
            product(X)
            clock.append(time.perf_counter())
            Moments.from_data(X, y)
            clock.append(time.perf_counter())
            ZeroOneClassifier(refine=None).fit(X, y)
            clock.append(time.perf_counter())
            found.append(tuple(end - start for start, end in pairwise(clock)))
    return found


def main() -> None:
    """Measure by turns and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--features", type=int, default=100)
    given = parser.parse_args()
    times: dict[int, list[tuple[float, ...]]] = {1: [], 2: []}
    for _ in range(TURNS):
        for n_workers in times:
            times[n_workers] += measured(n_workers, given.rows, given.features)
    print(f"{given.rows} x {given.features}, {PARTITIONS} partitions")
    for position, name in enumerate(("X.T @ X", "moments", "fit")):
        one, two = (statistics.median(t[position] for t in times[n]) for n in (1, 2))
        print(f"{name}: one worker {one:.2f} s, two {two:.2f} s, ratio {one / two:.2f}")


if __name__ == "__main__":
    main()
