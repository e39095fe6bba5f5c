"""Weight, mean and covariance of one class."""

from dataclasses import dataclass, field

import numpy as np

from zerone._typing import FloatArray, IntArray
from zerone.moments._arrays import exact_sum, frozen
from zerone.moments._covariance import Covariance
from zerone.moments._factored import FactoredCovariance
from zerone.moments._mixture import mixed_covariance, remaining_covariance

# A subtraction that leaves less than this share of the weight leaves nothing but rounding.
_NOTHING_LEFT = 1e-12


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Total weight, mean and covariance of the rows of one class.

    Attributes
    ----------
    weight : float
        Sum of the row weights; the number of rows when there are none.
    mean : ndarray of shape (n_features,)
        NaN for a class without rows.
    covariance : Covariance
        Normalised by the weight (the population form), everywhere in zerone.
        ``np.asarray`` turns it into a matrix.
    mean_correction : ndarray of shape (n_features,)
        What rounding left out of ``mean``. Kept so that merging stays exact when means are
        10⁸ times larger than standard deviations.
    """

    weight: float
    mean: FloatArray
    covariance: Covariance
    mean_correction: FloatArray = field(default=None, repr=False)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        correction = self.mean_correction
        if correction is None:
            correction = np.zeros_like(self.mean)
        object.__setattr__(self, "mean", frozen(self.mean))
        object.__setattr__(self, "mean_correction", frozen(correction))

    @classmethod
    def empty(cls, n_features: int) -> "ClassMoments":
        """Return the moments of a class that has no rows."""
        covariance = FactoredCovariance(np.empty((0, n_features)))
        return cls(0.0, np.full(n_features, np.nan), covariance, np.zeros(n_features))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.mean.shape[0])

    def minus_mean(self, other: "ClassMoments") -> FloatArray:
        """Return the mean of ``self`` minus the mean of ``other``, to full precision."""
        return (self.mean - other.mean) + (self.mean_correction - other.mean_correction)

    def merge(self, other: "ClassMoments") -> "ClassMoments":
        """Return the moments of both groups of rows together."""
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other
        heavy, light = (self, other) if self.weight >= other.weight else (other, self)
        weight = heavy.weight + light.weight
        share = light.weight / weight
        difference = light.minus_mean(heavy)
        covariance = mixed_covariance(
            heavy.covariance, heavy.weight / weight, light.covariance, share, difference
        )
        return heavy._moved(share * difference, weight, covariance)

    def subtract(self, part: "ClassMoments") -> "ClassMoments":
        """Return the moments of the rows that are left when ``part`` is taken away."""
        if part.weight == 0:
            return self
        weight = self.weight - part.weight
        if weight < -_NOTHING_LEFT * self.weight:
            raise ValueError(
                f"subtracting leaves a negative weight ({self.weight:g} minus {part.weight:g})"
            )
        if weight <= _NOTHING_LEFT * self.weight:
            return ClassMoments.empty(self.n_features)
        gap = self.minus_mean(part)
        ratio = part.weight / weight
        covariance = remaining_covariance(
            self.covariance, self.weight / weight, part.covariance, ratio, gap
        )
        return self._moved(ratio * gap, weight, covariance)

    def select(self, features: IntArray) -> "ClassMoments":
        """Return the moments of some of the features."""
        return ClassMoments(
            self.weight,
            self.mean[features],
            self.covariance.select(features),
            self.mean_correction[features],
        )

    def affine(self, matrix: FloatArray, offset: FloatArray | None = None) -> "ClassMoments":
        """Return the moments of ``matrix @ x + offset``; a 1-D matrix means a diagonal."""
        if matrix.ndim == 1:
            mean = matrix * self.mean
            correction = matrix * self.mean_correction
            covariance = self.covariance.rescale(matrix)
        else:
            mean = matrix @ self.mean
            correction = matrix @ self.mean_correction
            covariance = self.covariance.map(matrix)
        if offset is not None:
            mean, rounding = exact_sum(mean, offset)
            correction = correction + rounding
        return ClassMoments(self.weight, mean, covariance, correction)

    def with_covariance(self, covariance: Covariance) -> "ClassMoments":
        """Return the same weight and mean with another covariance."""
        return ClassMoments(self.weight, self.mean, covariance, self.mean_correction)

    def _moved(self, step: FloatArray, weight: float, covariance: Covariance) -> "ClassMoments":
        mean, correction = exact_sum(self.mean, self.mean_correction + step)
        return ClassMoments(weight, mean, covariance, correction)
