"""Moments of dense rows: one pass for all groups, each around its provisional mean."""

from typing import Any

import numpy as np

from zerone._data.batch import Groups
from zerone._data.windows import read_rows
from zerone._kernels.accumulate import Shifted, shifted_sums
from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import ExplicitCovariance, exact_sum
from zerone._moments.factored import FactoredCovariance
from zerone._typing import FloatArray, IntArray

_SHIFT_ROWS = 256  # rows for the provisional mean
# If all squared means of a group are below this many variances, a shift saves less than a digit.
_NEAR_ZERO = 4.0
# Cancellation costs log10(1 + offset²/variance) digits. Above this ratio a second pass uses the
# mean of the first as its shift.
_OFFSET_TOLERATED = 1e3

_ROWS_AT_ONCE = 64
# Tables with at most this many values are summed without windows and threads.
_SMALL = 2**16


def dense_moments(
    rows: Any, groups: Groups, weights: FloatArray | None, n_jobs: int | None = None
) -> list[ClassMoments]:
    """Return weight, mean and explicit covariance of each group of rows.

    ``rows`` is an ndarray, csr array or ColumnTable of any real type and memory layout; it is
    converted window by window.
    """
    n, d = rows.shape
    sizes = groups.sizes
    present = [index for index, size in enumerate(sizes) if size]
    if n * d <= _SMALL:
        members = groups.within(0, n)
        sums = {index: _sums_at_once(rows, members[index], weights) for index in present}
    else:
        sums = _sums_in_one_pass(rows, groups, weights, present, n_jobs)
    return [
        finish(sums[index]) if size else ClassMoments.empty(d) for index, size in enumerate(sizes)
    ]


def _sums_in_one_pass(
    rows: Any,
    groups: Groups,
    weights: FloatArray | None,
    present: list[int],
    n_jobs: int | None,
) -> dict[int, Shifted]:
    """Return the sums over groups; a second pass follows where the provisional mean was wrong."""
    samples = groups.samples(_SHIFT_ROWS)
    shifts = {index: provisional_mean(read_rows(rows, samples[index])) for index in present}
    sums = shifted_sums(rows, groups, weights, shifts, n_jobs)
    better = {
        index: found.shift + found.offset
        for index, found in sums.items()
        if is_far_off(found, _OFFSET_TOLERATED)
    }
    return sums | shifted_sums(rows, groups, weights, better, n_jobs) if better else sums


def _sums_at_once(rows: Any, group: IntArray, weights: FloatArray | None) -> Shifted:
    """Return the sums over one small group, without windows, threads or samples."""
    block = read_rows(rows, group)
    share = None if weights is None else weights[group]
    total = float(len(block)) if share is None else float(share.sum())

    def mean() -> FloatArray:
        return (np.add.reduce(block) if share is None else share @ block) / total

    with np.errstate(invalid="ignore", over="ignore"):
        first = block[0].copy()
        block -= first
        shift = first + mean()
        require_finite(shift)
        # The shift has been rounded, so its exact difference is subtracted.
        block -= shift - first
        offset = mean()
        if share is not None:
            block *= np.sqrt(share)[:, None]
        return Shifted(total, shift, offset, block.T @ block)


def factored_class_moments(
    rows: Any, members: IntArray, weights: FloatArray | None
) -> ClassMoments:
    """Return weight, mean and factored covariance, which stores the centred rows."""
    chosen = read_rows(rows, members)
    shift = provisional_mean(chosen[:: max(1, members.size // _SHIFT_ROWS)])
    share = np.ones(members.size) if weights is None else weights[members]
    total = float(share.sum())
    share = share / total
    with np.errstate(invalid="ignore", over="ignore"):
        shifted = chosen - shift
        offset = share @ shifted
        require_finite(offset)
        factor = np.sqrt(share)[:, None] * (shifted - offset)
        require_finite_variances((factor**2).sum(axis=0))
    mean, correction = exact_sum(shift, offset)
    return ClassMoments(total, mean, FactoredCovariance(factor), correction)


class FeatureError(ValueError):
    """The values of one feature cannot be used."""

    def __init__(self, feature: int, problem: str) -> None:
        super().__init__(f"X: feature {feature} {problem}")
        self.feature = feature
        self.problem = problem


def provisional_mean(sample: FloatArray) -> FloatArray:
    """Return the mean of a few rows, exact for constant features; zero if that is as good."""
    with np.errstate(invalid="ignore", over="ignore"):
        around_first = sample - sample[0]
        mean = around_first.mean(axis=0)
        variances = np.einsum("ij,ij->j", around_first, around_first) / len(sample) - mean**2
        shift: FloatArray = sample[0] + mean
        require_finite(shift)
        near_zero = bool((shift**2 <= _NEAR_ZERO * variances).all())
    return np.zeros_like(shift) if near_zero else shift


def finish(sums: Shifted) -> ClassMoments:
    """Return the moments for sums around a shift. Overwrites the scatter."""
    scatter, offset = sums.scatter, sums.offset
    with np.errstate(invalid="ignore", over="ignore"):
        # A few rows at a time, so that the matrix passes the cache once.
        for start in range(0, len(scatter), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            scatter[part] /= sums.weight
            scatter[part] -= np.multiply.outer(offset[part], offset)
    require_finite_variances(scatter.diagonal())
    diagonal = np.einsum("ii->i", scatter)
    np.maximum(diagonal, 0.0, out=diagonal)
    mean, correction = exact_sum(sums.shift, offset)
    return ClassMoments(sums.weight, mean, ExplicitCovariance(scatter), correction)


def require_finite(sums: FloatArray) -> None:
    """Raise if a sum over rows shows that a value was not finite."""
    if not np.isfinite(sums).all():
        raise FeatureError(
            int(np.flatnonzero(~np.isfinite(sums))[0]),
            "contains NaN or infinity (or overflows float64); fill missing values first, for "
            "example with sklearn.impute.SimpleImputer",
        )


def require_finite_variances(variances: FloatArray) -> None:
    """Raise if values are so large that their squares are not finite."""
    if not np.isfinite(variances).all():
        raise FeatureError(
            int(np.flatnonzero(~np.isfinite(variances))[0]),
            "has a variance that overflows float64; rescale the feature",
        )


def is_far_off(sums: Shifted, tolerated: float) -> bool:
    """Whether the shift was so far from the mean that digits were lost."""
    require_finite(sums.offset)
    with np.errstate(over="ignore", invalid="ignore"):
        square = sums.offset**2
        variances = sums.scatter.diagonal() / sums.weight - square
    require_finite_variances(variances)
    return bool((square > tolerated * np.maximum(variances, 0.0)).any())
