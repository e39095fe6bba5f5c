"""A batch of labelled rows that stay on their device, with their labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerone._data.containers import in_memory
from zerone._data.devices import Device, device_of, memory_of, to_host
from zerone._data.labels import label_list, read_labels, sorted_classes
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray

# Up to this many classes, one search per class is faster than sorting.
_CLASSES_ONE_BY_ONE = 16


@dataclass(frozen=True, eq=False)
class DeviceBatch:
    """Rows on a device, with their classes and weights.

    Attributes
    ----------
    rows : array of shape (n_rows, n_features)
        Real numbers of any type, not yet checked for NaN.
    device : Device
    classes : ndarray
        Sorted labels.
    members : list of arrays
        For each class, the positions of its rows with a positive weight, sorted, on the device.
    weights : array or None
        One weight per row, on the device; None means every weight is one.
    float_type : type
        The type to compute with: that of the rows, or one that can hold their values.
    """

    rows: Any
    device: Device
    classes: AnyArray
    members: list[Any]
    weights: Any
    float_type: Any

    def in_double(self) -> "DeviceBatch":
        """Return the same rows, for computing in double precision if the device has it."""
        return replace(self, float_type=self.device.float_type)

    @property
    def n_features(self) -> int:
        return int(self.rows.shape[1])

    @property
    def sizes(self) -> list[int]:
        """Number of rows of each class that have a positive weight."""
        return [int(member.shape[0]) for member in self.members]


def read_device_batch(
    X: Any, y: Any, sample_weight: Any = None, classes: Any = None
) -> DeviceBatch:
    """Check rows on a device; their labels and weights may be on any device."""
    device = device_of(X)
    assert device is not None, "checked by the caller"
    with memory_of(device, "free some there, or pass fewer rows at a time to partial_fit"):
        return _read(X, y, sample_weight, classes, device)


def _read(X: Any, y: Any, sample_weight: Any, classes: Any, device: Device) -> DeviceBatch:
    xp = device.xp
    if X.ndim != 2 or 0 in X.shape:
        raise ArgumentError(
            "X",
            f"got an array of shape {tuple(X.shape)}, expected a non-empty table of rows and "
            "features (2-D)",
        )
    if not xp.isdtype(X.dtype, ("bool", "integral", "real floating")):
        raise ArgumentTypeError(
            "X",
            f"has type {X.dtype}, expected real numbers (float, integer or bool)",
            "convert it first",
        )
    n_rows = int(X.shape[0])
    n_labels = _length(y)
    if n_labels != n_rows:
        received = "a single value" if n_labels is None else f"{n_labels} labels"
        raise ArgumentError(
            "y", f"got {received} for {n_rows} rows of X", "one label per row is needed"
        )
    weights = None if sample_weight is None else _read_weights(sample_weight, n_rows, device)
    present = None if weights is None else weights > 0
    if device_of(y) == device and y.ndim == 1 and xp.isdtype(y.dtype, ("bool", "integral")):
        found, values = _labels_on_device(y, present, device)
        codes: list[Any] = [int(label) for label in found]
    else:
        chosen = None if present is None else np.flatnonzero(to_host(present))
        encoded = read_labels(in_memory(y), None, chosen)
        found, values = encoded.classes, device.bring(encoded.codes().astype(np.int64))
        codes = list(range(len(found)))
    if classes is not None:
        found, codes = _among(sorted_classes(classes), found, codes)
    members = _members(values, codes, present, device)
    return DeviceBatch(X, device, found, members, weights, _float_type(X.dtype, device))


def _float_type(dtype: Any, device: Device) -> Any:
    xp = device.xp
    if dtype in (xp.float32, xp.float64):
        return dtype
    return xp.float32 if xp.isdtype(dtype, "real floating") else device.float_type


def _labels_on_device(y: Any, present: Any, device: Device) -> tuple[AnyArray, Any]:
    """Return the distinct labels, and all labels as integers on the device."""
    xp = device.xp
    is_boolean = xp.isdtype(y.dtype, "bool")
    values = xp.astype(y, xp.uint8) if is_boolean else y
    known = values if present is None else values[present]
    low, high = int(xp.min(known)), int(xp.max(known))
    if high - low < _CLASSES_ONE_BY_ONE:
        # Searching for a few integers is faster than sorting all labels.
        numbers = [n for n in range(low, high + 1) if bool(xp.any(known == n))]
        found = np.array(numbers, dtype=to_host(known[:1]).dtype)
    else:
        found = np.unique(to_host(xp.unique_values(known)))
    return found.astype(np.bool_) if is_boolean else found, values


def _length(y: Any) -> int | None:
    """Return the number of labels; None for a single value."""
    if hasattr(y, "shape"):
        return int(y.shape[0]) if len(y.shape) else None
    return len(y) if hasattr(y, "__len__") else None


def _among(
    allowed: AnyArray, found: AnyArray, codes: list[int]
) -> tuple[AnyArray, list[int | None]]:
    """Return the allowed labels and the code of each; None for a label that does not occur."""
    known = dict(zip(label_list(found), codes, strict=True))
    labels = label_list(allowed)
    unknown = [label for label in known if label not in set(labels)]
    if unknown:
        raise ArgumentError(
            "y",
            f"found the label {unknown[0]!r}, which is not among classes={allowed.tolist()!r}",
            "list every label that can occur",
        )
    return allowed, [known.get(label) for label in labels]


def _members(values: Any, codes: Sequence[int | None], present: Any, device: Device) -> list[Any]:
    """Return the positions of each code among the values; a code of None has none."""
    xp = device.xp
    if len(codes) > _CLASSES_ONE_BY_ONE:
        return _sorted_members(values, codes, present, device)
    members = []
    for code in codes:
        if code is None:
            members.append(xp.zeros(0, dtype=xp.int64, device=device.name))
            continue
        mask = values == code
        members.append(xp.nonzero(mask if present is None else xp.logical_and(mask, present))[0])
    return members


def _sorted_members(
    values: Any, codes: Sequence[int | None], present: Any, device: Device
) -> list[Any]:
    """Return what `_members` returns, by sorting the values once."""
    xp = device.xp
    order = xp.argsort(values, stable=True)
    if present is not None:
        order = order[xp.take(present, order, axis=0)]
    ordered = to_host(xp.take(values, order, axis=0))
    members = []
    for code in codes:
        ends = [0, 0]
        if code is not None:
            ends = [int(ordered.searchsorted(code, side)) for side in ("left", "right")]
        members.append(order[ends[0] : ends[1]])
    return members


def _read_weights(sample_weight: Any, n_rows: int, device: Device) -> Any:
    xp = device.xp
    weights = (
        sample_weight
        if device_of(sample_weight) == device
        else device.bring(np.asarray(to_host(sample_weight), dtype=np.float64))
    )
    if tuple(weights.shape) != (n_rows,):
        raise ArgumentError(
            "sample_weight",
            f"has shape {tuple(weights.shape)}, expected ({n_rows},), one weight per row",
        )
    weights = xp.astype(weights, device.float_type, copy=False)
    total, lowest = float(xp.sum(weights)), float(xp.min(weights))
    if not np.isfinite(total):
        raise ArgumentError(
            "sample_weight",
            "contains NaN or infinity, or overflows in total",
            "give a finite weight per row",
        )
    if lowest < 0:
        raise ArgumentError(
            "sample_weight",
            f"has the weight {lowest:g}",
            "weights are counts and cannot be negative; to remove rows, subtract their moments",
        )
    if total == 0:
        raise ArgumentError(
            "sample_weight", "all sample weights are zero", "at least one must be positive"
        )
    return weights
