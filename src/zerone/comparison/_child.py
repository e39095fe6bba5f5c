"""A Python process that can be ended while it computes: the side of the process that starts it.

Not multiprocessing: its new processes import the user's script again, which fails in scripts
without ``if __name__ == "__main__"``; and forked ones may hang in the threads of BLAS.
"""

import contextlib
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import Any

# -P: the first imports are never files of the folder that the user happens to be in. After that
# the modules are found where they are found here.
_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from zerone.comparison._child_main import main; main()"
)
# On Windows a wait is not interrupted by Ctrl-C, so no single one is longer than this.
_LONGEST_WAIT = 0.5
# A process that answers no longer should end within so many seconds.
_LAST_WAIT = 5.0


class TimeUpError(Exception):
    """There was no answer in time. Not TimeoutError, which a fit could raise."""


class ChildEndedError(RuntimeError):
    """The child has ended or could not be started; the message says how."""


class Child:
    """A process that answers one request at a time.

    It starts when the object is made; nobody waits for that. What it prints goes to standard
    error. It never outlives its parent, however that ends, for it watches the pipe of requests.
    """

    def __init__(self) -> None:
        if getattr(sys, "frozen", False) or not sys.executable:
            raise ChildEndedError("there is no Python interpreter to start")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Ctrl-C is for the parent, which ends the child and all that the child started.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise ChildEndedError(f"no process could be started: {error}") from None
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._send([str(entry) for entry in sys.path])

    def ask(self, request: Any, seconds: float = math.inf) -> Any:
        """Return the answer to a request.

        Raises
        ------
        TimeUpError
            If there is none after so many seconds. The child must be ended then.
        ChildEndedError
        """
        self._send(request)
        until = time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeUpError
            try:
                answer = self._answers.get(timeout=min(left, _LONGEST_WAIT))
            except queue.Empty:
                continue
            if answer is None:
                raise ChildEndedError(self._how_it_ended())
            return answer[0]

    def end(self) -> None:
        """End the process, whatever it is doing, and the processes that it has started."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        # If the child has ended, there will be no answer, which `ask` reports.
        with contextlib.suppress(OSError):
            pickle.dump(message, self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        # Whatever cannot be read is the end, so that nobody waits for ever.
        with self._process.stdout as pipe, contextlib.suppress(Exception):
            while True:
                self._answers.put((pickle.load(pipe),))
        self._answers.put(None)

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(timeout=_LAST_WAIT)
        except subprocess.TimeoutExpired:
            return "its process has broken off the connection"
        if code >= 0:
            return f"its process ended with exit code {code}"
        why = ", perhaps for want of memory" if code == -9 else ""
        return f"its process was ended by signal {-code}{why}"
