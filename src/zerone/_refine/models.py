"""Points of the frontier from the moments of training rows, and their scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from zerone._moments.class_moments import ClassMoments
from zerone._moments.shrinkage import oracle_shrinkage
from zerone._typing import FloatArray

# Share of the positive covariance in a direction; both covariances have mean variance one.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Shrinkage amounts that are tried besides the oracle approximation.
AMOUNTS = (0.5, 0.1)
# Least shrinkage: no covariance is closer to singular than this.
_LEAST_SHRINKAGE = 1e-10


def frontier_directions(
    positive: ClassMoments, negative: ClassMoments, n_varying: int, shrinkage: Any
) -> FloatArray:
    """Return candidates from the training rows of one split, of any length.

    Every candidate solves ((1 − a)·Σ₋ + a·Σ₊) w = δ. Both covariances are shrunk towards the
    identity and scaled to mean variance one, so that the share a does not depend on their scales.

    Parameters
    ----------
    positive, negative : ClassMoments
        In the coordinates of the problem.
    n_varying : int
        Number of features that are not constant; there may be fewer coordinates.
    shrinkage : "auto", number or None
        "auto" tries several.

    Returns
    -------
    ndarray of shape (n_amounts * n_shares, n_coordinates)
    """
    delta = positive.minus_mean(negative)
    both = positive, negative
    plus, minus = (_class_spread(own, both, n_varying) for own in both)
    solutions = []
    for amount in shrinkage_amounts(shrinkage):
        shrunk_plus, shrunk_minus = (shrunk(*part, n_varying, amount) for part in (plus, minus))
        mixed = np.array([share * shrunk_plus + (1 - share) * shrunk_minus for share in SHARES])
        solutions.append(np.linalg.solve(mixed, delta[:, None])[..., 0])
    directions = np.asarray(np.concatenate(solutions), dtype=np.float64)
    # With equal means no direction is better than another.
    return directions if directions.any() else np.ones_like(directions)


def shrinkage_amounts(shrinkage: Any) -> tuple[float | None, ...]:
    """Return the amounts to try; None is the oracle approximation."""
    if shrinkage is None:
        return (0.0,)
    return (*AMOUNTS, None) if shrinkage == "auto" else (float(shrinkage),)


def shrunk(
    covariance: FloatArray, weight: float, n_varying: int, amount: float | None
) -> FloatArray:
    """Return a covariance of mean variance one, shrunk towards the identity."""
    if amount is None:
        amount = oracle_shrinkage(float(np.sum(covariance**2)), 1.0, weight, max(n_varying, 1))
    amount = max(amount, _LEAST_SHRINKAGE)
    result = (1 - amount) * covariance
    result.flat[:: len(result) + 1] += amount
    return result


def _class_spread(
    own: ClassMoments, both: tuple[ClassMoments, ClassMoments], n_varying: int
) -> tuple[FloatArray, float]:
    """Return a class covariance scaled to mean variance one, and its weight."""
    weight, covariance = own.weight, own.covariance.toarray()
    if weight < 2 or np.trace(covariance) <= 0:
        # Such a class does not show its own spread: use the pooled one.
        weight = both[0].weight + both[1].weight
        covariance = pooled_covariance(both)
    mean_variance = float(np.trace(covariance)) / n_varying
    return (covariance / mean_variance if mean_variance > 0 else np.eye(len(covariance))), weight


def pooled_covariance(both: Sequence[ClassMoments]) -> FloatArray:
    """Return the pooled within-class covariance of two classes."""
    first, second = both
    total = first.weight + second.weight
    weighted = first.weight * first.covariance.toarray()
    return (weighted + second.weight * second.covariance.toarray()) / total


@dataclass(frozen=True, eq=False)
class TotalSpread:
    """The covariance of all rows, which sets the scale of every model's scores.

    All models share one scale, because one threshold is found on all their held-out scores. The
    covariance uses no labels, so it may use held-out rows. (The within-class covariance of all
    rows would leak the labels of held-out rows.)

    Attributes
    ----------
    weight : float
    covariance : ndarray of shape (n_coordinates, n_coordinates)
    n_varying : int
        Number of features that are not constant; there may be fewer coordinates.
    """

    weight: float
    covariance: FloatArray
    n_varying: int

    def scaled(self, directions: FloatArray) -> FloatArray:
        """Return directions scaled to scores of standard deviation one over all rows."""
        variances = np.einsum("cr,cr->c", directions @ self._regular, directions)
        result: FloatArray = directions / np.sqrt(variances)[:, None]
        return result

    def whitener(self, amount: float | None) -> FloatArray:
        """Return the upper triangle that turns a unit vector into a direction of unit variance.

        It is shrunk as much as the starting direction, to keep what held-out rows have chosen:
        polishing stops early, and moves least where this covariance has little variance.

        Parameters
        ----------
        amount : float or None
            Amount of shrinkage; None is the oracle approximation.
        """
        # Inverse and transpose of a lower triangle is an upper triangle.
        factor = cholesky(self._shrunk(amount), lower=True)
        result: FloatArray = solve_triangular(factor, np.eye(len(factor)), lower=True, trans="T")
        return result

    @cached_property
    def _regular(self) -> FloatArray:
        return self._shrunk(None)

    def _shrunk(self, amount: float | None) -> FloatArray:
        mean_variance = float(np.trace(self.covariance)) / self.n_varying
        return mean_variance * shrunk(
            self.covariance / mean_variance, self.weight, self.n_varying, amount
        )
