"""The smoothed average precision of rows, in linear time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._typing import FloatArray
from zerone.objectives._score_grid import REACH, ScoreGrid, class_shares

# Least share of rows that counts as found: a positive row always finds itself.
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class SmoothedAveragePrecision:
    r"""One minus the smoothed average precision.

    .. math::
        1 - \sum_{i \in +} \omega_i \frac{p_+ R_i}{p_+ R_i + p_- A_i}, \qquad
        R_i = \sum_{k \in +} \omega_k\, \sigma\Bigl(1.7\, \frac{z_k - z_i}{h}\Bigr), \quad
        A_i = \sum_{j \in -} \omega_j\, \sigma\Bigl(1.7\, \frac{z_j - z_i}{h}\Bigr)

    with weights ω that add up to one in each class, for several models at once. Only rows as high
    as some positive row matter, so the top of the list counts most.

    Parameters
    ----------
    n_positive : int
        Number of positive rows, which come first; the others are negative.
    weights : ndarray of shape (n_models, n_rows)
        Zero leaves a row out.
    bandwidth : float
        h, in the units of the scores, which should be of the order of one: they are clipped to
        ±12.
    prior_positive : float
        p₊.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone.objectives import SmoothedAveragePrecision
    >>> loss = SmoothedAveragePrecision(1, np.ones((1, 3)), bandwidth=0.01, prior_positive=1 / 3)
    >>> values, slopes = loss.value_and_slopes(np.array([[0.5, 0.2, 0.8]]))
    >>> values.round(4).tolist()  # half of the only positive row is above itself
    [0.6667]
    """

    n_positive: int
    weights: FloatArray
    bandwidth: float
    prior_positive: float

    def value_and_slopes(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each model's loss and its derivatives with respect to the scores."""
        grid = ScoreGrid.of_scores(scores, self.bandwidth)
        positives, negatives = slice(None, self.n_positive), slice(self.n_positive, None)
        shares, prior = self._shares, self.prior_positive
        mass = [grid.spread(rows, shares[:, rows]) for rows in (positives, negatives)]
        kernel, slope_kernel = grid.kernels()
        spectra = [grid.transformed(own) for own in mass]
        # How much of each class lies above a point: σ(−1.7 (point − other)/h).
        right, wrong = (
            factor * grid.convolved(spectrum, kernel)
            for factor, spectrum in zip((prior, 1 - prior), spectra, strict=True)
        )
        right, wrong = np.maximum(right, _LEAST), np.maximum(wrong, 0.0)
        found = right + wrong
        values = np.einsum("mb,mb->m", mass[0], wrong / found)
        # Derivatives by what lies above, weighted by the positives at the point.
        by_right, by_wrong = -mass[0] * wrong / found**2, mass[0] * right / found**2
        right_slope, wrong_slope = (
            factor * grid.convolved(spectrum, slope_kernel)
            for factor, spectrum in zip((prior, 1 - prior), spectra, strict=True)
        )
        own = (right * wrong_slope - wrong * right_slope) / found**2
        # The slope kernel is even: with it a row above a point is moved, not the point.
        of_others = [
            -factor * grid.convolved(grid.transformed(part), slope_kernel)
            for factor, part in ((prior, by_right), (1 - prior, by_wrong))
        ]
        slopes = np.empty_like(scores)
        slopes[:, positives] = grid.interpolated(own + of_others[0], positives)
        slopes[:, negatives] = grid.interpolated(of_others[1], negatives)
        slopes *= shares
        slopes[np.abs(scores) > REACH] = 0.0
        return values, slopes

    @cached_property
    def _shares(self) -> FloatArray:
        return class_shares(self.weights, self.n_positive)
