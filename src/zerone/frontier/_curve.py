"""The curve of admissible rules, in a coordinate in which it can be searched safely."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import expit

from zerone._typing import FloatArray
from zerone.rules import ScoreStatistics

# The hard case: where the means agree along an outermost direction of the spectrum, the curve
# would stop short of the rules that use its variance alone. In standard deviations.
_LEAST_GAP = 1e-10


class AnySpectrum(Protocol):
    """What `Spectrum` and `KrylovSpectrum` have in common."""

    @property
    def share_positive(self) -> FloatArray:
        """Share of the positive class in the variance of each component."""
        ...

    @property
    def share_negative(self) -> FloatArray:
        """Share of the negative class."""
        ...

    @property
    def gap(self) -> FloatArray:
        """Difference of the means along each component."""
        ...

    def direction(self, components: FloatArray) -> FloatArray:
        """Return the direction for the features with the given components."""
        ...

    def statistics(self, components: FloatArray) -> ScoreStatistics:
        """Return the score statistics of a direction with the given components."""
        ...


@dataclass(frozen=True, eq=False)
class CurvePoints:
    """Points of the curve.

    Attributes
    ----------
    z_positive, z_negative : ndarray
        Distance of each class's mean from the threshold in its own standard deviations; the
        miss rate is Φ(−z_positive), the false-alarm rate Φ(−z_negative).
    log_density_ratio : ndarray
        log(φ(z₊)/s₊) − log(φ(z₋)/s₋): which weighted error each point is stationary for.
    """

    z_positive: FloatArray
    z_negative: FloatArray
    log_density_ratio: FloatArray


@dataclass(frozen=True, eq=False)
class Curve:
    """Rules w(θ) with (cos θ · Σ₊ + sin θ · Σ₋) w = δ, and their threshold b(θ).

    Every linear rule that cannot be improved in one error rate without loss in the other is of
    this form with a positive definite matrix (Anderson & Bahadur, 1962), so θ runs over the
    open interval in which D = cos θ · share₊ + sin θ · share₋ is positive. Optima crowd at its
    ends when the classes differ in scale. The coordinate is therefore
    u = logit((θ − low)/(high − low)), and D is computed from the distance to the nearer end,
    where it does not cancel.
    """

    spectrum: AnySpectrum

    def points(self, u: FloatArray) -> CurvePoints:
        """Return the predicted rates at coordinates ``u``, a 1-D array."""
        plus, minus = self.spectrum.share_positive, self.spectrum.share_negative
        cosine, sine, ratio = self._at(np.asarray(u, dtype=np.float64))
        squares = ratio**2
        sd_positive, sd_negative = np.sqrt(squares @ plus), np.sqrt(squares @ minus)
        # z₊² − z₋² = (cos θ − sin θ) Σ g²/D + sin θ cos θ Σ (g/D)²(share₊ − share₋); the plain
        # difference cancels where the classes have equal covariances.
        difference = (cosine - sine) * (ratio @ self._gap)
        difference += sine * cosine * (squares @ (plus - minus))
        log_sd_ratio = np.log(sd_positive) - np.log(sd_negative)
        return CurvePoints(cosine * sd_positive, sine * sd_negative, -difference / 2 - log_sd_ratio)

    def components(self, u: float) -> FloatArray:
        """Return the direction at one coordinate, in the coordinates of the spectrum."""
        ratio = self._at(np.array([u]))[2][0]
        scaled: FloatArray = ratio / np.abs(ratio).max()
        return scaled

    def weights(self, u: float) -> tuple[float, float]:
        """Return cos θ and sin θ at one coordinate."""
        cosine, sine, _ = self._at(np.array([u]))
        return float(cosine[0]), float(sine[0])

    def ranking_components(self) -> FloatArray:
        """Return the direction at θ = π/4, which maximises the AUC; never zero."""
        gap = self.spectrum.gap
        return gap if gap.any() else self._gap

    def _at(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return cos θ, sin θ, and g/D for every u and component."""
        angle, co_angle = self._angles
        least, co_least = angle.min(), co_angle.min()
        width = np.pi / 2 + least + co_least
        from_low, from_high = width * expit(u), width * expit(-u)
        low_side = u <= 0
        theta = from_low - least
        co_theta = from_high - co_least
        cosine = np.where(low_side, np.cos(theta), np.sin(co_theta))
        sine = np.where(low_side, np.sin(theta), np.cos(co_theta))
        # D = radius · sin(x + a) with x and a the distances of θ and of the component from the
        # nearer end; both are at most π/2, so the two products of the sum formula have one sign.
        nearer = np.where(low_side, from_low, from_high)
        turned = np.column_stack([np.sin(nearer), np.cos(nearer)])
        from_low_end, from_high_end = self._from_ends
        if low_side.all():
            divisor = turned @ from_low_end
        else:
            divisor = np.where(low_side[:, None], turned @ from_low_end, turned @ from_high_end)
        return cosine, sine, self._gap / divisor

    @cached_property
    def _from_ends(self) -> tuple[FloatArray, FloatArray]:
        """Radius times cosine and sine of each component's distance from either end."""
        radius = np.hypot(self.spectrum.share_positive, self.spectrum.share_negative)
        ends = (angle - angle.min() for angle in self._angles)
        low, high = (radius * np.array([np.cos(end), np.sin(end)]) for end in ends)
        return low, high

    @cached_property
    def _angles(self) -> tuple[FloatArray, FloatArray]:
        """Angle φ of each component, D ∝ sin(θ + φ), and π/2 − φ, each to full precision."""
        plus, minus = self.spectrum.share_positive, self.spectrum.share_negative
        return np.arctan2(plus, minus), np.arctan2(minus, plus)

    @cached_property
    def _gap(self) -> FloatArray:
        gap = self.spectrum.gap.copy()
        for component in {int(np.argmin(angle)) for angle in self._angles}:
            if abs(gap[component]) < _LEAST_GAP:
                gap[component] = np.copysign(_LEAST_GAP, gap[component])
        return gap
