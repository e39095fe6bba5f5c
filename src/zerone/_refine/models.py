"""The frontier of training rows, and the scale that all models share."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from zerone._moments.class_moments import ClassMoments
from zerone._moments.covariance import ExplicitCovariance
from zerone._moments.pair import TwoClassMoments
from zerone._moments.shrinkage import oracle_shrinkage
from zerone._typing import FloatArray, Label
from zerone.frontier._frontier import Frontier

# Share of the positive covariance in a direction.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Other amounts of shrinkage than the oracle approximation, for the middle share only.
AMOUNTS = (0.5, 0.1)
MIDDLE = (0.5,)
# Least shrinkage of the whitener: no covariance is closer to singular than this.
_LEAST_SHRINKAGE = 1e-10


@dataclass(frozen=True, eq=False)
class TrainedPair:
    """The moments of two classes in some rows.

    Attributes
    ----------
    positive, negative : ClassMoments
        In standardised coordinates.
    n_varying : int
        Number of features that are not constant; there may be fewer coordinates.
    """

    positive: ClassMoments
    negative: ClassMoments
    n_varying: int

    @property
    def delta(self) -> FloatArray:
        """Mean of the positive class minus mean of the negative class."""
        return self.positive.minus_mean(self.negative)

    def frontier(self, shrinkage: Any, units: tuple[float, float] = (1.0, 1.0)) -> Frontier:
        """Return their frontier, shrunk as ``refine=None`` shrinks it.

        Parameters
        ----------
        shrinkage : "auto", number or None
        units : tuple of float
            Factors of the class weights in the error.
        """
        amount = 0.0 if shrinkage is None else None if shrinkage == "auto" else float(shrinkage)
        shrunk_classes = []
        for own, (weight, covariance) in zip(
            (self.positive, self.negative), self._spreads, strict=True
        ):
            result = _shrunk(covariance, weight, self.n_varying, amount)
            shrunk_classes.append(own.with_covariance(ExplicitCovariance(result)))
        priors: dict[Label, float] = {
            1: self.positive.weight * units[0],
            0: self.negative.weight * units[1],
        }
        return Frontier(TwoClassMoments(shrunk_classes[0], shrunk_classes[1]), priors=priors)

    def directions(self, frontier: Frontier, shares: Sequence[float]) -> FloatArray:
        """Return directions for some shares a: p = a/v₊ and q = (1 − a)/v₋ in the frontier.

        v is the trace of a class covariance, so that shares do not depend on the classes' scales.
        """
        traces = np.array([np.trace(covariance) for _, covariance in self._spreads])
        positive = np.asarray(shares)
        largest = float(traces.max())
        traces[traces == 0] = largest
        scales = largest / traces if largest > 0 else np.ones(2)
        return frontier.directions(scales[0] * positive, scales[1] * (1 - positive))

    @cached_property
    def _spreads(self) -> list[tuple[float, FloatArray]]:
        """The weight and covariance of each class; pooled if it does not show its own spread."""
        both = self.positive, self.negative
        spreads = [(m.weight, m.covariance.toarray()) for m in both]
        if min(m.weight for m in both) >= 2:
            return spreads
        pooled = self.positive.weight + self.negative.weight, pooled_covariance(both)
        return [own if own[0] >= 2 else pooled for own in spreads]


def merged_cells(
    cells: Sequence[ClassMoments], used: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> list[ClassMoments]:
    """Return the moments of several unions of cells of one class, in standardised coordinates.

    Parameters
    ----------
    cells : sequence of ClassMoments
    used : ndarray of shape (n_unions, n_cells)
        Which cells each union has.
    """
    present = [number for number, own in enumerate(cells) if own.weight > 0]
    parts = [cells[number] for number in present]
    # Counted from the mean of one cell, so that the difference of means that are equal is zero.
    origin = parts[0].mean
    weights = np.array([own.weight for own in parts])
    away = np.array([own.minus_mean(parts[0]) for own in parts])
    spreads = np.array([own.covariance.toarray() for own in parts])
    spreads += away[:, :, None] * away[:, None, :]
    by_union = used[:, present] * weights
    totals = by_union.sum(axis=1)
    shares = by_union / np.where(totals > 0, totals, 1.0)[:, None]
    means = shares @ away
    n_features = len(origin)
    covariances = (shares @ spreads.reshape(len(parts), -1)).reshape(-1, n_features, n_features)
    covariances -= means[:, :, None] * means[:, None, :]
    correction = parts[0].mean_correction
    return [
        ClassMoments(float(total), origin + mean, ExplicitCovariance(covariance), correction)
        if total > 0
        else ClassMoments.empty(n_features)
        for total, mean, covariance in zip(totals, means, covariances, strict=True)
    ]


def _shrunk(
    covariance: FloatArray, weight: float, n_varying: int, amount: float | None
) -> FloatArray:
    """Return a covariance, shrunk towards its mean variance; None is the oracle approximation."""
    n_varying = max(n_varying, 1)
    mean_variance = float(np.trace(covariance)) / n_varying
    if amount is None:
        squares = float(np.vdot(covariance, covariance))
        amount = oracle_shrinkage(squares, mean_variance, weight, n_varying)
    result = (1 - amount) * covariance
    result.flat[:: len(result) + 1] += amount * mean_variance
    return result


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
        variances = np.einsum("cr,cr->c", directions @ self._shrunk, directions)
        result: FloatArray = directions / np.sqrt(variances)[:, None]
        return result

    @property
    def whitener(self) -> FloatArray:
        """The upper triangle that turns a unit vector into a direction of unit variance."""
        # Inverse and transpose of a lower triangle is an upper triangle.
        factor = cholesky(self._shrunk, lower=True)
        result: FloatArray = solve_triangular(factor, np.eye(len(factor)), lower=True, trans="T")
        return result

    @cached_property
    def _shrunk(self) -> FloatArray:
        result = _shrunk(self.covariance, self.weight, self.n_varying, None)
        result.flat[:: len(result) + 1] *= 1 + _LEAST_SHRINKAGE
        return result
