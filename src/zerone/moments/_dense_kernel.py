"""Moments of dense rows: blocks that fit the cache, shifted by a provisional class mean."""

from typing import Protocol

import numpy as np

from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.moments._arrays import exact_sum
from zerone.moments._class_moments import ClassMoments
from zerone.moments._explicit import ExplicitCovariance
from zerone.moments._factored import FactoredCovariance


class Rows(Protocol):
    """All that the kernel needs of an array: its shape and some of its rows."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of rows and features."""
        ...

    def __getitem__(self, members: IntArray, /) -> AnyArray:
        """Return the rows at some positions, as a dense array of their own."""
        ...


_SHIFT_ROWS = 256  # rows that the provisional mean is taken from
_BLOCK_VALUES = 2**17  # values per block: one MiB of float64
_BLOCK_ROWS_MINIMUM = 512
# Cancellation costs log10(1 + offset²/variance) digits; past this ratio a second pass with
# the mean of the first as its shift is cheaper than wrong digits.
_OFFSET_TOLERATED = 1e3


def dense_class_moments(rows: Rows, members: IntArray, weights: FloatArray | None) -> ClassMoments:
    """Return weight, mean and explicit covariance of some rows of a dense array.

    Parameters
    ----------
    rows : ndarray, or anything with its shape and row indexing
    members : ndarray of int
        Which rows to use, ascending.
    weights : ndarray of shape (n_rows,) or None
    """
    shift = provisional_mean(rows, members)
    total, offset, scatter = _shifted_sums(rows, members, weights, shift)
    require_finite(offset)
    with np.errstate(over="ignore", invalid="ignore"):
        variances = scatter.diagonal() / total - offset**2
    require_finite_variances(variances)
    if (offset**2 > _OFFSET_TOLERATED * np.maximum(variances, 0.0)).any():
        shift = shift + offset
        total, offset, scatter = _shifted_sums(rows, members, weights, shift)
    return finish(total, shift, offset, scatter)


def factored_class_moments(
    rows: Rows, members: IntArray, weights: FloatArray | None
) -> ClassMoments:
    """Return weight, mean and factored covariance: the centred rows themselves."""
    shift = provisional_mean(rows, members)
    share = np.ones(members.size) if weights is None else weights[members]
    total = float(share.sum())
    share = share / total
    with np.errstate(invalid="ignore", over="ignore"):
        shifted = rows[members].astype(np.float64, copy=False) - shift
        offset = share @ shifted
        require_finite(offset)
        factor = np.sqrt(share)[:, None] * (shifted - offset)
        require_finite_variances((factor**2).sum(axis=0))
    mean, correction = exact_sum(shift, offset)
    return ClassMoments(total, mean, FactoredCovariance(factor), correction)


class FeatureError(ValueError):
    """Something is wrong with the values of one feature."""

    def __init__(self, feature: int, problem: str) -> None:
        super().__init__(f"X: feature {feature} {problem}")
        self.feature = feature
        self.problem = problem


def provisional_mean(rows: Rows, members: IntArray) -> FloatArray:
    """Return the mean of a few rows spread over the class, exact for constant features."""
    spread = members[:: max(1, members.size // _SHIFT_ROWS)][:_SHIFT_ROWS]
    sample = rows[spread].astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        shift: FloatArray = sample[0] + (sample - sample[0]).mean(axis=0)
    require_finite(shift)
    return shift


def finish(
    total: float, shift: FloatArray, offset: FloatArray, scatter: FloatArray
) -> ClassMoments:
    """Turn sums around a shift into moments around the mean. Overwrites ``scatter``."""
    with np.errstate(invalid="ignore", over="ignore"):
        scatter /= total
        scatter -= np.multiply.outer(offset, offset)
    require_finite_variances(scatter.diagonal())
    diagonal = np.einsum("ii->i", scatter)
    np.maximum(diagonal, 0.0, out=diagonal)
    mean, correction = exact_sum(shift, offset)
    return ClassMoments(total, mean, ExplicitCovariance(scatter), correction)


def require_finite(sums: FloatArray) -> None:
    """Raise if a sum over rows shows that one of them was not finite."""
    if not np.isfinite(sums).all():
        raise FeatureError(
            int(np.flatnonzero(~np.isfinite(sums))[0]),
            "contains NaN or infinity (or overflows float64); fill missing values first, for "
            "example with sklearn.impute.SimpleImputer",
        )


def require_finite_variances(variances: FloatArray) -> None:
    """Raise if finite rows are so large that their squares are not."""
    if not np.isfinite(variances).all():
        raise FeatureError(
            int(np.flatnonzero(~np.isfinite(variances))[0]),
            "has a variance that overflows float64; rescale it",
        )


def _shifted_sums(
    rows: Rows, members: IntArray, weights: FloatArray | None, shift: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return total weight, mean − shift, and the second moment around the shift, unnormalised."""
    d = rows.shape[1]
    block_rows = min(max(_BLOCK_ROWS_MINIMUM, _BLOCK_VALUES // d), members.size)
    buffer = np.empty((block_rows, d))
    ones = np.ones(block_rows)
    product = np.empty((d, d))
    scatter = np.zeros((d, d))
    sums = np.zeros(d)
    total = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        for start in range(0, members.size, block_rows):
            chosen = members[start : start + block_rows]
            block = buffer[: chosen.size]
            np.subtract(rows[chosen], shift, out=block)
            if weights is None:
                root, amount = ones[: chosen.size], float(chosen.size)
            else:
                root = np.sqrt(weights[chosen])
                amount = float(weights[chosen].sum())
                block *= root[:, None]
            total += amount
            sums += root @ block
            np.matmul(block.T, block, out=product)
            scatter += product
    return total, sums / total, scatter
