"""What each held-out row adds to a ranking loss, from which standard errors follow."""

from collections.abc import Sequence

import numpy as np

from zerone._refine.held_out import HeldOutRows, Mask
from zerone._refine.paired_errors import class_errors
from zerone._typing import FloatArray
from zerone.metrics import AUCLoss, RankingLoss


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


def ranking_evidence(
    scores: FloatArray, rows: HeldOutRows, loss: RankingLoss, parts: Sequence[Mask]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return losses of rules in parts of the rows, and errors of the differences to the best.

    Parameters
    ----------
    scores : ndarray of shape (n_rules, n_rows)
    rows : HeldOutRows
    loss : RankingLoss
    parts : sequence of masks
        Whole splits.
    """
    is_auc = isinstance(loss, AUCLoss)
    if is_auc:
        lost, everywhere = np.array([lost_shares(own, rows) for own in scores]), np.zeros(0)
    else:
        found = [lost_parts(own, rows, loss) for own in scores]
        everywhere = np.array([own for own, _ in found])
        lost = np.array([own for _, own in found])
    counts = rows.weights / np.where(rows.signs > 0, *rows.units)
    sides = [rows.signs > 0, rows.signs < 0]
    evidence = []
    for part in parts:
        means = [_means(lost, counts, side & part) for side in sides]
        if is_auc:
            # Both ways of averaging: they differ a little where splits have other shares of the
            # classes.
            losses = (means[0] + means[1]) / 2
        elif part.all():
            losses = everywhere
        else:
            # To first order: what the rows of the part add on average, beside all rows.
            moved = [
                own - _means(lost, counts, side) for own, side in zip(means, sides, strict=True)
            ]
            losses = everywhere + moved[0] + moved[1]
        evidence.append((losses, class_errors(lost[:, part], losses, rows.chosen(part))))
    return evidence


def _means(lost: FloatArray, counts: FloatArray, chosen: Mask) -> FloatArray:
    return np.asarray(lost[:, chosen] @ counts[chosen] / counts[chosen].sum())
