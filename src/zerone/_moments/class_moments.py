"""Weight, mean and covariance of one class."""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from zerone._errors import AdviceError
from zerone._moments.covariance import Covariance, ExplicitCovariance, exact_sum, frozen
from zerone._moments.factored import FactoredCovariance, compact
from zerone._moments.implicit import ImplicitCovariance
from zerone._typing import FloatArray, IntArray


def mixed_covariance(
    a: Covariance, share_a: float, b: Covariance, share_b: float, difference: FloatArray
) -> Covariance:
    """Return the covariance of a mixture of two groups (Chan, Golub & LeVeque).

    Σ = share_a Σ_a + share_b Σ_b + share_a share_b · difference differenceᵀ

    Parameters
    ----------
    share_a, share_b : float
        Shares of the total weight; they add up to one.
    difference : ndarray
        Mean of b minus mean of a.

    If both sides store rows, these are stacked, so that no d x d matrix is formed.
    """
    if isinstance(a, ExplicitCovariance) or isinstance(b, ExplicitCovariance):
        matrix = share_a * a.toarray() + share_b * b.toarray()
        # Products in this order keep both triangles the same to the bit, as pickles need them.
        matrix += (share_a * share_b) * np.multiply.outer(difference, difference)
        return ExplicitCovariance(matrix)
    _refuse_noise(a, b)
    if isinstance(a, ImplicitCovariance) and isinstance(b, ImplicitCovariance):
        rows_moved_apart = (b.centre - a.centre) - difference
        tolerance = 1e-9 * (np.abs(a.centre) + np.abs(b.centre))
        if np.all(np.abs(rows_moved_apart) <= tolerance):
            return ImplicitCovariance(
                sp.csr_array(sp.vstack([a.rows, b.rows], format="csr")),
                np.concatenate([share_a * a.shares, share_b * b.shares]),
                a.centre + share_b * (b.centre - a.centre),
            )
    return compact(
        FactoredCovariance(
            np.vstack(
                [
                    np.sqrt(share_a) * _factor(a),
                    np.sqrt(share_b) * _factor(b),
                    np.sqrt(share_a * share_b) * difference,
                ]
            )
        )
    )


def remaining_covariance(
    whole: Covariance, ratio_whole: float, part: Covariance, ratio_part: float, gap: FloatArray
) -> ExplicitCovariance:
    """Return the covariance of ``whole`` without the rows of ``part``.

    Σ = ratio_whole Σ_whole − ratio_part Σ_part − ratio_whole ratio_part · gap gapᵀ

    The ratios are relative to the remaining weight, and gap is the difference of the means. Raises
    if a variance would be negative beyond rounding: then ``part`` was not a part of ``whole``.
    """
    for covariance in (whole, part):
        if not isinstance(covariance, ExplicitCovariance) and covariance.carries_rows:
            raise AdviceError(
                "these moments carry training rows (implicit or factored covariance) and cannot be "
                "subtracted",
                "compute them with covariance='explicit'",
            )
    matrix = ratio_whole * whole.toarray() - ratio_part * part.toarray()
    matrix -= np.multiply.outer(ratio_whole * ratio_part * gap, gap)
    _require_variances(matrix, ratio_whole * whole.diagonal())
    constant = matrix.diagonal() <= 0
    matrix[constant, :] = 0.0
    matrix[:, constant] = 0.0
    return ExplicitCovariance(matrix)


def _require_variances(matrix: FloatArray, scale: FloatArray) -> None:
    """Raise unless ``matrix`` is positive semi-definite up to rounding relative to ``scale``."""
    # Rounding in the subtraction is relative to the variance of the whole.
    allowed = 1e-10 * len(scale)
    varying = scale > 0
    if (matrix.diagonal()[~varying] < 0).any():
        raise _not_a_part(int(np.flatnonzero(~varying & (matrix.diagonal() < 0))[0]))
    unit = np.sqrt(scale[varying])
    standardised = matrix[np.ix_(varying, varying)] / np.multiply.outer(unit, unit)
    if (standardised.diagonal() < -allowed).any():
        position = int(np.argmin(standardised.diagonal()))
        raise _not_a_part(int(np.flatnonzero(varying)[position]))
    if standardised.size and np.linalg.eigvalsh(standardised)[0] < -allowed:
        raise _not_a_part(None)


def _not_a_part(feature: int | None) -> ValueError:
    what = "along some direction" if feature is None else f"of feature {feature}"
    return AdviceError(
        f"subtracting leaves a negative variance {what}, so the subtracted moments were not part "
        "of these moments",
        _SUBTRACT,
    )


def _factor(covariance: Covariance) -> FloatArray:
    if isinstance(covariance, ImplicitCovariance):
        return covariance.to_factored().factor
    assert isinstance(covariance, FactoredCovariance)
    return covariance.factor


def _refuse_noise(*covariances: Covariance) -> None:
    for covariance in covariances:
        if getattr(covariance, "noise", None) is not None:
            raise AdviceError(
                "moments that carry training rows cannot be merged after adding a ridge",
                "merge first, then add the ridge",
            )


# A remaining share of the weight below this is rounding error.
_NOTHING_LEFT = 1e-12
_SUBTRACT = "subtract moments of rows that are part of these"


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Total weight, mean and covariance of the rows of one class.

    Attributes
    ----------
    weight : float
        Sum of the row weights; the number of rows without weights.
    mean : ndarray of shape (n_features,)
        NaN for a class without rows.
    covariance : Covariance
        Normalised by the weight (the population form). ``np.asarray`` turns it into a matrix.
    mean_correction : ndarray of shape (n_features,)
        Rounding error of ``mean``, so that merging stays exact when means are 10⁸ times larger
        than standard deviations.
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
        """Return the moments of the rows that remain without those of ``part``."""
        if part.weight == 0:
            return self
        weight = self.weight - part.weight
        if weight < -_NOTHING_LEFT * self.weight:
            raise AdviceError(
                f"subtracting leaves a negative weight ({self.weight:g} minus {part.weight:g})",
                _SUBTRACT,
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
