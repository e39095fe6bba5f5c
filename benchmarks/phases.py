"""Where the time of a default fit goes: its phases, for growing numbers of rows."""

import importlib
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks.adapters import BY_NAME, DEFAULT
from benchmarks.data import gaussian_rows
from benchmarks.growth import FIXED_FEATURES, MEMORY_ROWS, QUICK_MEMORY_ROWS
from benchmarks.records import Case, Row, Settings, shape_name

REST = "checks of the input"
PHASES = (
    ("order and folds", (
        "zerone.estimators._fit_rows:ordered_groups",
        "zerone.estimators._fit_rows:make_folds",
    )),
    ("rows and moments", (
        "zerone.estimators._fit_rows:FoldedRows.read",
        "zerone._rows.rows:Rows.moments",
    )),
    ("moments of the folds", (
        "zerone._refine.search:RowSearch._total_spread",
        "zerone._refine.search:RowSearch._trained_models",
    )),
    ("rows to train on", (
        "zerone._refine.standard:StandardRows.of",
        "zerone._refine.search:RowSearch._training_rows",
    )),
    ("frontier", (
        "zerone._refine.search:RowSearch._rules_of_moments",
        "zerone._refine.search:RowSearch.frontier",
        "zerone._refine.models:TrainedModels.shrunk",
    )),
    ("logistic regression", ("zerone._refine.logistic:Logistic.solved",)),
    ("polish", ("zerone._refine.polish:Polish.solved",)),
    # What else refinement does.
    ("evidence and thresholds", (
        "zerone.estimators._fit_rows:run_alone",
        "zerone.estimators._fit_rows:run_together",
    )),
    ("probabilities", ("zerone.estimators._solution:PairProblems.solution",)),
)  # fmt: skip
"""Phases in the order of the pictures, and the functions that belong to them.

The time of a function that is called by one of another phase counts for its own phase only.
"""

_ROUNDS = 5
_FEW_ROUNDS = 2
_MANY_ROWS = 1_000_000


class PhaseClock:
    """Sums the CPU time of functions by phase.

    Attributes
    ----------
    seconds : dict phase -> float
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys([*(name for name, _ in PHASES), REST], 0.0)
        self._running = [REST]
        self._since = time.process_time()

    def total(self, run: Callable[[], Any]) -> dict[str, float]:
        """Return the seconds of each phase of a call."""
        self.seconds = dict.fromkeys(self.seconds, 0.0)
        self._since = time.process_time()
        run()
        self._charge()
        return dict(self.seconds)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the functions of all phases inside the block."""
        replaced: list[tuple[Any, str, Any]] = []
        try:
            for phase, places in PHASES:
                for place in places:
                    owner, name = _found(place)
                    original = owner.__dict__[name]
                    replaced.append((owner, name, original))
                    setattr(owner, name, self._watched(phase, original))
            yield
        finally:
            for owner, name, original in reversed(replaced):
                setattr(owner, name, original)

    def _watched(self, phase: str, original: Any) -> Any:
        is_class_method = isinstance(original, classmethod)
        function = original.__func__ if is_class_method else original

        def watched(*args: Any, **kwargs: Any) -> Any:
            self._charge()
            self._running.append(phase)
            try:
                return function(*args, **kwargs)
            finally:
                self._charge()
                self._running.pop()

        return classmethod(watched) if is_class_method else watched

    def _charge(self) -> None:
        now = time.process_time()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now


def _found(place: str) -> tuple[Any, str]:
    """Return the module or the class of a function, and its name."""
    module, _, path = place.partition(":")
    owner = importlib.import_module(module)
    *classes, name = path.split(".")
    for own in classes:
        owner = getattr(owner, own)
    if name not in owner.__dict__:
        raise LookupError(f"benchmarks/phases.py: there is no {place}; name what took its place")
    return owner, name


def phases_section(settings: Settings) -> Iterator[Row]:
    """Yield the median CPU time of every phase, for growing numbers of rows."""
    for n in QUICK_MEMORY_ROWS if settings.quick else MEMORY_ROWS:
        X, y = gaussian_rows(n, FIXED_FEATURES)
        rounds = settings.repeats or (_FEW_ROUNDS if n >= _MANY_ROWS else _ROUNDS)
        fit = partial(BY_NAME[DEFAULT].make(settings.threads).fit, X, y)
        clock = PhaseClock()
        with clock.watching():
            if n < _MANY_ROWS:
                fit()
            found = [clock.total(fit) for _ in range(rounds)]
        case = Case("phases", shape_name(n, FIXED_FEATURES), settings.threads, n, FIXED_FEATURES)
        print(f"  phases: {case.case} took {sum(found[-1].values()):.2f} s", flush=True)
        for phase in found[0]:
            times = [own[phase] for own in found]
            yield case.row(
                phase,
                median_seconds=statistics.median(times),
                min_seconds=min(times),
                rounds=rounds,
            )
