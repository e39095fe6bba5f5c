"""The smoothed zero-one error of rows, which polishing minimises."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._typing import FloatArray

STEEPNESS = 1.7
"""σ(1.7 t) is within 0.01 of Φ(t): a bandwidth is a standard deviation, as in the normal model."""


@dataclass(frozen=True, eq=False)
class SmoothedError:
    r"""Smoothed weighted share of rows on the wrong side of zero.

    .. math::
        \sum_i \omega_i\, \sigma\Bigl(-1.7\, \frac{y_i z_i}{h}\Bigr)

    for the scores z of several models at once, each with its own weights. As the bandwidth h
    falls to zero this becomes the zero-one error.

    Parameters
    ----------
    signs : ndarray of shape (n_rows,)
        y, +1 or -1.
    weights : ndarray of shape (n_models, n_rows)
        ω; zero leaves a row out. The weights of a model should add up to one.
    bandwidth : float
        h, in the units of the scores.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone.objectives import SmoothedError
    >>> loss = SmoothedError(np.array([1.0, -1.0]), np.full((1, 2), 0.5), bandwidth=0.01)
    >>> values, slopes = loss.value_and_slopes(np.array([[0.3, 0.2]]))
    >>> values.round(6).tolist()
    [0.5]
    """

    signs: FloatArray
    weights: FloatArray
    bandwidth: float

    def value_and_slopes(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each model's loss and its derivatives with respect to the scores.

        Parameters
        ----------
        scores : ndarray of shape (n_models, n_rows)

        Returns
        -------
        values : ndarray of shape (n_models,)
        slopes : ndarray of shape (n_models, n_rows)
        """
        # σ(x) = (1 + tanh(x/2))/2: NumPy's tanh is several times faster than its exponential.
        wrong = scores * self.rates
        np.tanh(wrong, out=wrong)
        values = 0.5 * (self._totals + np.vecdot(self.weights, wrong))
        np.multiply(wrong, wrong, out=wrong)
        np.subtract(1.0, wrong, out=wrong)
        wrong *= self._steepest
        return values, wrong

    @cached_property
    def rates(self) -> FloatArray:
        """By how much half the argument of σ rises with each score."""
        return np.asarray(self.signs * (-STEEPNESS / (2 * self.bandwidth)))

    @cached_property
    def _totals(self) -> FloatArray:
        return np.asarray(self.weights.sum(axis=-1))

    @cached_property
    def _steepest(self) -> FloatArray:
        """The slopes of scores of zero."""
        return np.asarray(self.weights * (0.5 * self.rates))
