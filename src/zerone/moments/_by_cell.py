"""Moments of several groups of rows from one pass."""

from dataclasses import replace

from zerone._typing import IntArray
from zerone.moments._from_batch import CovarianceKind, chosen_kind
from zerone.moments._moments import Moments
from zerone.sources import Batch


def moments_by_cell(
    batch: Batch, cells: IntArray, n_cells: int, covariance: CovarianceKind = "auto"
) -> list[Moments]:
    """Return the moments of every cell; together they are those of all rows.

    Parameters
    ----------
    batch : Batch
    cells : ndarray of shape (n_rows,)
        The cell of each row, from 0 on.
    n_cells : int
    covariance : as in `Moments.from_data`
        One kind for all cells, chosen for all rows together.
    """
    kind = chosen_kind(batch) if covariance == "auto" else covariance
    parts = []
    for cell in range(n_cells):
        members = [member[cells[member] == cell] for member in batch.members]
        parts.append(Moments.from_batch(replace(batch, members=members), kind))
    return parts
