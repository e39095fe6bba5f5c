"""All trials of a comparison: first those of zerone, then each rival within its time."""

import contextlib
import math
import numbers
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from zerone._errors import ArgumentError
from zerone._typing import AnyArray
from zerone._warnings import warn
from zerone.comparison._child import TimeUpError
from zerone.comparison._contestants import Contestant
from zerone.comparison._limited import LimitedTrials
from zerone.comparison._trial import Measured, Trials

# By default a rival may take this many times as long as zerone, or so many seconds if that is more.
_TIMES_OURS = 10.0
_LEAST_LIMIT = 30.0

_Run: TypeAlias = Callable[[Contestant, AnyArray], Measured | str]


@dataclass
class Outcomes:
    """What became of the contestants.

    Attributes
    ----------
    measured : dict name -> list of dict
        The metrics of every split.
    failures, stopped : dict name -> str
        Why a contestant could not be fitted, or that it was stopped.
    limit : float
        Seconds that each rival had for all splits.
    """

    measured: dict[str, list[Measured]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    limit: float = math.inf


@contextlib.contextmanager
def time_for_rivals(time_limit: float | None) -> Iterator[LimitedTrials | None]:
    """Yield what stops rivals, or None if they have all the time they want; raises if no number.

    Parameters
    ----------
    time_limit : float or None
        None is the default.
    """
    if time_limit is not None and not _is_positive(time_limit):
        raise ArgumentError(
            "time_limit",
            f"got {time_limit!r}, expected a positive number of seconds",
            "leave it out for ten times the time of zerone and at least 30 seconds, or set it to "
            "infinity",
        )
    if time_limit == math.inf:
        yield None
        return
    with LimitedTrials() as limited:
        yield limited


class TrialRunner:
    """Runs the trials of all contestants on the same splits.

    Parameters
    ----------
    trials : Trials
    splits : callable
        Returns the positions of training and of held-out rows of each split.
    n_splits : int
    progress : callable or None
        As in `zerone.comparison.compare_table`.
    """

    def __init__(
        self,
        trials: Trials,
        splits: Callable[[], Iterator[tuple[AnyArray, AnyArray]]],
        n_splits: int,
        progress: Callable[[int, int, str], None] | None,
    ) -> None:
        self._trials = trials
        self._splits = splits
        self._n_splits = n_splits
        self._progress = progress

    def run(
        self,
        contestants: Sequence[Contestant],
        limited: LimitedTrials | None,
        time_limit: float | None,
    ) -> Outcomes:
        """Return what became of the contestants; the last two arguments as in `time_for_rivals`."""
        ours = [contestant for contestant in contestants if contestant.is_ours]
        rivals = [contestant for contestant in contestants if not contestant.is_ours]
        found, total, slowest = Outcomes(), len(contestants), 0.0
        if limited is not None and rivals:
            # Before the first fit: while the process of the rivals starts, it would slow zerone.
            limited.meet(rivals, self._trials)
            _tell_unlimited(limited.unlimited, time_limit)
        for position, contestant in enumerate(ours):
            began = time.monotonic()
            self._run_all(contestant, self._trials.run, found, position, total)
            slowest = max(slowest, time.monotonic() - began)
        by_default = max(_TIMES_OURS * slowest, _LEAST_LIMIT)
        found.limit = by_default if time_limit is None else float(time_limit)
        for position, rival in enumerate(rivals, len(ours)):
            run: _Run = self._trials.run
            if limited is not None and rival.name not in limited.unlimited:
                run = partial(limited.run, limit=found.limit)
            self._run_all(rival, run, found, position, total)
        return found

    def _run_all(
        self, contestant: Contestant, run: _Run, found: Outcomes, position: int, total: int
    ) -> None:
        """Run the trials of a contestant, up to the first one that fails."""
        measured: list[Measured] = []
        for split, (_, held_out) in enumerate(self._splits()):
            if self._progress is not None:
                done = position * self._n_splits + split
                self._progress(done, total * self._n_splits, contestant.name)
            is_held_out = np.zeros(len(self._trials.rows), dtype=bool)
            is_held_out[held_out] = True
            try:
                outcome = run(contestant, is_held_out)
            except TimeUpError:
                found.stopped[contestant.name] = (
                    f"stopped at its time limit of {found.limit:.3g} s, after {split} of "
                    f"{self._n_splits} splits"
                )
                return
            if isinstance(outcome, str):
                found.failures[contestant.name] = outcome
                return
            measured.append(outcome)
        found.measured[contestant.name] = measured


def _tell_unlimited(unlimited: dict[str, str], time_limit: float | None) -> None:
    """Warn about rivals that cannot be stopped; raise if a limit was asked for."""
    for name, why in unlimited.items():
        if time_limit is not None:
            raise ArgumentError(
                "time_limit",
                f"{name} cannot be run in a process of its own, where it could be stopped ({why})",
                "define it in a module that can be imported, or set ⟨time_limit⟩ to infinity",
            )
        warn(
            f"{name} is run without a time limit, because it cannot be run in a process of its "
            f"own ({why}); define it in a module that can be imported"
        )


def _is_positive(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and float(value) > 0
