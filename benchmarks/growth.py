"""How time and memory grow with rows and features."""

import math
import statistics
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adapters import BY_NAME, DEFAULT, LDA_LSQR, LOGISTIC, NAIVE_BAYES, ZERONE
from benchmarks.data import gaussian_rows
from benchmarks.kernels import solution_of
from benchmarks.race import Contestant, race
from benchmarks.records import Case, Row, Settings, seconds, shape_name
from zerone import Moments
from zerone._typing import AnyArray, FloatArray

FIXED_FEATURES = 20
FIXED_ROWS = 20_000
_RIVALS = (LOGISTIC, LDA_LSQR, NAIVE_BAYES)
_ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
_QUICK_ROWS = (10_000, 30_000, 100_000)
_MOST_ROWS_OF_RIVALS = 1_000_000
_FEATURES = (10, 30, 100, 300, 1_000)
_QUICK_FEATURES = (10, 30, 100)
MEMORY_ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
QUICK_MEMORY_ROWS = (10_000, 100_000, 1_000_000)
_PROCESS = Path("/proc/self")


def growth_section(settings: Settings) -> Iterator[Row]:
    """Yield fit times against rows at fixed features, then against features at fixed rows."""
    for n in _QUICK_ROWS if settings.quick else _ROWS:
        yield from _fit_times("rows", n, FIXED_FEATURES, settings)
    for d in _QUICK_FEATURES if settings.quick else _FEATURES:
        yield from _fit_times("features", FIXED_ROWS, d, settings)


def _fit_times(table: str, n: int, d: int, settings: Settings) -> Iterator[Row]:
    X, y = gaussian_rows(n, d)
    moments = Moments.from_data(X, y)
    with_rivals = n <= _MOST_ROWS_OF_RIVALS and not settings.only_ours

    def fit(name: str) -> Any:
        return BY_NAME[name].make(settings.threads).fit(X, y)

    contestants = [Contestant(ZERONE, partial(fit, ZERONE)), solution_of(moments)]
    contestants.append(Contestant(DEFAULT, partial(fit, DEFAULT), required=False))
    for rival in _RIVALS if with_rivals else ():
        contestants.append(Contestant(rival, partial(fit, rival), required=False))
    return race(Case(table, shape_name(n, d), settings.threads, n, d), contestants)


def growth_exponent(rows: Sequence[Row], contestant: str) -> float | None:
    """Return how the time grows with rows: the slope of its logarithm; None of fewer than two."""
    own = [row for row in rows if row.contestant == contestant and row.median_seconds is not None]
    if len(own) < 2:
        return None
    sizes, times = [math.log(row.n_rows) for row in own], [math.log(seconds(row)) for row in own]
    return statistics.linear_regression(sizes, times).slope


def memory_section(settings: Settings) -> Iterator[Row]:
    """Yield the peak memory of a fit beyond its data, each in a fresh process."""
    if not (_PROCESS / "clear_refs").exists():
        note = "skipped: the peak of a process can be reset on Linux only"
        yield Case("memory", "all", settings.threads).row(ZERONE, note=note)
        return
    fresh = ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1)
    with fresh as pool:
        for n in QUICK_MEMORY_ROWS if settings.quick else MEMORY_ROWS:
            case = Case("memory", shape_name(n, FIXED_FEATURES), 1, n, FIXED_FEATURES)
            for name in (ZERONE, DEFAULT):
                extra = pool.submit(_peak_beyond_data, name, n, FIXED_FEATURES).result()
                print(f"  memory: {name}, {n:,} rows: {extra:.1f} MB beyond the data", flush=True)
                yield case.row(name, extra_megabytes=extra)


def _peak_beyond_data(name: str, n: int, d: int) -> float:
    """Return how far the resident set rises during a fit, in megabytes."""
    # Whatever a first fit brings in for good, libraries and thread pools, is not the data's.
    BY_NAME[name].make(1).fit(*_plain_rows(100, d))
    X, y = _plain_rows(n, d)
    # From here on the peak is that of the fit.
    (_PROCESS / "clear_refs").write_text("5")
    before = _peak_kilobytes()
    BY_NAME[name].make(1).fit(X, y)
    return (_peak_kilobytes() - before) / 1024


def _plain_rows(n: int, d: int) -> tuple[FloatArray, AnyArray]:
    """Return rows made without intermediate arrays, whose memory a fit could take over."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)), rng.integers(2, size=n)


def _peak_kilobytes() -> int:
    status = (_PROCESS / "status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])
