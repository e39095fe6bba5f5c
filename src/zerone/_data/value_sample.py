"""Some of the values of a column, the same ones however its rows are split into parts."""

import numpy as np

from zerone._typing import AnyArray, FloatArray

# At most so many values are kept.
_MOST = 2**16
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class ValueSample:
    """A sample of values: those of the rows whose numbers, scrambled, are the smallest."""

    def __init__(self) -> None:
        self._n_rows = 0
        self._limit = 2.0**64
        self._keys: list[AnyArray] = []
        self._values: list[FloatArray] = []
        self._n_kept = 0

    def add(self, values: FloatArray) -> None:
        """Take in the values of the next rows."""
        rows = np.arange(self._n_rows, self._n_rows + len(values), dtype=np.uint64)
        self._n_rows += len(values)
        keys = _scrambled(rows)
        kept = keys < self._limit
        self._keys.append(keys[kept])
        self._values.append(np.asarray(values, dtype=np.float64)[kept])
        self._n_kept += int(np.count_nonzero(kept))
        while self._n_kept > _MOST:
            self._limit /= 2
            for place, keys in enumerate(self._keys):
                kept = keys < self._limit
                self._keys[place] = keys[kept]
                self._values[place] = self._values[place][kept]
            self._n_kept = sum(map(len, self._keys))

    @property
    def values(self) -> FloatArray:
        """What was kept; NaN for missing values."""
        return np.concatenate([np.empty(0), *self._values])


def _scrambled(rows: AnyArray) -> AnyArray:
    """Return a number for each row without any relation to those of its neighbours."""
    mixed = rows * _MULTIPLIER
    mixed ^= mixed >> np.uint64(32)
    mixed *= _MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))
