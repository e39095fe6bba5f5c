"""A random sample of labelled rows that keeps small data and rare classes whole."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.batch import Batch, read_batch
from zerone._data.labels import label_list
from zerone._typing import AnyArray, FloatArray, IntArray, Label


@dataclass(frozen=True, eq=False)
class SampledPart:
    """Rows drawn from one part of the data, an array or a csr array."""

    rows: Any
    labels: AnyArray
    weights: FloatArray | None


class ClassSampler:
    """Draws a sample that keeps rare classes whole.

    Every class gets the same number of rows, if it has that many. Each row is drawn independently,
    so that every part of the data can be sampled on its own machine.

    ``sizes`` are the rows of each class with a positive weight, and ``max_rows`` is the approximate
    size of the sample.
    """

    def __init__(self, sizes: Mapping[Label, int], max_rows: int) -> None:
        wanted = shared_rows(list(sizes.values()), max(1, max_rows))
        self._shares = {
            label: n_wanted / size if size else 0.0
            for (label, size), n_wanted in zip(sizes.items(), wanted, strict=True)
        }

    @property
    def is_whole(self) -> bool:
        """Whether the sample has all rows."""
        return all(share == 1.0 for share in self._shares.values())

    def share(self, label: Label) -> float:
        """Return the share of the rows of a class that is drawn."""
        return self._shares[label]

    def draw(
        self,
        batch: Batch,
        random: np.random.RandomState,
        read: Callable[[IntArray], Any],
    ) -> SampledPart | None:
        """Return the rows drawn from a part, in their order; None if there are none.

        ``read`` returns the rows at given positions of the batch.
        """
        codes = batch.codes
        limits = np.array([self._shares[label] for label in label_list(batch.classes)])
        kept = random.random_sample(len(codes)) < limits[codes]
        if not self.is_whole:
            # A whole sample keeps rows of weight zero, so that positions do not change.
            kept &= codes >= 0
        taken = np.flatnonzero(kept)
        if not taken.size:
            return None
        weights = None if batch.weights is None else batch.weights[taken]
        return SampledPart(read(taken), batch.classes[codes[taken]], weights)

    def joined(self, parts: Iterable[SampledPart], totals: Mapping[Label, float]) -> Batch:
        """Return all parts as one batch, reweighted for the rows that were not drawn.

        ``totals`` holds the total weight of each class over all rows.
        """
        found = list(parts)
        rows = _stacked([part.rows for part in found])
        return read_batch(rows, *self.labels_and_weights(found, totals))

    def labels_and_weights(
        self, parts: Sequence[SampledPart], totals: Mapping[Label, float]
    ) -> tuple[AnyArray, FloatArray | None]:
        """Return labels and weights of all parts, reweighted for the rows that were not drawn."""
        labels = np.concatenate([part.labels for part in parts])
        given = [part.weights for part in parts if part.weights is not None]
        weights = np.concatenate(given) if given else None
        if self.is_whole:
            return labels, weights
        drawn = np.ones(len(labels)) if weights is None else weights
        reweighted = drawn.copy()
        for label, total in totals.items():
            own = labels == label
            if own.any():
                reweighted[own] *= total / drawn[own].sum()
        return labels, reweighted


def shared_rows(sizes: Sequence[int], max_rows: int) -> list[int]:
    """Return how many rows of each class to draw: the same number, or all if there are fewer.

    >>> shared_rows([1000, 3, 80], 100)
    [49, 3, 48]
    """
    shares = [0] * len(sizes)
    by_size = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for number, index in enumerate(by_size):
        shares[index] = min(sizes[index], max_rows // (len(by_size) - number))
        max_rows -= shares[index]
    return shares


def _stacked(tables: list[Any]) -> Any:
    if any(map(sp.issparse, tables)):
        return sp.vstack(tables, format="csr")
    return np.concatenate(tables)
