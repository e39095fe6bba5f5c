"""The rows that models are trained on, and smaller parts of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from zerone._data.sample import shared_rows
from zerone._refine.blocks import Block, DenseBlock
from zerone._refine.stacks import padded
from zerone._typing import FloatArray, IntArray

# Where the first row of a part lies, as a share of a step: not a fraction that whole weights reach.
_FIRST = 0.3183098861837907


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Standardised rows of two classes, positive ones first, with weights for several models.

    Of several pairs of classes at once, see `together`, if there is one more axis in front.

    Attributes
    ----------
    block : Block
    signs : ndarray of shape (n_rows,)
        +1 or -1.
    weights : ndarray of shape (n_models, n_rows)
        Zero leaves a row out of a model. The last model has all rows.
    """

    block: Block
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

    def of_pairs(self, chosen: IntArray) -> "TrainingRows":
        """Return the rows of some pairs of classes."""
        return TrainingRows(self.block.of_pairs(chosen), self.signs[chosen], self.weights[chosen])

    def thinned(self, most: float) -> "TrainingRows":
        """Return rows that stand for all of them, with about ``most`` of their total weight.

        Of each class every row is taken at which the weight of the rows so far passes another
        step, as often as it does. So a weight equals repetition as long as repeated rows are
        neighbours. Of the rarer class as many rows as possible are kept.
        """
        if float(self.weights[..., -1, :].sum(axis=-1).max()) <= most:
            return self
        weights = self.weights[-1]
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


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the rows of two classes.

    Attributes
    ----------
    chosen : ndarray of int
        Positions in the list of all of them, positive rows first.
    stands_for : tuple of float
        How many rows a chosen positive and a chosen negative row stand for.
    """

    chosen: IntArray
    stands_for: tuple[float, float] = (1.0, 1.0)

    @property
    def is_whole(self) -> bool:
        """Whether all rows were chosen."""
        return self.stands_for == (1.0, 1.0)

    @classmethod
    def drawn(cls, n_positive: int, n_negative: int, most: int, seed: int) -> "Sample":
        """Return at most ``most`` rows: of the rarer class as many as possible."""
        sizes = (n_positive, n_negative)
        if sum(sizes) <= most:
            return cls(np.arange(sum(sizes)))
        wanted = shared_rows(sizes, most)
        # Of millions of rows the older generator would draw a permutation.
        drawing = np.random.Generator(np.random.MT19937(np.random.RandomState(seed).randint(2**31)))
        parts = [
            start + np.sort(drawing.choice(size, number, replace=False, shuffle=False))
            for start, size, number in zip((0, n_positive), sizes, wanted, strict=True)
        ]
        return cls(np.concatenate(parts), (n_positive / wanted[0], n_negative / wanted[1]))

    def by_cell(self, codes: IntArray, cells: IntArray) -> "Sample":
        """Return the same rows, those of one class and cell as neighbours.

        Parameters
        ----------
        codes : ndarray of shape (n_rows,)
            1 for positive, 0 for negative rows.
        cells : ndarray of shape (n_rows,)
        """
        keys = cells[self.chosen] - (int(cells.max(initial=0)) + 1) * codes[self.chosen]
        if (keys[1:] >= keys[:-1]).all():
            return self
        return replace(self, chosen=self.chosen[np.argsort(keys, kind="stable")])


def is_stackable(rows: TrainingRows) -> bool:
    """Whether rows can be stacked: those that are dense and in double precision."""
    return isinstance(rows.block, DenseBlock) and rows.block.values.dtype == np.float64


def stacked(all_rows: Sequence[TrainingRows]) -> TrainingRows:
    """Return the rows of several pairs of classes as one, with another axis in front."""
    blocks = [own.block for own in all_rows]
    values = padded([own.values for own in blocks if isinstance(own, DenseBlock)])
    signs = padded([own.signs[None] for own in all_rows])
    return TrainingRows(DenseBlock(values), signs, padded([own.weights for own in all_rows]))
