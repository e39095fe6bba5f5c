"""The smoothed ranking loss of rows, in linear time: of all pairs, or at the top of the list."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._typing import FloatArray
from zerone.objectives._score_grid import REACH, ScoreGrid, class_shares


@dataclass(frozen=True, eq=False)
class SmoothedRanking:
    r"""Smoothed weighted share of pairs in the wrong order.

    .. math::
        \sum_{i \in +} \sum_{j \in -} \omega_i \omega_j\,
        \sigma\Bigl(-1.7\, \frac{z_i - z_j}{h}\Bigr) \Big/ \sum_{i \in +} \sum_{j \in -}
        \omega_i \omega_j

    for the scores z of several models at once, each with its own weights. As the bandwidth h
    falls to zero this becomes 1 − AUC; with ``max_fpr``, where only the share of negatives with the
    highest scores counts, it becomes one minus the partial AUC.

    No sum over pairs is computed: see `zerone.objectives.SmoothedAveragePrecision` for the other
    loss that is summed on a grid of scores.

    Parameters
    ----------
    n_positive : int
        Number of positive rows, which come first; the others are negative.
    weights : ndarray of shape (n_models, n_rows)
        ω; zero leaves a row out.
    bandwidth : float
        h, in the units of the scores, which should be of the order of one: they are clipped to
        ±12.
    max_fpr : float, optional
        Share of the negatives that count.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone.objectives import SmoothedRanking
    >>> loss = SmoothedRanking(1, np.ones((1, 3)), bandwidth=0.01)
    >>> values, slopes = loss.value_and_slopes(np.array([[0.5, 0.2, 0.8]]))
    >>> values.round(6).tolist()
    [0.5]
    """

    n_positive: int
    weights: FloatArray
    bandwidth: float
    max_fpr: float = 1.0

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
        grid = ScoreGrid.of_scores(scores, self.bandwidth)
        positives, negatives = slice(None, self.n_positive), slice(self.n_positive, None)
        shares = self._shares
        mass_positive = grid.spread(positives, shares[:, positives])
        mass_negative = grid.spread(negatives, shares[:, negatives])
        kept = None if self.max_fpr >= 1 else _top_share(mass_negative, self.max_fpr)
        if kept is not None:
            mass_negative = mass_negative * kept / self.max_fpr
        kernel, slope_kernel = grid.kernels()
        spectrum_negative = grid.transformed(mass_negative)
        lost = grid.convolved(spectrum_negative, kernel)
        slope_positive = grid.convolved(spectrum_negative, slope_kernel)
        # The slope kernel is even, so the negatives use the same one.
        slope_negative = grid.convolved(grid.transformed(mass_positive), slope_kernel)
        if kept is not None:
            # Which negatives count changes, too, but only between neighbours with the same loss.
            slope_negative *= kept / self.max_fpr

        values = np.einsum("mb,mb->m", mass_positive, lost)
        slopes = np.empty_like(scores)
        slopes[:, positives] = grid.interpolated(slope_positive, positives)
        slopes[:, negatives] = -grid.interpolated(slope_negative, negatives)
        slopes *= shares
        slopes[np.abs(scores) > REACH] = 0.0
        return values, slopes

    @cached_property
    def _shares(self) -> FloatArray:
        return class_shares(self.weights, self.n_positive)


def _top_share(mass: FloatArray, most: float) -> FloatArray:
    """Return which part of the weight at each point is among the highest share ``most``."""
    above = mass[:, ::-1].cumsum(axis=1)[:, ::-1] - mass
    inside = np.clip(most - above, 0.0, mass)
    return np.divide(inside, mass, out=(above < most).astype(np.float64), where=mass > 0)
