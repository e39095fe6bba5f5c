"""The parts of a fit beside what they cannot do without: one product, one factorisation."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy.linalg

from benchmarks.adapters import reads_with_workers
from benchmarks.race import Contestant, race
from benchmarks.records import Case, Row, Settings, shape_name
from zerone import Frontier, Moments
from zerone._typing import AnyArray, FloatArray, Label

C_ORDER = "C order"
F_ORDER = "Fortran order"
FLOAT32 = "float32"
WEIGHTED = "weighted"
TEN_CLASSES = "ten classes"
PRODUCT = "X.T @ X"
ONE_WORKER, TWO_WORKERS = "n_jobs=1", "n_jobs=2"
SOLVE = 'Frontier.best("error")'
CHOLESKY = "cholesky"

SHAPES = ((200_000, 100), (30_000, 784), (20_000, 2_000), (500_000, 54), (1_000_000, 20))
_QUICK_SHAPES = ((20_000, 100), (4_000, 400), (50_000, 54), (100_000, 20))
_WORKER_SHAPES = SHAPES[:2]
_QUICK_WORKER_SHAPES = ((50_000, 100), (6_000, 400))
_DIMENSIONS = (20, 54, 100, 200, 784, 2_000)
_QUICK_DIMENSIONS = (20, 100, 784)


def moments_section(settings: Settings) -> Iterator[Row]:
    """Yield the cost of moments for every layout of the rows, beside one matrix product."""
    for n, d in _QUICK_SHAPES if settings.quick else SHAPES:
        yield from _moments_of_layouts(Case("moments", shape_name(n, d), settings.threads, n, d))


def _moments_of_layouts(case: Case) -> Iterator[Row]:
    X, y = _random_rows(case)
    rng = np.random.default_rng(1)
    tenth, weight = rng.integers(10, size=case.n_rows), rng.random(case.n_rows) + 0.5
    in_columns, in_singles = np.asfortranarray(X), X.astype(np.float32)
    # Built column by column, as files of tables are read; one block would be the array again.
    frame = pd.DataFrame({f"x{j}": X[:, j] for j in range(case.n_features)})
    return race(
        case,
        [
            Contestant(C_ORDER, lambda: Moments.from_data(X, y)),
            Contestant(F_ORDER, lambda: Moments.from_data(in_columns, y)),
            Contestant(FLOAT32, lambda: Moments.from_data(in_singles, y)),
            Contestant(WEIGHTED, lambda: Moments.from_data(X, y, sample_weight=weight)),
            Contestant(TEN_CLASSES, lambda: Moments.from_data(X, tenth)),
            Contestant("pandas DataFrame", lambda: Moments.from_data(frame, y)),
            Contestant(PRODUCT, lambda: X.T @ X),
            Contestant("one read: X.sum()", lambda: X.sum()),
        ],
    )


def workers_section(settings: Settings) -> Iterator[Row]:
    """Yield the cost of moments with one and with two workers."""
    for n, d in _QUICK_WORKER_SHAPES if settings.quick else _WORKER_SHAPES:
        case = Case("workers", shape_name(n, d), settings.threads, n, d)
        if reads_with_workers():
            yield from _moments_of_workers(case)
        else:
            yield case.row(TWO_WORKERS, note="skipped: Moments.from_data has no n_jobs")


def _moments_of_workers(case: Case) -> Iterator[Row]:
    X, y = _random_rows(case)
    return race(
        case,
        [
            Contestant(ONE_WORKER, lambda: Moments.from_data(X, y, n_jobs=1)),
            Contestant(TWO_WORKERS, lambda: Moments.from_data(X, y, n_jobs=2)),
        ],
    )


def _random_rows(case: Case) -> tuple[FloatArray, AnyArray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((case.n_rows, case.n_features))
    return X, rng.integers(2, size=case.n_rows)


def solve_section(settings: Settings) -> Iterator[Row]:
    """Yield the cost of the exact solution beside one factorisation of the same size."""
    for d in _QUICK_DIMENSIONS if settings.quick else _DIMENSIONS:
        yield from _solutions(Case("solve", f"d = {d:,}", settings.threads, 0, d))


def solution_of(moments: Moments) -> Contestant:
    """Return the contestant that solves; a frontier keeps what it has computed, so each is new."""
    return Contestant(
        SOLVE, lambda: Frontier(moments).best("error"), repetitions=_calls(moments.n_features)
    )


def _calls(d: int) -> int:
    return 20 if d <= 200 else 1


def _solutions(case: Case) -> Iterator[Row]:
    moments = _random_moments(case.n_features)
    positive, negative = (np.asarray(moments[label].covariance) for label in (1, 0))
    total, calls = positive + negative, _calls(case.n_features)
    return race(
        case,
        [
            solution_of(moments),
            Contestant(CHOLESKY, lambda: scipy.linalg.cholesky(total), repetitions=calls),
            Contestant(
                "generalised eigh",
                lambda: scipy.linalg.eigh(positive, total),
                required=False,
                repetitions=calls,
            ),
        ],
    )


def _random_moments(d: int) -> Moments:
    """Return moments of two classes whose well-conditioned covariances differ in spectrum.

    Their means are so far apart that about one row in ten is on the wrong side.
    """
    rng = np.random.default_rng(d)
    parameters: dict[Label, tuple[float, FloatArray, FloatArray]] = {}
    for label, spread in enumerate((np.linspace(0.5, 1.5, d), np.geomspace(0.3, 3.0, d))):
        rows = rng.standard_normal((2 * d, d)) * rng.permutation(spread)
        covariance = rows.T @ rows / len(rows) + 0.1 * np.eye(d)
        mean = 1.8 * rng.standard_normal(d) / np.sqrt(d)
        parameters[label] = (0.6 - 0.2 * label, mean, covariance)
    return Moments.from_parameters(parameters)
