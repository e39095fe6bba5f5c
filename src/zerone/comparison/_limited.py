"""Trials of rivals that are stopped when their time is over."""

import contextlib
import pickle
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from joblib import wrap_non_picklable_objects

from zerone._typing import AnyArray
from zerone.comparison._child import Child, ChildEndedError, TimeUpError
from zerone.comparison._child_main import Introduction, Raised, Request, SplitRequest
from zerone.comparison._contestants import Contestant
from zerone.comparison._trial import Measured, Trials


class LimitedTrials:
    """Runs the trials of rivals in a process that is ended when a rival's time is over.

    One process is for all rivals, and started at once, so that it is ready when it is needed. Only
    after a rival had to be stopped the next one gets a new process.
    """

    def __init__(self) -> None:
        self._introduction: Introduction | None = None
        self._names: list[str] = []
        self._used: dict[str, float] = {}
        self._child: Child | None = None
        self._is_introduced = False
        self._is_held_out: AnyArray | None = None
        self._knows_split = False
        self.unlimited: dict[str, str] = {}
        """Why some rivals can only be run in this process, without a limit, by name."""
        # If it cannot be started, `meet` says so.
        with contextlib.suppress(ChildEndedError):
            self._child = Child()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def meet(self, rivals: Sequence[Contestant], trials: Trials) -> None:
        """Hand rivals and rows over, once; after that `unlimited` is complete."""
        self._names = [rival.name for rival in rivals]
        self._used = dict.fromkeys(self._names, 0.0)
        self._introduction = Introduction([self._pickled(rival) for rival in rivals], trials)
        if len(self.unlimited) == len(rivals):
            return
        try:
            for name, why in zip(self._names, self._introduce(), strict=True):
                if why is not None:
                    self.unlimited.setdefault(name, why)
        except ChildEndedError as error:
            self._end()
            self.unlimited = dict.fromkeys(self._names, str(error)) | self.unlimited

    def begin(self, is_held_out: AnyArray) -> None:
        """Begin with another split."""
        self._is_held_out, self._knows_split = is_held_out, False

    def run(self, rival: Contestant, limit: float) -> Measured | str:
        """Return what was measured on the split, or why the rival could not be fitted.

        Raises
        ------
        TimeUpError
            If its trials have taken longer than the limit, in seconds, all together.
        """
        position = self._names.index(rival.name)
        try:
            # A new process after the last one was ended. Its start is on nobody's account, nor is
            # the encoding of a split.
            self._introduce()
            assert self._child is not None
            if not self._knows_split:
                assert self._is_held_out is not None, "the split comes first"
                self._child.ask(SplitRequest(self._is_held_out))
                self._knows_split = True
            began = time.monotonic()
            answer = self._child.ask(Request(position), limit - self._used[rival.name])
            self._used[rival.name] += time.monotonic() - began
        except TimeUpError:
            self._end()
            raise
        except ChildEndedError as error:
            self._end()
            return str(error)
        if isinstance(answer, Raised):
            raise _exception(answer, rival.name)
        found: Measured | str = answer
        return found

    def _introduce(self) -> list[str | None]:
        """Have a process that knows rows and rivals; return why it cannot run some of them."""
        if self._is_introduced:
            return []
        assert self._introduction is not None, "rivals and rows come first"
        if self._child is None:
            self._child = Child()
        problems: list[str | None] = self._child.ask(self._introduction)
        self._is_introduced = True
        return problems

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
        self._child, self._is_introduced, self._knows_split = None, False, False

    def _pickled(self, rival: Contestant) -> bytes:
        try:
            # Also functions and classes that are defined in a script or a notebook.
            return pickle.dumps(wrap_non_picklable_objects(rival, keep_wrapper=False))
        except Exception as error:
            # Pickling runs code of the estimator, which can raise anything.
            self.unlimited[rival.name] = f"{type(error).__name__}: {error}"
            return pickle.dumps(None)


def _exception(raised: Raised, name: str) -> Exception:
    error: Any = None if raised.pickled is None else pickle.loads(raised.pickled)
    if not isinstance(error, Exception):
        error = RuntimeError(raised.message)
    own: Exception = error
    own.add_note(f"It was raised by the rival {name} in a process of its own:\n{raised.trace}")
    return own
