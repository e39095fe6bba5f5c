"""The moments of each fold, from one pass."""

from numbers import Integral
from typing import Any

from zerone._data.batch import read_batch
from zerone._errors import ArgumentError
from zerone._kernels.batch_moments import moments_by_cell
from zerone._moments.moments import Moments
from zerone._refine.folds import deal
from zerone._refine.row_order import ordered_groups


def fold_moments(
    X: Any, y: Any, *, n_folds: int = 5, sample_weight: Any = None, random_state: Any = 0
) -> list[Moments]:
    """Return the moments of stratified folds, from one pass over the rows.

    Their sum is the moments of all rows; the sum without one fold is the moments of its training
    rows.

    Parameters
    ----------
    X, y, sample_weight : as in `Moments.from_data`
    n_folds : int, default=5
    random_state : int, RandomState instance or None, default=0

    Returns
    -------
    list of Moments

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from zerone import fold_moments
    >>> X, y = load_iris(return_X_y=True)
    >>> folds = fold_moments(X, y, n_folds=3)
    >>> [fold.weight for fold in folds], sum(folds).weight
    ([50.0, 50.0, 50.0], 150.0)
    """
    if isinstance(n_folds, bool) or not isinstance(n_folds, Integral) or n_folds < 2:
        raise ArgumentError("n_folds", f"got {n_folds!r}, expected an integer of at least 2")
    batch = read_batch(X, y, sample_weight)
    groups = ordered_groups(batch)
    folds = deal(batch.codes, batch.weights, int(n_folds), random_state, groups)
    return moments_by_cell(batch, folds, int(n_folds))
