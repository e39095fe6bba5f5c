"""The smallest change of one column that changes the predicted class."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._moments.pair import class_pairs
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.estimators._prediction import outcome_of_rows
from zerone.inspection._row_columns import RowColumn

# How far beyond the threshold a changed row has to be, relative to its score.
_BEYOND = 1e-9
# Of several classes, the pair that decides may change with the row: so many changes are tried.
_MOST_TRIED = 12
_SIZE_OF_CATEGORY = 1.0


@dataclass(frozen=True, eq=False)
class _Changes:
    """One change of a column for every row; infinite where there is none.

    Attributes
    ----------
    column : RowColumn
    sizes : ndarray of shape (n_rows,)
    values : ndarray of shape (n_rows,)
        The new value, a number or a category.
    features : ndarray of shape (n_rows, width)
        The column's features after it.
    """

    column: RowColumn
    sizes: FloatArray
    values: AnyArray
    features: FloatArray


def smallest_flips(
    model: Any, features: Any, columns: list[RowColumn], predicted: IntArray
) -> tuple[AnyArray, AnyArray, FloatArray]:
    """Return column, new value and size of the smallest change that flips each answer.

    Every change is tried: the classifier predicts the changed row.

    Parameters
    ----------
    predicted : ndarray of shape (n_rows,)
        Position of the predicted class of each row.
    """
    n_rows = features.shape[0]
    found = np.full(n_rows, None), np.full(n_rows, None), np.full(n_rows, np.nan)
    changes = list(_all_changes(model, features, columns, predicted))
    if not changes or not n_rows:
        return found
    sizes = np.array([own.sizes for own in changes])
    order = np.argsort(sizes, axis=0, kind="stable")
    is_open = np.ones(n_rows, dtype=bool)
    for rank in range(min(_MOST_TRIED, len(changes))):
        chosen = order[rank]
        is_open &= np.isfinite(sizes[chosen, np.arange(n_rows)])
        rows = np.flatnonzero(is_open)
        if not rows.size:
            break
        flipped = rows[_flips(model, features, changes, chosen, rows)]
        for row in flipped.tolist():
            change = changes[chosen[row]]
            found[0][row], found[1][row] = change.column.name, change.values[row]
            found[2][row] = change.sizes[row]
        is_open[flipped] = False
    return found


def _flips(
    model: Any, features: Any, changes: list[_Changes], chosen: IntArray, rows: IntArray
) -> AnyArray:
    """Return for which rows the chosen change gives another answer."""
    own = features[rows]
    before = outcome_of_rows(model, "predict", own)
    after = own.toarray() if sp.issparse(own) else own.copy()
    for number in np.unique(chosen[rows]):
        of_change = chosen[rows] == number
        change = changes[number]
        after[of_change, change.column.features] = change.features[rows[of_change]]
    found: AnyArray = outcome_of_rows(model, "predict", after) != before
    return found


def _all_changes(
    model: Any, features: Any, columns: list[RowColumn], predicted: IntArray
) -> Iterator[_Changes]:
    """Yield the changes that cross the threshold of one rule each."""
    for rule, (negative, positive) in enumerate(class_pairs(len(model.classes_))):
        concerns = (predicted == negative) | (predicted == positive)
        if not concerns.any():
            continue
        coef = model.coef_[rule]
        scores = np.asarray(features @ coef) + model.intercept_[rule]
        # Of several classes, the pair of the predicted class with a third one may decide.
        side = np.where(predicted == positive, -1.0, 1.0)
        beyond = side * _BEYOND * np.maximum(1.0, np.abs(scores))
        for column in columns:
            change = _change(column, features, coef[column.features], scores, beyond)
            if change is not None:
                sizes = np.where(concerns, change.sizes, np.inf)
                yield _Changes(column, sizes, change.values, change.features)


def _change(
    column: RowColumn, features: Any, coef: FloatArray, scores: FloatArray, target: FloatArray
) -> _Changes | None:
    """Return the smallest change of a column that gives each row a score beyond zero."""
    if isinstance(column.column, CategoryColumn):
        return _of_categories(column, column.column, features, coef, scores, target)
    own = column.column
    if isinstance(own, NumericColumn) and coef[: len(own.value_names)].any():
        return _of_numbers(column, own, features, coef, scores, target)
    return None


def _of_numbers(
    column: RowColumn,
    own: NumericColumn,
    features: Any,
    coef: FloatArray,
    scores: FloatArray,
    target: FloatArray,
) -> _Changes:
    before = column.of(features)
    # A value in place of a missing one takes the mark away.
    rest = scores - before @ coef
    numbers = own.number_of(before)
    if column.is_binary:
        values = np.where(numbers > 0.5, 0.0, 1.0)
        sizes = np.where((rest + values * coef[0]) * target > 0, _SIZE_OF_CATEGORY, np.inf)
    else:
        values = _nearest_crossing(own, coef[: len(own.value_names)], target - rest, numbers)
        sizes = np.abs(values - numbers) / column.deviation
    sizes = np.where(np.isfinite(sizes), sizes, np.inf)
    after = np.zeros_like(before)
    for position, part in enumerate(own.features_of(np.where(np.isfinite(sizes), values, 0.0))):
        after[:, position] = part
    return _Changes(column, sizes, values.astype(object), after)


def _nearest_crossing(
    column: NumericColumn, slopes: FloatArray, goal: FloatArray, numbers: FloatArray
) -> FloatArray:
    """Return the nearest numbers at which a column contributes the goal; infinite if none does.

    Each part of the column is tried: the contribution is a straight line there.
    """
    knots = np.array(column.knots)
    if not len(knots):
        return np.asarray(goal / slopes[0])
    heights = np.stack(column.features_of(knots), axis=1) @ slopes
    low, high = np.append(-np.inf, knots), np.append(knots, np.inf)
    at_low = np.append(-np.sign(slopes[0]) * np.inf if slopes[0] else heights[0], heights)
    at_high = np.append(heights, np.sign(slopes[-1]) * np.inf if slopes[-1] else heights[-1])
    wanted = goal[:, None]
    is_reached = (np.minimum(at_low, at_high) <= wanted) & (wanted <= np.maximum(at_low, at_high))
    starts, start_heights = np.append(knots[0], knots), np.append(heights[0], heights)
    is_level = slopes == 0
    runs = (wanted - start_heights) / np.where(is_level, 1.0, slopes)
    values = np.clip(starts + runs, low, high)
    distances = np.where(is_reached & ~is_level, np.abs(values - numbers[:, None]), np.inf)
    rows, best = np.arange(len(goal)), distances.argmin(axis=1)
    return np.where(np.isfinite(distances[rows, best]), values[rows, best], np.inf)


def _of_categories(
    column: RowColumn,
    own: CategoryColumn,
    features: Any,
    coef: FloatArray,
    scores: FloatArray,
    target: FloatArray,
) -> _Changes | None:
    n_categories = len(own.categories)
    if n_categories < 2:
        return None
    before = column.of(features)
    rest = scores - before @ coef
    # Of the categories that flip the answer, the one that changes the score least.
    after = rest[:, None] + coef[:n_categories]
    flips = after * np.sign(target)[:, None] > np.abs(target)[:, None]
    steps = np.where(flips, np.abs(after - scores[:, None]), np.inf)
    best = steps.argmin(axis=1)
    sizes = np.where(flips.any(axis=1), _SIZE_OF_CATEGORY, np.inf)
    changed = np.zeros_like(before)
    changed[np.arange(len(best)), best] = 1.0
    return _Changes(column, sizes, np.array(own.categories, dtype=object)[best], changed)
