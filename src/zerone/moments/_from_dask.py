"""Moments of Dask collections: summed where the partitions are, merged along a tree."""

from typing import Any

import numpy as np

from zerone.moments._moments import Moments
from zerone.sources import dask_parts, dask_width

# Moments that one task merges: a few, so that many workers can, and none holds many matrices.
_MERGED_AT_ONCE = 8
# Two matrices of this size take 4 GB.
_MOST_FEATURES = 2**14


def moments_from_dask(X: Any, y: Any, sample_weight: Any, classes: Any) -> Moments:
    """Return the moments of all partitions; only sums leave the workers.

    Parameters
    ----------
    X, y, sample_weight, classes : as in `Moments.from_data`
    """
    import dask

    if dask_width(X) > _MOST_FEATURES:
        raise ValueError(
            f"X: {X.shape[1]} features are too many for explicit covariances (the most is "
            f"{_MOST_FEATURES}); Moments.from_data keeps the rows of wide data in memory instead"
        )
    summed, merged = dask.delayed(_summed), dask.delayed(_merged)
    partials, number = [], 0
    for group in dask_parts(X, y, sample_weight):
        partials.append(summed(group, number, classes))
        number += len(group)
    while len(partials) > 1:
        partials = [
            merged(partials[start : start + _MERGED_AT_ONCE])
            for start in range(0, len(partials), _MERGED_AT_ONCE)
        ]
    found: Moments | None = partials[0].compute()
    if found is None:
        raise ValueError("X: holds no rows that count; at least one is needed")
    return found


def _summed(parts: list[tuple[Any, Any, Any]], first: int, classes: Any) -> Moments | None:
    """Return the moments of some partitions; None if they have no rows that count."""
    total = None
    for number, (rows, labels, weights) in enumerate(parts, first):
        if rows.shape[0] == 0 or (weights is not None and not np.any(weights != 0)):
            continue
        try:
            found = Moments.from_data(
                rows,
                labels,
                sample_weight=weights,
                classes=classes,
                covariance="explicit",
                n_jobs=1,
            )
        except ValueError as error:
            raise ValueError(f"partition {number}: {error}") from None
        total = found if total is None else total + found
    return total


def _merged(partials: list[Moments | None]) -> Moments | None:
    """Return all moments together."""
    found = [moments for moments in partials if moments is not None]
    return sum(found[1:], found[0]) if found else None
