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
from zerone._typing import AnyArray, FloatArray, Label
from zerone.frontier._frontier import Frontier
from zerone.frontier._mixture import solved_mixtures

# Share of the positive covariance in a direction.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Other amounts of shrinkage than the oracle approximation, for the middle share only.
AMOUNTS = (0.5, 0.1)
MIDDLE = (0.5,)
# Least shrinkage of the whitener: no covariance is closer to singular than this.
_LEAST_SHRINKAGE = 1e-10


@dataclass(frozen=True, eq=False)
class CellMoments:
    """The moments of one class in every cell of the folds that has rows of it.

    Attributes
    ----------
    present : ndarray of bool, shape (n_cells,)
        Which cells have rows.
    weights : ndarray of shape (n_present,)
    means, corrections : ndarray of shape (n_present, n_features)
        See `ClassMoments`.
    covariances : ndarray of shape (n_present, n_features, n_features)
    """

    present: AnyArray
    weights: FloatArray
    means: FloatArray
    corrections: FloatArray
    covariances: FloatArray

    @classmethod
    def of(cls, cells: Sequence[ClassMoments]) -> "CellMoments":
        """Return the moments of all cells in arrays."""
        present = np.array([own.weight > 0 for own in cells])
        parts = [own for own in cells if own.weight > 0]
        return cls(
            present,
            np.array([own.weight for own in parts]),
            np.array([own.mean for own in parts]),
            np.array([own.mean_correction for own in parts]),
            np.array([own.covariance.toarray() for own in parts]),
        )

    def standardised(self, centre: FloatArray, inverse: FloatArray) -> "CellMoments":
        """Return the moments of (x − centre)·inverse."""
        means = (self.means - centre + self.corrections) * inverse
        covariances = inverse[:, None] * self.covariances * inverse
        return CellMoments(self.present, self.weights, means, np.zeros_like(means), covariances)

    def mapped(self, matrix: FloatArray) -> "CellMoments":
        """Return the moments of ``matrix @ x``."""
        return CellMoments(
            self.present,
            self.weights,
            self.means @ matrix.T,
            self.corrections @ matrix.T,
            matrix @ self.covariances @ matrix.T,
        )

    def merged(self, used: AnyArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weights, means and covariances of several unions of cells.

        Parameters
        ----------
        used : ndarray of bool, shape (n_unions, n_cells)
            Which cells each union has.
        """
        # Counted from the mean of one cell, so that the difference of means that are equal is zero.
        away = (self.means - self.means[0]) + (self.corrections - self.corrections[0])
        by_union = used[:, self.present] * self.weights
        totals = by_union.sum(axis=1)
        shares = by_union / np.where(totals > 0, totals, 1.0)[:, None]
        means = shares @ away
        spreads = self.covariances + away[:, :, None] * away[:, None, :]
        covariances = (shares @ spreads.reshape(len(spreads), -1)).reshape(-1, *spreads.shape[1:])
        covariances -= means[:, :, None] * means[:, None, :]
        return totals, self.means[0] + means, covariances


@dataclass(frozen=True, eq=False)
class TrainedModels:
    """The moments of two classes in the training rows of every model, in standardised coordinates.

    Attributes
    ----------
    weights : ndarray of shape (n_models, 2)
        Of the positive and the negative class.
    means : ndarray of shape (n_models, 2, n_coordinates)
    covariances : ndarray of shape (n_models, 2, n_coordinates, n_coordinates)
    n_varying : int
        Number of features that are not constant; there may be fewer coordinates.
    """

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    n_varying: int

    @classmethod
    def of_cells(
        cls, both: Sequence[CellMoments], used: AnyArray, n_varying: int
    ) -> "TrainedModels":
        """Return the moments of models that are trained on some cells each."""
        merged = (own.merged(used) for own in both)
        weights, means, covariances = (np.stack(own, axis=1) for own in zip(*merged, strict=True))
        return cls(weights, means, covariances, n_varying)

    @classmethod
    def of_pairs(cls, pairs: Sequence[Sequence[ClassMoments]], n_varying: int) -> "TrainedModels":
        """Return the moments of models, given the positive and the negative class of each."""
        return cls(
            np.array([[own.weight for own in both] for both in pairs]),
            np.array([[own.mean for own in both] for both in pairs]),
            np.array([[own.covariance.toarray() for own in both] for both in pairs]),
            n_varying,
        )

    def with_last(self, both: Sequence[ClassMoments]) -> "TrainedModels":
        """Return the same with other moments for the last model."""
        last = self.of_pairs([both], self.n_varying)
        return TrainedModels(
            np.concatenate([self.weights[:-1], last.weights]),
            np.concatenate([self.means[:-1], last.means]),
            np.concatenate([self.covariances[:-1], last.covariances]),
            self.n_varying,
        )

    @property
    def deltas(self) -> FloatArray:
        """Mean of the positive class minus mean of the negative class."""
        return np.asarray(self.means[:, 0] - self.means[:, 1])

    def shrunk(self, shrinkage: Any) -> "ShrunkModels":
        """Return them with covariances shrunk as ``refine=None`` shrinks them.

        Parameters
        ----------
        shrinkage : "auto", number or None
        """
        amount = 0.0 if shrinkage is None else None if shrinkage == "auto" else float(shrinkage)
        weights, spreads = self._spreads
        amounts, variances = _amounts(spreads, weights, self.n_varying, amount)
        return ShrunkModels(self, _shrunk(spreads, amounts, variances))

    @cached_property
    def _spreads(self) -> tuple[FloatArray, FloatArray]:
        """Weights and covariances; pooled for classes too few to show their own spread."""
        few = self.weights < 2
        if not few.any():
            return self.weights, self.covariances
        weights, spreads = self.weights.copy(), self.covariances.copy()
        totals = self.weights.sum(axis=1)
        for model, own in np.argwhere(few).tolist():
            shares = self.weights[model] / totals[model]
            weights[model, own] = totals[model]
            spreads[model, own] = np.tensordot(shares, self.covariances[model], 1)
        return weights, spreads

    @cached_property
    def scales(self) -> FloatArray:
        """Factors of the classes by which shares do not depend on their scales, per model."""
        traces = np.trace(self._spreads[1], axis1=2, axis2=3)
        largest = traces.max(axis=1, keepdims=True)
        traces = np.where(traces == 0, largest, traces)
        return np.asarray(np.divide(largest, traces, out=np.ones_like(traces), where=traces > 0))


@dataclass(frozen=True, eq=False)
class ShrunkModels:
    """Models with shrunk covariances.

    Attributes
    ----------
    trained : TrainedModels
    covariances : ndarray of shape (n_models, 2, n_coordinates, n_coordinates)
    """

    trained: TrainedModels
    covariances: FloatArray

    def frontier(self, model: int, units: tuple[float, float] = (1.0, 1.0)) -> Frontier:
        """Return the frontier of one model.

        Parameters
        ----------
        units : tuple of float
            Factors of the class weights in the error.
        """
        classes = [
            ClassMoments(float(weight), mean, ExplicitCovariance(covariance))
            for weight, mean, covariance in zip(
                self.trained.weights[model],
                self.trained.means[model],
                self.covariances[model],
                strict=True,
            )
        ]
        priors: dict[Label, float] = {
            1: classes[0].weight * units[0],
            0: classes[1].weight * units[1],
        }
        return Frontier(TwoClassMoments(classes[0], classes[1]), priors=priors)

    def mixed(self, mixture: tuple[float, float] | None) -> FloatArray:
        """Return the directions of every model but the last, for p and q; NaN for those without.

        Parameters
        ----------
        mixture : tuple of float or None
            See `solved_mixtures`; None gives none a direction.
        """
        directions = np.full(self.trained.deltas[:-1].shape, np.nan)
        if mixture is not None:
            p, q = np.array(mixture)[:, None]
            deltas = self.trained.deltas
            for model, own in enumerate(directions):
                found = solved_mixtures(self.covariances[model], deltas[model], p, q)
                own[:] = np.nan if found is None else found[0]
        return directions

    def directions(self, shares: Sequence[float], last: Frontier | None = None) -> FloatArray:
        """Return directions of every model for some shares.

        A share a stands for p = a/v₊ and q = (1 − a)/v₋ in the frontier, v the trace of a class
        covariance, so that shares do not depend on the classes' scales.

        Parameters
        ----------
        last : Frontier, optional
            Of the last model, if its diagonalisation is known.

        Returns
        -------
        ndarray of shape (n_models, n_shares, n_coordinates)
        """
        positive = np.asarray(shares)
        found = []
        for model, (scales, delta) in enumerate(
            zip(self.trained.scales, self.trained.deltas, strict=True)
        ):
            both = scales[0] * positive, scales[1] * (1 - positive)
            own = None
            if last is None or model < len(self.covariances) - 1:
                own = solved_mixtures(self.covariances[model], delta, *both)
            elif last is not None:
                own = last.directions(*both)
            found.append(self.frontier(model).directions(*both) if own is None else own)
        return np.array(found)


def _amounts(
    covariances: FloatArray, weights: FloatArray, n_varying: int, amount: float | None
) -> tuple[FloatArray, FloatArray]:
    """Return how much to shrink covariances and their mean variances; None is the oracle amount."""
    n_varying = max(n_varying, 1)
    variances = np.trace(covariances, axis1=-2, axis2=-1) / n_varying
    if amount is not None:
        return np.full(variances.shape, amount), variances
    flat = covariances.reshape(*variances.shape, -1)
    squares = np.vecdot(flat, flat)
    amounts = [
        oracle_shrinkage(float(square), float(variance), float(weight), n_varying)
        for square, variance, weight in zip(squares.flat, variances.flat, weights.flat, strict=True)
    ]
    return np.array(amounts).reshape(variances.shape), variances


def _shrunk(covariances: FloatArray, amounts: FloatArray, variances: FloatArray) -> FloatArray:
    """Return covariances, shrunk towards their mean variances."""
    result = (1 - amounts)[..., None, None] * covariances
    np.einsum("...ii->...i", result)[...] += (amounts * variances)[..., None]
    return np.asarray(result)


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
        variances = np.einsum("...r,...r->...", directions @ self._shrunk, directions)
        result: FloatArray = directions / np.sqrt(variances)[..., None]
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
        weight = np.asarray(self.weight)
        amounts = _amounts(self.covariance, weight, self.n_varying, None)
        result = _shrunk(self.covariance, *amounts)
        result.flat[:: len(result) + 1] *= 1 + _LEAST_SHRINKAGE
        return result
