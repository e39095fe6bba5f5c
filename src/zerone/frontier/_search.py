"""Finding the best point of the curve for a metric, and the point with a given rate."""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from zerone._typing import FloatArray
from zerone.frontier._curve import Curve, CurvePoints
from zerone.metrics import RankingLoss, RateLoss

# e^-40 is far below the resolution of θ. A step of a quarter is fine enough: the terms of the curve
# change over distances of more than one in u.
GRID = np.linspace(-40.0, 40.0, 321)
# The loss is stationary at a root, so this gives it sixteen digits.
ROOT_TOLERANCE = 1e-8
# Rates that exceed a limit by less than this keep it.
_KEPT = 1e-9
# Ranking losses are smoother than their slopes: every fourth point of the grid is enough. The
# lowest one is searched from this many minima at most, until it is a parabola at this distance.
_RANKING_STEP = 4
_LOWS = 3
_PARABOLIC = 0.2
_ZOOM = np.linspace(-1.0, 1.0, 17)
_CLOSER = np.array([1 / 8, 1 / 64, 2e-3, 3e-5])
AROUND = np.concatenate([-_CLOSER, [0.0], _CLOSER[::-1]])


def best_coordinate(curve: Curve, metric: RateLoss) -> tuple[float, float]:
    """Return the coordinate of the lowest loss along the curve, and its log loss.

    Along the curve the loss falls exactly where ``slope`` is negative (see `_loss_slope`). Every
    local minimum is a root of it; finding roots is more precise than comparing losses.
    """

    def slope(u: FloatArray) -> FloatArray:
        return _loss_slope(curve.points(u), metric)

    slopes = slope(GRID)
    rises = slopes >= 0
    minima = np.flatnonzero(~rises[:-1] & rises[1:])
    found = [_root(slope, slice(left, left + 2), slopes) for left in minima.tolist()]
    # Also the ends of the grid: the loss may fall all the way to a constant rule.
    candidates = [GRID[0], *found, GRID[-1]]
    points = curve.points(np.array(candidates))
    losses = metric.log_loss(points.z_positive, points.z_negative)
    best = int(np.argmin(losses))
    return float(candidates[best]), float(losses[best])


def coordinate_of_rate(curve: Curve, z: float, *, of_positive: bool) -> float:
    """Return the coordinate where the z of one class equals ``z``.

    z_positive falls and z_negative rises along the curve. If the curve does not reach ``z``, its
    nearer end is returned.
    """

    def excess(u: FloatArray) -> FloatArray:
        points = curve.points(u)
        return z - points.z_positive if of_positive else points.z_negative - z

    values = excess(GRID)
    reached = values >= 0
    if reached[0]:
        return float(GRID[0])
    if not reached.any():
        return float(GRID[-1])
    right = int(np.argmax(reached))
    return _root(excess, slice(right - 1, right + 1), values)


def coordinate_at_limit(curve: Curve, loss: RateLoss) -> float:
    """Return the coordinate of the lowest loss among the points that keep the limit.

    It is a root of the excess or, where the ROC curve is not concave, a minimum within the limit.
    If no point keeps the limit, the one that comes nearest is returned.
    """
    limit = loss.limit
    assert limit is not None, "the caller has looked"

    def excess(u: FloatArray) -> FloatArray:
        points = curve.points(u)
        return limit.log_excess(points.z_positive, points.z_negative)

    def slope(u: FloatArray) -> FloatArray:
        return _loss_slope(curve.points(u), loss)

    values, slopes = excess(GRID), slope(GRID)
    exceeds, rises = values > 0, slopes >= 0
    found = [GRID[0], GRID[-1]]
    for left in np.flatnonzero(exceeds[:-1] != exceeds[1:]).tolist():
        is_rising = bool(exceeds[left + 1])
        own = excess if is_rising else lambda u: -excess(u)
        found.append(_root(own, slice(left, left + 2), values if is_rising else -values))
    allowed = ~(exceeds[:-1] & exceeds[1:])
    inner = np.flatnonzero(~rises[:-1] & rises[1:] & allowed).tolist()
    found += [_root(slope, slice(left, left + 2), slopes) for left in inner]
    candidates = np.sort(np.array(found))
    points = curve.points(candidates)
    over = limit.excess(ndtr(-points.z_positive), ndtr(-points.z_negative))
    losses = loss.log_loss(points.z_positive, points.z_negative)
    allowed = over <= max(float(over.min()), 0.0) + _KEPT
    return float(candidates[np.where(allowed, losses, np.inf).argmin()])


def coordinate_of_ranking(curve: Curve, loss: RankingLoss) -> float | None:
    """Return the coordinate of the lowest ranking loss of normal scores along the curve.

    None if the loss is zero, up to rounding.
    """
    plus, minus = curve.spectrum.share_positive, curve.spectrum.share_negative

    def losses(u: FloatArray) -> FloatArray:
        ratio = curve.solutions(u)[2]
        ratio /= np.abs(ratio).max(axis=1, keepdims=True)
        square = ratio * ratio
        least = np.finfo(float).tiny
        return loss.of_normal_scores(
            ratio @ curve.spectrum.gap,
            np.sqrt(np.maximum(square @ plus, least)),
            np.sqrt(np.maximum(square @ minus, least)),
        )

    grid = GRID[::_RANKING_STEP]
    values = losses(grid)
    if not values.min() > np.finfo(float).tiny:
        return None
    padded = np.concatenate([[np.inf], values, [np.inf]])
    lows = np.flatnonzero((values <= padded[:-2]) & (values <= padded[2:]))
    lows = np.sort(lows[np.argsort(values[lows])][:_LOWS])
    return _lowest(losses, grid[lows], float(grid[1] - grid[0]))


def spread_coordinates(curve: Curve, n_points: int) -> FloatArray:
    """Return rising coordinates that cover the curve where rates differ from 0 and 1.

    Half of them are evenly spaced in z_positive, half in z_negative.
    """
    points = curve.points(GRID)
    by_negative, by_positive = (n_points + 1) // 2, n_points // 2
    return np.sort(
        np.concatenate(
            [
                np.interp(_even(by_negative), points.z_negative, GRID),
                np.interp(_even(by_positive), -points.z_positive, GRID),
            ]
        )
    )


def _even(n: int) -> FloatArray:
    return np.linspace(-8.0, 8.0, n) if n > 1 else np.zeros(n)


def _loss_slope(points: CurvePoints, metric: RateLoss) -> FloatArray:
    """Return a quantity with the sign of the loss's derivative along the curve.

    At each point the rule is stationary for a weighted error, with weights in the ratio of
    φ(z₋)/s₋ to φ(z₊)/s₊. A loss that gives more weight to false negatives becomes lower by going
    back along the curve, where there are fewer of them.
    """
    ratio = metric.log_weight_ratio(points.z_positive, points.z_negative)
    return ratio + points.log_density_ratio


def _lowest(
    function: Callable[[FloatArray], FloatArray], centres: FloatArray, reach: float
) -> float:
    """Return where a function is lowest, near one of its minima on a grid.

    All minima are searched at once: in every round each is the lowest of some points around it. At
    last a parabola through the three lowest points has the minimum.

    Parameters
    ----------
    centres : ndarray
        The minima on the grid, rising.
    reach : float
        Distance of two points of the grid.
    """
    while True:
        around = centres[:, None] + reach * _ZOOM
        order = np.argsort(around, axis=None)
        values = np.empty(around.shape)
        values.flat[order] = function(around.flat[order])
        lows = values.argmin(axis=1)
        if reach < _PARABOLIC:
            break
        centres = np.take_along_axis(around, lows[:, None], axis=1)[:, 0]
        reach *= _ZOOM[-1] - _ZOOM[-2]
    best = int(values.min(axis=1).argmin())
    low = int(np.clip(lows[best], 1, len(_ZOOM) - 2))
    left, middle, right = values[best, low - 1 : low + 2].tolist()
    curvature = left - 2 * middle + right
    share = np.clip((left - right) / (2 * curvature), -1.0, 1.0) if curvature > 0 else 0.0
    return float(around[best, low] + share * reach * (_ZOOM[-1] - _ZOOM[-2]))


def _root(
    function: Callable[[FloatArray], FloatArray], between: slice, values: FloatArray
) -> float:
    """Return where a function becomes positive between two points of the grid.

    Ten points cost as much as one: several are evaluated around the root of each secant, so that
    the bracket becomes thousands of times shorter.

    Parameters
    ----------
    values : ndarray
        Of the function on the whole grid.
    """
    left, right = (float(end) for end in GRID[between])
    below, above = (float(value) for value in values[between])
    while right - left > ROOT_TOLERANCE:
        width = right - left
        rise = above - below
        share = -below / rise if math.isfinite(rise) else 0.5
        inner = np.minimum(np.maximum(left + width * (share + AROUND), left), right)
        # As Python numbers, which is faster for a few points.
        for point, value in zip(inner.tolist(), function(inner).tolist(), strict=True):
            if value >= 0:
                right, above = point, value
                break
            left, below = point, value
        if right - left >= width:
            break  # neighbours in float64
    return left if -below < above else right
