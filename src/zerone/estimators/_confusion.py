"""Which pairs of many classes are worth refining: those whose rows the rules of moments confuse."""

import numpy as np

from zerone._data.batch import Batch
from zerone._moments.pair import class_pairs
from zerone._probability.pairwise import PairwiseVote
from zerone._typing import FloatArray, IntArray

# Up to so many pairs, all of them are refined; of more, as many of those that are confused most.
FEW_PAIRS = 60
# The others are refined if at least this weight of rows is near to both classes.
_LEAST_CONFUSED = 5.0
# Of more than so many pairs, one is polished if its frontier loses more than this weight of
# held-out rows.
MANY_PAIRS = 100
LEAST_LOST = 2.0
# A class is a rival of a row if its sum of probabilities, which can be as large as the number of
# the other classes, is at most this far below that of the row's own class.
_NEAR = 1.5
# Rows whose sums are made at once.
_BLOCK_VALUES = 2**22


def pairs_to_refine(
    vote: PairwiseVote, batch: Batch, coef: FloatArray, intercept: FloatArray
) -> list[bool]:
    """Return for every pair whether rows are near enough to both of its classes.

    A pair whose rows are all far from the other class gains nothing from refinement.

    Parameters
    ----------
    vote : PairwiseVote
        Of the rules of the moments.
    batch : Batch
    coef, intercept : ndarray
        Of these rules.
    """
    confusion = _confusion(vote, batch, coef, intercept).round(9)
    # Equal pairs stay in the order of their classes, whatever the sorting.
    order = np.argsort(-confusion, kind="stable")
    chosen = confusion >= _LEAST_CONFUSED
    chosen[order[:FEW_PAIRS]] = True
    return [bool(own) for own in chosen & (confusion > 0)]


def _confusion(
    vote: PairwiseVote, batch: Batch, coef: FloatArray, intercept: FloatArray
) -> FloatArray:
    """Return how much weight of each pair's rows has the other class as a rival."""
    n_classes = vote.n_classes
    confusion = np.zeros((n_classes, n_classes))
    codes = batch.codes
    step = max(1, _BLOCK_VALUES // max(batch.n_features, n_classes))
    for start in range(0, len(codes), step):
        block = slice(start, start + step)
        present = np.flatnonzero(codes[block] >= 0)
        own: IntArray = codes[block][present]
        sums = _sums(vote, batch.rows[block][present], coef, intercept)
        away = sums[np.arange(len(own)), own][:, None] - sums
        near = np.clip(1 - away / _NEAR, 0.0, 2.0)
        if batch.weights is not None:
            near *= batch.weights[block][present][:, None]
        for label in range(n_classes):
            confusion[label] += near[own == label].sum(axis=0)
    confusion += confusion.T.copy()
    return np.array([confusion[pair] for pair in class_pairs(n_classes)])


def _sums(
    vote: PairwiseVote, rows: np.ndarray, coef: FloatArray, intercept: FloatArray
) -> FloatArray:
    if isinstance(rows, np.ndarray):
        return vote.sums_of_rows(np.asarray(rows, dtype=np.float64), coef, intercept)
    return vote.sums(rows @ coef.T + intercept)
