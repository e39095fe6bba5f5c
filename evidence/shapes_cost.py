"""What bends cost: CPU time of a fit with ``shapes="auto"`` over one without, and memory.

    python -m evidence.shapes_cost [--repeats 5]

Normal rows of which two columns bend; medians of fits in turns, on one thread. Memory is the peak
of what a fit allocates beyond its rows.
"""

import argparse
import os
import sys
import time
import tracemalloc

import numpy as np

from zerone import ZeroOneClassifier
from zerone._typing import AnyArray, FloatArray

SIZES = ((500, 10), (5_000, 20), (20_000, 10), (20_000, 30), (20_000, 60), (20_000, 100))
LARGE = ((200_000, 20), (1_000_000, 20))


def rows(n_rows: int, n_columns: int) -> tuple[FloatArray, AnyArray]:
    """Return rows of two classes, of which the first two columns bend."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    others = X[:, 2:].sum(axis=1) / np.sqrt(n_columns)
    scores = 2 * np.abs(X[:, 0]) + np.sin(2 * X[:, 1]) + others + 0.5 * rng.normal(size=n_rows)
    return X, (scores > np.median(scores)).astype(np.intp)


def seconds(n_rows: int, n_columns: int, repeats: int) -> list[float]:
    """Return median CPU seconds of a straight and of a bent fit."""
    X, y = rows(n_rows, n_columns)
    found: list[list[float]] = [[], []]
    for _ in range(repeats):
        for times, shapes in zip(found, (None, "auto"), strict=True):
            start = time.process_time()
            ZeroOneClassifier(shapes=shapes).fit(X, y)
            times.append(time.process_time() - start)
    return [float(np.median(times)) for times in found]


def mebibytes(n_rows: int, n_columns: int, shapes: str | None) -> float:
    """Return the peak memory of a fit beyond its rows."""
    X, y = rows(n_rows, n_columns)
    tracemalloc.start()
    ZeroOneClassifier(shapes=shapes).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main() -> None:
    """Print a line for every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    if os.environ.get("OMP_NUM_THREADS") != "1":
        sys.exit("set OMP_NUM_THREADS=1, so that CPU time is that of one thread")
    print("| rows × columns | straight, s | bent, s | ratio | straight, MiB | bent, MiB |")
    print(f"|{'---|' * 6}")
    for size in (*SIZES, *LARGE):
        straight, bent = seconds(*size, repeats)
        memory = [mebibytes(*size, shapes) for shapes in (None, "auto")]
        print(
            f"| {size[0]:,} × {size[1]} | {straight:.3f} | {bent:.3f} | {bent / straight:.1f} | "
            f"{memory[0]:.0f} | {memory[1]:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
