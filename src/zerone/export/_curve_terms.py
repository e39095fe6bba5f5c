"""Log-odds and probabilities of a score, as SQL."""

import numpy as np

from zerone._probability.curves import JUST_POSITIVE, Curve, Lines, Parabola
from zerone.export._dialects._dialect import Dialect

# Larger log-odds would overflow the exponential; the probability is 0 or 1 there.
_MOST_ODDS = 700.0
_LARGEST = float(np.finfo(np.float64).max)


def probability(curve: Curve, score: str, write: Dialect) -> str:
    """Return the probability of the second class; NULL where there is no finite score."""
    limits = write.number(-_MOST_ODDS), write.number(_MOST_ODDS)
    odds = write.least(write.greatest(_odds(curve, score, write), limits[0]), limits[1])
    ends = write.number(-_LARGEST), write.number(_LARGEST)
    # Functions of several numbers leave out those that are NULL.
    return (
        f"CASE WHEN {score} BETWEEN {ends[0]} AND {ends[1]} "
        f"THEN {write.number(1)} / ({write.number(1)} + EXP(-({odds}))) END"
    )


def _odds(curve: Curve, score: str, write: Dialect) -> str:
    """Return the log-odds of the second class."""
    if isinstance(curve, Parabola):
        odds = _on_parabola(curve, score, write)
    else:
        odds = _on_lines(curve, score, write)
    if not curve.follows_threshold or curve.passes_zero:
        return odds
    above = write.greatest(odds, write.number(JUST_POSITIVE))
    below = write.least(odds, write.number(0))
    return f"(CASE WHEN {score} > 0 THEN {above} ELSE {below} END)"


def _on_parabola(curve: Parabola, score: str, write: Dialect) -> str:
    distance = f"({score} - {write.number(curve.centre)})"
    if np.isfinite(curve.lowest):
        distance = f"({write.greatest(distance, write.number(curve.lowest))})"
    if np.isfinite(curve.highest):
        distance = f"({write.least(distance, write.number(curve.highest))})"
    if curve.is_anchored:
        centre, slope, bend = map(write.number, (curve.centre, curve.slope, curve.bend))
        return f"(({distance} + {centre}) * ({slope} + {bend} * ({distance} - {centre})))"
    value, slope, bend = map(write.number, (curve.at_centre, curve.slope, curve.bend))
    return f"({value} + ({bend} * {distance} + {slope}) * {distance})"


def _on_lines(curve: Lines, score: str, write: Dialect) -> str:
    knots, values = curve.knots, curve.values
    starts = zip((knots[0], *knots), (values[0], *values), strict=True)
    lines = [
        f"{write.number(value)} + {write.number(slope)} * ({score} - {write.number(start)})"
        for (start, value), slope in zip(
            starts, (curve.below, *curve.slopes, curve.above), strict=True
        )
    ]
    cases = [
        f"WHEN {score} <= {write.number(end)} THEN {line}"
        for end, line in zip(knots, lines[:-1], strict=True)
    ]
    return f"(CASE {' '.join(cases)} ELSE {lines[-1]} END)"
