"""Where a column of numbers bends, and the parts that it is cut into there.

A column with knots k₁ < … < kₘ becomes m + 1 features: min(x, k₁), then x within each interval,
clipped and counted from its start, and last max(x − kₘ, 0). They add up to x. The coefficient of a
part is the slope there, so that any sum of them is a continuous piecewise-linear function; beyond
the data it goes on in a straight line. Only the outer parts grow without a bound: an outlier does
not make the others alike.
"""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from zerone._typing import FloatArray

# Parts of equal numbers of rows at most, and features of a table that come from knots at most;
# chosen on diabetes, german, svmguide3, sonar, magic04 and covtype.
MOST_KNOTS = 8
_MOST_ADDED = 128
# A part needs so many rows.
_ROWS_OF_PART = 10


def knots_of(
    values: FloatArray, weights: FloatArray | None = None, most: int = MOST_KNOTS
) -> tuple[float, ...]:
    """Return where a column bends: at quantiles, or between few distinct values.

    None where there are at most two values, or too few rows. Knots are values of the column, so
    that a weight of two and a row that occurs twice are the same.

    Parameters
    ----------
    values : ndarray
        Missing ones are not finite.
    weights : ndarray, optional
        Of the values, as counts.
    most : int, optional
    """
    known = np.isfinite(values)
    if weights is not None:
        known &= weights > 0
        weights = weights[known].astype(np.float64)
    values = values[known].astype(np.float64)
    total = float(len(values)) if weights is None else float(weights.sum())
    most = min(most, int(total) // _ROWS_OF_PART - 1)
    distinct = np.unique(values)
    if most < 1 or len(distinct) <= 2:
        return ()
    inner = distinct[1:-1]
    if len(inner) > most:
        shares = np.arange(1, most + 1) / (most + 1)
        found = np.quantile(values, shares, weights=weights, method="inverted_cdf")
        inner = np.unique(found[(found > distinct[0]) & (found < distinct[-1])])
    return tuple(inner.tolist())


def may_bend(values: FloatArray) -> bool:
    """Whether a column has more than two values."""
    known = values[np.isfinite(values)]
    return bool(known.size and ((known > known.min()) & (known < known.max())).any())


def knots_per_column(n_columns: int) -> int:
    """Return how many knots each of so many columns that may bend has at most."""
    return max(1, min(MOST_KNOTS, _MOST_ADDED // max(n_columns, 1)))


def joined_knots(one: Iterable[float], other: Iterable[float]) -> tuple[float, ...]:
    """Return knots for two tables: those of both, of too many evenly chosen ones."""
    both = np.unique(np.array([*one, *other]))
    if len(both) > MOST_KNOTS:
        both = both[np.linspace(0, len(both) - 1, MOST_KNOTS).round().astype(np.intp)]
    return tuple(both.tolist())


def parts_of(values: Any, knots: tuple[float, ...]) -> list[Any]:
    """Return the parts of a column; only the column itself if it does not bend."""
    if not knots:
        return [values]
    numbers = np.asarray(values, dtype=np.float64)
    inner = itertools.pairwise(knots)
    return [
        np.minimum(numbers, knots[0]),
        *(np.clip(numbers, low, high) - low for low, high in inner),
        np.maximum(numbers - knots[-1], 0.0),
    ]


def part_names(name: str, knots: tuple[float, ...]) -> tuple[str, ...]:
    """Return the names of the parts."""
    if not knots:
        return (name,)
    shown = _shown(knots)
    inner = itertools.pairwise(shown)
    return (
        f"{name} up to {shown[0]}",
        *(f"{name} from {low} to {high}" for low, high in inner),
        f"{name} above {shown[-1]}",
    )


def _shown(knots: tuple[float, ...]) -> list[str]:
    """Return knots with as few digits as tell them apart, but at least four."""
    for digits in range(4, 17):
        shown = [f"{knot:.{digits}g}" for knot in knots]
        if len(set(shown)) == len(knots):
            return shown
    return [repr(knot) for knot in knots]
