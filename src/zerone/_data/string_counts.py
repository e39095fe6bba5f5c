"""How often each string of a column occurs, counted part by part."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from zerone._data.arrow_values import codes_of, is_text
from zerone._typing import IntArray

# Of columns with more different strings only the most frequent half is counted on: what is lost
# are counts of rare strings.
_MOST_COUNTED = 200_000


class StringCounts:
    """Counts of the different strings of a column, in the order in which they were first seen.

    Attributes
    ----------
    n_lost : int
        Rows whose strings are not counted, because there are too many different ones.
    """

    def __init__(self) -> None:
        self.n_lost = 0
        self._values: list[Any] = []
        self._counts: list[IntArray] = []

    def __bool__(self) -> bool:
        return any(map(len, self._counts))

    @property
    def has_all(self) -> bool:
        """Whether all strings are counted."""
        return self.n_lost == 0

    def add(self, array: Any) -> int:
        """Count the strings of some rows, and return how many values are missing.

        Values of other types are counted by their names as categories. Entries of a dictionary
        that do not occur are counted as zero.
        """
        if is_text(array.type):
            encoded = array if types.is_dictionary(array.type) else pc.dictionary_encode(array)
            codes = pc.cast(encoded.indices, pa.int64(), safe=False).fill_null(-1)
            found, values = codes.to_numpy(zero_copy_only=False), encoded.dictionary
        else:
            found, strings = codes_of(array)
            values = pa.array(strings, pa.large_string())
        counts = np.bincount(found[found >= 0], minlength=len(values))
        is_string = values.is_valid().to_numpy(zero_copy_only=False)
        self._values.append(pc.cast(values, pa.large_string()).filter(pa.array(is_string)))
        self._counts.append(counts[is_string])
        if sum(map(len, self._counts)) > _MOST_COUNTED:
            self._shorten()
        return len(array) - int(counts[is_string].sum())

    def total(self) -> tuple[Any, IntArray]:
        """Return the different strings, an Arrow array, and how often each occurs."""
        if len(self._values) != 1:
            self._join()
        return self._values[0], self._counts[0]

    def _join(self) -> None:
        strings = pa.chunked_array(self._values, pa.large_string()).combine_chunks()
        encoded = pc.dictionary_encode(strings)
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        counts = np.concatenate([np.zeros(0, int), *self._counts])
        found = np.bincount(codes, weights=counts, minlength=len(encoded.dictionary))
        self._values, self._counts = [encoded.dictionary], [found.astype(np.int64)]

    def _shorten(self) -> None:
        """Keep only the most frequent strings, if there are too many."""
        self._join()
        values, counts = self.total()
        if len(counts) > _MOST_COUNTED:
            kept = np.sort(np.argsort(-counts, kind="stable")[: _MOST_COUNTED // 2])
            self.n_lost += int(counts.sum() - counts[kept].sum())
            self._values, self._counts = [values.take(pa.array(kept))], [counts[kept]]
