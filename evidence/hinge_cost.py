"""What one gradient of the pairwise hinge costs, beside the operations it cannot do without.

Run: python -m evidence.hinge_cost
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from paper.baselines.pairwise_hinge import pairwise_hinge


def median_seconds(*functions: Callable[[], Any], repeats: int = 15) -> list[float]:
    """Return the median time of each function, their repeats interleaved."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(repeats):
        for function, record in zip(functions, times, strict=True):
            began = time.perf_counter()
            function()
            record.append(time.perf_counter() - began)
    return [float(np.median(record)) for record in times]


def main() -> None:
    """Print the time and its ratio to the floor for growing numbers of rows."""
    rng = np.random.default_rng(0)
    d = 50
    for n in (10_000, 100_000, 1_000_000):
        X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
        is_positive = rng.random(n) < 0.3
        g = rng.standard_normal(n)

        def floor(X: Any = X, w: Any = w, g: Any = g) -> None:
            np.argsort(X @ w)
            X.T @ g

        def gradient(X: Any = X, w: Any = w, is_positive: Any = is_positive) -> None:
            X.T @ pairwise_hinge(X @ w, is_positive)[1]

        ours, least = median_seconds(gradient, floor)
        print(
            f"n = {n:>9,}: {1e3 * ours:8.2f} ms, floor (X @ w, argsort, X.T @ g) "
            f"{1e3 * least:8.2f} ms, ratio {ours / least:.2f}"
        )


if __name__ == "__main__":
    main()
