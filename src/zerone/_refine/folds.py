"""Which rows train and which are held out, in cells of rows that always stay together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from zerone._errors import ArgumentError
from zerone._typing import FloatArray, IntArray

# Number of folds by default.
_N_FOLDS = 5
# Up to this total weight of two classes, on average, every fold is held out once. Above it, two
# held-out folds are enough to compare rules, and save time.
_ALL_HELD_OUT = 20_000.0
_HELD_OUT_OF_MANY = 2
# Up to so many equal rows of a class stay together, so that a weight equals repetition. Of a few
# columns with few values there are many more, and folds of whole groups would lack some values.
_MOST_TOGETHER = 20


@dataclass(frozen=True, eq=False)
class Folds:
    """Splits into training and held-out rows.

    Rows that are on the same side of every split form a cell: the training moments of a split are
    merged from the moments of cells. With k folds, the folds are the cells.

    Attributes
    ----------
    cells : ndarray of shape (n_rows,)
        The cell of each row.
    train, test : tuple of tuples of int
        For every split, the training cells and the held-out cells.
    """

    cells: IntArray
    train: tuple[tuple[int, ...], ...]
    test: tuple[tuple[int, ...], ...]

    @cached_property
    def n_cells(self) -> int:
        """Number of cells."""
        return 1 + max(max(cells) for side in (self.train, self.test) for cells in side if cells)

    @property
    def n_splits(self) -> int:
        """Number of splits, each with its own model."""
        return len(self.train)

    def rows_in(self, cells: Sequence[int]) -> IntArray:
        """Return the positions of the rows of some cells."""
        chosen = np.zeros(max(self.n_cells, int(self.cells.max(initial=0)) + 1), dtype=bool)
        chosen[list(cells)] = True
        return np.flatnonzero(chosen[self.cells])

    def of_rows(self, rows: IntArray) -> "Folds":
        """Return the same splits of some of the rows."""
        return Folds(self.cells[rows], self.train, self.test)

    def usable(self, codes: IntArray, weights: FloatArray | None) -> "Folds | None":
        """Return the splits that train on rows of both classes.

        None if there are fewer than two, or if all held-out rows are of one class.

        Parameters
        ----------
        codes : ndarray of shape (n_rows,)
            0 or 1: the class of each row.
        weights : ndarray of shape (n_rows,) or None
        """
        flat = codes * self.n_cells + self.cells
        present = np.bincount(flat, weights, 2 * self.n_cells).reshape(2, -1)
        trains, tests = (self._used(side) for side in (self.train, self.test))
        is_kept = (trains @ present.T > 0).all(axis=1) & (tests @ present.sum(axis=0) > 0)
        kept = np.flatnonzero(is_kept).tolist()
        held_out = sorted({cell for split in kept for cell in self.test[split]})
        if len(kept) < 2 or not (present[:, held_out].sum(axis=1) > 0).all():
            return None
        if len(kept) == self.n_splits:
            return self
        return Folds(
            self.cells,
            tuple(self.train[split] for split in kept),
            tuple(self.test[split] for split in kept),
        )

    def _used(self, side: tuple[tuple[int, ...], ...]) -> FloatArray:
        """Return by (split, cell) one for the cells of a side, zero for the others."""
        used = np.zeros((self.n_splits, self.n_cells))
        for own, cells in zip(used, side, strict=True):
            own[list(cells)] = 1.0
        return used


def make_folds(
    cv: Any,
    codes: IntArray,
    weights: FloatArray | None,
    random_state: Any,
    groups: IntArray | None = None,
) -> Folds:
    """Return the splits that ``cv`` asks for.

    Parameters
    ----------
    cv : None, int, splitter, or iterable of (train, test)
        None: five random stratified folds. All are held out up to a weight of 20,000 for two
        classes, two of them above that. An integer: all of that many folds.
    codes : ndarray of shape (n_rows,)
        The class of each row, from 0; -1 for a row of weight zero. Splitters do not see these
        rows; positions in ``cv`` count them.
    weights : ndarray of shape (n_rows,) or None
    random_state : int, RandomState instance or None
    groups : ndarray of shape (n_rows,), optional
        Rows of one class and group stay together in the folds of zerone's own; see `deal`.
    """
    if isinstance(cv, bool) or (isinstance(cv, Integral) and cv < 2):
        raise ArgumentError("cv", f"got {cv!r}, expected at least 2 folds")
    n_rows = int(np.sum(codes >= 0))
    if isinstance(cv, Integral) and int(cv) > n_rows:
        raise ArgumentError("cv", f"got {cv} folds for {n_rows} rows", "give fewer folds")
    if cv is None or isinstance(cv, Integral):
        n_folds = _N_FOLDS if cv is None else int(cv)
        total = float(n_rows) if weights is None else float(weights.sum())
        of_two = total * 2 / max(int(codes.max(initial=0)) + 1, 2)
        held_out = n_folds if cv is not None or of_two <= _ALL_HELD_OUT else _HELD_OUT_OF_MANY
        folds = deal(codes, weights, n_folds, random_state, groups)
        return _one_by_one(np.minimum(folds, held_out), held_out)
    if not (hasattr(cv, "split") or isinstance(cv, Iterable)) or isinstance(cv, str):
        raise ArgumentError(
            "cv",
            f"got {cv!r}, expected None, an integer, a splitter, or an iterable of (train, test) "
            "positions",
        )
    if not hasattr(cv, "split"):
        return _from_splits(list(cv), len(codes))
    # Slow to import, and rarely needed.
    from sklearn.model_selection import PredefinedSplit

    known = np.arange(len(codes)) if isinstance(cv, PredefinedSplit) else np.flatnonzero(codes >= 0)
    splits = list(cv.split(np.zeros((len(known), 1)), codes[known]))
    return _from_splits([(known[train], known[test]) for train, test in splits], len(codes))


def deal(
    codes: IntArray,
    weights: FloatArray | None,
    n_folds: int,
    random_state: Any,
    groups: IntArray | None = None,
) -> IntArray:
    """Deal the rows of each class into folds, in the order of their groups or positions.

    The cumulative weight is cut into runs of n_folds, each of which deals every fold once, in an
    order that ``random_state`` draws. A group is dealt as one row of its total weight, and one of
    very many rows in pieces.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        The class of each row, from 0 on; -1 for a row that is absent.
    weights : ndarray of shape (n_rows,) or None
    groups : ndarray of shape (n_rows,), optional
        Their order belongs to the rows, see `row_groups`; without it, that of the positions is
        used, each row by itself.
    """
    random = check_random_state(random_state)
    folds = np.zeros(len(codes), dtype=np.intp)
    dealt = 0
    # Runs at the ends of a class are shared with its neighbours and dealt in one order, so that
    # fold sizes are balanced over all classes, too.
    shared = random.permutation(n_folds)
    for code in range(int(codes.max(initial=-1)) + 1):
        members = np.flatnonzero(codes == code)
        if not members.size:
            continue
        sizes = None if weights is None else weights[members]
        if groups is not None:
            own = _pieces(groups[members], sizes)
            sizes = np.bincount(own, sizes).astype(np.float64)
        turns = _turns(dealt, len(members), sizes)
        orders = random.random_sample((int(turns[-1]) // n_folds + 1, n_folds)).argsort(axis=1)
        orders[[0, -1]] = shared
        dealt_folds = orders.ravel()[turns]
        folds[members] = dealt_folds if groups is None else dealt_folds[own]
        # The next class goes on where this one ends.
        dealt = (dealt + len(turns)) % n_folds
    return folds


def _pieces(groups: IntArray, weights: FloatArray | None) -> IntArray:
    """Return the number of each row's piece: its group, or a part of a large one."""
    _, own = np.unique(groups, return_inverse=True)
    counts = np.bincount(own)
    if counts.max() <= _MOST_TOGETHER:
        return np.asarray(own, dtype=np.intp)
    # Rows of a group differ in nothing but their weights.
    order = np.lexsort((own,) if weights is None else (weights, own))
    ranks = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
    keys = own[order] * len(own) + ranks // _MOST_TOGETHER
    found = np.empty(len(own), dtype=np.intp)
    found[order] = np.unique(keys, return_inverse=True)[1]
    return found


def _turns(first: int, n_groups: int, sizes: FloatArray | None) -> IntArray:
    """Return the turn of each group, from ``first`` on; without sizes all are equal."""
    if sizes is None:
        return np.arange(first, first + n_groups)
    # In turns of the average group, whatever the scale of the weights.
    sizes = sizes / sizes.mean()
    middle = first + np.cumsum(sizes) - sizes / 2
    return np.floor(middle + 1e-9).astype(np.intp)


def _one_by_one(cells: IntArray, held_out: int) -> Folds:
    present = sorted(set(np.flatnonzero(np.bincount(cells)).tolist()) | set(range(held_out)))
    return Folds(
        cells,
        tuple(tuple(cell for cell in present if cell != out) for out in range(held_out)),
        tuple((out,) for out in range(held_out)),
    )


def _from_splits(splits: list[Any], n_rows: int) -> Folds:
    """Return the folds of given splits; rows on the same side of all of them form a cell."""
    if len(splits) < 2:
        used_up = "give a list: a generator can be used only once" if not splits else ""
        raise ArgumentError("cv", f"got {len(splits)} split(s), expected at least 2", used_up)
    sides = np.zeros((n_rows, len(splits)), dtype=np.int8)
    for number, split in enumerate(splits):
        try:
            train, test = split
            trains, tests = _mask(train, n_rows), _mask(test, n_rows)
        except (IndexError, ValueError, TypeError):
            raise ArgumentError(
                "cv",
                f"split {number} is not a pair (train, test) of row positions",
                f"give positions from 0 to {n_rows - 1}, each at most once",
            ) from None
        if not (trains.any() and tests.any()):
            raise ArgumentError("cv", f"split {number} has an empty part", "give rows for both")
        if (trains & tests).any():
            row = int(np.argmax(trains & tests))
            raise ArgumentError(
                "cv", f"split {number} has row {row} in both parts", "leave it out of one"
            )
        sides[trains, number], sides[tests, number] = 1, 2
    patterns, cells = np.unique(sides, axis=0, return_inverse=True)
    return Folds(
        np.asarray(cells, dtype=np.intp).ravel(),
        tuple(tuple(np.flatnonzero(side == 1).tolist()) for side in patterns.T),
        tuple(tuple(np.flatnonzero(side == 2).tolist()) for side in patterns.T),
    )


def _mask(positions: Any, n_rows: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return a mask of rows; raises for positions that are no rows or are repeated."""
    chosen = np.asarray(positions)
    mask = np.zeros(n_rows, dtype=bool)
    if chosen.size == 0:
        return mask
    if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
        raise ValueError
    if chosen.dtype.kind == "b":
        mask[np.flatnonzero(chosen) if len(chosen) == n_rows else [n_rows]] = True
        return mask
    if chosen.min() < 0 or len(np.unique(chosen)) < len(chosen):
        raise ValueError
    mask[chosen] = True
    return mask
