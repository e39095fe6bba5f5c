"""Standard errors of differences of losses on the same held-out rows."""

import numpy as np

from zerone._refine.held_out import HeldOutRows
from zerone._typing import FloatArray


def paired_error(differences: FloatArray, rows: HeldOutRows) -> float:
    """Return the standard error of a weighted mean of differences; weights are counts."""
    units = np.where(rows.signs > 0, *rows.units)
    centred = differences - np.average(differences, weights=rows.weights)
    share = rows.weights / rows.total
    return float(np.sqrt(rows.repeats * ((share * units / rows.total) @ centred**2)))


def class_errors(parts: FloatArray, losses: FloatArray, rows: HeldOutRows) -> FloatArray:
    """Return standard errors of differences to the best of losses that are means in each class.

    Parameters
    ----------
    parts : ndarray of shape (n_rules, n_rows)
        What each row adds to the loss, apart from a constant for each class.
    """
    counts = rows.weights / np.where(rows.signs > 0, *rows.units)
    differences = parts - parts[int(np.argmin(losses))]
    variance = np.zeros(len(parts))
    for side in (rows.signs > 0, rows.signs < 0):
        total, own = counts[side].sum(), differences[:, side]
        share = counts[side] / total
        variance += (own - (own @ share)[:, None]) ** 2 @ share / total
    return np.asarray(np.sqrt(rows.repeats * variance))
