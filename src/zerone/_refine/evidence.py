"""One evidence for choosing: held-out losses, smoothed, with standard errors of their differences.

Few rows of the rarer class make the count of held-out errors noisy. So a row counts as an error
smoothly, σ(−1.7 y z/h), with a bandwidth h that falls with the weight of the rarer class. Rules are
compared in pairs on the same rows: where two of them err on the same rows, small differences
count, and where they do not, only large ones do.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from zerone._refine.held_out import HeldOutRows
from zerone._typing import FitMetric, FloatArray
from zerone.objectives._smoothed_error import STEEPNESS

# Bandwidth in spreads of the score, for a rarer class of weight one.
_BANDWIDTH = 0.7
_MEDIAN_OF_NORMAL = 0.6745
# A narrower bandwidth would not change a threshold.
_MOST_WEIGHT = 1e6
# How fast the weight of a rule falls with its loss, in standard errors of the difference.
_SLOPE: dict[FitMetric, float] = {"error": 1.5, "auc": 2.0}
# The constant answer shifts the threshold of all others, so it starts with less.
_CONSTANT_WEIGHT = 0.05
# Steps of a bandwidth in which thresholds are searched, and how far, in standard deviations.
_STEPS = 8
_REACH = 8.0
# Bandwidths beyond which a row's error is zero or one.
_TAIL = 6


@dataclass(frozen=True, eq=False)
class HeldOutRule:
    """A whole rule: fitted to all rows, and judged by the rows that its fold models held out.

    Attributes
    ----------
    direction : ndarray of shape (n_coordinates,)
        Of the model of all rows.
    intercept : float
        Added to the score along it.
    scores : ndarray of shape (n_held_out_rows,)
        Every row scored by the model that has not seen it, intercept included.
    """

    direction: FloatArray
    intercept: float
    scores: FloatArray

    def scaled(self, factor: float) -> "HeldOutRule":
        """Return the rule with scores times a factor."""
        return HeldOutRule(self.direction * factor, self.intercept * factor, self.scores * factor)


def bandwidth(rows: HeldOutRows) -> float:
    """Return h, for scores of size one."""
    positive, negative = rows.positive / rows.units[0], rows.negative / rows.units[1]
    rarer = np.clip(min(positive, negative) / rows.repeats, 1.0, _MOST_WEIGHT)
    return float(_BANDWIDTH * rarer ** (-1 / 3))


class ThresholdGrid:
    """Thresholds of least smoothed error for scores of one scale.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Set centre and scale of the grid.
    weights : ndarray of shape (n_rows,)
    h : float
        Bandwidth, for scores of size one.
    """

    def __init__(self, scores: FloatArray, weights: FloatArray, h: float) -> None:
        self._centre = _median(scores, weights)
        step = h / _STEPS
        self._step = _size(scores - self._centre, weights) * step
        self._middle = int(np.ceil(_REACH / step))
        steps = np.arange(-_TAIL * _STEPS - 1, _TAIL * _STEPS + 1)
        kernel = np.diff(expit(STEEPNESS * (steps + 0.5) / _STEPS))
        self._kernel = kernel / kernel.sum()

    def threshold(self, scores: FloatArray, signed_weights: FloatArray) -> float:
        """Return the threshold of least smoothed error.

        Parameters
        ----------
        scores : ndarray of shape (n_rows,)
        signed_weights : ndarray of shape (n_rows,)
            Positive for rows of the positive class.
        """
        smooth = self._smoothed_errors(scores, signed_weights)
        middle = self._middle
        # Among equals the middle of those around the one nearest to the centre, and the centre
        # between two that are equally near: that does not depend on which class is positive.
        tied = smooth <= smooth.min() + 1e-9 * np.abs(signed_weights).sum()
        distances = np.abs(np.flatnonzero(tied) - middle)
        nearest = int(distances.min())
        if nearest > 0 and np.count_nonzero(distances == nearest) == 2:
            return self._centre
        lowest = middle + nearest if tied[middle + nearest] else middle - nearest
        first, last = lowest, lowest
        while first > 0 and tied[first - 1]:
            first -= 1
        while last < 2 * middle and tied[last + 1]:
            last += 1
        place = (first + last) / 2
        if 0 < first == last < 2 * middle:
            left, centre, right = smooth[first - 1 : first + 2].tolist()
            curvature = left - 2 * centre + right
            if curvature > 0:
                place += min(max((left - right) / (2 * curvature), -0.5), 0.5)
        return self._centre + self._step * (place - middle)

    def _smoothed_errors(self, scores: FloatArray, signed_weights: FloatArray) -> FloatArray:
        """Return the smoothed error of a threshold at each point of the grid, up to a constant."""
        middle = self._middle
        # Each row is shared by the two nearest points of the grid: nothing depends on the
        # direction. Whatever is farther out than the reach counts at its ends.
        position = np.clip((scores - self._centre) / self._step, -middle, middle) + middle
        below = np.minimum(position.astype(np.intp), 2 * middle - 1)
        upper = signed_weights * (position - below)
        mass = np.bincount(below, signed_weights - upper, 2 * middle + 1)
        mass[1:] += np.bincount(below, upper, 2 * middle)
        hard = np.cumsum(mass) - mass / 2
        around = np.zeros(_TAIL * _STEPS)
        padded = np.concatenate([around, hard, around + mass.sum()])
        return np.convolve(padded, self._kernel, mode="valid")


def _median(values: FloatArray, weights: FloatArray) -> float:
    """Return the weighted median; the mean of two values that share the middle."""
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    tolerance = 1e-12 * below[-1]
    low = int(np.searchsorted(below, half - tolerance))
    high = int(np.searchsorted(below, half + tolerance))
    return float(values[order[low]] + values[order[min(high, len(order) - 1)]]) / 2


def _size(values: FloatArray, weights: FloatArray) -> float:
    """Return the size of values as a standard deviation, whatever a few outliers are."""
    size = _median(np.abs(values), weights) / _MEDIAN_OF_NORMAL
    if size > 0:
        return size
    root = float(np.sqrt(np.average(values**2, weights=weights)))
    return root if root > 0 else 1.0


def combined(
    rules: list[HeldOutRule], rows: HeldOutRows, metric: FitMetric
) -> tuple[HeldOutRule, FloatArray]:
    """Return the sum of rules, weighted by their held-out evidence, and the weights.

    For the error, the last weight is that of always predicting the larger class.
    """
    scaled = [_of_size_one(rule, rows) for rule in rules]
    if metric == "auc":
        weights = _softmax(*_ranking_evidence(scaled, rows), _SLOPE[metric])
        return _sum(scaled, weights), weights
    if abs(2 * rows.positive - rows.total) <= 1e-9 * rows.total:
        # Of two classes of equal weight neither is the larger.
        weights = np.append(_softmax(*_smooth_evidence(scaled, rows), _SLOPE[metric]), 0.0)
        return _sum(scaled, weights[:-1]), weights
    answer = 1.0 if 2 * rows.positive > rows.total else -1.0
    losses, errors = _error_evidence(scaled, rows, answer)
    starting = np.append(np.ones(len(rules)), _CONSTANT_WEIGHT)
    weights = _softmax(losses, errors, _SLOPE[metric], starting)
    found = _sum(scaled, weights[:-1])
    shift = float(weights[-1]) * answer
    return HeldOutRule(found.direction, found.intercept + shift, found.scores + shift), weights


def _of_size_one(rule: HeldOutRule, rows: HeldOutRows) -> HeldOutRule:
    """Return a rule whose held-out scores have the size one."""
    return rule.scaled(1 / _size(rule.scores, rows.weights))


def _sum(rules: list[HeldOutRule], weights: FloatArray) -> HeldOutRule:
    pairs = list(zip(weights.tolist(), rules, strict=True))
    return HeldOutRule(
        np.sum([weight * rule.direction for weight, rule in pairs], axis=0),
        float(sum(weight * rule.intercept for weight, rule in pairs)),
        np.sum([weight * rule.scores for weight, rule in pairs], axis=0),
    )


def _softmax(
    losses: FloatArray, errors: FloatArray, slope: float, starting: FloatArray | None = None
) -> FloatArray:
    """Return weights that fall with the loss, in standard errors of its difference to the best."""
    excess = losses - losses.min()
    distance = np.divide(excess, errors, out=np.zeros_like(excess), where=errors > 0)
    weights = np.exp(-slope * distance) * (1.0 if starting is None else starting)
    return np.asarray(weights / weights.sum())


def _smooth_evidence(rules: list[HeldOutRule], rows: HeldOutRows) -> tuple[FloatArray, FloatArray]:
    """Return smoothed errors of the rules, and standard errors of the differences to the best."""
    h = bandwidth(rows)
    smooth = np.array([expit(-STEEPNESS * rows.signs * rule.scores / h) for rule in rules])
    losses = smooth @ (rows.weights / rows.total)
    best = int(np.argmin(losses))
    return losses, np.array([_paired_error(own - smooth[best], rows) for own in smooth])


def _error_evidence(
    rules: list[HeldOutRule], rows: HeldOutRows, answer: float
) -> tuple[FloatArray, FloatArray]:
    """Return losses of the rules and of a constant answer, and errors of the differences.

    Smoothing costs a rule some rows near its threshold, and a constant answer none: these two are
    compared by counting errors.
    """
    losses, errors = _smooth_evidence(rules, rows)
    best = int(np.argmin(losses))
    wrong = [(rows.signs * rule.scores <= 0).astype(np.float64) for rule in rules]
    constant = (rows.signs != answer).astype(np.float64)
    gain = float((constant - wrong[best]) @ (rows.weights / rows.total))
    # Half a row of weight one is the least that a count can be off by.
    least = max(rows.units) / rows.total / 2
    against = np.array([max(_paired_error(own - constant, rows), least) for own in wrong])
    losses = np.append(losses, losses[best] + gain)
    return losses, np.append(against, 0.0) if gain < 0 else np.append(errors, against[best])


def _paired_error(differences: FloatArray, rows: HeldOutRows) -> float:
    """Return the standard error of a weighted mean of differences; weights are counts."""
    units = np.where(rows.signs > 0, *rows.units)
    centred = differences - np.average(differences, weights=rows.weights)
    share = rows.weights / rows.total
    return float(np.sqrt(rows.repeats * ((share * units / rows.total) @ centred**2)))


def _ranking_evidence(rules: list[HeldOutRule], rows: HeldOutRows) -> tuple[FloatArray, FloatArray]:
    """Return 1 − AUC of the rules, and errors of the differences to the best (DeLong)."""
    parts = np.array([_lost_shares(rule.scores, rows) for rule in rules])
    sides = [rows.signs > 0, rows.signs < 0]
    counts = rows.weights / np.where(rows.signs > 0, *rows.units)
    # Both ways of averaging: they differ a little where splits have other shares of the classes.
    losses = sum(parts[:, own] @ counts[own] / counts[own].sum() for own in sides) / 2
    differences = parts - parts[int(np.argmin(losses))]
    variance = np.zeros(len(rules))
    for side in sides:
        total, own = counts[side].sum(), differences[:, side]
        share = counts[side] / total
        variance += (own - (own @ share)[:, None]) ** 2 @ share / total
    return losses, np.sqrt(rows.repeats * variance)


def _lost_shares(scores: FloatArray, rows: HeldOutRows) -> FloatArray:
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
