"""Class labels: any sortable values of one kind, encoded as integers.

The order of the classes is that of `numpy.unique` everywhere in zerone; of two
classes the last is the positive one.
"""

from typing import Any

import numpy as np

from zerone._typing import AnyArray, IntArray
from zerone.sources._encoded import EncodedLabels, encode

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
        raise ValueError(
            f"y: found the label {unknown[0]!r}, which is not among classes={allowed.tolist()!r}; "
            "give every label that can occur"
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
        raise ValueError(f"classes: {labels.tolist()!r} names a label twice")
    return found


def label_list(classes: AnyArray) -> list[Any]:
    """Return labels as plain Python values, dates as NumPy's."""
    return list(classes) if classes.dtype.kind in "mM" else classes.tolist()


def _label_array(y: Any, name: str) -> AnyArray:
    labels = lossless_array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"{name}: expected one label per row (a 1-D array), got an array of shape "
            f"{labels.shape}"
        )
    if labels.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported; labels are whole numbers or text")
    if (labels.dtype.kind == "f" and _has_nan(labels)) or (
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
    return ValueError(
        f"{name}: labels of different types ({', '.join(kinds)}) have no order; "
        "convert them to one type, for example to strings"
    )
