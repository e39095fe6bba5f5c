"""The Krylov solver beside the full diagonalisation: the same optimum, at what cost.

500 random problems and all benchmark sets, whatever their size. Time in units of one Cholesky
factorisation of the sum of the covariances.

Run: python -m evidence.krylov_solver [--data FOLDER] [--problems N]
"""

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.linalg import cholesky

from evidence.problems import random_moments, sampled_moments
from paper.datasets.load import DataNotAvailableError, load
from paper.datasets.registry import DATA_SETS
from zerone import Frontier, Moments
from zerone._moments.shrinkage import shrink_moments
from zerone.frontier import _frontier
from zerone.rules import LinearRule

# Where the benchmark data sets are looked for.
DATA = Path(os.environ.get("ZERONE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def krylov(moments: Moments) -> tuple[LinearRule, bool]:
    """Return the best rule, and whether Lanczos steps sufficed."""
    with mock.patch.object(_frontier, "MANY_FEATURES", 2):
        frontier = Frontier(moments)
        rule = frontier.best("error")
    return rule, "_spectrum" not in vars(frontier)


def diagonalised(moments: Moments) -> LinearRule:
    """Return the best rule by the full diagonalisation."""
    with mock.patch.object(_frontier, "MANY_FEATURES", np.inf):
        return Frontier(moments).best("error")


def random_problems(n: int) -> Iterator[tuple[str, Moments]]:
    """Yield problems of four kinds in turn."""
    rng = np.random.default_rng(0)
    for number in range(n):
        d = int(rng.integers(150, 300))
        kind = number % 4
        if kind == 0:
            yield "scales from 1e-4 to 1e4", random_moments(rng, d=d)
        elif kind == 1:
            yield "scales from 0.1 to 10", random_moments(rng, d=d, low=-1, high=1)
        else:
            yield "rows", shrink_moments(sampled_moments(rng, d), "auto")[0]


def real_problems(data: Path) -> Iterator[tuple[str, Moments]]:
    """Yield the moments of the benchmark sets, shrunk as by default and as they are."""
    for name in DATA_SETS:
        try:
            X, y = load(name, data_dir=data)[:2]
        except DataNotAvailableError:
            print(name, "is not here and was left out")
            continue
        if X.shape[1] > 1_000:
            continue  # wide data is projected, not solved
        moments = Moments.from_data(X, y)
        yield name, shrink_moments(moments, "auto")[0]
        yield f"{name}, not shrunk", moments


def main() -> None:
    """Print the largest difference for every kind of problem, and the time of a few."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--problems", type=int, default=500)
    arguments = parser.parse_args()
    kinds: dict[str, list[tuple[float, bool]]] = {}
    for name, moments in random_problems(arguments.problems):
        rule, sufficed = krylov(moments)
        kinds.setdefault(name, []).append((rule.error - diagonalised(moments).error, sufficed))
    for name, moments in real_problems(arguments.data):
        rule, sufficed = krylov(moments)
        kinds[name] = [(rule.error - diagonalised(moments).error, sufficed)]
    for name, found in kinds.items():
        worst = max((difference for difference, _ in found), key=abs)
        certified = sum(sufficed for _, sufficed in found)
        print(
            f"{name}: {len(found)} problems, largest difference of the error {worst:.1e}, "
            f"{certified} by Lanczos steps, the others diagonalised"
        )
    overall = max(abs(difference) for found in kinds.values() for difference, _ in found)
    print(f"overall: largest difference {overall:.1e}")
    rng = np.random.default_rng(1)
    for d in (200, 400, 784, 2_000):
        print(_cost(d, shrink_moments(sampled_moments(rng, d), "auto")[0]))


def _cost(d: int, moments: Moments) -> str:
    total = sum(np.asarray(m.covariance) for m in moments.values())
    times: list[list[float]] = [[], []]
    for _ in range(7):
        began = time.perf_counter()
        cholesky(total)
        between = time.perf_counter()
        Frontier(moments).best("error")
        times[0].append(between - began)
        times[1].append(time.perf_counter() - between)
    one, solve = (float(np.median(record)) for record in times)
    return f"d = {d}: {1e3 * solve:.1f} ms, {solve / one:.2f} Cholesky factorisations"


if __name__ == "__main__":
    main()
