"""What a refined fit does not depend on: order, weights or repetition, units, source.

Random problems with 3 to 30 columns, overlapping or nearly separable; every change is fitted beside
the plain fit. Decision values are compared in their standard deviations; exceptions are counted.

Run: python -m evidence.invariance [--problems 200]
"""

import argparse
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._typing import FloatArray

LARGEST = 1e-6
SAME_BITS = 1e-8


def problem(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return rows, some of them repeated, and labels."""
    n, d = int(rng.integers(40, 600)), int(rng.integers(3, 31))
    y = (rng.random(n) < rng.uniform(0.15, 0.5)).astype(np.int64)
    y[:4] = 0, 0, 1, 1
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.5 * rng.standard_normal((d, d)) / np.sqrt(d))
    apart = rng.standard_normal(d)
    X[y == 1] *= rng.uniform(0.7, 1.5)
    X[y == 1] += rng.choice([0.7, 1.5, 6.0]) * apart / np.linalg.norm(apart)
    if rng.random() < 0.3:
        X[:, 0] = np.round(X[:, 0])
    return X, y


def fits(cls: Any, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> Iterator[Any]:
    """Yield a name, and two models with the rows that both are asked about."""
    import dask.array as da

    plain = cls().fit(X, y)
    order, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
    yield "rows permuted", plain, X, cls().fit(X[order], y[order]), X
    yield "columns permuted", plain, X, cls().fit(X[:, columns], y), X[:, columns]
    scaled = X * np.exp(rng.uniform(-5, 5, X.shape[1]))
    yield "columns scaled", plain, X, cls().fit(scaled, y), scaled
    counts = rng.integers(1, 4, len(y))
    twice = np.repeat(np.arange(len(y)), counts)
    weighted = cls().fit(X, y, sample_weight=counts)
    yield "weights and repetition", weighted, X, cls().fit(X[twice], y[twice]), X
    names = [f"x{number}" for number in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names)
    from_table = cls().fit_table(table.assign(y=y), target="y")
    yield "array and table", plain, X, from_table, table
    chunked = cls().fit(da.from_array(X, chunks=(97, -1)), da.from_array(y, chunks=97))
    yield "array and Dask", plain, X, chunked, X


def main() -> None:
    """Print for every change the largest difference, and how many are beyond the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=200)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    failed = 0
    for seed in range(arguments.problems):
        for cls in (ZeroOneClassifier, AUCClassifier):
            rng = np.random.default_rng(seed)
            try:
                for name, a, rows_a, b, rows_b in fits(cls, *problem(rng), rng):
                    expected = np.asarray(a.decision_function(rows_a))
                    other = np.asarray(b.decision_function(rows_b))
                    loss = [
                        m.held_out_error_ if cls is ZeroOneClassifier else 1 - m.held_out_auc_
                        for m in (a, b)
                    ]
                    found[name, cls.__name__].append(
                        (np.abs(other - expected).max() / expected.std(), abs(loss[0] - loss[1]))
                    )
            except Exception as error:
                failed += 1
                print(f"problem {seed}, {cls.__name__}: {type(error).__name__}: {error}")
    print("| change | classifier | largest difference | beyond | of | largest in held-out loss |")
    print("|---|---|---|---|---|---|")
    for (name, cls_name), pairs in found.items():
        difference, loss = np.array(pairs).T
        bound = SAME_BITS if name == "rows permuted" else LARGEST
        print(
            f"| {name} | {cls_name} | {difference.max():.1e} | {(difference > bound).sum()} "
            f"| {len(pairs)} | {loss.max():.1e} |"
        )
    print(f"\nexceptions: {failed}")


if __name__ == "__main__":
    main()
