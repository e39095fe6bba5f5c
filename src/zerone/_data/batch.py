"""A batch of labelled rows in a form that kernels can use, and groups of its rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from zerone._data.containers import in_memory, is_frame
from zerone._data.frames import read_frame
from zerone._data.labels import EncodedLabels, read_labels, rows_of_each
from zerone._data.windows import ColumnTable
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows with their classes and weights.

    Attributes
    ----------
    rows : ndarray, ColumnTable or csr_array of shape (n_rows, n_features)
        Numbers of any real type. Not yet checked for NaN: the kernels see every
        value anyway and check as they go.
    labels : EncodedLabels
    weights : ndarray or None
        One weight per row of ``rows``; None means every weight is one.
    has_absent : bool
        Whether some weights are zero: these rows are absent, and whatever their label is counts
        for nothing.
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
        """How many rows count, that is, have a positive weight."""
        return int(self.labels.counts.sum())

    @property
    def weight(self) -> float:
        """Total weight of the rows."""
        return float(self.n_rows) if self.weights is None else float(self.weights.sum())

    @cached_property
    def members(self) -> list[IntArray]:
        """For each class, the positions of its rows, ascending."""
        return self.members_within(0, self.rows.shape[0])

    def members_within(self, start: int, stop: int) -> list[IntArray]:
        """Return for each class the positions of its rows in a range, counted from its start."""
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
        """Return the batch with rows that can be read many times: an array of floats, or CSR."""
        rows = self.rows
        if self.is_sparse or (
            isinstance(rows, np.ndarray) and rows.dtype in (np.float32, np.float64)
        ):
            return self
        is_single = rows.dtype == np.float32
        return replace(self, rows=np.asarray(rows, dtype=np.float32 if is_single else np.float64))


def read_batch(X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Batch:
    """Check ``X``, ``y`` and the weights and bring them into one form.

    Parameters
    ----------
    X : array, sparse matrix, or pandas, polars or pyarrow table
    y : one label per row
    sample_weight : array of shape (n_rows,), optional
    classes : the labels that may occur, optional

    Returns
    -------
    Batch
    """
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
        # To float before entries at the same place are added: small integers would overflow.
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
        f"expected a table of rows and features (2-D), got an array of shape {shape}",
        "reshape(-1, 1) makes a single feature, reshape(1, -1) a single row",
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
    """Return weights and the positions of those that are not zero; None if none is zero."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ArgumentError(
            "sample_weight", f"has shape {weights.shape}, expected ({n_rows},), one weight per row"
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    # Neither NaN nor infinity gets out of a sum again.
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
            "weights are counts and cannot be negative (subtract moments to forget rows)",
        )
    if total == 0:
        raise ArgumentError("sample_weight", "every weight is zero, so no row counts")
    return weights, None if lowest > 0 else np.flatnonzero(weights)


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
