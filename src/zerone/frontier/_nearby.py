"""The best rules of frontiers that are near to one whose best rule is known."""

from collections.abc import Sequence

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import log_ndtr

from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.frontier._curve import BestPoint, Curve, CurvePoints
from zerone.frontier._frontier import MANY_FEATURES, Frontier
from zerone.frontier._search import GRID
from zerone.frontier._spectrum import Spectrum, diagonalise
from zerone.frontier._together import best_coordinates, search_together
from zerone.metrics import ChosenMetric, WeightedError

# After a step as short as this, the error of a secant is about that of rounding.
_LAST_STEP = 1e-8
_MOST_STEPS = 12
# With fewer features, diagonalising all at once takes less time.
_LEAST_FEATURES = 33
# Of the derivative by the angle.
_STEP = 1e-5


def search_nearby(known: Frontier, others: Sequence[Frontier], metric: ChosenMetric) -> None:
    """Find the best rules of frontiers that differ little from another one, as its replicates do.

    The slope of a weighted error along the curve is zero at its best rule. If it is zero only once
    along the known curve, the root of each other one is found from there, by secants: each step
    solves one system of equations, which costs much less than diagonalising. Frontiers for which
    this does not work are searched together. What is found is left in the frontiers, as by
    `search_together`.
    """
    start = _start(known, metric)
    missing = []
    for own in others:
        found = None if start is None else _Nearby(own, metric).search(*start)
        if found is None:
            missing.append(own)
        else:
            own.remember(*found)
    search_together(missing, [metric] * len(missing))


def _start(known: Frontier, metric: ChosenMetric) -> tuple[float, float] | None:
    """Return the angle of the best rule and the slope's derivative there; None without one root."""
    loss, pair = metric.loss(known.priors), known.pair
    is_plain = not any(own.covariance.carries_rows for own in (pair.positive, pair.negative))
    if not (isinstance(loss, WeightedError) and is_plain):
        return None
    if not _LEAST_FEATURES <= pair.n_features < MANY_FEATURES:
        return None
    spectrum = diagonalise(pair)
    if spectrum.separation is not None or spectrum.gap.size == 0:
        return None
    weights = loss.false_negative_weight, loss.false_positive_weight
    if min(weights) <= 0:
        return None
    log_weights = np.log([weights])
    rises = Curve(spectrum).points(GRID).log_density_ratio + log_weights @ [1, -1] >= 0
    if (rises[1:] & ~rises[:-1]).sum() != 1 or (rises[:-1] & ~rises[1:]).any():
        return None
    stacked = Spectrum(
        spectrum.basis[None],
        spectrum.share_positive[None],
        spectrum.share_negative[None],
        spectrum.gap[None],
        None,
    )
    cosine, sine, _ = Curve(spectrum).solutions(best_coordinates(stacked, log_weights)[0][0])
    angle = float(np.arctan2(sine[0], cosine[0]))
    nearby = _Nearby(known, metric)
    below, above = (nearby.slope(angle + step) for step in (-_STEP, _STEP))
    if below is None or above is None or not above > below:
        return None
    return angle, (above - below) / (2 * _STEP)


class _Nearby:
    """The curve of a frontier by its angle, one point at a time.

    Parameters
    ----------
    frontier : Frontier
    metric : ChosenMetric
        A weighted error.
    """

    def __init__(self, frontier: Frontier, metric: ChosenMetric) -> None:
        pair = frontier.pair
        loss = metric.loss(frontier.priors)
        assert isinstance(loss, WeightedError), "the caller has looked"
        self._loss = loss
        self._log_weights = np.log([loss.false_negative_weight, loss.false_positive_weight])
        self._delta = pair.delta
        self._unit, self._positive, self._negative = _standardised(pair)
        self._w = np.zeros(0)
        self._variances = 0.0, 0.0

    def search(self, angle: float, rise: float) -> tuple[Spectrum, WeightedError, BestPoint] | None:
        """Return what the frontier remembers; None if the root was not found.

        Parameters
        ----------
        angle, rise : float
            Where to start, and the derivative of the slope there.
        """
        if (self._unit == 0).any() and self._delta[self._unit == 0].any():
            return None  # separated
        slope = self.slope(angle)
        for _ in range(_MOST_STEPS):
            if slope is None or not rise > 0:
                return None
            step = -slope / rise
            last, angle = slope, angle + step
            slope = self.slope(angle)
            if slope is None:
                return None
            if abs(step) < _LAST_STEP:
                return self._found(angle)
            rise = (slope - last) / step
        return None

    def slope(self, angle: float) -> float | None:
        """Return what has the sign of the loss's derivative; None beyond the end of the curve."""
        cosine, sine = np.cos(angle), np.sin(angle)
        _, w, failed = dposv(
            cosine * self._positive + sine * self._negative, self._unit * self._delta, lower=1
        )
        if failed:
            return None
        plus, minus = float(w @ self._positive @ w), float(w @ self._negative @ w)
        if min(plus, minus) <= 0:
            return None
        along = float(w @ (self._unit * self._delta))
        self._w, self._variances = w, (plus, minus)
        # As in `Curve`.
        difference = (cosine - sine) * along + sine * cosine * (plus - minus)
        ratio = self._log_weights[0] - self._log_weights[1]
        return float(ratio - (np.log(plus / minus) + difference) / 2)

    def _found(self, angle: float) -> tuple[Spectrum, WeightedError, BestPoint]:
        """Return the point of the last slope, as the only component of a spectrum."""
        plus, minus = self._variances
        z_positive = np.array([np.cos(angle) * np.sqrt(plus)])
        z_negative = np.array([np.sin(angle) * np.sqrt(minus)])
        log_loss = np.logaddexp(
            self._log_weights[0] + log_ndtr(-z_positive),
            self._log_weights[1] + log_ndtr(-z_negative),
        )
        size = np.sqrt(plus + minus)
        direction = self._unit * self._w / size
        spectrum = Spectrum(
            direction[:, None],
            np.array([plus / size**2]),
            np.array([minus / size**2]),
            np.array([float(direction @ self._delta)]),
            None,
        )
        rates = CurvePoints(z_positive, z_negative, np.zeros(1))
        return spectrum, self._loss, BestPoint(float(log_loss[0]), rates, np.ones(1))


def _standardised(pair: TwoClassMoments) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return 1/standard deviations, zero without spread, and both covariances in these units.

    Features without spread get a one on the diagonal, so that factorisations succeed.
    """
    covariances = [own.covariance.toarray() for own in (pair.positive, pair.negative)]
    variances = covariances[0].diagonal() + covariances[1].diagonal()
    varies = variances > 0
    unit = np.divide(1.0, np.sqrt(variances), out=np.zeros_like(variances), where=varies)
    between = unit[:, None] * unit
    scaled = [own * between for own in covariances]
    for own in scaled:
        np.einsum("ii->i", own)[~varies] = 0.5
    return unit, scaled[0], scaled[1]
