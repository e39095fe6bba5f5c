"""The frontiers of several pairs of classes, diagonalised and searched at once."""

from collections.abc import Sequence

import numpy as np
from scipy.special import log_ndtr

from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.frontier._curve import BestPoint, Curve
from zerone.frontier._frontier import MANY_FEATURES, Frontier
from zerone.frontier._search import AROUND, GRID, ROOT_TOLERANCE
from zerone.frontier._spectrum import (
    Spectrum,
    diagonalise,
    diagonalise_all,
    stacked_spectra,
)
from zerone.metrics import ChosenMetric, Loss, WeightedError

# Numbers of the grid of all pairs in one stack: 4 MB, so that it stays in the cache.
_STACKED = 2**19
# With more features, factorisations one by one take less time than general inverses of all.
_DIAGONALISED_TOGETHER = 32


def search_together(frontiers: Sequence[Frontier], metrics: Sequence[ChosenMetric]) -> None:
    """Find the best rules of several frontiers for a weighted error, each for its own.

    What is found is left in the frontiers: their `best_for` has less to do, and the same result.
    Frontiers that need more care, or have another metric, are left as they are.
    """
    sizes: dict[int, list[tuple[Frontier, WeightedError]]] = {}
    for frontier, metric in zip(frontiers, metrics, strict=True):
        loss: Loss = metric.loss(frontier.priors)
        pair = frontier.pair
        is_plain = not any(m.covariance.carries_rows for m in (pair.positive, pair.negative))
        if is_plain and isinstance(loss, WeightedError) and pair.n_features < MANY_FEATURES:
            sizes.setdefault(pair.n_features, []).append((frontier, loss))
    for n_features, members in sizes.items():
        step = max(_STACKED // (len(GRID) * n_features), 1)
        for start in range(0, len(members), step):
            _search_stack(members[start : start + step])


def _search_stack(members: list[tuple[Frontier, WeightedError]]) -> None:
    spectra = _spectra([frontier.pair for frontier, _ in members])
    if spectra is None:
        return
    weights = [(loss.false_negative_weight, loss.false_positive_weight) for _, loss in members]
    coordinates, losses = best_coordinates(spectra, np.log(weights))
    curve = Curve(spectra)
    components, rates = curve.components_of_each(coordinates), curve.points_of_each(coordinates)
    for place, (frontier, loss) in enumerate(members):
        best = BestPoint(float(losses[place]), rates.taken(place), components[place, 0])
        frontier.remember(spectra.taken(place), loss, best)


def _spectra(pairs: list[TwoClassMoments]) -> Spectrum | None:
    """Return the spectra of several pairs; None if one of them needs more care."""
    found = None
    if pairs[0].n_features <= _DIAGONALISED_TOGETHER:
        covariances = np.array(
            [[own.covariance.toarray() for own in (pair.positive, pair.negative)] for pair in pairs]
        )
        found = diagonalise_all(covariances, np.array([pair.delta for pair in pairs]))
    return stacked_spectra([diagonalise(pair) for pair in pairs]) if found is None else found


def best_coordinates(spectra: Spectrum, log_weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coordinate of the lowest weighted error along each curve, and its logarithm.

    See `best_coordinate`. Coordinates are in a column, as `Curve.points_of_each` takes them.

    Parameters
    ----------
    spectra : Spectrum
        Of several pairs.
    log_weights : ndarray of shape (n_pairs, 2)
        Logarithms of the weights of the false-negative and the false-positive rate.
    """
    ratios = log_weights[:, :1] - log_weights[:, 1:]
    slopes = Curve(spectra).points(GRID).log_density_ratio + ratios
    rises = slopes >= 0
    pairs, left = np.nonzero(~rises[:, :-1] & rises[:, 1:])
    ends = np.stack([GRID[left], GRID[left + 1]])
    found = _roots(
        Curve(spectra.taken(pairs)),
        ratios[pairs],
        ends,
        np.stack([slopes[pairs, left], slopes[pairs, left + 1]]),
    )
    # Also the ends of the grid: the loss may fall all the way to a constant rule.
    every = np.arange(len(slopes))
    owners = np.concatenate([every, pairs, every])
    first, last = np.full(len(every), GRID[0]), np.full(len(every), GRID[-1])
    candidates = np.concatenate([first, found, last])
    points = Curve(spectra.taken(owners)).points_of_each(candidates[:, None])
    losses = np.logaddexp(
        log_weights[owners, 0] + log_ndtr(-points.z_positive[:, 0]),
        log_weights[owners, 1] + log_ndtr(-points.z_negative[:, 0]),
    )
    order = np.lexsort((losses, owners))
    best = order[np.searchsorted(owners[order], every)]
    return candidates[best, None], losses[best]


def _roots(curve: Curve, ratios: FloatArray, ends: FloatArray, values: FloatArray) -> FloatArray:
    """Return where the slope of each curve becomes positive between two points.

    Parameters
    ----------
    curve : Curve
        A pair for each root.
    ratios : ndarray of shape (n_roots, 1)
        Logarithms of the ratios of the weights.
    ends, values : ndarray of shape (2, n_roots)
        Both points, and the slopes there.
    """
    (left, right), (below, above) = ends.copy(), values.copy()
    rows = np.arange(len(left))
    while (right - left > ROOT_TOLERANCE).any():
        width, rise = right - left, above - below
        share = np.where(np.isfinite(rise), -below / rise, 0.5)
        inner = left[:, None] + width[:, None] * (share[:, None] + AROUND)
        inner = np.clip(inner, left[:, None], right[:, None])
        slopes = curve.points_of_each(inner).log_density_ratio + ratios
        # The last point before the slope is positive, and the first one after it.
        points = np.column_stack([left, inner, right])
        slopes = np.column_stack([below, slopes, above])
        rises = slopes >= 0
        rises[:, 0], rises[:, -1] = False, True
        after = rises.argmax(axis=1)
        left, right = points[rows, after - 1], points[rows, after]
        below, above = slopes[rows, after - 1], slopes[rows, after]
        if not (right - left < width).any():
            break  # neighbours in float64
    return np.asarray(np.where(-below < above, left, right))
