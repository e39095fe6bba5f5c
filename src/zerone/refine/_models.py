"""One model for every split: its candidates on the frontier, from the moments of its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    centre : ndarray of shape (n_coordinates,)
        Mean of its training rows.
    whitener : ndarray of shape (n_coordinates, n_coordinates)
        ``whitener @ v`` has a score of total standard deviation ‖v‖.
    directions : ndarray of shape (n_candidates, n_coordinates)
        Directions on the frontier, each with a score of total standard deviation one.
    """

    centre: FloatArray
    whitener: FloatArray
    directions: FloatArray

    @property
    def whitened(self) -> FloatArray:
        """The candidates in whitened coordinates: unit vectors."""
        # The whitener is the inverse of a lower triangle, transposed: itself an upper triangle.
        vectors: FloatArray = solve_triangular(self.whitener, self.directions.T).T
        return vectors


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
    total = merged([positive, negative])
    whitener = _whitener(total, n_varying)
    delta = positive[1] - negative[1]
    matrices = []
    for amount in shrinkage_amounts(shrinkage):
        plus = _shrunk(positive, (positive, negative), n_varying, amount)
        minus = _shrunk(negative, (positive, negative), n_varying, amount)
        matrices += [share * plus + (1 - share) * minus for share in SHARES]
    solved = np.linalg.solve(np.array(matrices), delta[:, None])[..., 0]
    if not solved.any():
        solved = np.ones_like(solved)  # equal means: no direction is better than another
    # ‖whitener⁻¹ w‖ is the standard deviation of a score.
    sizes = np.linalg.norm(solve_triangular(whitener, solved.T), axis=0)
    return SplitModel(total[1], whitener, solved / sizes[:, None])


def shrinkage_amounts(shrinkage: Any) -> tuple[float | None, ...]:
    """Return the amounts to be tried; None stands for the oracle approximation."""
    if shrinkage is None:
        return (0.0,)
    return (*AMOUNTS, None) if shrinkage == "auto" else (float(shrinkage),)


def _shrunk(
    own: ClassStatistics,
    both: tuple[ClassStatistics, ClassStatistics],
    n_varying: int,
    amount: float | None,
) -> FloatArray:
    """Return a class covariance brought to mean variance one and shrunk."""
    weight, _, covariance = own
    if weight < 2 or np.trace(covariance) <= 0:
        # It says nothing about its own spread; the pooled one has to do.
        weight = sum(part[0] for part in both)
        covariance = sum((part[0] / weight) * part[2] for part in both)  # type: ignore[assignment]
    identity = np.eye(len(covariance))
    level = float(np.trace(covariance)) / n_varying if n_varying else 0.0
    if level <= 0:
        return identity
    unit = covariance / level
    if amount is None:
        amount = oracle_shrinkage(float(np.sum(unit**2)), 1.0, weight, n_varying)
    amount = max(amount, _LEAST_SHRINKAGE)
    shrunk: FloatArray = (1 - amount) * unit + amount * identity
    return shrunk


def _whitener(total: ClassStatistics, n_varying: int) -> FloatArray:
    """Return the inverse transposed Cholesky factor of the total covariance, shrunk.

    The total, not the within-class covariance: the latter of all rows would tell models about
    the labels that are held out.
    """
    weight, _, covariance = total
    level = float(np.trace(covariance)) / n_varying if n_varying else 0.0
    identity = np.eye(len(covariance))
    if level <= 0:
        return identity
    squares = float(np.sum((covariance / level) ** 2))
    amount = max(oracle_shrinkage(squares, 1.0, weight, n_varying), _LEAST_SHRINKAGE)
    factor = cholesky((1 - amount) * covariance + (amount * level) * identity, lower=True)
    inverse: FloatArray = solve_triangular(factor, identity, lower=True, trans="T")
    return inverse
