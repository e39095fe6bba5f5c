"""The rows that models are trained on, and smaller parts of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._data.sample import shared_rows
from zerone._refine.standard import DenseBlock, SparseBlock
from zerone._typing import FloatArray, IntArray

# Where the first row of a part lies, as a share of a step: not a fraction that whole weights reach.
_FIRST = 0.3183098861837907


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Standardised rows of two classes, positive ones first, with weights for several models.

    Attributes
    ----------
    block : DenseBlock or SparseBlock
    signs : ndarray of shape (n_rows,)
        +1 or -1.
    weights : ndarray of shape (n_models, n_rows)
        Zero leaves a row out of a model. The last model has all rows.
    """

    block: DenseBlock | SparseBlock
    signs: FloatArray
    weights: FloatArray

    @cached_property
    def n_positive(self) -> int:
        """Number of positive rows."""
        return int(np.count_nonzero(self.signs > 0))

    def part(self, chosen: IntArray, factors: FloatArray | float = 1.0) -> "TrainingRows":
        """Return some of the rows, in rising order, with their weights times factors."""
        return TrainingRows(
            self.block.part(chosen), self.signs[chosen], self.weights[:, chosen] * factors
        )

    def thinned(self, most: float) -> "TrainingRows":
        """Return rows that stand for all of them, with about ``most`` of their total weight.

        Of each class every row is taken at which the weight of the rows so far passes another
        step, as often as it does. So a weight equals repetition as long as repeated rows are
        neighbours. Of the rarer class as many rows as possible are kept.
        """
        weights = self.weights[-1]
        if float(weights.sum()) <= most:
            return self
        parts = [slice(None, self.n_positive), slice(self.n_positive, None)]
        totals = [float(weights[part].sum()) for part in parts]
        rarer = min(*totals, most / 2)
        passed = np.zeros(len(weights))
        for part, total in zip(parts, totals, strict=True):
            step = max(total / (rarer if total == min(totals) else most - rarer), 1.0)
            steps = np.floor(np.cumsum(weights[part]) / step + _FIRST)
            # Kept whole, a row keeps its own weight, too.
            own = np.diff(steps, prepend=0.0) * step if step > 1 else weights[part]
            passed[part] = own
        chosen = np.flatnonzero(passed)
        return self.part(chosen, passed[chosen] / weights[chosen])

    def has_both_classes(self) -> bool:
        """Whether every model has rows of both classes."""
        first = self.n_positive
        sums = [self.weights[:, part].sum(axis=1) for part in (slice(first), slice(first, None))]
        return bool((np.array(sums) > 0).all())


def sampled_members(
    n_positive: int, n_negative: int, most: int, random: np.random.RandomState
) -> tuple[IntArray, FloatArray]:
    """Return positions of at most ``most`` members, in order, and how many rows each stands for.

    As many rows of the rarer class as possible are kept.
    """
    sizes = (n_positive, n_negative)
    if sum(sizes) <= most:
        return np.arange(sum(sizes)), np.ones(sum(sizes))
    wanted = shared_rows(sizes, most)
    parts = [
        start + np.sort(random.choice(size, number, replace=False))
        for start, size, number in zip((0, n_positive), sizes, wanted, strict=True)
    ]
    stands_for = [size / number for size, number in zip(sizes, wanted, strict=True)]
    return np.concatenate(parts), np.repeat(stands_for, wanted)
