"""How many threads zerone starts, and how it keeps BLAS from starting more."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController


def worker_count(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``, as in scikit-learn; 1 in a joblib worker."""
    backend, _ = get_active_backend()
    return 1 if (backend.nesting_level or 0) > 0 else int(effective_n_jobs(n_jobs))


@contextmanager
def one_blas_thread(wanted: bool) -> Iterator[None]:
    """Limit BLAS to one thread inside the block, if ``wanted``."""
    if not wanted:
        yield
        return
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _SharedLimit:
    """A limit for the whole process: the first thread sets it, the last one lifts it.

    With a limit per thread, one thread could restore the limit of another and leave it set.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limiter: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limiter = _blas().limit(limits=1)
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limiter.restore_original_limits()


_limit = _SharedLimit()


@cache
def _blas() -> ThreadpoolController:
    # Searching for the libraries takes a millisecond, so it is done once.
    return ThreadpoolController().select(user_api="blas")
