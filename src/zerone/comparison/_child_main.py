"""A Python process that can be ended while it computes: what runs in it."""

import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from dataclasses import dataclass
from typing import Any, BinaryIO

from zerone._typing import AnyArray
from zerone.comparison._contestants import Contestant
from zerone.comparison._trial import SplitTrials, Trials


@dataclass(frozen=True, eq=False)
class Introduction:
    """The first request: what all others are about.

    The answer is a list: for each rival None, or why it cannot be loaded here.

    Attributes
    ----------
    rivals : list of bytes
        Contestants, pickled one by one.
    trials : Trials
    """

    rivals: list[bytes]
    trials: Trials


@dataclass(frozen=True, eq=False)
class SplitRequest:
    """The split of the requests that follow. The answer is None, after its rows are encoded.

    Attributes
    ----------
    is_held_out : bool ndarray of shape (n_rows,)
    """

    is_held_out: AnyArray


@dataclass(frozen=True)
class Request:
    """A trial to run. The answer is that of `SplitTrials.run`, or `Raised`.

    Attributes
    ----------
    rival : int
        Position among the rivals.
    """

    rival: int


@dataclass(frozen=True)
class Raised:
    """An exception that is no verdict on the rival, but an error in its code.

    Attributes
    ----------
    pickled : bytes or None
        The exception; None if it cannot be pickled.
    message, trace : str
    """

    pickled: bytes | None
    message: str
    trace: str


def main() -> None:
    """Answer the requests on standard input until it is closed."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What rivals print, also from C, must not get between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()
    rivals: list[Any] = []
    trials: Trials | None = None
    current: SplitTrials | None = None
    while True:
        request = requests.get()
        answer: Any = None
        if isinstance(request, Introduction):
            trials = request.trials
            loaded = [_loaded(own) for own in request.rivals]
            rivals = [own for own, _ in loaded]
            answer = [why for _, why in loaded]
        elif isinstance(request, SplitRequest):
            assert trials is not None, "the introduction comes first"
            current = None  # The rows of one split at a time are enough.
            current = trials.on(request.is_held_out)
        else:
            assert current is not None, "the split comes first"
            answer = _run(current, rivals[request.rival])
        pickle.dump(answer, answers)
        answers.flush()


def _read(pipe: BinaryIO, requests: "queue.SimpleQueue[Any]") -> None:
    """Pass requests on, and end the process, also in the middle of a fit, when there is no more."""
    try:
        while True:
            requests.put(pickle.load(pipe))
    except (EOFError, pickle.UnpicklingError):
        pass  # The parent has gone.
    except Exception:
        traceback.print_exc()
    finally:
        # With this process goes all that a rival has started.
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


def _loaded(pickled: bytes) -> tuple[Any, str | None]:
    try:
        return pickle.loads(pickled), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def _run(trials: SplitTrials, rival: Contestant) -> Any:
    try:
        return trials.run(rival)
    except Exception as error:
        try:
            pickled = pickle.dumps(error)
            pickle.loads(pickled)
        except Exception:
            pickled = None
        message = f"{type(error).__name__}: {error}"
        return Raised(pickled, message, traceback.format_exc())
