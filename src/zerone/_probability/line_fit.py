"""Straight lines that meet, fitted to the labels of scores: of one rule, or of several at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from zerone._refine.stacks import continued, padded, stacks_of
from zerone._typing import FloatArray, IntArray

# Least and largest slope of the log-odds per unit of score (one within-class deviation).
SLOPES = (1e-3, 1e4)
# Precisions of the prior: of the mean logarithm of the slopes, and of its change from one line to
# the next.
_OF_LEVEL = 24.0
_OF_CHANGE = 3.0
# Of the search: most steps, longest step, least share of a step, and the gain that ends it.
_STEPS = 100
_LONGEST_STEP = 4.0
_SHORTEST_SHARE = 1e-6
_PROMISED = 1e-10


@dataclass(frozen=True, eq=False)
class LineFit:
    """What the lines of a rule are fitted to.

    Attributes
    ----------
    scores, positive, negative : ndarray of shape (n_bins,)
        Scores, and the weight of each class there.
    knots : ndarray of shape (n_lines − 1,)
        Where lines meet.
    reference : float
        One of the knots, whose log-odds have a prior.
    slope : float
        What slopes are expected to be like.
    value : tuple of float
        Mean and precision of the prior of the log-odds at the reference.
    """

    scores: FloatArray
    positive: FloatArray
    negative: FloatArray
    knots: FloatArray
    reference: float
    slope: float
    value: tuple[float, float]

    def solved(self) -> tuple[FloatArray, float]:
        """Return the most likely slopes and the value at the reference."""
        runs, prior, centre = self._runs(), self._prior(), self._centre()
        both = self.positive + self.negative

        def loss(point: FloatArray) -> tuple[float, FloatArray]:
            odds = runs @ np.exp(point[:-1]) + point[-1]
            away = point - centre
            likelihood = self.positive @ odds + both @ log_expit(-odds)
            return float(away @ prior @ away / 2 - likelihood), odds

        point = centre
        value, odds = loss(point)
        for _ in range(_STEPS):
            chance = expit(odds)
            by_point = np.column_stack([runs * np.exp(point[:-1]), np.ones(len(odds))])
            by_odds = by_point.T @ (both * chance - self.positive)
            gradient = by_odds + prior @ (point - centre)
            expected_curvature = (by_point.T * (both * chance * (1 - chance))) @ by_point + prior
            # Slopes are exponentials, which bend the loss once more.
            bend = np.append(by_odds[:-1], 0.0)
            step = -_solved(expected_curvature, bend, gradient)
            promised = -float(gradient @ step)
            share = min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _LONGEST_STEP))
            # The curvature that is used is positive, so a step that is short helps.
            while share > _SHORTEST_SHARE:
                trial, trial_odds = loss(point + share * step)
                if trial <= value - 1e-4 * share * promised:
                    break
                share /= 2
            point, value, odds = point + share * step, trial, trial_odds
            if promised <= _PROMISED or share <= _SHORTEST_SHARE:
                break
        return np.clip(np.exp(point[:-1]), *SLOPES), float(point[-1])

    def _runs(self) -> FloatArray:
        """Return how far each score has gone on every line, counted from the reference."""
        ends = np.concatenate([[-np.inf], self.knots, [np.inf]])
        runs = np.clip(self.scores[:, None], ends[:-1], ends[1:])
        runs -= np.clip(self.reference, ends[:-1], ends[1:])
        return np.asarray(runs)

    def _prior(self) -> FloatArray:
        """Return the prior, a quadratic form of the logarithms of the slopes and of the value."""
        n_lines = len(self.knots) + 1
        changes = np.diff(np.eye(n_lines), axis=0)
        prior = np.zeros((n_lines + 1, n_lines + 1))
        prior[:-1, :-1] = _OF_LEVEL / n_lines**2 + _OF_CHANGE * (changes.T @ changes)
        prior[-1, -1] = self.value[1]
        return prior

    def _centre(self) -> FloatArray:
        return np.append(np.full(len(self.knots) + 1, float(np.log(self.slope))), self.value[0])


def fitted_together(fits: Sequence[LineFit]) -> list[tuple[FloatArray, float]]:
    """Return the slopes and values of several fits; those with equally many lines at once."""
    kinds: dict[int, list[int]] = {}
    for number, own in enumerate(fits):
        kinds.setdefault(len(own.knots), []).append(number)
    found: dict[int, tuple[FloatArray, float]] = {}
    for n_knots, numbers in kinds.items():
        sizes = [len(fits[number].scores) for number in numbers]
        for stack in stacks_of(sizes, n_knots + 2):
            members = [numbers[place] for place in stack]
            solutions = _stack_solved([fits[number] for number in members])
            found.update(zip(members, solutions, strict=True))
    return [found[number] for number in range(len(fits))]


def _stack_solved(fits: Sequence[LineFit]) -> list[tuple[FloatArray, float]]:
    """Return the solutions of fits with equally many lines, by the steps of `LineFit.solved`."""
    if len(fits) == 1:
        return [fits[0].solved()]
    runs = continued([own._runs().T for own in fits])
    positive, negative = padded([own.positive for own in fits]), padded([o.negative for o in fits])
    prior, centre = np.array([own._prior() for own in fits]), np.array([o._centre() for o in fits])
    stack = _Stack(runs, positive, positive + negative, prior, centre)
    point = centre.copy()
    value, odds = stack.losses(point)
    active = np.arange(len(fits))
    for _ in range(_STEPS):
        own = stack.part(active)
        gradient, step = own.newton_step(point[active], odds[active])
        promised = -np.vecdot(gradient, step)
        share = np.minimum(_LONGEST_STEP / np.maximum(np.abs(step).max(axis=1), _LONGEST_STEP), 1.0)
        # The curvature that is used is positive, so a step that is short helps.
        places = np.arange(len(active))
        while places.size:
            trial = point[active[places]] + share[places, None] * step[places]
            values, trial_odds = own.part(places).losses(trial)
            is_short = share[places] / 2 <= _SHORTEST_SHARE
            bound = value[active[places]] - 1e-4 * share[places] * promised[places]
            done = (values <= bound) | is_short
            chosen = active[places[done]]
            point[chosen], value[chosen], odds[chosen] = trial[done], values[done], trial_odds[done]
            places = places[~done]
            share[places] /= 2
        active = active[(promised > _PROMISED) & (share / 2 > _SHORTEST_SHARE)]
        if not active.size:
            break
    slopes = np.clip(np.exp(point[:, :-1]), *SLOPES)
    return list(zip(slopes, point[:, -1].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class _Stack:
    """The problems of several fits, with another axis in front.

    Attributes
    ----------
    runs : ndarray of shape (n_fits, n_lines, n_bins)
    positive, both : ndarray of shape (n_fits, n_bins)
    prior : ndarray of shape (n_fits, n_lines + 1, n_lines + 1)
    centre : ndarray of shape (n_fits, n_lines + 1)
    """

    runs: FloatArray
    positive: FloatArray
    both: FloatArray
    prior: FloatArray
    centre: FloatArray

    def part(self, chosen: IntArray) -> "_Stack":
        """Return some of the fits."""
        if len(chosen) == len(self.runs):
            return self
        arrays = (self.runs, self.positive, self.both, self.prior, self.centre)
        return _Stack(*(own[chosen] for own in arrays))

    def losses(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the losses, and the log-odds of every bin."""
        odds = (np.exp(point[:, None, :-1]) @ self.runs)[:, 0] + point[:, -1:]
        away = point - self.centre
        # log(1 + exp(odds)), by functions that are fast in NumPy.
        softplus = np.maximum(odds, 0.0) + np.log(1.0 + np.exp(-np.abs(odds)))
        likelihood = np.vecdot(self.positive, odds) - np.vecdot(self.both, softplus)
        return np.vecdot((away[:, None] @ self.prior)[:, 0], away) / 2 - likelihood, odds

    def newton_step(self, point: FloatArray, odds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return gradients and steps."""
        chance = 0.5 + 0.5 * np.tanh(0.5 * odds)
        wrong = self.both * chance
        curved = wrong * (1 - chance)
        wrong -= self.positive
        slopes = np.exp(point[:, :-1])
        n_fits, n_lines = slopes.shape
        by_odds = np.empty((n_fits, n_lines + 1))
        by_odds[:, :-1] = slopes * (self.runs @ wrong[..., None])[..., 0]
        by_odds[:, -1] = wrong.sum(axis=1)
        gradient = by_odds + (self.prior @ (point - self.centre)[..., None])[..., 0]
        weighted = self.runs * curved[:, None]
        curvature = np.empty((n_fits, n_lines + 1, n_lines + 1))
        between = slopes[:, :, None] * slopes[:, None, :]
        curvature[:, :-1, :-1] = between * (weighted @ self.runs.swapaxes(1, 2))
        curvature[:, :-1, -1] = curvature[:, -1, :-1] = slopes * weighted.sum(axis=2)
        curvature[:, -1, -1] = curved.sum(axis=1)
        curvature += self.prior
        bend = by_odds
        bend[:, -1] = 0.0
        return gradient, -_all_solved(curvature, bend, gradient)


def _all_solved(expected: FloatArray, bend: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return the steps of `_solved` for several fits."""
    curvature = expected.copy()
    np.einsum("fii->fi", curvature)[...] += bend
    try:
        np.linalg.cholesky(curvature)
    except np.linalg.LinAlgError:
        return np.array([_solved(*own) for own in zip(expected, bend, gradient, strict=True)])
    return np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0], dtype=np.float64)


def _solved(expected: FloatArray, bend: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return a Newton step, or where the curvature is not positive, one of Fisher scoring."""
    try:
        factor = np.linalg.cholesky(expected + np.diag(bend))
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(expected)
    # For so few unknowns NumPy is faster than SciPy, which checks its input.
    return np.asarray(np.linalg.solve(factor.T, np.linalg.solve(factor, gradient)))
