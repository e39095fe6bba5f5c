"""Rows of numbers whose columns bend."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn.utils import assert_all_finite

from zerone._data.batch import Batch
from zerone._data.bent_array import Parts, encoding_of_array
from zerone._data.encoding import Encoding
from zerone._data.labels import label_list
from zerone._data.sample import ClassSampler
from zerone._errors import ArgumentError
from zerone._kernels.batch_moments import batch_moments
from zerone._moments.moments import Moments
from zerone._rows.array_rows import ArrayRows
from zerone._rows.rows import Rows
from zerone._typing import AnyArray

# Features that are in memory at once while they are summed.
_VALUES_AT_ONCE = 2**23


@dataclass(frozen=True, eq=False)
class BentRows(Rows):
    """Rows in memory; their features, several times as many, are made where they are needed.

    Attributes
    ----------
    straight : ArrayRows
        The numbers as they were given.
    bent : Encoding
    """

    straight: ArrayRows
    bent: Encoding

    @classmethod
    def of(cls, rows: ArrayRows) -> "BentRows":
        """Return rows whose columns bend at quantiles."""
        if rows.batch.is_sparse:
            raise ArgumentError(
                "shapes", "needs dense rows, and X is sparse", "use X.toarray(), or shapes=None"
            )
        straight = replace(rows, batch=rows.batch.with_array())
        batch = straight.batch
        assert_all_finite(batch.rows, input_name="X")
        encoding = encoding_of_array(batch.rows, batch.weights, batch.feature_names)
        return cls(straight, encoding)

    @property
    def classes(self) -> AnyArray:
        """Labels, sorted."""
        return self.straight.classes

    @property
    def encoding(self) -> Encoding:
        """The parts of every column."""
        return self.bent

    @cached_property
    def _parts(self) -> Parts:
        return Parts.of(self.bent)

    def described(self, moments: Moments) -> Moments:
        """Return moments of all features with their encoding."""
        return Moments(dict(moments.items()), encoding=self.bent)

    def _summed(self) -> Moments:
        batch = self.straight.batch
        positions = np.flatnonzero(batch.codes >= 0)
        step = max(1, _VALUES_AT_ONCE // self.bent.n_features)
        found = []
        for start in range(0, len(positions), step):
            own = self._bent(batch.taken(positions[start : start + step]))
            found.append(batch_moments(own, "explicit", self.straight.n_jobs))
        return self.described(sum(found[1:], found[0]))

    def sample(self, max_values: int, random: np.random.RandomState) -> ArrayRows:
        """Return a sample with the features of all parts; see `Rows.sample`."""
        batch = self.straight.batch
        labels = label_list(batch.classes)
        sizes = dict(zip(labels, map(len, batch.members), strict=True))
        sampler = ClassSampler(sizes, max_values // self.bent.n_features)
        if sampler.is_whole:
            return replace(self.straight, batch=self._bent(batch))
        drawn = sampler.draw(batch, random, lambda taken: self._parts.of_rows(batch.rows[taken]))
        totals = {label: own.weight for label, own in self.moments().items()}
        parts = [] if drawn is None else [drawn]
        return ArrayRows(sampler.joined(parts, totals), n_jobs=self.straight.n_jobs, is_sample=True)

    def _bent(self, batch: Batch) -> Batch:
        """Return the features of a batch of straight rows."""
        names = self.bent.feature_names
        return replace(batch, rows=self._parts.of_rows(batch.rows), feature_names=names)
