"""Class labels: any sortable values of one kind, encoded as integers.

The order of the classes is that of `numpy.unique` everywhere in zerone; of two
classes the last is the positive one.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._errors import ArgumentError
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


_PIECE = 2**16


def read_labels(y: Any, classes: Any = None, chosen: IntArray | None = None) -> EncodedLabels:
    """Check labels and encode them.

    Parameters
    ----------
    y : one label per row
    classes : array-like, optional
        The only labels allowed; all of them become classes, whether or not they occur.
    chosen : ndarray of int, optional
        The rows that are read. The others get the code 0, which means nothing.
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
    """Return labels with given classes; raises for one that is not among them."""
    position = {label: index for index, label in enumerate(label_list(allowed))}
    found = label_list(encoded.classes)
    unknown = [label for label in found if label not in position]
    if unknown:
        raise ArgumentError(
            "y",
            f"found the label {unknown[0]!r}, which is not among classes={allowed.tolist()!r}",
            "give every label that can occur",
        )
    return encoded.with_classes(allowed, np.array([position[label] for label in found], np.intp))


def sorted_classes(classes: Any) -> AnyArray:
    """Return distinct labels in the order zerone uses everywhere."""
    labels = _label_array(classes, "classes")
    try:
        found: AnyArray = np.unique(labels)
    except TypeError:
        raise _mixed_labels("classes", labels) from None
    if found.size < labels.size:
        raise ArgumentError("classes", f"{labels.tolist()!r} names a label twice")
    return found


def label_list(classes: AnyArray) -> list[Any]:
    """Return labels as plain Python values, dates as NumPy's."""
    return list(classes) if classes.dtype.kind in "mM" else classes.tolist()


def _label_array(y: Any, name: str) -> AnyArray:
    labels = lossless_array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ArgumentError(
            name, f"expected one label per row (a 1-D array), got an array of shape {labels.shape}"
        )
    if labels.dtype.kind == "c":
        raise ArgumentError(name, "Complex data not supported", "labels are whole numbers or text")
    if (labels.dtype.kind == "f" and _has_nan(labels)) or (
        labels.dtype.kind in "mM" and np.isnat(labels).any()
    ):
        raise ArgumentError(name, "contains NaN", "drop the rows whose class is unknown")
    if labels.dtype == object:
        # A missing label is a float NaN, None, or a library's own NA, which is unequal
        # to itself or cannot be compared.
        if any(label is None or _is_missing(label) for label in labels):
            raise ArgumentError(
                name, "contains missing labels", "drop the rows whose class is unknown"
            )
        kinds = {_kind(label) for label in labels}
        if len(kinds) > 1:
            raise _mixed_labels(name, labels)
        if kinds == {"number"}:
            # As NumPy has them, so that they are the same labels wherever they are compared.
            numbers = np.asarray(labels.tolist())
            return numbers if numbers.tolist() == labels.tolist() else labels
    return labels


def _has_nan(labels: AnyArray) -> bool:
    # In pieces: an array of answers would be as long as the data.
    return any(
        np.isnan(labels[start : start + _PIECE]).any() for start in range(0, labels.size, _PIECE)
    )


def lossless_array(y: Any) -> AnyArray:
    """Return an array of labels; of Python values, one that still holds the same values.

    NumPy would turn ["a", 1] into text and [1, 2**63] into floats.
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
        return "text"
    return type(label).__name__


def _mixed_labels(name: str, labels: AnyArray) -> ValueError:
    kinds = sorted({type(label).__name__ for label in labels.tolist()})
    return ArgumentError(
        name,
        f"labels of different types ({', '.join(kinds)}) have no order",
        "convert them to one type, for example to strings",
    )
