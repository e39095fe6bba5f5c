"""Moments of a batch: chooses how covariances are stored, and the kernel that sums them."""

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from zerone._data.batch import Batch, ClassGroups, Groups, ListedGroups
from zerone._data.labels import label_list
from zerone._errors import ArgumentError
from zerone._kernels.dense import FeatureError, dense_moments, factored_class_moments
from zerone._kernels.sparse import implicit_class_moments, sparse_class_moments
from zerone._moments.class_moments import ClassMoments
from zerone._moments.moments import Moments
from zerone._typing import IntArray

CovarianceKind: TypeAlias = Literal["auto", "explicit", "implicit", "factored"]

# A d x d matrix of this size takes 8 MB, and solving with it a fraction of a second.
_ALWAYS_EXPLICIT = 1_000
# With more features, sparse rows usually take less memory than two d x d matrices.
_SPARSE_EXPLICIT = 4_000


def batch_moments(
    batch: Batch, covariance: CovarianceKind = "auto", n_jobs: int | None = None
) -> Moments:
    """Return the moments of a batch; see `Moments.from_data` for the parameters."""
    kind = chosen_kind(batch) if covariance == "auto" else covariance
    if kind not in get_args(CovarianceKind):
        raise ArgumentError(
            "covariance", f"got {covariance!r}, expected one of {list(get_args(CovarianceKind))}"
        )
    if kind == "implicit" and not batch.is_sparse:
        raise ArgumentError(
            "covariance",
            "got 'implicit', which stores sparse rows, but X is dense",
            "use 'factored', or pass a scipy.sparse array",
        )
    by_class = moments_of_groups(batch, ClassGroups(batch), kind, n_jobs)
    labels = label_list(batch.classes)
    return Moments(dict(zip(labels, by_class, strict=True)), batch.feature_names)


def moments_of_groups(
    batch: Batch, groups: Groups, kind: CovarianceKind, n_jobs: int | None = None
) -> list[ClassMoments]:
    """Return the moments of groups of rows; ``kind`` is not "auto"."""
    try:
        if kind == "explicit" and not batch.is_sparse:
            return dense_moments(batch.rows, groups, batch.weights, n_jobs)
        kernel = _ONE_BY_ONE[kind]
        return [
            kernel(batch.rows, members, batch.weights)
            if members.size
            else ClassMoments.empty(batch.n_features)
            for members in groups.within(0, batch.rows.shape[0])
        ]
    except FeatureError as error:
        if batch.feature_names is None:
            raise
        name = batch.feature_names[error.feature]
        raise ArgumentError("X", f"feature {name!r} {error.problem}") from None


_ONE_BY_ONE: dict[CovarianceKind, Callable[..., ClassMoments]] = {
    "explicit": sparse_class_moments,
    "implicit": implicit_class_moments,
    "factored": factored_class_moments,
}


def chosen_kind(batch: Batch) -> CovarianceKind:
    """Return the kind of covariance that is cheapest for a batch."""
    # By weight, so that weights equal repeated rows; but rows of small weight are rows, too.
    d, n = batch.n_features, max(batch.n_rows, batch.weight)
    few_rows = d > n and d > _ALWAYS_EXPLICIT
    if batch.is_sparse:
        return "implicit" if few_rows or d > _SPARSE_EXPLICIT else "explicit"
    return "factored" if few_rows else "explicit"


def moments_by_cell(
    batch: Batch,
    cells: IntArray,
    n_cells: int,
    covariance: CovarianceKind = "auto",
    n_jobs: int | None = None,
) -> list[Moments]:
    """Return the moments of every cell, all with the same kind of covariance.

    ``cells`` is the cell of each row, from 0 on; every row is in one cell.
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
