"""Tables as labelled batches of numbers; each part knows where reading continues."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import joblib
import numpy as np

from zerone._data.batch import Batch, read_batch
from zerone._data.encoding import Encoding
from zerone._data.labels import read_labels
from zerone._data.readers.libsvm import LibsvmSource
from zerone._data.readers.open import closed_on_failure, open_table, require_arrow
from zerone._data.readers.source import START, Position
from zerone._data.remembered import RememberedSource
from zerone._data.surprises import Surprises
from zerone._data.table_options import TableOptions
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._progress import ProgressReport
from zerone._typing import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LabelledPart:
    """Labelled rows, ready to be summed.

    Attributes
    ----------
    batch : Batch
    encoding : Encoding or None
        Of the features.
    n_rows : int
    position : tuple
        Where reading continues.
    share : float or None
        Share of all rows that has been read so far, these included.
    where : str
        Which rows these are, for messages.
    may_widen : bool
        Whether a feature that a part does not have is zero there.
    """

    batch: Batch
    encoding: Encoding | None
    n_rows: int
    position: Position
    share: float | None
    where: str
    may_widen: bool = False


class LabelledSource(Protocol):
    """Labelled rows in parts; reading can continue after any part."""

    @property
    def identity(self) -> Any:
        """Plain values that change when the data or the options of reading change."""
        ...

    def parts(self, start: Position, encoding: Encoding | None) -> Iterator[LabelledPart]:
        """Yield labelled rows from a position on; ``encoding`` is the one in use there."""
        ...


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table with a column of labels; its options are checked against its columns.

    ``progress`` says how the progress of a look at it is shown.
    """

    source: Any
    target: str
    options: TableOptions
    progress: bool | ProgressReport | None = None

    @property
    def is_rereadable(self) -> bool:
        """Whether it can be read more than once."""
        return bool(self.source.is_rereadable)

    @property
    def identity(self) -> Any:
        """Plain values that change when the table or the options of reading change."""
        identity = self.source.identity
        return None if identity is None else {"table": identity, "read": self.options.to_dict()}

    def parts(self, start: Position, encoding: Encoding | None) -> Iterator[LabelledPart]:
        """Yield labelled rows from a position on; ``encoding`` is the one in use there."""
        from zerone._data.encode import encode, reading_of

        options = self.options
        # A stream allows no look at all its rows, so categories are added as they occur.
        grows = options.encoding is None and not self.source.is_rereadable
        surprises = Surprises()
        source, current = self.source, encoding
        if current is None:
            source, current = self._planned()
        for part in source.parts([*current.column_names, *options.other_columns], start):
            rows, weights = self._rows_that_count(part)
            if not rows.num_rows:
                continue
            reading = reading_of(
                current,
                "grow" if grows else "refuse",
                part.where,
                max_categories=options.max_categories,
                surprises=surprises,
            )
            table, current = encode(rows, current, reading)
            labels, strings = self._labels(rows, part.where)
            batch = replace(
                _with_strings(read_batch(table, labels, weights), strings),
                feature_names=current.feature_names,
            )
            yield LabelledPart(
                batch, current, part.rows.num_rows, part.position, part.share, part.where
            )
        if grows or options.encoding is not None:
            # Otherwise the plan says the same.
            surprises.warn()

    def _rows_that_count(self, part: Any) -> tuple[Any, FloatArray | None]:
        """Return the rows of a part that have a weight and a label, and their weights."""
        from zerone._data.arrow_values import filtered, labelled, present_rows

        options = self.options
        rows, weights = present_rows(part.rows, options.weight, part.where)
        if options.is_strict:
            return rows, weights
        has_label = labelled(rows.column(self.target), options.null_values)
        if has_label.all():
            return rows, weights
        return filtered(rows, has_label), None if weights is None else weights[has_label]

    def _labels(self, rows: Any, where: str) -> tuple[AnyArray, AnyArray | None]:
        from zerone._data.arrow_values import labels_of

        options = self.options
        return labels_of(
            rows.column(self.target),
            self.target,
            where,
            options.null_values,
            strict=options.is_strict,
        )

    def class_counts(self) -> Iterator[tuple[AnyArray, IntArray]]:
        """Yield the classes of a part and how many rows with a positive weight each has."""
        for part in self.unencoded_parts(()):
            labels = part.batch.labels
            yield labels.classes, labels.counts

    def unencoded_parts(self, columns: Sequence[str]) -> Iterator[LabelledPart]:
        """Yield the rows that count with some of their columns, as they were read."""
        from zerone._data.arrow_values import without_views

        for part in self.source.parts([*columns, *self.options.other_columns]):
            rows, weights = self._rows_that_count(part)
            if not rows.num_rows:
                continue
            labels, strings = self._labels(rows, part.where)
            chosen = without_views(rows).select(list(columns))
            batch = Batch(chosen, read_labels(labels), weights, False, None)
            yield LabelledPart(
                _with_strings(batch, strings),
                None,
                part.rows.num_rows,
                part.position,
                part.share,
                part.where,
            )

    def _planned(self) -> tuple[Any, Encoding]:
        """Return what the rows are read from, and the encoding to begin with."""
        from zerone._data.encode import columns_to_read, reading_of
        from zerone._data.peeked import PeekedSource
        from zerone._data.plan import planned_encoding

        agreed = self.options.encoding
        if agreed is not None:
            columns_to_read(agreed, self.source.schema, reading_of(agreed, "refuse", "the table"))
            return self.source, agreed
        source = self.source
        if not source.is_rereadable:
            names = [*self.options.feature_columns(source.schema.names)]
            source = PeekedSource(source, [*names, *self.options.other_columns])
        return source, planned_encoding(source, self.options, self.progress)


def _with_strings(batch: Batch, strings: AnyArray | None) -> Batch:
    """Return a batch with string labels; so far its labels are positions in ``strings``."""
    if strings is None:
        return batch
    return replace(batch, labels=replace(batch.labels, classes=strings[batch.classes]))


@dataclass(frozen=True, eq=False)
class LabelledLibsvm:
    """LIBSVM text; later rows may have more features than earlier ones."""

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
            batch = read_batch(rows, _as_integers(labels))
            yield LabelledPart(
                batch, None, len(labels), part.position, part.share, part.where, may_widen=True
            )


def _as_integers(labels: AnyArray) -> AnyArray:
    """Return labels as integers if all of them are."""
    return labels.astype(np.int64) if (labels == np.rint(labels)).all() else labels


@dataclass(frozen=True, eq=False)
class LabelledBatches:
    """An iterable of (X, y) or (X, y, weights); without an encoding, X holds numbers.

    With ``with_digest``, batches are hashed, so that a checkpoint can recognise them.
    """

    batches: Iterable[Any]
    encoding: Encoding | None = None
    with_digest: bool = False

    @property
    def identity(self) -> Any:
        """The encoding; the batches are recognised by the hash in the position."""
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
                    f"batch {number} is of type {type(item).__name__}, expected (X, y) or "
                    "(X, y, weights)",
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
    """Return a hash of a batch and of all batches before it."""
    return int(joblib.hash((before, *item)), 16) % 2**63


def _other_batches(start: Position) -> ValueError:
    return ArgumentError(
        "batches",
        f"the first {start[1]} batches ({start[2]} rows) are not those that the checkpoint counted",
        "pass the same batches again, from the first one on",
    )


def _read(
    X: Any, y: Any, weights: Any, encoding: Encoding | None, where: str
) -> tuple[Batch, Encoding | None]:
    if encoding is None:
        return read_batch(X, y, weights), None
    require_arrow()
    from zerone._data.encode import encode_frame, reading_of

    present = None if weights is None else np.asarray(weights) != 0
    table, used = encode_frame(X, encoding, reading_of(encoding, "refuse", where), present)
    if present is not None:
        y, weights = np.asarray(y)[present], np.asarray(weights)[present]
    return replace(read_batch(table, y, weights), feature_names=used.feature_names), used


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def labelled_table(
    source: Any, options: TableOptions, progress: bool | ProgressReport | None = None
) -> LabelledTable | LabelledLibsvm:
    """Open a table with labels; see `zerone.Moments.from_table` for the sources."""
    opened = open_table(
        source,
        string_columns=options.string_columns,
        null_values=options.null_values,
        target=options.target,
        strict=options.is_strict,
    )
    if isinstance(opened, LibsvmSource):
        if options.other_columns or options.encoding is not None:
            raise ArgumentError(
                "target, weight, encoding",
                "LIBSVM text has no named columns",
                "leave these arguments out; the label is the first value of each line",
            )
        if options.has_bends:
            raise ArgumentError(
                "shapes",
                "LIBSVM text has no named columns, whose knots a model could keep",
                "leave it out, or fit the rows as an array",
            )
        return LabelledLibsvm(opened)
    with closed_on_failure(opened):
        checked = options.for_table(opened.schema.names)
    assert checked.target is not None
    if opened.is_rereadable and opened.identity is not None:
        opened = RememberedSource(opened)
    return LabelledTable(opened, checked.target, checked, progress)
