"""All trials of a comparison: first those of zerone, then each rival within its time."""

import contextlib
import math
import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from zerone._errors import ArgumentError
from zerone._typing import AnyArray
from zerone._warnings import warn
from zerone.comparison._child import TimeUpError
from zerone.comparison._contestants import Contestant
from zerone.comparison._limited import LimitedTrials
from zerone.comparison._trial import Measured, SplitTrials, Trials

# By default a rival may take this many times as long as zerone, or so many seconds if that is more.
_TIMES_OURS = 10.0
_LEAST_LIMIT = 30.0

_Run: TypeAlias = Callable[[Contestant], Measured | str]


@dataclass
class Outcomes:
    """What became of the contestants.

    Attributes
    ----------
    measured : dict name -> list of Measured
        For every split.
    failures, stopped : dict name -> str
        Why a contestant could not be fitted, or that it was stopped.
    limit : float
        Seconds that each rival had for all splits.
    """

    measured: dict[str, list[Measured]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    limit: float = math.inf

    def add(self, name: str, outcome: Measured | str) -> None:
        """Add the metrics of a contestant on a split, or why it could not be fitted."""
        if isinstance(outcome, str):
            self.measured.pop(name, None)
            self.failures[name] = outcome
        else:
            self.measured.setdefault(name, []).append(outcome)

    def stop(self, name: str, how_far: str) -> None:
        """Note that a contestant was stopped at the limit."""
        self.measured.pop(name, None)
        self.stopped[name] = f"stopped at its time limit of {self.limit:.3g} s, {how_far}"

    def seconds(self, name: str) -> float:
        """Return how long the fits of a contestant took."""
        return sum(own.figures["seconds"] for own in self.measured.get(name, ()))


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
        ours = [contestant for contestant in contestants if contestant.role == "ours"]
        others = [contestant for contestant in contestants if contestant.role != "ours"]
        found, total = Outcomes(), len(contestants)
        if limited is not None and others:
            # Before the first fit: while their process starts, it would slow zerone.
            limited.meet(others, self._trials)
            _tell_unlimited(limited.unlimited, time_limit)
        self._run_all(ours, found, None, 0, total)
        slowest = max((found.seconds(own.name) for own in ours), default=0.0)
        by_default = max(_TIMES_OURS * slowest, _LEAST_LIMIT)
        found.limit = by_default if time_limit is None else float(time_limit)
        self._run_all(others, found, limited, len(ours), total)
        return found

    def _run_all(
        self,
        contestants: Sequence[Contestant],
        found: Outcomes,
        limited: LimitedTrials | None,
        n_before: int,
        total: int,
    ) -> None:
        """Run the trials of some contestants; one that fails or is stopped is not run again.

        Split by split, so that the rows of one split at a time are in memory, encoded once.
        """
        for split, is_held_out in enumerate(self._held_out()):
            run = self._run_of_split(is_held_out, limited, found.limit)
            for position, own in enumerate(contestants):
                if own.name in found.failures or own.name in found.stopped:
                    continue
                if self._progress is not None:
                    done = n_before * self._n_splits + split * len(contestants) + position
                    self._progress(done, total * self._n_splits, own.name)
                try:
                    found.add(own.name, run(own))
                except TimeUpError:
                    how_far = f"after {split} of {self._n_splits} splits"
                    found.stop(own.name, how_far)

    def _run_of_split(
        self, is_held_out: AnyArray, limited: LimitedTrials | None, limit: float
    ) -> _Run:
        """Return what runs a contestant on a split, in this process or, limited, in another."""

        @cache
        def here() -> SplitTrials:
            return self._trials.on(is_held_out)

        if limited is not None:
            limited.begin(is_held_out)

        def run(contestant: Contestant) -> Measured | str:
            if limited is not None and contestant.name not in limited.unlimited:
                return limited.run(contestant, limit)
            return here().run(contestant)

        return run

    def _held_out(self) -> Iterator[AnyArray]:
        """Yield for each split which rows are held out."""
        for _, held_out in self._splits():
            n_rows = len(self._trials.rows.y)
            yield np.isin(np.arange(n_rows), held_out, assume_unique=True)


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
