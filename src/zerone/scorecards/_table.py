"""A card from a table of any size: fitted, then made of the rows that the fit was refined on."""

from typing import Any

from sklearn.utils import check_random_state

from zerone._data.table_options import ScanOptions, TableOptions
from zerone._errors import AdviceError
from zerone._rows.table_rows import TableRows
from zerone.estimators._fit_rows import REFINED_VALUES
from zerone.estimators._parameters import Settings
from zerone.scorecards._fit import checked_points, scorecard_of_batch
from zerone.scorecards._scorecard import Scorecard


def scorecard_of_table(model: Any, source: Any, options: TableOptions, points: int) -> Scorecard:
    """Fit a classifier to a table, and return its card.

    Parameters
    ----------
    model : classifier
        It is fitted.
    source, options : as in `Moments.from_table`
    points : int
        Most points of a column.
    """
    most = checked_points(points)
    settings = Settings.of(model)
    rows = TableRows.opened(source, options, ScanOptions(n_jobs=settings.n_jobs))
    if not rows.can_be_sampled:
        raise AdviceError("a card needs rows that can be read again", "write them to a file first")
    model._fit(rows, settings)
    sample = rows.sample(REFINED_VALUES, check_random_state(settings.random_state))
    return scorecard_of_batch(model, sample.batch, most)
