"""Which representation a batch gets, and which kernel computes it."""

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from zerone.moments._class_moments import ClassMoments
from zerone.moments._dense_kernel import (
    FeatureError,
    dense_moments,
    factored_class_moments,
)
from zerone.moments._groups import ClassGroups, Groups
from zerone.moments._sparse_kernel import implicit_class_moments, sparse_class_moments
from zerone.sources import Batch

CovarianceKind: TypeAlias = Literal["auto", "explicit", "implicit", "factored"]

# A d x d matrix of this size costs 8 MB and a fraction of a second to solve with.
_ALWAYS_EXPLICIT = 1_000
# Sparse rows are smaller than two d x d matrices from about here on.
_SPARSE_EXPLICIT = 4_000


def class_moments_of(
    batch: Batch, covariance: CovarianceKind, n_jobs: int | None = None
) -> list[ClassMoments]:
    """Return the moments of each class of a batch, in the order of its classes."""
    kind = chosen_kind(batch) if covariance == "auto" else covariance
    if kind not in get_args(CovarianceKind):
        raise ValueError(
            f"covariance: got {covariance!r}, expected one of {list(get_args(CovarianceKind))}"
        )
    if kind == "implicit" and not batch.is_sparse:
        raise ValueError(
            "covariance: 'implicit' keeps sparse rows, and X is dense; use 'factored', or pass a "
            "scipy.sparse array"
        )
    return moments_of_groups(batch, ClassGroups(batch), kind, n_jobs)


def moments_of_groups(
    batch: Batch, groups: Groups, kind: CovarianceKind, n_jobs: int | None = None
) -> list[ClassMoments]:
    """Return the moments of groups of rows.

    Parameters
    ----------
    batch : Batch
    groups : Groups
    kind : "explicit", "implicit" or "factored"
    n_jobs : int, optional
        Threads over ranges of rows.
    """
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
        raise ValueError(f"X: feature {name!r} {error.problem}") from None


_ONE_BY_ONE: dict[CovarianceKind, Callable[..., ClassMoments]] = {
    "explicit": sparse_class_moments,
    "implicit": implicit_class_moments,
    "factored": factored_class_moments,
}


def chosen_kind(batch: Batch) -> CovarianceKind:
    """Return the representation that is cheapest for a batch."""
    # By weight, so that weights equal repetition; but rows of small weight are there all the same.
    d, n = batch.n_features, max(batch.n_rows, batch.weight)
    few_rows = d > n and d > _ALWAYS_EXPLICIT
    if batch.is_sparse:
        return "implicit" if few_rows or d > _SPARSE_EXPLICIT else "explicit"
    return "factored" if few_rows else "explicit"
