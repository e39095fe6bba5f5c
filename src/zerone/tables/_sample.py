"""A random sample of a table's rows: all of them if they are few, and all of rare classes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zerone._typing import AnyArray, FloatArray, Label
from zerone.sources import Batch, label_list, read_batch, read_rows, shared_places
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
        batch, codes = part.batch, part.batch.codes
        limits = np.empty(len(batch.classes))
        for code, label in enumerate(label_list(batch.classes)):
            members = np.flatnonzero(codes == code)
            seen = sample.classes.setdefault(label, _ClassSeen())
            seen.rows += len(members)
            seen.weight += float(
                len(members) if batch.weights is None else batch.weights[members].sum()
            )
            limits[code] = seen.limit
        draws = random.random_sample(len(codes))
        taken = np.flatnonzero((codes >= 0) & (draws < limits[codes]))
        if taken.size:
            sample.add(
                _Chunk(
                    draws[taken],
                    encoded_rows(part, taken, encoding, n_features),
                    batch.classes[codes[taken]],
                    np.ones(taken.size) if batch.weights is None else batch.weights[taken],
                    batch.weights is not None,
                )
            )
    return sample.batch()


@dataclass
class _Chunk:
    """Rows that are in the sample so far."""

    draws: FloatArray
    rows: FloatArray
    labels: AnyArray
    weights: FloatArray
    is_weighted: bool

    def only(self, keep: AnyArray) -> "_Chunk":
        if keep.all():
            return self
        kept = (self.draws[keep], self.rows[keep], self.labels[keep], self.weights[keep])
        return _Chunk(*kept, self.is_weighted)


@dataclass
class _ClassSeen:
    """How much of a class has been seen, and below which draw its rows are kept."""

    rows: int = 0
    weight: float = 0.0
    limit: float = 1.0


@dataclass
class _Sample:
    """Rows that are kept, thinned out whenever they have become too many."""

    most: int
    kept: int = 0
    chunks: list[_Chunk] = field(default_factory=list)
    classes: dict[Label, _ClassSeen] = field(default_factory=dict)

    def add(self, chunk: _Chunk) -> None:
        self.chunks.append(chunk)
        self.kept += len(chunk.draws)
        if self.kept > 2 * self.most:
            self._thin_out()

    def batch(self) -> Batch:
        if sum(seen.rows for seen in self.classes.values()) > self.most:
            self._thin_out()
        rows = np.concatenate([chunk.rows for chunk in self.chunks])
        labels = np.concatenate([chunk.labels for chunk in self.chunks])
        weights = np.concatenate([chunk.weights for chunk in self.chunks])
        if any(chunk.is_weighted for chunk in self.chunks) or self._is_thinned:
            return read_batch(rows, labels, weights * self._factors(labels, weights))
        return read_batch(rows, labels)

    @property
    def _is_thinned(self) -> bool:
        return any(seen.limit < 1.0 for seen in self.classes.values())

    def _thin_out(self) -> None:
        """Let classes share the place."""
        seen_classes = list(self.classes.values())
        places = shared_places([seen.rows for seen in seen_classes], self.most)
        for seen, place in zip(seen_classes, places, strict=True):
            seen.limit = min(seen.limit, place / max(seen.rows, 1))
        limits = {label: seen.limit for label, seen in self.classes.items()}
        thinned = [c.only(c.draws < _by_class(c.labels, limits)) for c in self.chunks]
        self.chunks = [chunk for chunk in thinned if chunk.draws.size]
        self.kept = sum(len(chunk.draws) for chunk in self.chunks)

    def _factors(self, labels: AnyArray, weights: FloatArray) -> FloatArray:
        """Return for each row what makes up for the rows of its class that were left out."""
        factors = {}
        for label, seen in self.classes.items():
            kept = float(weights[labels == label].sum())
            factors[label] = seen.weight / kept if kept and seen.limit < 1.0 else 1.0
        return _by_class(labels, factors)


def _by_class(labels: AnyArray, values: dict[Label, float]) -> FloatArray:
    """Return the value of each row's class."""
    found = np.ones(len(labels))
    for label, value in values.items():
        found[labels == label] = value
    return found


def encoded_rows(
    part: LabelledPart, taken: AnyArray, encoding: Encoding | None, n_features: int
) -> FloatArray:
    """Return some rows of a part as floats, with the features that a whole scan ended with."""
    rows: Any = read_rows(part.batch.rows, taken)
    if encoding is not None and part.encoding is not None:
        matrix = reencoding(part.encoding, encoding)
        rows = rows if matrix is None else rows @ matrix.T
    features: FloatArray = np.pad(rows, ((0, 0), (0, n_features - rows.shape[1])))
    return features
