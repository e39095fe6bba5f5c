"""What each held-out row adds to a ranking loss, from which standard errors follow."""

import numpy as np

from zerone._refine.held_out import HeldOutRows
from zerone._typing import FloatArray
from zerone.metrics import RankingLoss


def lost_shares(scores: FloatArray, rows: HeldOutRows) -> FloatArray:
    """Return for each row which share of the other class in its split it is ordered wrongly to."""
    lost = np.zeros(len(scores))
    counts = rows.weights / np.where(rows.signs > 0, *rows.units)
    for split in range(int(rows.splits.max()) + 1):
        own = rows.splits == split
        for sign in (1.0, -1.0):
            mine, others = own & (rows.signs == sign), own & (rows.signs == -sign)
            if not (mine.any() and others.any()):
                others = rows.signs == -sign
            order = np.argsort(scores[others])
            ordered = scores[others][order]
            below = np.concatenate([[0.0], np.cumsum(counts[others][order])])
            left = np.searchsorted(ordered, scores[mine], "left")
            right = np.searchsorted(ordered, scores[mine], "right")
            share = (below[left] + below[right]) / (2 * below[-1])
            lost[mine] = 1 - share if sign > 0 else share
    return lost


def lost_parts(
    scores: FloatArray, rows: HeldOutRows, loss: RankingLoss
) -> tuple[float, FloatArray]:
    """Return a ranking loss over all splits, and what each row adds to it.

    Unlike pairs within a split, the top of the list needs all rows together.
    """
    _, bins = np.unique(scores, return_inverse=True)
    is_positive = rows.signs > 0
    n_bins = int(bins.max()) + 1
    masses = [
        np.asarray(np.bincount(bins[own], rows.weights[own] / total, n_bins), dtype=np.float64)
        for own, total in ((is_positive, rows.positive), (~is_positive, rows.negative))
    ]
    below = [np.concatenate([[0.0], np.cumsum(mass)]) for mass in masses]
    by_positive, by_negative = loss.lost_parts(*masses)
    found = float(loss.of_roc(np.minimum(below[0], 1.0), np.maximum(1 - below[1], 0.0)))
    return found, np.where(is_positive, by_positive[bins], by_negative[bins])


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
