"""One model for every split: its candidates on the frontier, from the moments of its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from zerone._typing import FloatArray
from zerone.refine._shrinkage import oracle_shrinkage

# How much of the positive covariance, both brought to mean variance one, goes into a direction.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Shrinkage that is tried beside the oracle approximation.
AMOUNTS = (0.5, 0.1)
# A covariance is never taken to be closer to singular than this.
_LEAST_SHRINKAGE = 1e-10

ClassStatistics = tuple[float, FloatArray, FloatArray]
"""Weight, mean, covariance."""


@dataclass(frozen=True, eq=False)
class SplitModel:
    """What the training rows of one split say.

    Attributes
    ----------
    total : weight, mean and covariance
        Of all its training rows.
    n_varying : int
        Number of features that are not constant; there may be fewer coordinates.
    solutions : ndarray of shape (n_candidates, n_coordinates)
        Directions on the frontier, of any length: for every amount of shrinkage all shares.
    """

    total: ClassStatistics
    n_varying: int
    solutions: FloatArray

    @property
    def centre(self) -> FloatArray:
        """Mean of its training rows."""
        return self.total[1]

    @cached_property
    def directions(self) -> FloatArray:
        """The candidates, with scores of total standard deviation one."""
        return self.scaled(self.solutions)

    def scaled(self, directions: FloatArray) -> FloatArray:
        """Return directions scaled to scores of total standard deviation one."""
        variances = np.einsum("cr,rs,cs->c", directions, self._spread(None), directions)
        scaled: FloatArray = directions / np.sqrt(variances)[:, None]
        return scaled

    def whitener(self, amount: float | None) -> FloatArray:
        """Return the matrix that turns a vector into a direction whose score is as wide as it.

        The total covariance is whitened, not the within-class one: of all rows the latter would
        tell models about the labels that are held out. It is shrunk as far as the direction to
        begin with was, so that what held-out rows taught about noise is kept: polishing is
        stopped early, and moves least along what has little variance here.

        Parameters
        ----------
        amount : float or None
            None stands for the oracle approximation.
        """
        # Inverse and transpose of a lower triangle: an upper one.
        factor = cholesky(self._spread(amount), lower=True)
        whitener: FloatArray = solve_triangular(factor, np.eye(len(factor)), lower=True, trans="T")
        return whitener

    def _spread(self, amount: float | None) -> FloatArray:
        """Return the total covariance, shrunk."""
        weight, _, covariance = self.total
        level = float(np.trace(covariance)) / self.n_varying if self.n_varying else 0.0
        identity = np.eye(len(covariance))
        if level <= 0:
            return identity
        return level * _shrunk(covariance / level, weight, self.n_varying, amount)


def merged(parts: Sequence[ClassStatistics]) -> ClassStatistics:
    """Merge statistics of groups of rows (Chan, Golub & LeVeque)."""
    parts = [part for part in parts if part[0] > 0]
    total = sum(part[0] for part in parts)
    shares = [part[0] / total for part in parts]
    mean = sum(share * part[1] for share, part in zip(shares, parts, strict=True))
    covariance = np.zeros_like(parts[0][2])
    for share, part in zip(shares, parts, strict=True):
        covariance += share * part[2]
        apart = part[1] - mean
        covariance += np.multiply.outer(share * apart, apart)
    return total, np.asarray(mean), covariance


def split_model(
    positive: ClassStatistics, negative: ClassStatistics, n_varying: int, shrinkage: Any
) -> SplitModel:
    """Return the candidates of one split.

    Every candidate solves ((1 − a)·Σ₋ + a·Σ₊) w = δ with both covariances brought to mean
    variance one, so that the shares a mean the same whatever the classes' scales, and shrunk
    towards the identity.

    Parameters
    ----------
    positive, negative : weight, mean and covariance
    n_varying : int
        Number of features that are not constant; there may be fewer coordinates.
    shrinkage : "auto", number or None
        "auto" tries several.
    """
    delta = positive[1] - negative[1]
    both = positive, negative
    plus, minus = (_class_spread(own, both, n_varying) for own in both)
    matrices = []
    for amount in shrinkage_amounts(shrinkage):
        shrunk_plus, shrunk_minus = (_shrunk(*part, n_varying, amount) for part in (plus, minus))
        matrices += [share * shrunk_plus + (1 - share) * shrunk_minus for share in SHARES]
    solved = np.linalg.solve(np.array(matrices), delta[:, None])[..., 0]
    solutions = np.asarray(solved, dtype=np.float64)
    if not solutions.any():
        solutions = np.ones_like(solutions)  # equal means: no direction is better than another
    return SplitModel(merged([positive, negative]), n_varying, solutions)


def shrinkage_amounts(shrinkage: Any) -> tuple[float | None, ...]:
    """Return the amounts to be tried; None stands for the oracle approximation."""
    if shrinkage is None:
        return (0.0,)
    return (*AMOUNTS, None) if shrinkage == "auto" else (float(shrinkage),)


def _class_spread(
    own: ClassStatistics, both: tuple[ClassStatistics, ClassStatistics], n_varying: int
) -> tuple[FloatArray, float]:
    """Return a class covariance brought to mean variance one, and the weight behind it."""
    weight, _, covariance = own
    if weight < 2 or np.trace(covariance) <= 0:
        # It says nothing about its own spread; the pooled one has to do.
        weight = both[0][0] + both[1][0]
        covariance = (both[0][0] * both[0][2] + both[1][0] * both[1][2]) / weight
    level = float(np.trace(covariance)) / n_varying if n_varying else 0.0
    return (covariance / level if level > 0 else np.eye(len(covariance))), weight


def _shrunk(
    covariance: FloatArray, weight: float, n_varying: int, amount: float | None
) -> FloatArray:
    """Return a covariance of mean variance one, shrunk towards the identity."""
    if amount is None:
        amount = oracle_shrinkage(float(np.sum(covariance**2)), 1.0, weight, max(n_varying, 1))
    amount = max(amount, _LEAST_SHRINKAGE)
    shrunk = (1 - amount) * covariance
    shrunk.flat[:: len(shrunk) + 1] += amount
    return shrunk
