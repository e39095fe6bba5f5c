"""A smoothed loss of the two error rates of rows; at a limit the threshold moves along."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._typing import FloatArray
from zerone.metrics import Limit, RateLoss
from zerone.objectives._score_grid import class_shares
from zerone.objectives._smoothed_error import STEEPNESS

# Newton steps to the threshold at a limit. Most evaluations need one or two.
_STEPS = 30
_KEPT = 1e-8
# The first threshold is the best one of a grid; bandwidths beyond the scores that it reaches.
_GRID = 65
_BEYOND = 3.0


@dataclass(eq=False)
class SmoothedRates:
    r"""A loss of the smoothed rates, :math:`L(m, a)`.

    .. math::
        m = \sum_{i \in +} \omega_i\, \sigma\Bigl(-1.7\, \frac{z_i - t}{h}\Bigr), \qquad
        a = \sum_{j \in -} \omega_j\, \sigma\Bigl(1.7\, \frac{z_j - t}{h}\Bigr)

    for several models at once, with weights ω that add up to one in each class. Without a limit the
    threshold t is zero. With one, t is where the smoothed rates just keep it: it moves with the
    scores, and the slopes say so.

    Parameters
    ----------
    n_positive : int
        Number of positive rows, which come first; the others are negative.
    weights : ndarray of shape (n_models, n_rows)
        Zero leaves a row out.
    bandwidth : float
        h, in the units of the scores.
    loss : RateLoss
    thresholds : ndarray of shape (n_models,), optional
        Where the search for t starts; then the last t. By default the best of a coarse grid.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone.metrics import chosen_metric
    >>> from zerone.objectives import SmoothedRates
    >>> f1 = chosen_metric("f1").loss((0.5, 0.5))
    >>> loss = SmoothedRates(1, np.ones((1, 2)), 0.01, f1)
    >>> values, slopes = loss.value_and_slopes(np.array([[0.3, 0.2]]))
    >>> values.round(4).tolist()  # one true and one false positive: F1 is 2/3
    [0.3333]
    """

    n_positive: int
    weights: FloatArray
    bandwidth: float
    loss: RateLoss
    thresholds: FloatArray | None = None

    def value_and_slopes(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each model's loss and its derivatives with respect to the scores.

        Parameters
        ----------
        scores : ndarray of shape (n_models, n_rows)
            With a limit a constant added to them changes nothing.
        """
        limit = self.loss.limit
        if limit is None:
            thresholds = np.zeros(len(scores))
        else:
            if self.thresholds is None:
                self.thresholds = self._first_thresholds(scores)
            thresholds = self.thresholds = self._at_limit(scores, self.thresholds, limit)
        above, density = self._counted(scores - thresholds[:, None])
        rates, densities = self._rates(above, density)
        values = self.loss.losses(*rates)
        by_fnr, by_fpr = own = self.loss.slopes(*rates)
        if limit is not None:
            # The threshold moves with the scores so that the limit is kept. What is left of the
            # excess counts as the threshold would have to move.
            multiplier = self.loss.multiplier(own, *densities)
            values = values + multiplier * limit.excess(*rates)
            by_fnr = by_fnr + multiplier * limit.positive
            by_fpr = by_fpr + multiplier * limit.negative
        slopes = density
        slopes[:, : self.n_positive] *= -by_fnr[:, None]
        slopes[:, self.n_positive :] *= by_fpr[:, None]
        return values, slopes

    def _counted(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each row's part of the weight above zero, and its derivative by the score."""
        rate = STEEPNESS / (2 * self.bandwidth)
        above = np.tanh(scores * rate)
        density = (1.0 - above * above) * self._shares
        density *= 0.5 * rate
        above += 1.0
        above *= 0.5
        above *= self._shares
        return above, density

    def _rates(
        self, above: FloatArray, density: FloatArray
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Return the two rates, and the densities of the classes at the threshold."""
        first, rest = slice(None, self.n_positive), slice(self.n_positive, None)
        found, wrong = above[:, first].sum(axis=1), above[:, rest].sum(axis=1)
        fnr = np.clip(1 - found, 0.0, 1.0)
        return (fnr, np.clip(wrong, 0.0, 1.0)), (
            density[:, first].sum(axis=1),
            density[:, rest].sum(axis=1),
        )

    def _at_limit(self, scores: FloatArray, start: FloatArray, limit: Limit) -> FloatArray:
        """Return the thresholds where the smoothed rates just keep the limit, by Newton steps."""
        thresholds = start
        for _ in range(_STEPS):
            rates, densities = self._rates(*self._counted(scores - thresholds[:, None]))
            excess = limit.excess(*rates)
            # By how much the excess falls when the threshold rises.
            falls = limit.negative * densities[1] - limit.positive * densities[0]
            if (np.abs(excess) <= _KEPT).all():
                break
            step = np.divide(excess, falls, out=np.zeros_like(excess), where=np.abs(falls) > 1e-12)
            thresholds = thresholds + np.clip(step, -self.bandwidth, self.bandwidth)
        return thresholds

    def _first_thresholds(self, scores: FloatArray) -> FloatArray:
        """Return thresholds of a coarse grid: the lowest loss that keeps the limit."""
        limit = self.loss.limit
        assert limit is not None, "the caller has looked"
        beyond = _BEYOND * self.bandwidth
        grid = np.linspace(scores.min(axis=1) - beyond, scores.max(axis=1) + beyond, _GRID)
        losses = np.empty_like(grid)
        for row, thresholds in enumerate(grid):
            rates, _ = self._rates(*self._counted(scores - thresholds[:, None]))
            excess = limit.excess(*rates)
            losses[row] = np.where(excess <= 0, self.loss.losses(*rates), 1 + excess)
        return np.asarray(np.take_along_axis(grid, losses.argmin(axis=0)[None], axis=0)[0])

    @cached_property
    def _shares(self) -> FloatArray:
        return class_shares(self.weights, self.n_positive)
