"""Columns that bend, in print: one line for each, with its slopes."""

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from zerone._data.columns.numeric import NumericColumn
from zerone._typing import FloatArray
from zerone.cli._show import visible
from zerone.estimators._feature_statistics import feature_statistics
from zerone.inspection._column_spread import column_covariance
from zerone.inspection._row_columns import RowColumn, columns_of


def bent_columns(model: Any) -> list[RowColumn]:
    """Return the columns of a model that bend."""
    found = columns_of(model)
    return [c for c in found if isinstance(c.column, NumericColumn) and c.column.knots]


def contribution_deviation(model: Any, column: RowColumn) -> float:
    """Return the standard deviation in training of what a column adds to the score.

    NaN where means and deviations of the features are not known.
    """
    known = feature_statistics(model)
    if known is None:
        return float("nan")
    own = column.features
    covariance = column_covariance(column.column, known.means[own], known.deviations[own])
    coef = model.coef_[0, own]
    return float(np.sqrt(max(float(coef @ covariance @ coef), 0.0)))


def print_slopes(columns: list[RowColumn], coef: FloatArray) -> None:
    """Print the slopes of columns that bend, and where they change."""
    table = Table("column that bends", "slopes", box=None, pad_edge=False)
    for own in columns:
        assert isinstance(own.column, NumericColumn), "only columns of numbers bend"
        *slopes, last = coef[own.features][: len(own.column.value_names)].tolist()
        told = [
            f"{slope:.3g} up to {knot:.4g}"
            for slope, knot in zip(slopes, own.column.knots, strict=True)
        ]
        told.append(f"{last:.3g} above")
        if own.column.has_indicator:
            told.append(f"{float(coef[own.features][-1]):+.3g} if it is missing")
        table.add_row(visible(own.name), visible(", ".join(told)))
    console = Console()
    console.print()
    console.print(table)
