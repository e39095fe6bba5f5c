"""Rows in memory: NumPy arrays, sparse matrices, frames of numbers."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from zerone._data.batch import Batch
from zerone._kernels.batch_moments import (
    CovarianceKind,
    batch_moments,
    chosen_kind,
    moments_by_cell,
)
from zerone._moments.moments import Moments
from zerone._rows.rows import Rows
from zerone._typing import AnyArray, IntArray


@dataclass(frozen=True, eq=False)
class ArrayRows(Rows):
    """Rows in memory; ``covariance`` and ``n_jobs`` are as in `Moments.from_data`.

    ``is_sample`` says whether these are only some of the rows.
    """

    batch: Batch
    covariance: str = "auto"
    n_jobs: int | None = None
    is_sample: bool = False

    def _summed(self) -> Moments:
        return batch_moments(self.batch, cast(CovarianceKind, self.covariance), self.n_jobs)

    def described(self, moments: Moments) -> Moments:
        """Return moments of these rows with their encoding, of which they have none."""
        return moments

    def moments_by_cell(self, cells: IntArray, n_cells: int) -> list[Moments] | None:
        """Return the moments of each cell from one pass; None if they would not be explicit.

        ``cells`` is the cell of each row, from 0 on.
        """
        if chosen_kind(self.batch) != "explicit":
            return None
        return moments_by_cell(self.batch, cells, n_cells, n_jobs=self.n_jobs)

    def sample(self, max_values: int, random: np.random.RandomState) -> "ArrayRows":
        """Return all rows, as an array that can be read many times."""
        return replace(self, batch=self.batch.with_array())

    @property
    def classes(self) -> AnyArray:
        """Labels, sorted."""
        return self.batch.classes

    def in_memory(self) -> "ArrayRows":
        """Return the same rows as an array that NumPy can read."""
        return self
