"""Progress of a long job on one line of a terminal: rows, rows per second, time left."""

import sys
import time
from collections.abc import Callable
from typing import TextIO, TypeAlias

from zerone._errors import ArgumentTypeError

ProgressReport: TypeAlias = Callable[[int, float | None], None]
"""Called with the rows so far and their share of all rows; None where it is unknown."""

# Seconds before the line first appears, and between two updates of it.
_FIRST_AFTER = 1.0
_EVERY = 0.2


class Progress:
    """Shows the progress of a job, on request or in a terminal.

    Parameters
    ----------
    wanted : bool, callable or None
        None is True where standard error is a terminal. A callable is called with the rows so
        far and their share of all rows; nothing is shown then.
    """

    def __init__(self, wanted: bool | ProgressReport | None, stream: TextIO | None = None) -> None:
        if wanted is not None and not isinstance(wanted, bool) and not callable(wanted):
            raise ArgumentTypeError(
                "progress", f"got {wanted!r}, expected True, False, None or a function"
            )
        self._report = wanted if callable(wanted) else None
        self._stream = sys.stderr if stream is None else stream
        at_terminal = self._stream is not None and self._stream.isatty()
        self._shown = wanted is True or (wanted is None and at_terminal)
        self._began = self._drawn = time.monotonic()
        self._first: tuple[int, float] | None = None
        self._width = 0

    def update(self, rows: int, share: float | None) -> None:
        """Report how many rows are done."""
        if self._report is not None:
            self._report(rows, share)
        if self._first is None:
            # Rows before a checkpoint do not count for the rate.
            self._first = (rows, share or 0.0)
        now = time.monotonic()
        if self._shown and now - self._began > _FIRST_AFTER and now - self._drawn > _EVERY:
            self._drawn = now
            self._draw(self._line(rows, share, now - self._began))

    def close(self) -> None:
        """End the line if it was shown."""
        if self._width:
            self._stream.write("\n")
            self._stream.flush()
            self._width = 0

    def _line(self, rows: int, share: float | None, seconds: float) -> str:
        first_rows, first_share = self._first or (0, 0.0)
        line = f"{rows:,} rows, {(rows - first_rows) / seconds:,.0f} per second"
        if share is None or share <= first_share:
            return line
        left = seconds * (1.0 - share) / (share - first_share)
        return f"{line}, {share:.0%}, {_duration(left)} left"

    def _draw(self, line: str) -> None:
        self._stream.write(f"\r{line:<{self._width}}")
        self._stream.flush()
        self._width = len(line)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
