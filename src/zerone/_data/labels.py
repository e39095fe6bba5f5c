"""Class labels: sortable values of one type, encoded as integers.

The order of the classes is always that of `numpy.unique`; of two classes the last is the positive
one.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._errors import ArgumentError
from zerone._typing import AnyArray, IntArray

# Integers within this range are counted, not sorted.
_COUNTED_RANGE = 2**12
_PIECE = 2**16
# Up to this many classes, one search per class is faster than sorting.
_CLASSES_ONE_BY_ONE = 6


@dataclass(frozen=True, eq=False)
class EncodedLabels:
    """The sorted classes and, for every row, the position of its class among them.

    Positions are computed for a range of rows when it is read: with many millions of rows, storing
    them would take more memory than anything but the data.

    Attributes
    ----------
    classes : ndarray
    values : ndarray of shape (n_rows,)
        Positions, or integers that ``table`` turns into positions.
    least : int
        The smallest value.
    table : ndarray of int or None
        Position of the class of ``least``, ``least + 1``, …; None where values are positions.
    counts : ndarray of shape (n_classes,)
        Number of rows of each class.
    """

    classes: AnyArray
    values: AnyArray
    least: int
    table: IntArray | None
    counts: IntArray

    def codes(self, start: int = 0, stop: int | None = None) -> IntArray:
        """Return the positions for a range of rows, in any integer type."""
        part = self.values[start:stop]
        if self.table is None:
            return part
        return self.table.take(_from_least(part, self.least))

    def with_classes(self, classes: AnyArray, positions: IntArray) -> "EncodedLabels":
        """Return the same labels; ``positions`` are those of the old classes among the new."""
        counts = np.zeros(len(classes), dtype=np.intp)
        counts[positions] = self.counts
        narrow = positions.astype(np.min_scalar_type(len(classes)))
        if self.table is None:
            return EncodedLabels(classes, narrow[self.values], 0, None, counts)
        return EncodedLabels(classes, self.values, self.least, narrow[self.table], counts)


def encode(labels: AnyArray) -> EncodedLabels:
    """Return encoded labels; raises TypeError if they cannot be sorted."""
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
    """Return the sorted positions of each code."""
    if n_classes <= _CLASSES_ONE_BY_ONE:
        return [np.flatnonzero(codes == code) for code in range(n_classes)]
    # Converting CSC to CSR is a counting sort, and a fast one.
    n = len(codes)
    index = np.int32 if n < np.iinfo(np.int32).max else np.int64
    entries = (np.empty(n, np.int8), codes.astype(index), np.arange(n + 1, dtype=index))
    by_class = sp.csc_array(entries, shape=(n_classes, n)).tocsr()
    ends = by_class.indptr.tolist()
    return [by_class.indices[a:b] for a, b in itertools.pairwise(ends)]


def _counted(labels: AnyArray) -> EncodedLabels | None:
    """Encode integers in a small range without sorting them; None for other labels."""
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
    """Return the differences of integers from the smallest one."""
    if _may_exceed_int64(values):
        # Subtract first: the values may not fit a signed type.
        return (values - np.uint64(least)).astype(np.intp)
    distances: IntArray = values.astype(np.int64, copy=least != 0)
    if least != 0:
        distances -= least
    return distances


def _may_exceed_int64(values: AnyArray) -> bool:
    # Not compared with np.uint64, which has only the native byte order.
    return values.dtype.kind == "u" and values.dtype.itemsize == 8


def read_labels(y: Any, classes: Any = None, chosen: IntArray | None = None) -> EncodedLabels:
    """Check labels and encode them.

    Parameters
    ----------
    y : one label per row
    classes : array-like, optional
        The only labels allowed; all of them become classes, also those that do not occur.
    chosen : ndarray of int, optional
        The rows that are read. The code of the others is 0 and has no meaning.
    """
    labels = lossless_array(y)
    read = _label_array(labels if chosen is None else labels[chosen], "y")
    try:
        encoded = encode(read)
    except TypeError:
        raise _mixed_labels("y", read) from None
    if classes is not None:
        encoded = _among(encoded, sorted_classes(classes))
    if chosen is None:
        return encoded
    codes = np.zeros(len(labels), dtype=np.min_scalar_type(len(encoded.classes)))
    codes[chosen] = encoded.codes()
    return EncodedLabels(encoded.classes, codes, 0, None, encoded.counts)


def _among(encoded: EncodedLabels, allowed: AnyArray) -> EncodedLabels:
    """Return labels encoded by the allowed classes; raises for any other label."""
    position = {label: index for index, label in enumerate(label_list(allowed))}
    found = label_list(encoded.classes)
    unknown = [label for label in found if label not in position]
    if unknown:
        raise ArgumentError(
            "y",
            f"found the label {unknown[0]!r}, which is not among classes={allowed.tolist()!r}",
            "list every label that can occur",
        )
    return encoded.with_classes(allowed, np.array([position[label] for label in found], np.intp))


def sorted_classes(classes: Any) -> AnyArray:
    """Return sorted labels; raises if one occurs twice."""
    labels = _label_array(classes, "classes")
    try:
        found: AnyArray = np.unique(labels)
    except TypeError:
        raise _mixed_labels("classes", labels) from None
    if found.size < labels.size:
        raise ArgumentError("classes", f"{labels.tolist()!r} has a label twice", "remove one")
    return found


def label_list(classes: AnyArray) -> list[Any]:
    """Return labels as Python values, but dates as NumPy values."""
    return list(classes) if classes.dtype.kind in "mM" else classes.tolist()


def positive_position(positive: Any, labels: list[Any]) -> int:
    """Return the position of the positive class among sorted labels: of the last one for None.

    A string may also spell a label of another type, as on the command line.
    """
    if positive is None:
        return len(labels) - 1
    found = [place for place, label in enumerate(labels) if label == positive]
    if not found and isinstance(positive, str):
        found = [place for place, label in enumerate(labels) if str(label) == positive]
    if not found:
        raise ArgumentError(
            "positive", f"got {positive!r}, which does not occur", f"the classes are {labels!r}"
        )
    if len(labels) > 2:
        raise ArgumentError(
            "positive",
            f"got {positive!r}, but there are {len(labels)} classes",
            "leave it out: with several classes all of them count alike",
        )
    return found[0]


def _label_array(y: Any, name: str) -> AnyArray:
    labels = lossless_array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ArgumentError(
            name, f"got an array of shape {labels.shape}, expected one label per row (a 1-D array)"
        )
    if labels.dtype.kind == "c":
        raise ArgumentError(name, "Complex data not supported", "use integers or strings")
    if (labels.dtype.kind == "f" and _has_nan(labels)) or (
        labels.dtype.kind in "mM" and np.isnat(labels).any()
    ):
        raise ArgumentError(name, "contains NaN", "remove rows without a label")
    if labels.dtype == object:
        # NaN is unequal to itself, and the NA of some libraries cannot be compared.
        if any(label is None or _is_missing(label) for label in labels):
            raise ArgumentError(name, "contains missing labels", "remove rows without a label")
        kinds = {_kind(label) for label in labels}
        if len(kinds) > 1:
            raise _mixed_labels(name, labels)
        if kinds == {"number"}:
            # As NumPy numbers, so that labels of different batches compare equal.
            numbers = np.asarray(labels.tolist())
            return numbers if numbers.tolist() == labels.tolist() else labels
    return labels


def _has_nan(labels: AnyArray) -> bool:
    # In pieces: the array of booleans would be as long as the data.
    return any(
        np.isnan(labels[start : start + _PIECE]).any() for start in range(0, labels.size, _PIECE)
    )


def lossless_array(y: Any) -> AnyArray:
    """Return an array with exactly the given labels.

    NumPy alone would turn ["a", 1] into strings and [1, 2**63] into floats.
    """
    if hasattr(y, "__array__"):
        return np.asarray(y)
    listed = list(y)
    array = np.asarray(listed) if not any(isinstance(label, tuple) for label in listed) else None
    if array is not None and (array.dtype.kind in "mM" or array.tolist() == listed):
        return array
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _is_missing(label: Any) -> bool:
    try:
        return bool(label != label)
    except TypeError:
        return True


def _kind(label: Any) -> str:
    if isinstance(label, bool | int | float | np.number | np.bool_):
        return "number"
    if isinstance(label, str):
        return "string"
    return type(label).__name__


def _mixed_labels(name: str, labels: AnyArray) -> ValueError:
    kinds = sorted({type(label).__name__ for label in labels.tolist()})
    return ArgumentError(
        name,
        f"got labels of different types ({', '.join(kinds)}), which cannot be sorted",
        "convert them to one type, for example to strings",
    )
