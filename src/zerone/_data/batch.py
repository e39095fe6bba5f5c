"""A batch of labelled rows in a form that the kernels read, and groups of its rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from zerone._data.containers import in_memory, is_frame
from zerone._data.frames import read_frame
from zerone._data.labels import EncodedLabels, from_codes, read_labels, rows_of_each
from zerone._data.windows import ColumnTable
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows with their classes and weights.

    Attributes
    ----------
    rows : ndarray, ColumnTable or csr_array of shape (n_rows, n_features)
        Numbers of any real type. The kernels check for NaN, as they read every value anyway.
    labels : EncodedLabels
    weights : ndarray or None
        One weight per row of ``rows``; None means every weight is one.
    has_absent : bool
        Whether some weights are zero. Such rows, and their labels, are ignored.
    feature_names : tuple of str or None
    """

    rows: Any
    labels: EncodedLabels
    weights: FloatArray | None
    has_absent: bool
    feature_names: tuple[str, ...] | None

    @property
    def classes(self) -> AnyArray:
        """Sorted labels."""
        return self.labels.classes

    @property
    def n_features(self) -> int:
        return int(self.rows.shape[1])

    @property
    def n_rows(self) -> int:
        """Number of rows with a positive weight."""
        return int(self.labels.counts.sum())

    @property
    def weight(self) -> float:
        """Total weight of the rows."""
        return float(self.n_rows) if self.weights is None else float(self.weights.sum())

    @cached_property
    def members(self) -> list[IntArray]:
        """For each class, the sorted positions of its rows."""
        return self.members_within(0, self.rows.shape[0])

    def members_within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each class the positions of its rows in a range, relative to its start."""
        codes = self.labels.codes(start, stop)
        n_classes = len(self.classes)
        if not self.has_absent or self.weights is None:
            return rows_of_each(codes, n_classes)
        present = np.flatnonzero(self.weights[start:stop])
        return [present[member] for member in rows_of_each(codes[present], n_classes)]

    @property
    def codes(self) -> IntArray:
        """Position of each row's class among the classes; -1 for rows of weight zero."""
        codes = self.labels.codes().astype(np.intp)
        if self.has_absent and self.weights is not None:
            codes[self.weights == 0] = -1
        return codes

    @property
    def is_sparse(self) -> bool:
        return bool(sp.issparse(self.rows))

    def with_array(self) -> "Batch":
        """Return the batch with its rows as an array of floats or as CSR, to be read many times."""
        rows = self.rows
        if self.is_sparse or (
            isinstance(rows, np.ndarray) and rows.dtype in (np.float32, np.float64)
        ):
            return self
        is_single = rows.dtype == np.float32
        return replace(self, rows=np.asarray(rows, dtype=np.float32 if is_single else np.float64))

    def taken(self, positions: IntArray) -> "Batch":
        """Return the rows at some positions, none of weight zero, in that order."""
        labels = from_codes(self.classes, self.codes[positions])
        weights = None if self.weights is None else self.weights[positions]
        return Batch(self.rows[positions], labels, weights, False, self.feature_names)


def read_batch(X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Batch:
    """Return checked rows, labels and weights; see `zerone.Moments.from_data` for the types."""
    X, y, sample_weight = in_memory(X), in_memory(y), in_memory(sample_weight)
    rows, feature_names = _read_rows(X)
    n_rows, n_features = rows.shape
    if n_rows == 0 or n_features == 0:
        raise ArgumentError(
            "X", f"got {n_rows} rows and {n_features} features", "at least one of each is needed"
        )
    n_labels = len(y) if hasattr(y, "__len__") else None
    if n_labels != n_rows:
        received = "a single value" if n_labels is None else f"{n_labels} labels"
        raise ArgumentError(
            "y", f"got {received} for {n_rows} rows of X", "one label per row is needed"
        )
    weights, present = (
        (None, None) if sample_weight is None else read_weights(sample_weight, n_rows)
    )
    labels = read_labels(y, classes, present)
    return Batch(rows, labels, weights, present is not None, feature_names)


def _read_rows(X: Any) -> tuple[Any, tuple[str, ...] | None]:
    if isinstance(X, ColumnTable):
        return X, None
    if is_frame(X):
        return read_frame(X)
    if sp.issparse(X):
        if X.ndim != 2:
            raise _not_a_table(X.shape)
        # To float before duplicate entries are added: small integers would overflow.
        rows = _real(X)
        return sp.csr_array(rows if rows.dtype.kind == "f" else rows.astype(np.float64)), None
    if isinstance(X, np.ma.MaskedArray):
        raise ArgumentTypeError(
            "X", "is a masked array", "fill the masked values first, or pass X.data"
        )
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        raise ArgumentTypeError("X", f"is a lazy {type(X).__name__}", "call .collect() first")
    rows = np.asarray(X)
    if rows.ndim != 2:
        raise _not_a_table(rows.shape)
    if rows.dtype == object:
        try:
            rows = rows.astype(np.float64)
        except (TypeError, ValueError):
            raise ArgumentTypeError(
                "X",
                "holds values that are not numbers",
                "encode categories first, for example with sklearn.preprocessing.OneHotEncoder",
            ) from None
    return _real(rows), None


def _not_a_table(shape: tuple[int, ...]) -> ValueError:
    return ArgumentError(
        "X",
        f"got an array of shape {shape}, expected a table of rows and features (2-D)",
        "use reshape(-1, 1) for a single feature or reshape(1, -1) for a single row",
    )


def _real(rows: Any) -> Any:
    if rows.dtype.kind not in "biuf":
        raise ArgumentTypeError(
            "X",
            f"has type {rows.dtype}, expected real numbers (float, integer or bool)",
            "convert or encode it first",
        )
    return rows


def read_weights(sample_weight: Any, n_rows: int) -> tuple[FloatArray, IntArray | None]:
    """Return weights and the positions of those that are not zero, None if all are not zero."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ArgumentError(
            "sample_weight", f"has shape {weights.shape}, expected ({n_rows},), one weight per row"
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    # NaN or infinity in any weight shows in the sum.
    if not np.isfinite(total):
        raise ArgumentError(
            "sample_weight",
            "contains NaN or infinity, or overflows in total",
            "give a finite weight per row",
        )
    lowest = weights.min()
    if lowest < 0:
        row = int(np.argmax(weights < 0))
        raise ArgumentError(
            "sample_weight",
            f"row {row} has weight {weights[row]:g}",
            "weights are counts and cannot be negative; to remove rows, subtract their moments",
        )
    if total == 0:
        raise ArgumentError(
            "sample_weight", "all sample weights are zero", "at least one must be positive"
        )
    return weights, None if lowest > 0 else np.flatnonzero(weights)


# A sample is taken from this many short ranges of rows.
_STRETCHES = 16
_STRETCH_ROWS = 256
# A group with fewer rows than this in its sample is searched for in all rows.
_ENOUGH = 16
_SEARCH_ROWS = 2**16


class Groups(Protocol):
    """Groups of rows that do not overlap."""

    @property
    def sizes(self) -> list[int]:
        """Number of rows of each group."""
        ...

    def within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each group the sorted positions of its rows in a range, from its start."""
        ...

    def samples(self, most: int) -> list[IntArray]:
        """Return for each group about ``most`` of its rows, from all parts of it."""
        ...


class ListedGroups:
    """Groups given by the sorted positions of their rows."""

    def __init__(self, members: Sequence[IntArray]) -> None:
        self._members = members

    @property
    def sizes(self) -> list[int]:
        """Number of rows of each group."""
        return [member.size for member in self._members]

    def within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each group its rows in a range, relative to its start."""
        cuts = (np.searchsorted(member, (start, stop)) for member in self._members)
        return [
            member[low:high] - start
            for member, (low, high) in zip(self._members, cuts, strict=True)
        ]

    def samples(self, most: int) -> list[IntArray]:
        """Return for each group about ``most`` of its rows, from all parts of it."""
        return [_thinned(member, most) for member in self._members]


class ClassGroups:
    """The classes of a batch, without a list of all their rows."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._n_rows = int(batch.rows.shape[0])

    @property
    def sizes(self) -> list[int]:
        """Number of rows of each class."""
        return [int(count) for count in self._batch.labels.counts]

    def within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each class its rows in a range, relative to its start."""
        return self._batch.members_within(start, stop)

    def samples(self, most: int) -> list[IntArray]:
        """Return for each class about ``most`` of its rows, from all parts of the batch."""
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
        """Return the rows of each class in some ranges, at most ``most`` from each range."""
        found: list[list[IntArray]] = [[] for _ in self.sizes]
        for start in starts:
            for own, rows in zip(found, self.within(start, start + length), strict=True):
                if rows.size:
                    own.append(start + (rows if most is None else _thinned(rows, most)))
        return [np.concatenate(own) if own else np.empty(0, np.intp) for own in found]


def _thinned(rows: IntArray, most: int) -> IntArray:
    """Return at most ``most`` rows, evenly spaced."""
    if rows.size <= most:
        return rows
    return rows[np.linspace(0, rows.size - 1, most).astype(np.intp)]
