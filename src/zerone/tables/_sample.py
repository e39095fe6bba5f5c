"""A random sample of a table's rows, all of them if they are few, and all of rare classes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zerone._typing import AnyArray, FloatArray, Label
from zerone.sources import Batch, label_list, read_batch, read_rows
from zerone.tables._encoding import Encoding
from zerone.tables._labelled import LabelledPart, LabelledSource
from zerone.tables._reencoding import reencoding
from zerone.tables._source import START


def sampled_batch(
    source: LabelledSource,
    encoding: Encoding | None,
    n_features: int,
    max_values: int,
    random: np.random.RandomState,
) -> Batch:
    """Return rows of a table in memory, in their order.

    A table with few rows is returned whole. Of others, classes share the place equally, as far as
    they need it, and weights make up for the rows of a class that were left out.

    Parameters
    ----------
    source : LabelledSource
        That can be read again.
    encoding : Encoding or None
        That the rows shall follow.
    n_features : int
    max_values : int
        About how many numbers the rows may have together.
    random : RandomState
    """
    sample = _Sample(max(1, max_values // n_features))
    for part in source.parts(START, encoding):
        codes = part.batch.codes
        draws = random.random_sample(len(codes))
        for code, label in enumerate(label_list(part.batch.classes)):
            members = np.flatnonzero(codes == code)
            own = sample.of_class(label)
            weights = None if part.batch.weights is None else part.batch.weights[members]
            own.rows_seen += len(members)
            own.weight_seen += float(len(members) if weights is None else weights.sum())
        limits = np.array(
            [sample.of_class(label).limit for label in label_list(part.batch.classes)]
        )
        taken = np.flatnonzero((codes >= 0) & (draws < limits[codes]))
        if taken.size:
            sample.add(
                _Chunk(
                    draws[taken],
                    _features(part, taken, encoding, n_features),
                    part.batch.classes[codes[taken]],
                    None if part.batch.weights is None else part.batch.weights[taken],
                )
            )
    return sample.batch()


@dataclass
class _Chunk:
    """Rows that are in the sample so far."""

    draws: FloatArray
    rows: FloatArray
    labels: AnyArray
    weights: FloatArray | None

    def only(self, keep: AnyArray) -> "_Chunk":
        if keep.all():
            return self
        weights = None if self.weights is None else self.weights[keep]
        return _Chunk(self.draws[keep], self.rows[keep], self.labels[keep], weights)


@dataclass
class _ClassSeen:
    """How much of a class has been seen, and below which draw its rows are kept."""

    rows_seen: int = 0
    weight_seen: float = 0.0
    limit: float = 1.0


@dataclass
class _Sample:
    """Rows that are kept, thinned out whenever they have become too many."""

    most: int
    chunks: list[_Chunk] = field(default_factory=list)
    classes: dict[Label, _ClassSeen] = field(default_factory=dict)

    def of_class(self, label: Label) -> _ClassSeen:
        return self.classes.setdefault(label, _ClassSeen())

    def add(self, chunk: _Chunk) -> None:
        self.chunks.append(chunk)
        if sum(len(own.draws) for own in self.chunks) > 2 * self.most:
            self._thin_out()

    def batch(self) -> Batch:
        if sum(seen.rows_seen for seen in self.classes.values()) > self.most:
            self._thin_out()
        rows = np.concatenate([chunk.rows for chunk in self.chunks])
        labels = np.concatenate([chunk.labels for chunk in self.chunks])
        weights = None
        if (
            any(seen.limit < 1.0 for seen in self.classes.values())
            or self.chunks[0].weights is not None
        ):
            weights = self._weights(labels)
        return read_batch(rows, labels, weights)

    def _thin_out(self) -> None:
        self._lower_limits()
        self.chunks = [
            chunk.only(chunk.draws < self._limits(chunk.labels)) for chunk in self.chunks
        ]

    def _lower_limits(self) -> None:
        """Let classes share the place, the rarest first: none gets more than it needs."""
        left = self.most
        by_size = sorted(self.classes.values(), key=lambda seen: seen.rows_seen)
        for number, seen in enumerate(by_size):
            place = min(seen.rows_seen, left // (len(by_size) - number))
            left -= place
            if seen.rows_seen:
                seen.limit = min(seen.limit, place / seen.rows_seen)

    def _limits(self, labels: AnyArray) -> FloatArray:
        return self._by_class(labels, {label: s.limit for label, s in self.classes.items()})

    def _weights(self, labels: AnyArray) -> FloatArray:
        given = [chunk.weights for chunk in self.chunks]
        weights = np.concatenate(
            [
                np.ones(len(c.draws)) if w is None else w
                for c, w in zip(self.chunks, given, strict=True)
            ]
        )
        factors: dict[Label, float] = {}
        for label, seen in self.classes.items():
            kept = float(weights[labels == label].sum())
            factors[label] = seen.weight_seen / kept if kept and seen.limit < 1.0 else 1.0
        return weights * self._by_class(labels, factors)

    @staticmethod
    def _by_class(labels: AnyArray, values: dict[Label, float]) -> FloatArray:
        found = np.ones(len(labels))
        for label, value in values.items():
            found[labels == label] = value
        return found


def _features(
    part: LabelledPart, taken: AnyArray, encoding: Encoding | None, n_features: int
) -> FloatArray:
    """Return some rows of a part as floats, under the encoding that is wanted."""
    rows: Any = read_rows(part.batch.rows, taken)
    if encoding is not None and part.encoding is not None:
        matrix = reencoding(part.encoding, encoding)
        return rows if matrix is None else rows @ matrix.T
    missing = n_features - rows.shape[1]
    return np.pad(rows, ((0, 0), (0, missing))) if missing else rows
