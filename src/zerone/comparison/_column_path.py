"""The section of a report that says how many columns are enough."""

import numpy as np

from zerone import AUCClassifier, Moments, ZeroOneClassifier, feature_path, fold_moments
from zerone.comparison._page import Page, Picture
from zerone.comparison._rows import Split
from zerone.comparison._svg import Chart, ticks
from zerone.estimators._feature_path import FeaturePath

# With fewer columns there is nothing to leave out; more features take longer than a reader waits.
_LEAST_COLUMNS, _MOST_FEATURES = 3, 500


def add_column_path(page: Page, split: Split, *, is_ranking: bool) -> None:
    """Add the best rules of every number of columns, unless there are few columns or very many.

    Parameters
    ----------
    page : Page
    split : Split
        Its training rows are used.
    is_ranking : bool
        Whether the AUC is shown, in place of the error.
    """
    train, encoding = split.train, split.encoding
    n_features = train.X.shape[1]
    n_columns = n_features if encoding is None else len(encoding.columns)
    if n_columns < _LEAST_COLUMNS or n_features > _MOST_FEATURES:
        return
    folds = fold_moments(train.X, train.y, sample_weight=train.weights)
    if any(own.weight == 0 for fold in folds for own in fold.values()):
        return
    named = [Moments(fold, encoding=encoding) for fold in folds]
    path = feature_path(named, AUCClassifier() if is_ranking else ZeroOneClassifier())
    page.heading("How many columns are enough?", link="path")
    page.pictures([path_chart(path, f"{len(train.y):,} rows")])


def path_chart(path: FeaturePath, rows: str) -> Picture:
    """Return the metric against the number of columns.

    Parameters
    ----------
    path : FeaturePath
        With held-out figures.
    rows : str
        Which rows these are.
    """
    points = path.points
    numbers = np.array([float(own.n_columns) for own in points])
    values = np.array([own.held_out for own in points])
    low, high = np.array([own.held_out_interval for own in points]).T
    ends = float(max(low.min(), 0.0)), float(min(high.max(), 1.0))
    across = 1.0, max(float(numbers[-1]), 2.0)
    whole = [own for own in ticks(*across) if own[0].is_integer()]
    chart = Chart(
        across, ends, "number of columns", path.metric, whole, ticks(*ends), (380.0, 260.0)
    )
    chart.area(numbers, low, high, "c1")
    chart.line(numbers, values, "c1")
    chart.points(numbers, values, "c1")
    chosen = points[path.chosen or 0]
    at = np.array([float(chosen.n_columns)])
    chart.points(at, np.array([chosen.held_out]), "c2", radius=6)
    names = ", ".join(chosen.columns[:8]) + (", …" if len(chosen.columns) > 8 else "")
    enough = f"{chosen.n_columns} columns are" if chosen.n_columns > 1 else "One column is"
    told = (
        f"{enough} within one standard error of the best of {points[-1].n_columns}: {names}. "
        f"max_features={chosen.n_columns} fits as many."
    )
    return Picture(
        chart.to_svg(f"{path.metric} of the best rule of every number of columns. {told}"),
        f"The best rule of every number of columns, chosen by the moments of four fifths of {rows} "
        f"and judged by those of the others, in turn, with 95 % intervals. {told}",
        [("line c1", path.metric), ("point c2", "enough")],
    )
