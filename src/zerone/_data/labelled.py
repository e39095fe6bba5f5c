"""Tables as labelled batches of numbers, each with the place where reading goes on."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import joblib
import numpy as np

from zerone._data.batch import Batch, read_batch
from zerone._data.encoding import Encoding
from zerone._data.readers.libsvm import LibsvmSource
from zerone._data.readers.open import closed_on_failure, open_table, require_arrow
from zerone._data.readers.source import START, Position
from zerone._data.table_options import TableOptions
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._typing import AnyArray, IntArray


@dataclass(frozen=True, eq=False)
class LabelledPart:
    """Labelled rows, ready to be summed.

    Attributes
    ----------
    batch : Batch
    encoding : Encoding or None
        That the features follow.
    n_rows : int
    position : tuple
        Where reading goes on after them.
    share : float or None
        Of the whole, how much has been read with them.
    where : str
        Which rows these are, for messages.
    may_widen : bool
        Whether features that only some parts have are zero in the others.
    """

    batch: Batch
    encoding: Encoding | None
    n_rows: int
    position: Position
    share: float | None
    where: str
    may_widen: bool = False


class LabelledSource(Protocol):
    """What can be summed part by part, and gone on with from any part's end."""

    @property
    def identity(self) -> Any:
        """Plain values that change when the data does, or what is read of it."""
        ...

    def parts(self, start: Position, encoding: Encoding | None) -> Iterator[LabelledPart]:
        """Yield labelled rows from a position on, with the encoding that was reached there."""
        ...


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table with a column of labels.

    Attributes
    ----------
    source : TableSource
    target : str
        The column of labels.
    options : TableOptions
        What is read, checked against the columns of the table.
    """

    source: Any
    target: str
    options: TableOptions

    @property
    def is_rereadable(self) -> bool:
        """Whether it can be read more than once."""
        return bool(self.source.is_rereadable)

    @property
    def identity(self) -> Any:
        """Plain values that change when the table does, or what is read of it."""
        identity = self.source.identity
        return None if identity is None else {"table": identity, "read": self.options.to_dict()}

    def parts(self, start: Position, encoding: Encoding | None) -> Iterator[LabelledPart]:
        """Yield labelled rows from a position on, with the encoding that was reached there."""
        from zerone._data.arrow_values import labels_of, present_rows
        from zerone._data.encode import encode

        options = self.options
        current = encoding or self._first_encoding()
        # A first pass has seen every category; a stream that has had none tells them as they come.
        grows = options.encoding is None and not self.source.is_rereadable
        for part in self.source.parts([*current.column_names, *options.other_columns], start):
            rows, weights = present_rows(part.rows, options.weight, part.where)
            if not rows.num_rows:
                continue
            table, current = encode(
                rows,
                current,
                "grow" if grows else "refuse",
                part.where,
                options.max_categories,
            )
            labels, strings = labels_of(rows.column(self.target), self.target, part.where)
            batch = replace(
                _with_strings(read_batch(table, labels, weights), strings),
                feature_names=current.feature_names,
            )
            yield LabelledPart(
                batch, current, part.rows.num_rows, part.position, part.share, part.where
            )

    def class_counts(self) -> Iterator[tuple[AnyArray, IntArray]]:
        """Yield the classes and the rows of each of them that have a weight, part by part."""
        from zerone._data.arrow_values import labels_of, present_rows

        for part in self.source.parts(self.options.other_columns):
            rows, _ = present_rows(part.rows, self.options.weight, part.where)
            labels, strings = labels_of(rows.column(self.target), self.target, part.where)
            found, counts = np.unique(labels, return_counts=True)
            yield (found if strings is None else strings[found]), counts

    def _first_encoding(self) -> Encoding:
        from zerone._data.arrow_values import require_columns
        from zerone._data.encode import planned_encoding

        agreed = self.options.encoding
        if agreed is None:
            return planned_encoding(self.source, self.options)
        require_columns(agreed, self.source.schema)
        return agreed


def _with_strings(batch: Batch, strings: AnyArray | None) -> Batch:
    """Return a batch whose labels are positions in a sorted array with the labels themselves."""
    if strings is None:
        return batch
    return replace(batch, labels=replace(batch.labels, classes=strings[batch.classes]))


@dataclass(frozen=True, eq=False)
class LabelledLibsvm:
    """LIBSVM text, whose rows have as many features as any row so far."""

    source: Any
    is_rereadable: ClassVar[bool] = True

    @property
    def identity(self) -> Any:
        """Plain values that change when the files do."""
        return {"table": self.source.identity}

    def parts(self, start: Position, encoding: Encoding | None) -> Iterator[LabelledPart]:
        """Yield labelled rows from a position on."""
        for part in self.source.parts(start):
            rows, labels = part.rows
            batch = read_batch(rows, _whole(labels))
            yield LabelledPart(
                batch, None, len(labels), part.position, part.share, part.where, may_widen=True
            )


def _whole(labels: AnyArray) -> AnyArray:
    """Return labels as whole numbers where all of them are."""
    return labels.astype(np.int64) if (labels == np.rint(labels)).all() else labels


@dataclass(frozen=True, eq=False)
class LabelledBatches:
    """An iterable of (X, y) or (X, y, weights).

    Attributes
    ----------
    batches : iterable
    encoding : Encoding or None
        For frames; without it X holds numbers.
    with_digest : bool
        Whether batches that were counted before can be told from others.
    """

    batches: Iterable[Any]
    encoding: Encoding | None = None
    with_digest: bool = False

    @property
    def identity(self) -> Any:
        """Nothing is known of the batches that are to come; those before have a digest."""
        return {"batches": None if self.encoding is None else self.encoding.to_json()}

    def parts(self, start: Position, encoding: Encoding | None) -> Iterator[LabelledPart]:
        """Yield labelled rows from a position on."""
        current = self.encoding if encoding is None else encoding
        position: Position = START
        for item in self.batches:
            number = position[1]
            if not isinstance(item, tuple | list) or len(item) not in (2, 3):
                raise ArgumentTypeError(
                    "batches",
                    f"number {number} is {type(item).__name__}, expected (X, y) or (X, y, weights)",
                )
            X, y, weights = item if len(item) == 3 else (*item, None)
            n_rows = _n_rows(X)
            digest = _digest(position[0], item) if self.with_digest else 0
            position = (digest, number + 1, position[2] + n_rows)
            if position[1] <= start[1]:
                if position[1] == start[1] and position != start:
                    raise _other_batches(start)
                continue
            if not n_rows or (weights is not None and not np.any(weights)):
                continue
            where = f"batch {number}"
            batch, current = _read(X, y, weights, current, where)
            yield LabelledPart(batch, current, n_rows, position, None, where)
        if position[1] < start[1]:
            raise _other_batches(start)


def _digest(before: int, item: Any) -> int:
    """Return a number that tells these batches, and all before them, from others."""
    return int(joblib.hash((before, *item)), 16) % 2**63


def _other_batches(start: Position) -> ValueError:
    return ArgumentError(
        "batches",
        f"the first {start[1]}, of {start[2]} rows, are not those that the checkpoint counted",
        "a scan goes on only over the same batches, from the first one on",
    )


def _read(
    X: Any, y: Any, weights: Any, encoding: Encoding | None, where: str
) -> tuple[Batch, Encoding | None]:
    if encoding is None:
        return read_batch(X, y, weights), None
    require_arrow()
    from zerone._data.encode import encode_frame

    present = None if weights is None else np.asarray(weights) != 0
    table, used = encode_frame(X, encoding, "refuse", where, present)
    if present is not None:
        y, weights = np.asarray(y)[present], np.asarray(weights)[present]
    return replace(read_batch(table, y, weights), feature_names=used.feature_names), used


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def labelled_table(source: Any, options: TableOptions) -> LabelledTable | LabelledLibsvm:
    """Open a table whose rows have labels; see `zerone.Moments.from_table` for the sources."""
    opened = open_table(
        source,
        string_columns=options.string_columns,
        null_values=options.null_values,
        target=options.target,
    )
    if isinstance(opened, LibsvmSource):
        if options.other_columns or options.encoding is not None:
            raise ArgumentError(
                "target, weight, encoding",
                "LIBSVM text has no named columns",
                "the label of a row stands first in its line",
            )
        return LabelledLibsvm(opened)
    with closed_on_failure(opened):
        checked = options.for_table(opened.schema.names)
    assert checked.target is not None
    return LabelledTable(opened, checked.target, checked)
