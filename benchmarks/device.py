"""Rows on a GPU to fitted coefficients, beside one product of the rows there and beside the CPU.

    SCIPY_ARRAY_API=1 python -m benchmarks.device [--rows 10000000] [--features 100] [--quick]

Needs torch with CUDA; cupy is measured, too, where it is installed. Times are medians of turns in
which every contestant comes once. `--quick` leaves out LogisticRegression on the CPU.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn
import torch
from sklearn.linear_model import LogisticRegression

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._data.devices import to_host

TURNS = 7


def make_rows(n_rows: int, n_features: int, offset: float) -> tuple[Any, Any]:
    """Return two Gaussian classes that differ in means and scales, on the GPU."""
    generator = torch.Generator(device="cuda").manual_seed(0)
    kind = {"device": "cuda", "generator": generator}
    y = (torch.rand(n_rows, **kind) < 0.3).to(torch.int64)
    X = torch.randn(n_rows, n_features, **kind)
    scale = 0.5 + 1.5 * torch.rand(n_features, **kind)
    mean = 0.1 * torch.randn(n_features, **kind)
    second = (y == 1)[:, None]
    X = torch.where(second, X * scale + mean, X) + offset
    return X, y


def seconds(job: Callable[[], Any]) -> float:
    """Return how long a job takes, until the GPU is done with it."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    job()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def by_turns(jobs: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the median time of each job after one that warms up."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(TURNS + 1):
        for name, job in jobs.items():
            taken = seconds(job)
            if turn:
                times[name].append(taken)
    return {name: statistics.median(taken) for name, taken in times.items()}


def contestants(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    """Return what is compared on the GPU."""
    jobs: dict[str, Callable[[], Any]] = {
        "X.T @ X": lambda: X.T @ X,
        "error": lambda: ZeroOneClassifier(refine=None).fit(X, y),
        "AUC": lambda: AUCClassifier(refine=None).fit(X, y),
    }
    return jobs


def cupy_contestants(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    """Return the same for cupy, if it is there; by turns of its own, for it has its own memory."""
    try:
        import cupy
    except ImportError:
        return {}
    rows, labels = cupy.asarray(X), cupy.asarray(y)
    return {
        "X.T @ X": lambda: (rows.T @ rows, cupy.cuda.Device().synchronize()),
        "error": lambda: ZeroOneClassifier(refine=None).fit(rows, labels),
    }


def largest_difference(found: Any, wanted: np.ndarray) -> float:
    """Return the largest difference of coefficients, relative to the largest of them."""
    return float(np.abs(to_host(found) - wanted).max() / np.abs(wanted).max())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    torch.set_float32_matmul_precision("highest")
    sklearn.set_config(array_api_dispatch=True)
    print(f"{torch.cuda.get_device_name()}, {given.rows} x {given.features} float32")
    for offset in (0.0, 10.0):
        X, y = make_rows(given.rows, given.features, offset)
        for library, jobs in (("torch", contestants(X, y)), ("cupy", cupy_contestants(X, y))):
            times = by_turns(jobs)
            print(f"{library}, features around {offset:g}:")
            for name, taken in times.items():
                print(f"  {name:<12} {1e3 * taken:8.2f} ms  {taken / times['X.T @ X']:5.2f}")
        fitted = ZeroOneClassifier(refine=None).fit(X, y)
        rows, labels = X.cpu().numpy(), y.cpu().numpy()
        with sklearn.config_context(array_api_dispatch=False):
            start = time.perf_counter()
            at_home = ZeroOneClassifier(refine=None, n_jobs=-1).fit(rows, labels)
            print(f"  the same fit on the CPU: {time.perf_counter() - start:.2f} s")
        print(f"  coefficients: {largest_difference(fitted.coef_, at_home.coef_):.1e}")
    refined, ranking = ZeroOneClassifier(), AUCClassifier()
    times = by_turns(
        {"error": lambda: refined.fit(X, y), "AUC": lambda: ranking.fit(X, y)}
        | {name: lambda m=name: getattr(refined, m)(X) for name in METHODS}
    )
    print("refined: " + ", ".join(f"{name} {1e3 * t:.1f} ms" for name, t in times.items()))
    print(f"  error on the rows {1 - refined.score(X, y):.5f}")
    print(f"  from moments alone: error on the rows {1 - fitted.score(X, y):.5f}")
    if given.quick:
        return
    with sklearn.config_context(array_api_dispatch=False):
        logistic = LogisticRegression()
        start = time.perf_counter()
        logistic.fit(rows, labels)
        slow = time.perf_counter() - start
        print(f"LogisticRegression on the CPU: {slow:.1f} s, {slow / times_of_fit(X, y):.0f} x")
        print(f"  error on the rows {1 - logistic.score(rows, labels):.5f}")


METHODS = ("decision_function", "predict", "predict_proba")


def times_of_fit(X: Any, y: Any) -> float:
    """Return the time of one fit from moments, on the GPU."""
    with sklearn.config_context(array_api_dispatch=True):
        return by_turns({"fit": lambda: ZeroOneClassifier(refine=None).fit(X, y)})["fit"]


if __name__ == "__main__":
    main()
