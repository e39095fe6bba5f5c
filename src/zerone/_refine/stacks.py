"""Several pairs of classes in one array: those with fewer rows get some of weight zero."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from zerone._refine.held_out import HeldOutRows
from zerone._refine.thresholds import bandwidth
from zerone._typing import AnyArray, FloatArray, IntArray

# Numbers of one stack in each of its arrays, which stay in the cache.
_STACKED = 2**17
# In a stack, no pair has so many times more rows than another.
_MORE = 1.3


def stacks_of(sizes: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the positions of pairs that have about equally many rows.

    Parameters
    ----------
    sizes : sequence of int
        Rows of each pair.
    width : int
        Numbers for each row.
    """
    stack: list[int] = []
    for place in np.argsort(sizes, kind="stable").tolist():
        size = sizes[place]
        is_full = (len(stack) + 1) * width * size > _STACKED
        if stack and (is_full or size > _MORE * sizes[stack[0]]):
            yield stack
            stack = []
        stack.append(place)
    if stack:
        yield stack


def padded(arrays: Sequence[AnyArray]) -> AnyArray:
    """Return arrays that differ in the last axis as one, with an axis in front; the rest is 0."""
    size = max(own.shape[-1] for own in arrays)
    result = np.zeros((len(arrays), *arrays[0].shape[:-1], size), arrays[0].dtype)
    for own, array in zip(result, arrays, strict=True):
        own[..., : array.shape[-1]] = array
    return result


def continued(arrays: Sequence[AnyArray]) -> AnyArray:
    """Return the same with the last value of each array in place of zeros."""
    result = padded(arrays)
    for own, array in zip(result, arrays, strict=True):
        own[..., array.shape[-1] :] = array[..., -1:]
    return result


@dataclass(frozen=True, eq=False)
class StackedRows:
    """The held-out rows of several pairs of classes.

    Attributes
    ----------
    splits, signs, weights, units : ndarray of shape (n_pairs, n_rows)
        See `HeldOutRows`; ``units`` is that of each row's class.
    totals : ndarray of shape (n_pairs,)
    positive : ndarray of shape (n_pairs,)
        Weight of the positive rows.
    largest_units : ndarray of shape (n_pairs,)
    bandwidths : ndarray of shape (n_pairs,)
    repeats : ndarray of shape (n_pairs,)
    """

    splits: IntArray
    signs: FloatArray
    weights: FloatArray
    units: FloatArray
    totals: FloatArray
    positive: FloatArray
    largest_units: FloatArray
    bandwidths: FloatArray
    repeats: FloatArray

    @classmethod
    def of(cls, rows: Sequence[HeldOutRows]) -> "StackedRows":
        """Return the rows of some pairs."""
        signs = padded([own.signs for own in rows])
        weights = padded([own.weights for own in rows])
        both = np.array([own.units for own in rows])
        return cls(
            splits=padded([own.splits for own in rows]),
            signs=signs,
            weights=weights,
            units=np.where(signs > 0, both[:, :1], both[:, 1:]),
            totals=weights.sum(axis=1),
            positive=np.vecdot(weights, signs > 0),
            largest_units=both.max(axis=1),
            bandwidths=np.array([bandwidth(own) for own in rows]),
            repeats=np.array([own.repeats for own in rows]),
        )

    @property
    def n_splits(self) -> int:
        """Number of splits, the same for all pairs."""
        return int(self.splits.max()) + 1

    @property
    def signed(self) -> FloatArray:
        """Weights with the signs of the classes."""
        return self.weights * self.signs
