"""Which rows belong together: listed, or worked out range by range from their labels."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from zerone._data.batch import Batch
from zerone._typing import IntArray

# A sample is looked for in so many short stretches of the rows.
_STRETCHES = 16
_STRETCH_ROWS = 256
# With fewer rows in its sample a group is looked for everywhere.
_ENOUGH = 16
_SEARCH_ROWS = 2**16


class Groups(Protocol):
    """Groups of rows, none of which is in two of them."""

    @property
    def sizes(self) -> list[int]:
        """Rows of each group."""
        ...

    def within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each group its rows in a range, ascending, counted from the start of it."""
        ...

    def samples(self, most: int) -> list[IntArray]:
        """Return for each group about so many of its rows, spread over all of it."""
        ...


class ListedGroups:
    """Groups given by the positions of their rows, ascending."""

    def __init__(self, members: Sequence[IntArray]) -> None:
        self._members = members

    @property
    def sizes(self) -> list[int]:
        """Rows of each group."""
        return [member.size for member in self._members]

    def within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each group its rows in a range, counted from the start of it."""
        cuts = (np.searchsorted(member, (start, stop)) for member in self._members)
        return [
            member[low:high] - start
            for member, (low, high) in zip(self._members, cuts, strict=True)
        ]

    def samples(self, most: int) -> list[IntArray]:
        """Return for each group about so many of its rows, spread over all of it."""
        return [_thinned(member, most) for member in self._members]


class ClassGroups:
    """The classes of a batch, whose rows are never listed all at once."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._n_rows = int(batch.rows.shape[0])

    @property
    def sizes(self) -> list[int]:
        """Rows of each class."""
        return [int(count) for count in self._batch.labels.counts]

    def within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each class its rows in a range, counted from the start of it."""
        return self._batch.members_within(start, stop)

    def samples(self, most: int) -> list[IntArray]:
        """Return for each class about so many of its rows, spread over all of it."""
        n = self._n_rows
        stretches = np.linspace(0, max(n - _STRETCH_ROWS, 0), _STRETCHES).astype(np.intp)
        if n <= _STRETCHES * _STRETCH_ROWS:
            return [_thinned(found, most) for found in self.within(0, n)]
        found = self._found_in(stretches.tolist(), _STRETCH_ROWS)
        sizes = self.sizes
        if any(rows.size < min(_ENOUGH, size) for rows, size in zip(found, sizes, strict=True)):
            everywhere = self._found_in(range(0, n, _SEARCH_ROWS), _SEARCH_ROWS, most)
            found = [
                rows if rows.size >= _ENOUGH else better
                for rows, better in zip(found, everywhere, strict=True)
            ]
        return [_thinned(rows, most) for rows in found]

    def _found_in(
        self, starts: Iterable[int], length: int, most: int | None = None
    ) -> list[IntArray]:
        """Return the rows of each class in some ranges, at most so many of each."""
        found: list[list[IntArray]] = [[] for _ in self.sizes]
        for start in starts:
            for own, rows in zip(found, self.within(start, start + length), strict=True):
                if rows.size:
                    own.append(start + (rows if most is None else _thinned(rows, most)))
        return [np.concatenate(own) if own else np.empty(0, np.intp) for own in found]


def _thinned(rows: IntArray, most: int) -> IntArray:
    """Return at most so many rows, evenly spread from the first to the last."""
    if rows.size <= most:
        return rows
    return rows[np.linspace(0, rows.size - 1, most).astype(np.intp)]
