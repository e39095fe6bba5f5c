"""Class labels: any sortable values of one kind, encoded as integers.

The order of the classes is that of `numpy.unique` everywhere in zerone; of two
classes the last is the positive one.
"""

from typing import Any

import numpy as np

from zerone._typing import AnyArray, IntArray

# Integers within this range are counted rather than sorted.
_COUNTED_RANGE = 2**12
_PIECE = 2**16


def read_labels(
    y: Any, classes: Any = None, chosen: IntArray | None = None
) -> tuple[AnyArray, IntArray]:
    """Return the sorted classes and, for each row, the position of its class among them.

    Positions are in whatever integer type is at hand.

    With ``classes`` given, these are the only labels allowed and all of them are
    returned, whether or not they occur. With ``chosen`` given, only these rows are read.
    """
    labels = _lossless_array(y)
    labels = _label_array(labels if chosen is None else labels[chosen], "y")
    found, codes = _encoded(labels)
    if classes is None:
        return found, codes
    allowed = sorted_classes(classes)
    position = {label: index for index, label in enumerate(label_list(allowed))}
    unknown = [label for label in label_list(found) if label not in position]
    if unknown:
        raise ValueError(
            f"y: found the label {unknown[0]!r}, which is not among classes={allowed.tolist()!r}; "
            "give every label that can occur"
        )
    recode = np.array([position[label] for label in label_list(found)], dtype=np.intp)
    return allowed, recode[codes]


def _encoded(labels: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the distinct labels, sorted, and the position of each label among them."""
    counted = _encoded_by_counting(labels)
    if counted is not None:
        return counted
    try:
        found, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise _mixed_labels("y", labels) from None
    return found, codes.reshape(-1).astype(np.intp, copy=False)


def _encoded_by_counting(labels: AnyArray) -> tuple[AnyArray, IntArray] | None:
    """Encode whole numbers that are close together without sorting them; None for others.

    In pieces, and in the narrowest type: at millions of rows fresh memory is what costs.
    """
    if labels.dtype.kind not in "buif" or not labels.size:
        return None
    lowest, highest = labels.min(), labels.max()
    if labels.dtype.kind == "f" and not -_COUNTED_RANGE < lowest <= highest < _COUNTED_RANGE:
        return None
    least = int(lowest)
    span = int(highest) - least + 1
    if span > _COUNTED_RANGE:
        return None
    codes = np.empty(labels.size, np.min_scalar_type(span))
    counts = np.zeros(span, dtype=np.intp)
    for start in range(0, labels.size, _PIECE):
        part = labels[start : start + _PIECE]
        # Large unsigned labels are brought near zero before they have to fit a signed type.
        near = part - lowest if part.dtype == np.uint64 else part
        whole = near.astype(np.int64)
        if labels.dtype.kind == "f" and not np.array_equal(whole, near):
            return None
        whole -= 0 if part.dtype == np.uint64 else least
        counts += np.bincount(whole, minlength=span)
        codes[start : start + _PIECE] = whole
    present = np.flatnonzero(counts)
    wide = np.uint64 if labels.dtype == np.uint64 else np.int64
    found = (present.astype(wide) + wide(least)).astype(labels.dtype)
    if len(present) < span:
        codes = (np.cumsum(counts > 0) - 1).astype(codes.dtype)[codes]
    return found, codes


def sorted_classes(classes: Any) -> AnyArray:
    """Return distinct labels in the order zerone uses everywhere."""
    labels = _label_array(classes, "classes")
    try:
        found: AnyArray = np.unique(labels)
    except TypeError:
        raise _mixed_labels("classes", labels) from None
    if found.size < labels.size:
        raise ValueError(f"classes: {labels.tolist()!r} names a label twice")
    return found


def label_list(classes: AnyArray) -> list[Any]:
    """Return labels as plain Python values, dates as NumPy's."""
    return list(classes) if classes.dtype.kind in "mM" else classes.tolist()


def _label_array(y: Any, name: str) -> AnyArray:
    labels = _lossless_array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"{name}: expected one label per row (a 1-D array), got an array of shape "
            f"{labels.shape}"
        )
    if (labels.dtype.kind == "f" and np.isnan(labels).any()) or (
        labels.dtype.kind in "mM" and np.isnat(labels).any()
    ):
        raise ValueError(f"{name}: contains NaN; drop the rows whose class is unknown")
    if labels.dtype == object:
        # A missing label is a float NaN, None, or a library's own NA, which is unequal
        # to itself or has no truth value.
        if any(label is None or _is_missing(label) for label in labels):
            raise ValueError(
                f"{name}: contains missing labels; drop the rows whose class is unknown"
            )
        kinds = {_kind(label) for label in labels}
        if len(kinds) > 1:
            raise _mixed_labels(name, labels)
    return labels


def _lossless_array(y: Any) -> AnyArray:
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
    return ValueError(
        f"{name}: labels of different types ({', '.join(kinds)}) have no order; "
        "convert them to one type, for example to strings"
    )
