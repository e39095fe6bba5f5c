"""The curve of admissible rules, in a coordinate that is safe to search."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import expit

from zerone._typing import FloatArray
from zerone.rules._direction import ScoreStatistics

# Least gap of the means in standard deviations. If the means agree along an outermost direction of
# the spectrum, the curve would end before the rules that use only the variance of that direction.
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
        Distance of each class's mean from the threshold, in standard deviations of the class. The
        false-negative rate is Φ(−z_positive), the false-positive rate Φ(−z_negative).
    log_density_ratio : ndarray
        log(φ(z₊)/s₊) − log(φ(z₋)/s₋), the class weights for which each point is stationary.
    """

    z_positive: FloatArray
    z_negative: FloatArray
    log_density_ratio: FloatArray

    def taken(self, pair: int) -> "CurvePoints":
        """Return those of one pair, where there is a row for each."""
        return CurvePoints(
            self.z_positive[pair], self.z_negative[pair], self.log_density_ratio[pair]
        )


@dataclass(frozen=True, eq=False)
class BestPoint:
    """The point of lowest loss of a curve.

    Attributes
    ----------
    log_loss : float
    rates : CurvePoints
        Of this point alone.
    components : ndarray of shape (n_components,)
        Its direction, in the coordinates of the spectrum.
    """

    log_loss: float
    rates: CurvePoints
    components: FloatArray


@dataclass(frozen=True, eq=False)
class Curve:
    """Rules w(θ) with (cos θ · Σ₊ + sin θ · Σ₋) w = δ, and their threshold b(θ).

    Every admissible rule has this form with a positive definite matrix (Anderson & Bahadur, 1962),
    so θ runs over the open interval where D = cos θ · share₊ + sin θ · share₋ is positive. If the
    classes differ in scale, optima lie close to its ends. The coordinate is therefore
    u = logit((θ − low)/(high − low)), and D is computed from the distance to the nearer end,
    where it does not cancel.

    Of several pairs of classes at once if the spectrum has one more axis in front: `points` then
    has a row for each pair.
    """

    spectrum: AnySpectrum

    def points(self, u: FloatArray) -> CurvePoints:
        """Return the predicted rates at rising coordinates ``u``, a 1-D array."""
        # Computed from the nearer end, where nothing cancels.
        if u[0] > 0 or u[-1] <= 0:
            return self._points(u, self._end(u[0]))
        middle = int(u.searchsorted(0.0, side="right"))
        low = self._points(u[:middle], self._low_end)
        high = self._points(u[middle:], self._high_end)
        return CurvePoints(
            np.concatenate([low.z_positive, high.z_positive], axis=-1),
            np.concatenate([low.z_negative, high.z_negative], axis=-1),
            np.concatenate([low.log_density_ratio, high.log_density_ratio], axis=-1),
        )

    def points_of_each(self, u: FloatArray) -> CurvePoints:
        """Return the rates of several pairs at coordinates of their own, a row for each pair."""
        # Each half from its own end.
        low = self._points(np.minimum(u, 0.0), self._low_end)
        high = self._points(np.maximum(u, 0.0), self._high_end)
        return CurvePoints(
            np.where(u <= 0, low.z_positive, high.z_positive),
            np.where(u <= 0, low.z_negative, high.z_negative),
            np.where(u <= 0, low.log_density_ratio, high.log_density_ratio),
        )

    def components(self, u: float) -> FloatArray:
        """Return the direction at one coordinate, in the coordinates of the spectrum."""
        ratio = self._end(u).ratios(self._end(u).distances(np.array([u])))[0]
        scaled: FloatArray = ratio / np.abs(ratio).max()
        return scaled

    def components_of_each(self, u: FloatArray) -> FloatArray:
        """Return directions of several pairs at coordinates of their own, a row for each pair."""
        low = self._low_end.ratios(self._low_end.distances(np.minimum(u, 0.0)))
        high = self._high_end.ratios(self._high_end.distances(np.maximum(u, 0.0)))
        ratio = np.where((u <= 0)[..., None], low, high)
        scaled: FloatArray = ratio / np.abs(ratio).max(axis=-1, keepdims=True)
        return scaled

    def solutions(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return cos θ, sin θ, and the components of w(θ) at rising coordinates."""
        parts = []
        for part, end in ((u[u <= 0], self._low_end), (u[u > 0], self._high_end)):
            distances = end.distances(part)
            parts.append((*end.weights(distances), end.ratios(distances)))
        cosine, sine, ratio = (np.concatenate(both) for both in zip(*parts, strict=True))
        return cosine, sine, ratio

    def mixed_components(self, positive: FloatArray, negative: FloatArray) -> FloatArray:
        """Return components of the w with (positive · Σ₊ + negative · Σ₋) w = δ, none negative."""
        plus, minus = self.spectrum.share_positive, self.spectrum.share_negative
        divisors = np.multiply.outer(positive, plus) + np.multiply.outer(negative, minus)
        components: FloatArray = self._gap / divisors
        return components

    def ranking_components(self) -> FloatArray:
        """Return the direction at θ = π/4, which maximises the AUC; never zero."""
        gap = self.spectrum.gap
        return gap if gap.any() else self._gap

    def _points(self, u: FloatArray, end: "_End") -> CurvePoints:
        distances = end.distances(u)
        cosine, sine = end.weights(distances)
        ratio = end.ratios(distances)
        variances = (ratio * ratio) @ self._shares
        # z₊² − z₋² = (cos θ − sin θ) Σ g²/D + sin θ cos θ Σ (g/D)²(share₊ − share₋); the plain
        # difference cancels where the classes have equal covariances.
        along = (ratio @ self._gap[..., None])[..., 0]
        difference = (cosine - sine) * along + sine * cosine * variances[..., 2]
        log_ratio = np.log(variances[..., 0] / variances[..., 1])
        return CurvePoints(
            cosine * np.sqrt(variances[..., 0]),
            sine * np.sqrt(variances[..., 1]),
            (log_ratio + difference) / -2,
        )

    def _end(self, u: float) -> "_End":
        return self._low_end if u <= 0 else self._high_end

    @cached_property
    def _low_end(self) -> "_End":
        return self._ends(is_low=True)

    @cached_property
    def _high_end(self) -> "_End":
        return self._ends(is_low=False)

    def _ends(self, *, is_low: bool) -> "_End":
        angles = self._angles
        least = [angle.min(axis=-1, keepdims=True) for angle in angles]
        own = 0 if is_low else 1
        radius = np.hypot(self.spectrum.share_positive, self.spectrum.share_negative)
        apart = angles[own] - least[own]
        return _End(
            is_low=is_low,
            width=np.pi / 2 + least[0] + least[1],
            least=least[own],
            divisors=radius[..., None, :] * np.stack([np.cos(apart), np.sin(apart)], axis=-2),
            gap=self._gap,
        )

    @cached_property
    def _shares(self) -> FloatArray:
        """The shares of both classes and their difference, in columns."""
        plus, minus = self.spectrum.share_positive, self.spectrum.share_negative
        return np.stack([plus, minus, plus - minus], axis=-1)

    @cached_property
    def _angles(self) -> tuple[FloatArray, FloatArray]:
        """Angle φ of each component, D ∝ sin(θ + φ), and π/2 − φ, each to full precision."""
        plus, minus = self.spectrum.share_positive, self.spectrum.share_negative
        return np.arctan2(plus, minus), np.arctan2(minus, plus)

    @cached_property
    def _gap(self) -> FloatArray:
        gap = self.spectrum.gap.copy()
        for angle in self._angles:
            outermost = angle.argmin(axis=-1)[..., None]
            own = np.take_along_axis(gap, outermost, axis=-1)
            own = np.copysign(np.maximum(np.abs(own), _LEAST_GAP), own)
            np.put_along_axis(gap, outermost, own, axis=-1)
        return gap


@dataclass(frozen=True, eq=False)
class _End:
    """One end of the curve and the half that is nearer to it, by the distance from that end.

    Attributes
    ----------
    is_low : bool
        The low end has u = −∞, the high end u = ∞; from the high end, π/2 − θ takes the role of θ.
    width : ndarray of shape (1,)
        Of the interval of θ.
    least : ndarray of shape (1,)
        How far the interval extends beyond zero at this end.
    divisors : ndarray of shape (2, n_components)
        Radius times cosine and sine of each component's distance from the outermost component.
    gap : ndarray of shape (n_components,)
    """

    is_low: bool
    width: FloatArray
    least: FloatArray
    divisors: FloatArray
    gap: FloatArray

    def distances(self, u: FloatArray) -> FloatArray:
        """Return how far θ is from this end."""
        distances: FloatArray = self.width * expit(u if self.is_low else -u)
        return distances

    def weights(self, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return cos θ and sin θ."""
        theta = distances - self.least
        one, other = np.cos(theta), np.sin(theta)
        return (one, other) if self.is_low else (other, one)

    def ratios(self, distances: FloatArray) -> FloatArray:
        """Return g/D for every distance and component.

        D = radius · sin(x + a), where x and a are the distances of θ and of the component. Both
        are at most π/2, so both products of the addition formula have the same sign.
        """
        turned = np.empty((*distances.shape, 2))
        np.sin(distances, out=turned[..., 0])
        np.cos(distances, out=turned[..., 1])
        ratios: FloatArray = self.gap[..., None, :] / (turned @ self.divisors)
        return ratios
