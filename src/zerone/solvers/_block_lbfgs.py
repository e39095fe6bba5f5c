"""L-BFGS for several problems of one shape at once, with one joint evaluation per step."""

from collections.abc import Callable

import numpy as np

from zerone._typing import FloatArray, IntArray

_MEMORY = 8
_SUFFICIENT_DECREASE = 1e-4
_FIRST_STEP = 0.1
# More steps cost time, gain no accuracy on held-out rows, and amplify rounding.
_STALLED = 1e-3
# When no more than this share of the problems runs, the others are left out.
_FEW_RUNNING = 0.7


Function = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def run_block_lbfgs(
    function: Function,
    start: FloatArray,
    *,
    max_evaluations: int,
    solved: float = -np.inf,
    stalled: float = _STALLED,
    first_step: float | None = _FIRST_STEP,
    part: Callable[[IntArray], Function] | None = None,
) -> FloatArray:
    """Minimise each of several functions by L-BFGS; return the best points found.

    The problems are independent: each has its own history and step length. They run together
    because one evaluation of all is one matrix product. A problem whose step did not lower its
    loss enough tries a shorter one while the others continue.

    Parameters
    ----------
    function : callable
        Takes points of shape (n_problems, n_coordinates), returns values (n_problems,) and
        gradients of the shape of the points. Problems may have several axes.
    start : ndarray of shape (n_problems, n_coordinates)
    max_evaluations : int
    solved : float, optional
        A problem whose value is at most this is solved.
    stalled : float, optional
        A problem is also solved when its loss falls by less than this share in a step, or its
        slope promises no more.
    first_step : float or None, optional
        Length of the first step, before any curvature is known; None if the curvature is about
        one in all directions.
    part : callable, optional
        Takes positions on the first axis of the problems and returns the function of these alone.
        With it, problems that are solved are left out as soon as they are many.

    Returns
    -------
    ndarray of shape (n_problems, n_coordinates)
    """
    point = start
    value, gradient = function(point)
    history = _History(start.shape, first_step)
    direction = history.direction(gradient)
    length = np.ones(start.shape[:-1])
    running = value > solved
    result, places = point, np.arange(len(start))
    for _ in range(max_evaluations - 1):
        slope = _dot(gradient, direction)
        trial = point + length[..., None] * direction
        trial_value, trial_gradient = function(trial)
        accepted = trial_value <= value + _SUFFICIENT_DECREASE * length * slope
        accepted &= running
        history.add(trial - point, trial_gradient - gradient, accepted)
        # A solved problem does not move any more: further steps would follow rounding.
        running &= ~(accepted & (value - trial_value < stalled * np.abs(trial_value)))
        running &= ~(accepted & (trial_value <= solved))
        # Nor one that no shorter step could lower by that share.
        running &= accepted | (-slope * length >= stalled * np.abs(value))
        # Rejected steps: go to the minimum of the interpolating parabola, within limits.
        excess = np.maximum(trial_value - value - slope * length, np.finfo(float).tiny)
        parabola = -slope * length**2 / (2 * excess)
        length = np.where(accepted, 1.0, np.clip(parabola, 0.1 * length, 0.5 * length))
        point = np.where(accepted[..., None], trial, point)
        value = np.where(accepted, trial_value, value)
        gradient = np.where(accepted[..., None], trial_gradient, gradient)
        if not running.any():
            break
        direction = np.where(accepted[..., None], history.direction(gradient), direction)
        if part is None:
            continue
        kept = np.flatnonzero(running.any(axis=-1))
        if len(kept) <= _FEW_RUNNING * len(places):
            result = _put(result, places, point)
            places = places[kept]
            function = part(places)
            point, value, gradient = point[kept], value[kept], gradient[kept]
            direction, length, running = direction[kept], length[kept], running[kept]
            history.keep(kept)
    return _put(result, places, point)


def _put(result: FloatArray, places: IntArray, point: FloatArray) -> FloatArray:
    """Return points with those at some places replaced."""
    if len(places) == len(result):
        return point
    result = result.copy()
    result[places] = point
    return result


class _History:
    """The last steps of every problem and how the gradients changed along them."""

    def __init__(self, shape: tuple[int, ...], first_step: float | None) -> None:
        self._first_step = first_step
        self._steps = np.zeros((_MEMORY, *shape))
        self._changes = np.zeros_like(self._steps)
        # 1/(step · change); zero where there is no pair yet, which has no effect.
        self._inverse = np.zeros((_MEMORY, *shape[:-1]))

    def add(
        self,
        step: FloatArray,
        change: FloatArray,
        accepted: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    ) -> None:
        """Remember the accepted steps along which the curvature is positive."""
        curvature = _dot(step, change)
        kept = accepted & (curvature > 1e-10 * _dot(change, change))
        for memory, new in ((self._steps, step), (self._changes, change)):
            memory[:-1, kept] = memory[1:, kept]
            memory[-1, kept] = new[kept]
        self._inverse[:-1, kept] = self._inverse[1:, kept]
        self._inverse[-1, kept] = 1 / curvature[kept]

    def keep(self, chosen: IntArray) -> None:
        """Forget all problems but some, given by their positions on the first axis."""
        self._steps, self._changes = self._steps[:, chosen], self._changes[:, chosen]
        self._inverse = self._inverse[:, chosen]

    def direction(self, gradient: FloatArray) -> FloatArray:
        """Return the quasi-Newton directions, by the two-loop recursion."""
        known = [pair for pair in range(_MEMORY) if self._inverse[pair].any()]
        shares = np.zeros_like(self._inverse)
        descent = -gradient
        for pair in reversed(known):
            shares[pair] = self._inverse[pair] * _dot(self._steps[pair], descent)
            descent -= shares[pair][..., None] * self._changes[pair]
        descent *= self._scale(gradient)[..., None]
        for pair in known:
            back = self._inverse[pair] * _dot(self._changes[pair], descent)
            descent += (shares[pair] - back)[..., None] * self._steps[pair]
        return descent

    def _scale(self, gradient: FloatArray) -> FloatArray:
        """Return the scale of the inverse Hessian: from the last step, or for a first step."""
        tiny = np.finfo(float).tiny
        last = self._inverse[-1] * _dot(self._changes[-1], self._changes[-1])
        first: FloatArray | float = 1.0
        if self._first_step is not None:
            first = self._first_step / np.maximum(np.sqrt(_dot(gradient, gradient)), tiny)
        return np.where(last > 0, 1 / np.maximum(last, tiny), first)


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = np.vecdot(a, b)
    return product
