"""Labels as positions among the classes, encoded a piece at a time."""

import itertools
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from zerone._typing import AnyArray, IntArray

# Whole numbers within this range are counted rather than sorted.
_COUNTED_RANGE = 2**12
_PIECE = 2**16
# Up to so many classes it is faster to look for each than to sort.
_CLASSES_ONE_BY_ONE = 6


@dataclass(frozen=True, eq=False)
class EncodedLabels:
    """The sorted classes and, for every row, the position of its class among them.

    At many millions of rows positions would be the largest thing a fit keeps beside the data, so
    they are worked out for a range of rows when it is read.

    Attributes
    ----------
    classes : ndarray
    values : ndarray of shape (n_rows,)
        Positions, or whole numbers that are turned into positions.
    least : number
        Of the values.
    table : ndarray of int or None
        Position of the class of ``least``, ``least + 1``, …; None where values are positions.
    counts : ndarray of shape (n_classes,)
        Rows of each class.
    """

    classes: AnyArray
    values: AnyArray
    least: int
    table: IntArray | None
    counts: IntArray

    def codes(self, start: int = 0, stop: int | None = None) -> IntArray:
        """Return the positions for a range of rows, in whatever integer type is at hand."""
        part = self.values[start:stop]
        if self.table is None:
            return part
        return self.table.take(_from_least(part, self.least))

    def with_classes(self, classes: AnyArray, positions: IntArray) -> "EncodedLabels":
        """Return the same labels among other classes.

        Parameters
        ----------
        positions : ndarray of int
            Of the old classes among the new.
        """
        counts = np.zeros(len(classes), dtype=np.intp)
        counts[positions] = self.counts
        narrow = positions.astype(np.min_scalar_type(len(classes)))
        if self.table is None:
            return EncodedLabels(classes, narrow[self.values], 0, None, counts)
        return EncodedLabels(classes, self.values, self.least, narrow[self.table], counts)


def encode(labels: AnyArray) -> EncodedLabels:
    """Encode labels of one kind; raises TypeError if they have no order."""
    counted = _counted(labels)
    if counted is not None:
        return counted
    classes, codes = np.unique(labels, return_inverse=True)
    return from_codes(classes, codes.reshape(-1))


def from_codes(classes: AnyArray, codes: IntArray) -> EncodedLabels:
    """Return labels that are encoded already."""
    counts = np.bincount(codes, minlength=len(classes))
    narrow = codes.astype(np.min_scalar_type(len(classes)), copy=False)
    return EncodedLabels(classes, narrow, 0, None, counts)


def rows_of_each(codes: IntArray, n_classes: int) -> list[IntArray]:
    """Return the positions of each code, ascending."""
    if n_classes <= _CLASSES_ONE_BY_ONE:
        return [np.flatnonzero(codes == code) for code in range(n_classes)]
    # Turning a sparse matrix from columns to rows is a counting sort, the fastest at hand.
    n = len(codes)
    index = np.int32 if n < np.iinfo(np.int32).max else np.int64
    entries = (np.empty(n, np.int8), codes.astype(index), np.arange(n + 1, dtype=index))
    by_class = sp.csc_array(entries, shape=(n_classes, n)).tocsr()
    ends = by_class.indptr.tolist()
    return [by_class.indices[a:b] for a, b in itertools.pairwise(ends)]


def _counted(labels: AnyArray) -> EncodedLabels | None:
    """Encode whole numbers that are close together without sorting them; None for others."""
    if labels.dtype.kind not in "buif" or not labels.size:
        return None
    lowest, highest = labels.min(), labels.max()
    if labels.dtype.kind == "f" and not -_COUNTED_RANGE < lowest <= highest < _COUNTED_RANGE:
        return None
    least = int(lowest)
    span = int(highest) - least + 1
    if span > _COUNTED_RANGE:
        return None
    counts = np.zeros(span, dtype=np.intp)
    for start in range(0, labels.size, _PIECE):
        part = labels[start : start + _PIECE]
        distances = _from_least(part, least)
        if labels.dtype.kind == "f" and not np.array_equal(distances + least, part):
            return None
        counts += np.bincount(distances, minlength=span)
    present = np.flatnonzero(counts)
    wide = np.uint64 if _may_exceed_int64(labels) else np.int64
    classes = (present.astype(wide) + wide(least)).astype(labels.dtype)
    table = np.zeros(span, np.min_scalar_type(len(present)))
    table[present] = np.arange(len(present))
    return EncodedLabels(classes, labels, least, table, counts[present])


def _from_least(values: AnyArray, least: int) -> IntArray:
    """Return how far whole numbers are above the least of them."""
    if _may_exceed_int64(values):
        # Brought near zero before they have to fit a signed type.
        return (values - np.uint64(least)).astype(np.intp)
    distances: IntArray = values.astype(np.int64, copy=least != 0)
    if least != 0:
        distances -= least
    return distances


def _may_exceed_int64(values: AnyArray) -> bool:
    # Whatever the order of their bytes.
    return values.dtype.kind == "u" and values.dtype.itemsize == 8
