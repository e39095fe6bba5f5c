"""The best point of the curve of a large problem, found in a Krylov space and certified."""

from dataclasses import replace

import numpy as np

from zerone.frontier._curve import Curve
from zerone.frontier._krylov import KrylovSpectrum, Lanczos
from zerone.frontier._metrics import Metric, constant_losses
from zerone.frontier._search import best_coordinate

# Two looks agree if their log losses differ by no more than this.
_AGREEMENT = 1e-10
# Squared, and the loss is stationary: as large is the error of the loss.
_RELATIVE_ERROR = 1e-11
# Looks without any judgement, and by how much each later one has to be better than the last.
_PATIENCE = 4
_HOPELESS = 0.7
# How far beyond the Ritz values a bound of the spectrum is tried, as shares of the distance to
# zero: the first that leads nowhere better is put to the test.
_MARGINS = (0.3, 0.7, 0.97)


def certified_optimum(lanczos: Lanczos, metric: Metric) -> tuple[Curve, float, float] | None:
    """Return the curve, the coordinate of its optimum and the log loss there.

    None unless all of this holds: the optimum has settled, the direction solves its equation and
    has the spread that it seems to have, and what the space may not have seen of the spectrum
    cannot lead to a lower loss. None, too, where that would take too many steps.
    """
    previous_loss, previous_error = np.inf, np.inf
    for look, spectrum in enumerate(lanczos.looks()):
        curve = Curve(spectrum)
        u, log_loss = best_coordinate(curve, metric)
        has_settled = spectrum.is_complete or abs(log_loss - previous_loss) <= _AGREEMENT
        error = _relative_error(curve, spectrum, u, log_loss, metric)
        if has_settled and error <= _RELATIVE_ERROR:
            is_sound = spectrum.is_confirmed(curve.components(u))
            is_sound = is_sound and _is_global(spectrum, log_loss, metric)
            return (curve, u, log_loss) if is_sound else None
        if look >= _PATIENCE and error > _HOPELESS * previous_error:
            return None
        previous_loss, previous_error = log_loss, error
    return None


def _relative_error(
    curve: Curve, spectrum: KrylovSpectrum, u: float, log_loss: float, metric: Metric
) -> float:
    """Return how far the direction at ``u`` is from solving its equation; 0 if none is needed."""
    if min(constant_losses(metric)) <= log_loss + _AGREEMENT:
        return 0.0
    return spectrum.relative_error(curve.components(u), *curve.weights(u))


def _is_global(spectrum: KrylovSpectrum, log_loss: float, metric: Metric) -> bool:
    """Whether no rule beyond the Ritz values can be better.

    Between θ = 0 and π/2 every matrix is positive definite. A rule outside has an error rate
    above one half, which alone may be too much. Otherwise the spectrum has to be bounded: a
    component at the bound, without any difference of the means, must not lead to a lower loss,
    and the bound must hold.
    """
    certain, even = np.array([np.inf, 0.0]), np.array([0.0, np.inf])
    with np.errstate(divide="ignore"):
        alarms_half, misses_half = metric.log_loss(certain, even)
    best = min(log_loss, *constant_losses(metric))
    least, most = 0.0, 1.0
    if best >= alarms_half - _AGREEMENT:
        end = float(spectrum.share_positive.min())
        tried = [margin * end for margin in _MARGINS]
        found = next((b for b in tried if _leads_nowhere(spectrum, b, 1 - b, best, metric)), None)
        if found is None:
            return False
        least = found
    if best >= misses_half - _AGREEMENT:
        end = float(spectrum.share_negative.min())
        tried = [margin * end for margin in _MARGINS]
        found = next((b for b in tried if _leads_nowhere(spectrum, 1 - b, b, best, metric)), None)
        if found is None:
            return False
        most = 1 - found
    return spectrum.lanczos.bounds_hold(least, most)


def _leads_nowhere(
    spectrum: KrylovSpectrum, positive: float, negative: float, log_loss: float, metric: Metric
) -> bool:
    """Whether one more component with given shares leaves the optimum where it is."""
    larger = replace(
        spectrum,
        share_positive=np.append(spectrum.share_positive, positive),
        share_negative=np.append(spectrum.share_negative, negative),
        gap=np.append(spectrum.gap, 0.0),
    )
    return best_coordinate(Curve(larger), metric)[1] >= log_loss - _AGREEMENT
