"""Moments of several groups of rows from one pass."""

from zerone._typing import IntArray
from zerone.moments._from_batch import CovarianceKind, chosen_kind, moments_of_groups
from zerone.moments._groups import ListedGroups
from zerone.moments._moments import Moments
from zerone.sources import Batch, label_list


def moments_by_cell(
    batch: Batch,
    cells: IntArray,
    n_cells: int,
    covariance: CovarianceKind = "auto",
    n_jobs: int | None = None,
) -> list[Moments]:
    """Return the moments of every cell; together they are those of all rows.

    Parameters
    ----------
    batch : Batch
    cells : ndarray of shape (n_rows,)
        The cell of each row, from 0 on.
    n_cells : int
    covariance, n_jobs : as in `Moments.from_data`
        One kind for all cells, chosen for all rows together.
    """
    kind = chosen_kind(batch) if covariance == "auto" else covariance
    groups = []
    for member in batch.members:
        own = cells[member]
        groups += [member[own == cell] for cell in range(n_cells)]
    found = moments_of_groups(batch, ListedGroups(groups), kind, n_jobs)
    labels = label_list(batch.classes)
    return [
        Moments(dict(zip(labels, found[cell::n_cells], strict=True)), batch.feature_names)
        for cell in range(n_cells)
    ]
