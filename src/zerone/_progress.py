"""Progress of a pass over rows on one line of a terminal: rows, rows per second, time left."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeAlias, TypeVar

from zerone._errors import ArgumentTypeError

_Part = TypeVar("_Part")

ProgressReport: TypeAlias = Callable[[int, float | None], None]
"""Called with the rows so far and their share of all rows; None where it is unknown."""

# Seconds before the line first appears, and between two updates of it.
_FIRST_AFTER = 1.0
_EVERY = 0.2


class Progress:
    """Shows the progress of a pass, on request or in a terminal.

    Parameters
    ----------
    wanted : bool, callable or None
        None is True where standard error is a terminal. A callable is called with the rows so
        far and their share of all rows; nothing is shown then.
    what : str
        What the pass does.
    stream : text file, optional
        Standard error by default.
    """

    def __init__(
        self, wanted: bool | ProgressReport | None, what: str, stream: TextIO | None = None
    ) -> None:
        if wanted is not None and not isinstance(wanted, bool) and not callable(wanted):
            raise ArgumentTypeError(
                "progress", f"got {wanted!r}, expected True, False, None or a function"
            )
        self._what = what
        self._report = wanted if callable(wanted) else None
        self._stream = sys.stderr if stream is None else stream
        at_terminal = self._stream is not None and self._stream.isatty()
        self._shown = wanted is True or (wanted is None and at_terminal)
        self._began = self._drawn = time.monotonic()
        self._first: tuple[int, float, float] | None = None
        self._width = 0

    def update(self, rows: int, share: float | None) -> None:
        """Report how many rows are done."""
        if self._report is not None:
            self._report(rows, share)
        now = time.monotonic()
        if self._first is None:
            # What came before the first rows does not count for the rate, nor do rows before a
            # checkpoint.
            self._first = (rows, share or 0.0, now)
        if self._shown and now - self._began > _FIRST_AFTER and now - self._drawn > _EVERY:
            self._drawn = now
            self._draw(self._line(rows, share, now))

    def close(self) -> None:
        """End the line if it was shown."""
        if self._width:
            self._stream.write("\n")
            self._stream.flush()
            self._width = 0

    def _line(self, rows: int, share: float | None, now: float) -> str:
        first_rows, first_share, began = self._first or (0, 0.0, now)
        line, seconds = f"{self._what}: {rows:,} rows", now - began
        if not seconds:
            return line
        line += f", {(rows - first_rows) / seconds:,.0f} per second"
        if share is None or share <= first_share:
            return line
        left = seconds * (1.0 - share) / (share - first_share)
        return f"{line}, {share:.0%}, {_duration(left)} left"

    def _draw(self, line: str) -> None:
        self._stream.write(f"\r{line:<{self._width}}")
        self._stream.flush()
        self._width = len(line)


def followed(
    parts: Iterable[_Part],
    wanted: bool | ProgressReport | None,
    what: str,
    n_rows: Callable[[_Part], int],
    share: Callable[[_Part], float | None],
) -> Iterator[_Part]:
    """Yield the parts of a table, with the progress of what is done with them.

    Parameters
    ----------
    parts : iterable
    wanted, what : as in `Progress`
        A callable follows the pass that counts, that of the moments, and no other.
    n_rows, share : callable
        Return the rows of a part, and the share of the table that ends with it.
    """
    shown, rows = Progress(False if callable(wanted) else wanted, what), 0
    try:
        for part in parts:
            yield part
            rows += n_rows(part)
            shown.update(rows, share(part))
    finally:
        shown.close()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
