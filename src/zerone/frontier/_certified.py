"""The best point of the curve of a large problem, found in a Krylov space and certified.

The certificate shows that no rule outside the space is better. A rule at the angle θ has
z₊ = cos θ · s₊ and z₋ = sin θ · s₋, so between θ = 0 and π/2 it lies on the ellipse
z₊²/cos θ + z₋²/sin θ = J(θ) with J = δᵀA⁻¹δ, A = cos θ Σ₊ + sin θ Σ₋. The space gives bounds of J,
and the lowest loss on the larger ellipse is a lower bound of the rule's loss. Rules beyond 0 and
π/2 have an error rate above one half, which alone must be worse.
"""

import numpy as np

from zerone._typing import FloatArray
from zerone.frontier._curve import Curve
from zerone.frontier._krylov import KrylovSpectrum, Lanczos
from zerone.frontier._search import GRID, best_coordinate
from zerone.metrics import RateLoss

# Two looks at the optimum agree if their log losses differ by at most this.
_AGREEMENT = 1e-10
# Allowed relative error of J at the optimum, and about that of the loss, which is stationary there.
_RESOLVED = 1e-11
# Elsewhere the allowed error grows with the distance of a rule's log loss from the best one.
_RESOLVED_PER_LOSS = 1e-3
# Where J has a larger error, a rule's log loss must be worse by this much: more than the loss can
# fall between two neighbouring points of the grids below.
_CLEARLY_WORSE = 0.05
_AROUND_ELLIPSE = np.linspace(0.0, np.pi / 2, 49)
# Looks before the first check of progress, and the factor by which each later look must improve.
_PATIENCE = 4
_HOPELESS = 0.7


def certified_optimum(lanczos: Lanczos, metric: RateLoss) -> tuple[Curve, float, float] | None:
    """Return the curve, the coordinate of its optimum and the log loss there.

    None unless the optimum has settled, its direction solves its equation and has the predicted
    spread, and no other rule can have a lower loss. Also None if that takes too many steps.
    """
    beyond = _lowest_beyond_the_middle(metric)
    previous_loss, previous_error = np.inf, np.inf
    for look, spectrum in enumerate(lanczos.looks()):
        curve = Curve(spectrum)
        u, log_loss = best_coordinate(curve, metric)
        if look > 0 and log_loss > beyond + _CLEARLY_WORSE:
            return None
        has_settled = spectrum.is_complete or abs(log_loss - previous_loss) <= _AGREEMENT
        error = _uncertainty(spectrum, curve, np.array([u]))[2][0]
        if has_settled and error <= _RESOLVED and log_loss < beyond - _AGREEMENT:
            if not spectrum.is_confirmed(curve.components(u)):
                return None
            if _nothing_else_is_better(spectrum, curve, log_loss, metric):
                return curve, u, log_loss
        if look >= _PATIENCE and error > max(_HOPELESS * previous_error, _RESOLVED):
            return None
        previous_loss, previous_error = log_loss, error
    return None


def _lowest_beyond_the_middle(metric: RateLoss) -> float:
    """Return the lowest log loss that is possible with an error rate of one half."""
    certain, even = np.array([np.inf, 0.0]), np.array([0.0, np.inf])
    with np.errstate(divide="ignore"):
        return float(metric.log_loss(certain, even).min())


def _uncertainty(
    spectrum: KrylovSpectrum, curve: Curve, u: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return cos θ, sin θ, the largest relative error of J, and the upper bound of J.

    There is no bound outside of θ = 0 to π/2.
    """
    cosine, sine, ratio = curve.solutions(u)
    inside = (cosine > 0) & (sine > 0)
    most = np.full(len(u), np.inf)
    most[inside] = spectrum.most(cosine[inside], sine[inside])
    return cosine, sine, most / (ratio @ spectrum.gap) - 1, most


def _nothing_else_is_better(
    spectrum: KrylovSpectrum, curve: Curve, log_loss: float, metric: RateLoss
) -> bool:
    """Whether every rule between θ = 0 and π/2 is precise enough or clearly worse."""
    cosine, sine, error, most = _uncertainty(spectrum, curve, GRID)
    points = curve.points(GRID)
    worse = np.maximum(metric.log_loss(points.z_positive, points.z_negative) - log_loss, 0.0)
    unknown = np.isfinite(most) & (error > _RESOLVED + _RESOLVED_PER_LOSS * worse)
    if not unknown.any():
        return True
    size_positive = np.sqrt(cosine[unknown] * most[unknown])
    size_negative = np.sqrt(sine[unknown] * most[unknown])
    lowest = metric.log_loss(
        np.multiply.outer(size_positive, np.cos(_AROUND_ELLIPSE)).ravel(),
        np.multiply.outer(size_negative, np.sin(_AROUND_ELLIPSE)).ravel(),
    ).min()
    return bool(lowest >= log_loss + _CLEARLY_WORSE)
