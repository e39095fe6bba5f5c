"""The best point of the curve of a large problem, found in a Krylov space and certified.

Why what the space has not seen cannot be better. Along the curve, a rule at the angle θ has
z₊ = cos θ · s₊ and z₋ = sin θ · s₋, so that between θ = 0 and π/2 it lies on the ellipse
z₊²/cos θ + z₋²/sin θ = J(θ) with J = δᵀA⁻¹δ, A = cos θ Σ₊ + sin θ Σ₋. The space gives J from below,
and with the residual r of its solution, J ≤ J_space + rᵀS⁻¹r / D, where D is the least that A can
be in units of S: min(cos θ, sin θ), or more if Cholesky factorisations bound the spectrum.
The lowest loss on the larger ellipse bounds that of the rule.
Rules beyond 0 and π/2 have an error rate above one half, which must be too much by itself.
"""

import numpy as np

from zerone._typing import FloatArray
from zerone.frontier._curve import Curve
from zerone.frontier._krylov import KrylovSpectrum, Lanczos
from zerone.frontier._metrics import Metric
from zerone.frontier._search import GRID, best_coordinate

# Two looks agree if their log losses differ by no more than this.
_AGREEMENT = 1e-10
# Of J. The loss is stationary at the optimum, so this is about the relative error of it.
_RESOLVED = 1e-11
# Where J is not resolved, rules must be worse by so much of the log loss: more than the lowest loss
# between two points of the grids below can lie under those of its neighbours.
_CLEARLY_WORSE = 0.05
_AROUND_ELLIPSE = np.linspace(0.0, np.pi / 2, 49)
# Shares of a class lie between these whatever the covariances are.
_ANY_SPECTRUM = (0.0, 1.0)
# How far towards the Ritz values the spectrum is bounded; not at all needs no factorisation.
_MARGINS = (0.0, 0.001, 0.01, 0.1, 0.5)
# Looks without any judgement, and by how much each later one has to be better than the last.
_PATIENCE = 4
_HOPELESS = 0.7


def certified_optimum(lanczos: Lanczos, metric: Metric) -> tuple[Curve, float, float] | None:
    """Return the curve, the coordinate of its optimum and the log loss there.

    None unless all of this holds: the optimum has settled, the direction solves its equation and
    has the spread that it seems to have, and no other rule can have a lower loss. None, too, where
    that would take too many steps.
    """
    beyond = _lowest_beyond_the_middle(metric)
    previous_loss, previous_error = np.inf, np.inf
    for look, spectrum in enumerate(lanczos.looks()):
        curve = Curve(spectrum)
        u, log_loss = best_coordinate(curve, metric)
        if look > 0 and log_loss > beyond + _CLEARLY_WORSE:
            return None
        has_settled = spectrum.is_complete or abs(log_loss - previous_loss) <= _AGREEMENT
        _, _, seen, missing = _seen_and_unseen(curve, spectrum, np.array([u]), _ANY_SPECTRUM)
        error = float(missing[0] / seen[0])
        if has_settled and error <= _RESOLVED and log_loss < beyond - _AGREEMENT:
            if not spectrum.is_confirmed(curve.components(u)):
                return None
            for margin in _MARGINS:
                # The loosest bounds that suffice are the ones that most likely hold.
                bounds = spectrum.bounds(margin)
                if _nothing_else_is_better(curve, spectrum, log_loss, metric, bounds):
                    certified = margin == 0 or lanczos.bounds_hold(*bounds)
                    return (curve, u, log_loss) if certified else None
        if look >= _PATIENCE and error > max(_HOPELESS * previous_error, _RESOLVED):
            return None
        previous_loss, previous_error = log_loss, error
    return None


def _lowest_beyond_the_middle(metric: Metric) -> float:
    """Return the lowest log loss that an error rate of one half allows."""
    certain, even = np.array([np.inf, 0.0]), np.array([0.0, np.inf])
    with np.errstate(divide="ignore"):
        return float(metric.log_loss(certain, even).min())


def _seen_and_unseen(
    curve: Curve,
    spectrum: KrylovSpectrum,
    u: FloatArray,
    bounds: tuple[float, float],
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return cos θ, sin θ, J as the space shows it, and how much may be missing from it.

    Outside of θ = 0 to π/2 nothing is known. The bounds are those of the positive class's shares.
    """
    cosine, sine, ratio = curve.solutions(u)
    inside = (cosine > 0) & (sine > 0)
    least = np.min([cosine * share + sine * (1 - share) for share in bounds], axis=0)
    square = (spectrum.residuals(ratio) * (cosine - sine)) ** 2
    missing = np.divide(square, least, where=inside, out=np.full(len(u), np.inf))
    return cosine, sine, ratio @ spectrum.gap, missing


def _nothing_else_is_better(
    curve: Curve,
    spectrum: KrylovSpectrum,
    log_loss: float,
    metric: Metric,
    bounds: tuple[float, float],
) -> bool:
    """Whether every rule between θ = 0 and π/2 is resolved or clearly worse, given the bounds."""
    cosine, sine, seen, missing = _seen_and_unseen(curve, spectrum, GRID, bounds)
    unresolved = np.isfinite(missing) & (missing > _RESOLVED * seen)
    if not unresolved.any():
        return True
    most = (seen + missing)[unresolved]
    z_positive = np.multiply.outer(np.sqrt(cosine[unresolved] * most), np.cos(_AROUND_ELLIPSE))
    z_negative = np.multiply.outer(np.sqrt(sine[unresolved] * most), np.sin(_AROUND_ELLIPSE))
    lowest = metric.log_loss(z_positive.ravel(), z_negative.ravel()).min()
    return bool(lowest >= log_loss + _CLEARLY_WORSE)
