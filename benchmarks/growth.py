"""How time and memory grow with rows and features."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adapters import BY_NAME, LDA_LSQR, LOGISTIC, NAIVE_BAYES, ZERONE
from benchmarks.data import gaussian_rows
from benchmarks.kernels import solution_of
from benchmarks.race import Contestant, race
from benchmarks.records import Case, Row, Settings, shape_name
from zerone import Moments, ZeroOneClassifier
from zerone._typing import AnyArray, FloatArray

FIXED_FEATURES = 20
FIXED_ROWS = 20_000
_RIVALS = (LOGISTIC, LDA_LSQR, NAIVE_BAYES)
_ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
_QUICK_ROWS = (10_000, 30_000, 100_000)
_MOST_ROWS_OF_RIVALS = 1_000_000
_FEATURES = (10, 30, 100, 300, 1_000)
_QUICK_FEATURES = (10, 30, 100)
_MEMORY_ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
_QUICK_MEMORY_ROWS = (10_000, 100_000, 1_000_000)
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
    for rival in _RIVALS if with_rivals else ():
        contestants.append(Contestant(rival, partial(fit, rival), required=False))
    return race(Case(table, shape_name(n, d), settings.threads, n, d), contestants)


def memory_section(settings: Settings) -> Iterator[Row]:
    """Yield the peak memory of a fit beyond its data, each in a fresh process."""
    if not (_PROCESS / "clear_refs").exists():
        note = "skipped: the peak of a process can be reset on Linux only"
        yield Case("memory", "all", settings.threads).row(ZERONE, note=note)
        return
    fresh = ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1)
    with fresh as pool:
        for n in _QUICK_MEMORY_ROWS if settings.quick else _MEMORY_ROWS:
            extra = pool.submit(_peak_beyond_data, n, FIXED_FEATURES).result()
            print(f"  memory: {n:,} rows took {extra:.1f} MB beyond the data", flush=True)
            case = Case("memory", shape_name(n, FIXED_FEATURES), 1, n, FIXED_FEATURES)
            yield case.row(ZERONE, extra_megabytes=extra)


def _peak_beyond_data(n: int, d: int) -> float:
    """Return how far the resident set rises during a fit, in megabytes."""
    # Whatever a first fit brings in for good, libraries and thread pools, is not the data's.
    ZeroOneClassifier(refine=None).fit(*_plain_rows(100, d))
    X, y = _plain_rows(n, d)
    # From here on the peak is that of the fit.
    (_PROCESS / "clear_refs").write_text("5")
    before = _peak_kilobytes()
    ZeroOneClassifier(refine=None).fit(X, y)
    return (_peak_kilobytes() - before) / 1024


def _plain_rows(n: int, d: int) -> tuple[FloatArray, AnyArray]:
    """Return rows made without intermediate arrays, whose memory a fit could take over."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)), rng.integers(2, size=n)


def _peak_kilobytes() -> int:
    status = (_PROCESS / "status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])
