"""Arrays of numbers whose columns bend."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._data.columns.bends import knots_of, knots_per_column, may_bend
from zerone._data.columns.numeric import NumericColumn
from zerone._data.encoding import Encoding
from zerone._typing import AnyArray, FloatArray, IntArray

# Of more values, this many rows show where a column bends.
_SHOWN_ROWS = 2**16


@dataclass(frozen=True, eq=False)
class Parts:
    """Which part of which column each feature is: clip(x, low, high) − base.

    Attributes
    ----------
    source : ndarray of int
        The column of each feature.
    low, high, base : ndarray of shape (n_features,)
    """

    source: IntArray
    low: FloatArray
    high: FloatArray
    base: FloatArray

    @classmethod
    def of(cls, encoding: Encoding) -> "Parts":
        """Return the parts of columns of numbers."""
        source, low, high, base = [], [], [], []
        for position, column in enumerate(encoding.columns):
            assert isinstance(column, NumericColumn), "an array holds numbers"
            knots = column.knots
            source += [position] * (len(knots) + 1)
            low += [-np.inf, *knots]
            high += [*knots, np.inf]
            base += [0.0, *knots]
        return cls(np.array(source), np.array(low), np.array(high), np.array(base))

    def of_rows(self, rows: AnyArray) -> FloatArray:
        """Return the features of rows."""
        features = np.take(rows, self.source, axis=1).astype(np.float64, copy=False)
        np.clip(features, self.low, self.high, out=features)
        features -= self.base
        return features

    def on_device(self, rows: Any, device: Any) -> Any:
        """Return the features of rows on a device, of the type of the rows."""
        xp = device.xp
        low, high, base = (
            xp.astype(device.bring(own), rows.dtype) for own in (self.low, self.high, self.base)
        )
        chosen = xp.take(rows, device.bring(self.source), axis=1)
        return xp.minimum(xp.maximum(chosen, low), high) - base


def encoding_of_array(
    rows: AnyArray, weights: FloatArray | None, names: tuple[str, ...] | None
) -> Encoding:
    """Return an encoding in which the columns of an array bend at quantiles.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
    weights : ndarray of shape (n_rows,) or None
    names : tuple of str or None
        Of the columns.
    """
    n_rows, n_columns = rows.shape
    if n_rows > _SHOWN_ROWS:
        shown = np.linspace(0, n_rows - 1, _SHOWN_ROWS).astype(np.intp)
        rows, weights = rows[shown], None if weights is None else weights[shown]
    most = knots_per_column(sum(map(may_bend, rows.T)))
    if names is None:
        names = tuple(f"feature {number}" for number in range(n_columns))
    columns = tuple(
        NumericColumn(name, knots=knots_of(rows[:, place], weights, most))
        for place, name in enumerate(names)
    )
    return Encoding(columns, strict=True, is_positional=True)
