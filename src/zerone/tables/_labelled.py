"""Tables as labelled batches of numbers, each with the place where reading goes on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import joblib
import numpy as np

from zerone._typing import AnyArray, MissingRule
from zerone.sources import Batch, read_batch
from zerone.tables._encoding import Encoding
from zerone.tables._libsvm import LibsvmSource
from zerone.tables._open import closed_on_failure, open_table, require_arrow, require_texts
from zerone.tables._source import START, Position


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
    weight : str or None
    plan : dict
        What an encoding is made from, as `planned_encoding` takes it.
    encoding : Encoding or None
        One that was agreed on; None where it is made from the table.
    """

    source: Any
    target: str
    weight: str | None
    plan: dict[str, Any]
    encoding: Encoding | None

    @property
    def is_rereadable(self) -> bool:
        """Whether it can be read more than once."""
        return bool(self.source.is_rereadable)

    @property
    def identity(self) -> Any:
        """Plain values that change when the table does, or what is read of it."""
        if self.source.identity is None:
            return None
        agreed = None if self.encoding is None else self.encoding.to_json()
        read = {"target": self.target, "weight": self.weight, "encoding": agreed, **self.plan}
        return {"table": self.source.identity, "read": read}

    def parts(self, start: Position, encoding: Encoding | None) -> Iterator[LabelledPart]:
        """Yield labelled rows from a position on, with the encoding that was reached there."""
        from zerone.tables._arrow_values import labels_of, present_rows
        from zerone.tables._encode import encode

        current = encoding or self._first_encoding()
        # A first pass has seen every level; a stream that has had none tells them as they come.
        grows = self.encoding is None and not self.source.is_rereadable
        others = [self.target] if self.weight is None else [self.target, self.weight]
        for part in self.source.parts([*current.column_names, *others], start):
            rows, weights = present_rows(part.rows, self.weight, part.where)
            if not rows.num_rows:
                continue
            table, current = encode(
                rows,
                current,
                "grow" if grows else "refuse",
                part.where,
                self.plan["max_levels"],
            )
            labels, texts = labels_of(rows.column(self.target), self.target, part.where)
            batch = replace(
                _with_texts(read_batch(table, labels, weights), texts),
                feature_names=current.feature_names,
            )
            yield LabelledPart(
                batch, current, part.rows.num_rows, part.position, part.share, part.where
            )

    def _first_encoding(self) -> Encoding:
        from zerone.tables._kinds import require_columns
        from zerone.tables._plan import planned_encoding

        if self.encoding is not None:
            require_columns(self.encoding, self.source.schema)
            return self.encoding
        return planned_encoding(self.source, target=self.target, weight=self.weight, **self.plan)


def _with_texts(batch: Batch, texts: AnyArray | None) -> Batch:
    """Return a batch whose labels are positions in a sorted array with the labels themselves."""
    if texts is None:
        return batch
    return replace(batch, labels=replace(batch.labels, classes=texts[batch.classes]))


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
                raise TypeError(
                    f"batches: number {number} is {type(item).__name__}, expected (X, y) or "
                    "(X, y, weights)"
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
    return ValueError(
        f"batches: the first {start[1]}, of {start[2]} rows, are not those that the checkpoint "
        "counted; a scan goes on only over the same batches, from the first one on"
    )


def _read(
    X: Any, y: Any, weights: Any, encoding: Encoding | None, where: str
) -> tuple[Batch, Encoding | None]:
    if encoding is None:
        return read_batch(X, y, weights), None
    require_arrow()
    from zerone.tables._encode import encode_frame

    present = None if weights is None else np.asarray(weights) != 0
    table, used = encode_frame(X, encoding, "refuse", where, present)
    if present is not None:
        y, weights = np.asarray(y)[present], np.asarray(weights)[present]
    return replace(read_batch(table, y, weights), feature_names=used.feature_names), used


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def labelled_table(
    source: Any,
    *,
    target: str | None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    encoding: Encoding | None = None,
    categories: Sequence[str] = (),
    max_levels: int = 100,
    missing: MissingRule = "error",
    null_values: Sequence[str] = (),
) -> LabelledTable | LabelledLibsvm:
    """Open a table whose rows have labels; see `zerone.Moments.from_table` for the parameters."""
    for name, given in (("target", target), ("weight", weight)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name}: got {given!r}, expected the name of a column, as text")
    if encoding is not None and not isinstance(encoding, Encoding):
        raise TypeError(f"encoding: got {type(encoding).__name__}, expected zerone.Encoding")
    require_texts("categories", categories)
    texts = [] if encoding is None else encoding.category_names
    opened = open_table(
        source, categories=[*categories, *texts], null_values=null_values, target=target
    )
    if isinstance(opened, LibsvmSource):
        if target is not None or weight is not None or encoding is not None:
            raise ValueError(
                "target, weight, encoding: LIBSVM text has no named columns; the label of a row "
                "stands first in its line"
            )
        return LabelledLibsvm(opened)
    with closed_on_failure(opened):
        plan = _plan(opened, target, columns, weight, encoding, categories, max_levels, missing)
    return LabelledTable(opened, plan.pop("target"), weight, plan, encoding)


def _plan(
    opened: Any,
    target: str | None,
    columns: Sequence[str] | None,
    weight: str | None,
    encoding: Encoding | None,
    categories: Sequence[str],
    max_levels: int,
    missing: MissingRule,
) -> dict[str, Any]:
    """Return what is read of a table, checked."""
    from zerone.tables._chosen import chosen_columns

    if target is None:
        raise ValueError(
            "target: name the column that holds the classes; the table has "
            f"{', '.join(map(repr, opened.schema.names))}"
        )
    if encoding is not None:
        if columns is not None or {*categories} - {target}:
            raise ValueError(
                "encoding: says which columns are read and how; leave out columns and categories"
            )
        if missing not in ("error", encoding.missing):
            raise ValueError(
                f"missing: got {missing!r}, but the encoding was made with "
                f"missing={encoding.missing!r}; make it with missing={missing!r}"
            )
        if target in encoding.column_names:
            raise ValueError(
                f"encoding: has the target {target!r} among its features; make it with "
                f"Encoding.from_table(source, target={target!r})"
            )
        columns = encoding.column_names
    return {
        "target": target,
        "columns": chosen_columns(opened.schema.names, target, columns, weight),
        "categories": list(categories),
        "max_levels": max_levels,
        "missing": missing,
    }
