"""What each column adds to the score, as a function of its value."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._data.columns.category import CategoryColumn
from zerone._data.columns.dates import DateColumn
from zerone._data.columns.numeric import NumericColumn
from zerone._typing import AnyArray, FloatArray
from zerone._uncertainty.intervals import student
from zerone.estimators._feature_statistics import FeatureStatistics, feature_statistics
from zerone.estimators._jackknife import Replicates
from zerone.inspection._column_spread import column_covariance
from zerone.inspection._row_columns import RowColumn, columns_of, shown_categories

# Between two knots the interval of a straight line is curved.
_POINTS_OF_PART = 9
_POINTS_OF_DATES = 200
# Of a straight line; as far as values reach that are spread evenly.
_DEVIATIONS_SHOWN = 3**0.5
# Beyond the knots, an outer part is drawn at most this often as long as the other one.
_MOST_LONGER = 3.0


@dataclass(frozen=True, eq=False)
class Shape:
    """What one column adds to the score; zero is its mean in training.

    Attributes
    ----------
    name : str
    values : ndarray
        Rising numbers or dates, of a curve; or names of categories, of bars.
    contributions : ndarray
        At the values.
    low, high : ndarray or None
        Intervals of 95 % for the contributions; None where they are not known.
    deviation : float
        Standard deviation of the contribution over the rows of training.
    knots : tuple of float
        Where the curve bends.
    missing : float or None
        What a missing value adds; of categories it is one of the values.
    """

    name: str
    values: AnyArray
    contributions: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    deviation: float
    knots: tuple[float, ...] = ()
    missing: float | None = None

    @property
    def is_curve(self) -> bool:
        """Whether the values are numbers or dates."""
        return self.values.dtype.kind != "O"


def shapes_of(model: Any, pair: int = 0) -> list[Shape]:
    """Return the shapes of a classifier in main memory, what contributes most first.

    Columns of text and hashed columns have none.

    Parameters
    ----------
    model : fitted classifier
    pair : int, default=0
        The row of ``coef_``.
    """
    n_features = model.coef_.shape[1]
    known = feature_statistics(model) or FeatureStatistics(
        np.zeros(n_features), np.ones(n_features)
    )
    rules = _fold_rules(model)
    found = [_shape(own, model.coef_[pair], known, rules) for own in columns_of(model)]
    return sorted((own for own in found if own is not None), key=lambda own: -own.deviation)


def _fold_rules(model: Any) -> Replicates | None:
    """Return the rules of the folds, from which intervals follow."""
    found = getattr(model, "_fold_rules", None)
    return None if found is None else Replicates(found.rules, found.left_out, found.varies)


def _shape(
    own: RowColumn, coef: FloatArray, known: FeatureStatistics, rules: Replicates | None
) -> Shape | None:
    """Return the shape of a column; None if it has no picture."""
    means, deviations = known.means[own.features], known.deviations[own.features]
    points = _points(own, means, deviations)
    if points is None:
        return None
    values, features = points
    coef, centred = coef[own.features], features - means
    contributions = centred @ coef
    low = high = None
    if rules is not None:
        of_folds = rules.values[:, :-1][:, own.features] @ centred.T
        replicates = Replicates(of_folds, rules.left_out, rules.varies)
        half = student(rules.degrees) * replicates.standard_errors(contributions)
        low, high = contributions - half, contributions + half
    variance = float(coef @ column_covariance(own.column, means, deviations) @ coef)
    column = own.column
    missing = None
    if isinstance(column, NumericColumn | DateColumn) and column.has_indicator:
        missing = float((np.append(column.missing_values, 1.0) - means) @ coef)
    return Shape(
        own.name,
        values,
        contributions,
        low,
        high,
        float(np.sqrt(max(variance, 0.0))),
        column.knots if isinstance(column, NumericColumn) else (),
        missing,
    )


def _points(
    own: RowColumn, means: FloatArray, deviations: FloatArray
) -> tuple[AnyArray, FloatArray] | None:
    """Return values of a column that are shown, and their features; None if it has no picture."""
    column = own.column
    if isinstance(column, CategoryColumn):
        return np.array(shown_categories(column), dtype=object), np.eye(len(means))
    if isinstance(column, NumericColumn):
        if own.is_binary:
            ends = np.array([0.0, 1.0])
            return np.array(["0", "1"], dtype=object), _features(column, ends)
        numbers = _numbers(column, means, deviations)
        return numbers, _features(column, numbers)
    if isinstance(column, DateColumn):
        reach = _DEVIATIONS_SHOWN * deviations[0]
        days = np.linspace(max(means[0] - reach, 0.0), means[0] + reach, _POINTS_OF_DATES)
        features = _features(column, days)
        for place, cycle in enumerate(column.cycles):
            if cycle != "year":
                # Too short to be seen: in place of it its mean.
                waves = slice(1 + 2 * place, 3 + 2 * place)
                features[:, waves] = means[waves]
        dates = ((days + column.origin) * 86400).astype("datetime64[s]")
        return dates, features
    return None


def _features(column: NumericColumn | DateColumn, values: FloatArray) -> FloatArray:
    """Return the features of values, of which none is missing."""
    own = column.features_of(values)
    return np.stack([*own, *[np.zeros(len(values))] * column.has_indicator], axis=1)


def _numbers(column: NumericColumn, means: FloatArray, deviations: FloatArray) -> FloatArray:
    """Return the numbers at which a column is drawn: knots, points between them, and beyond.

    A part beyond the knots is as long as the values there are far away from the knot, the mean of
    their squares over their mean: it never leaves the data.
    """
    if not column.knots:
        reach = _DEVIATIONS_SHOWN * deviations[0]
        return np.array([means[0] - reach, means[0] + reach])
    first, last = column.knots[0], column.knots[-1]
    outer = [
        (distance + deviation**2 / distance if distance > 0 else 0.0)
        for distance, deviation in (
            (first - means[0], deviations[0]),
            (means[len(column.knots)], deviations[len(column.knots)]),
        )
    ]
    longest = max(last - first, _MOST_LONGER * min(outer))
    below, above = (min(own, longest) for own in outer)
    ends = np.array([first - below, *column.knots, last + above])
    steps = np.linspace(0.0, 1.0, _POINTS_OF_PART + 1)[:-1]
    inner = ends[:-1, None] + np.diff(ends)[:, None] * steps
    return np.append(inner.ravel(), ends[-1])
