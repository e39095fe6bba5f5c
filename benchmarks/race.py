"""Contestants timed in turns on the same arrays, so that a slow minute hits all of them."""

import gc
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from benchmarks.records import Case, Row

FULL_ROUNDS = 5
# A first round shorter than this is a warm-up and does not count.
_FAST_SECONDS = 0.2
# Contestants that need not have all rounds get as many as fit into this time.
_BUDGET_SECONDS = 3.0


@dataclass(frozen=True)
class Contestant:
    """Something to be timed.

    Attributes
    ----------
    run : callable
        What is timed; its last outcome is scored.
    required : bool
        Whether it gets all rounds, however long they take.
    repetitions : int
        Calls per round; times are those of one call.
    """

    name: str
    run: Callable[[], Any]
    required: bool = True
    repetitions: int = 1


def race(
    case: Case,
    contestants: Sequence[Contestant],
    score: Callable[[Any], dict[str, float]] | None = None,
    *,
    clock: Callable[[], float] | None = None,
    rounds: int = FULL_ROUNDS,
) -> Iterator[Row]:
    """Yield a row per contestant: medians of rounds in which each has its turn.

    Parameters
    ----------
    score : callable, optional
        Turns what a contestant returned into more figures of its row; not timed.
    clock : callable, optional
        `time.perf_counter` by default.
    rounds : int
        Of each contestant; those that are not required have fewer if they take long.
    """
    began = time.perf_counter()
    runners = [
        _Runner(contestant, clock or time.perf_counter, rounds) for contestant in contestants
    ]
    for runner in runners:
        runner.first_round()
    while any(runner.wants_more for runner in runners):
        for runner in runners:
            if runner.wants_more:
                runner.round()
    for runner in runners:
        figures = score(runner.outcome) if score is not None else {}
        yield case.row(
            runner.contestant.name,
            median_seconds=statistics.median(runner.times),
            min_seconds=min(runner.times),
            rounds=len(runner.times),
            unconverged=runner.unconverged,
            **figures,
        )
    elapsed = time.perf_counter() - began
    threads = "1 thread" if case.threads == 1 else f"{case.threads} threads"
    print(f"  {case.table}, {threads}: {case.case} took {elapsed:.1f} s", flush=True)


@dataclass
class _Runner:
    """A contestant with its times so far."""

    contestant: Contestant
    clock: Callable[[], float]
    rounds: int
    times: list[float] = field(default_factory=list)
    unconverged: int = 0
    outcome: Any = None
    _wanted: int = field(init=False)

    def __post_init__(self) -> None:
        self._wanted = self.rounds

    @property
    def wants_more(self) -> bool:
        return len(self.times) < self._wanted

    def first_round(self) -> None:
        self.round()
        taken = self.times[0] * self.contestant.repetitions
        if taken < _FAST_SECONDS:
            self.times, self.unconverged = [], 0
        if not self.contestant.required:
            self._wanted = min(self.rounds, max(1, int(_BUDGET_SECONDS / taken)))

    def round(self) -> None:
        # What the last round left behind is not this one's to clean up.
        self.outcome = None
        gc.collect()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            began = self.clock()
            for _ in range(self.contestant.repetitions):
                outcome = self.contestant.run()
            taken = self.clock() - began
        self.outcome = outcome
        self.times.append(taken / self.contestant.repetitions)
        self.unconverged += any(issubclass(w.category, ConvergenceWarning) for w in caught)
