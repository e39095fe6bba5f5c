"""Moments of Dask collections: summed by the workers, merged as a tree."""

from typing import Any

from zerone._data.batch import read_batch
from zerone._data.dask_partitions import dask_width, has_no_rows, per_partition
from zerone._errors import ArgumentError, with_prefix
from zerone._kernels.batch_moments import batch_moments
from zerone._moments.covariance import MOST_FEATURES
from zerone._moments.moments import Moments

# Moments that one task merges: few, so that many workers share the work and memory.
_MERGED_AT_ONCE = 8


def moments_from_dask(X: Any, y: Any, sample_weight: Any, classes: Any) -> Moments:
    """Return the moments of all partitions; only sums leave the workers."""
    import dask

    if dask_width(X) > MOST_FEATURES:
        raise ArgumentError(
            "X",
            f"{X.shape[1]} features are too many for explicit covariances (the most is "
            f"{MOST_FEATURES})",
            "pass a NumPy or sparse array; its rows are stored instead",
        )
    merged = dask.delayed(_merged)
    partials = per_partition(_summed, X, y, sample_weight, classes)
    while len(partials) > 1:
        partials = [
            merged(partials[start : start + _MERGED_AT_ONCE])
            for start in range(0, len(partials), _MERGED_AT_ONCE)
        ]
    found: Moments | None = partials[0].compute()
    if found is None:
        raise ArgumentError(
            "X",
            "all sample weights are zero, or X is empty",
            "at least one row with a positive weight is needed",
        )
    return found


def _summed(rows: Any, labels: Any, weights: Any, number: int, classes: Any) -> Moments | None:
    """Return the moments of a partition; None if it is empty or all its weights are zero."""
    if has_no_rows(rows, weights):
        return None
    try:
        return batch_moments(read_batch(rows, labels, weights, classes), "explicit", 1)
    except ValueError as error:
        raise with_prefix(error, f"partition {number}") from None


def _merged(partials: list[Moments | None]) -> Moments | None:
    """Return the moments of all partitions together."""
    found = [moments for moments in partials if moments is not None]
    return sum(found[1:], found[0]) if found else None
