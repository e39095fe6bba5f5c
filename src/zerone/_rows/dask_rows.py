"""Rows of a Dask collection, summed and sampled by its workers."""

from collections import Counter
from typing import Any

import numpy as np

from zerone._data.batch import read_batch
from zerone._data.containers import in_memory
from zerone._data.dask_partitions import has_no_rows, per_partition
from zerone._data.labels import label_list
from zerone._data.sample import ClassSampler, SampledPart
from zerone._data.windows import read_rows
from zerone._engines.dask import moments_from_dask
from zerone._moments.moments import Moments
from zerone._rows.array_rows import ArrayRows
from zerone._rows.rows import Rows
from zerone._typing import IntArray, Label


class DaskRows(Rows):
    """The rows of a Dask array or data frame."""

    def __init__(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> None:
        self._given = X, y, sample_weight
        self._classes = classes

    @property
    def given(self) -> tuple[Any, ...]:
        """Rows, labels, weights and classes."""
        return *self._given, self._classes

    def _summed(self) -> Moments:
        return moments_from_dask(*self._given, self._classes)

    def sample(self, max_values: int, random: np.random.RandomState) -> ArrayRows:
        """Return a sample, drawn by the Dask workers."""
        import dask

        seed = random.randint(2**31)
        moments = self.moments()
        sampler = ClassSampler(self._sizes(), max_values // moments.n_features)
        drawn = per_partition(_drawn, *self._given, sampler, seed)
        parts = [part for part in dask.compute(drawn)[0] if part is not None]
        totals = {label: own.weight for label, own in moments.items()}
        return ArrayRows(sampler.joined(parts, totals), is_sample=not sampler.is_whole)

    def _sizes(self) -> dict[Label, int]:
        """Return the number of rows of each class."""
        import dask

        if self._given[2] is None:
            return {label: int(m.weight) for label, m in self.moments().items()}
        # The number of rows does not follow from their weights.
        counts = per_partition(_counted, *self._given)
        return dict(sum(dask.compute(counts)[0], Counter()))


def _counted(rows: Any, labels: Any, weights: Any, number: int) -> Counter[Label]:
    """Return how many rows of each class have a positive weight."""
    present = np.asarray(in_memory(labels)).ravel()[np.asarray(in_memory(weights)).ravel() > 0]
    found, counts = np.unique(present, return_counts=True)
    return Counter(dict(zip(label_list(found), counts.tolist(), strict=True)))


def _drawn(
    rows: Any, labels: Any, weights: Any, number: int, sampler: ClassSampler, seed: int
) -> SampledPart | None:
    """Return some rows of a partition; None if there are none."""
    if has_no_rows(rows, weights):
        return None
    batch = read_batch(rows, labels, weights)

    def read(taken: IntArray) -> Any:
        return batch.rows[taken] if batch.is_sparse else read_rows(batch.rows, taken)

    return sampler.draw(batch, np.random.RandomState([seed, number]), read)
