"""Log-odds and probabilities as functions of a score, in a form that model files can hold."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from scipy.special import expit, log_expit

from zerone._typing import FloatArray

# Scores where chords of a parabola meet; the pooled standard deviation of scores is one.
_CHORDS = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
# Small log-odds whose probability still differs from one half in float64.
JUST_POSITIVE = 1e-15


class LogOddsCurve(ABC):
    """Probability of the positive class of a pair given a score, monotone in the score.

    Attributes
    ----------
    follows_threshold : bool
        Whether the probability is above one half exactly where the score is positive.
    """

    follows_threshold: bool

    @property
    @abstractmethod
    def passes_zero(self) -> bool:
        """Whether the log-odds are zero at a score of zero."""

    @abstractmethod
    def through_zero(self) -> "Lines":
        """Return lines with these slopes whose log-odds are zero at a score of zero.

        They are cheap to evaluate, and small changes of a score change them little.
        """

    @abstractmethod
    def _odds(self, score: FloatArray) -> FloatArray:
        """Return log-odds that never fall with the score."""

    @abstractmethod
    def _odds_on(self, xp: Any, score: Any) -> Any:
        """Return the same with the functions of another array library."""

    def log_odds_on(self, xp: Any, score: Any) -> Any:
        """Return `log_odds` of scores on a device, there.

        Parameters
        ----------
        xp : module
            With the functions of the array API standard.
        score : array of shape (n_rows,)
        """
        odds = self._odds_on(xp, score)
        if not self.follows_threshold:
            return odds
        return xp.where(
            score > 0, xp.clip(odds, min=JUST_POSITIVE, max=None), xp.clip(odds, min=None, max=0.0)
        )

    def log_odds(self, score: FloatArray) -> FloatArray:
        """Return the log-odds of the positive class, monotone in the score."""
        odds = self._odds(score)
        if not self.follows_threshold:
            return odds
        return np.where(score > 0, np.maximum(odds, JUST_POSITIVE), np.minimum(odds, 0.0))

    def probabilities(self, score: FloatArray) -> FloatArray:
        """Return the probabilities of the negative and the positive class, in columns."""
        odds = self.log_odds(score)
        return np.column_stack([expit(-odds), expit(odds)])

    def log_probabilities(self, score: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities, precise where they are near zero."""
        odds = self.log_odds(score)
        return np.column_stack([log_expit(-odds), log_expit(odds)])


@dataclass(frozen=True)
class Parabola(LogOddsCurve):
    """Log-odds that are a parabola of the score, constant beyond some distance.

    ``at_centre + slope · t + bend · t²`` with t = score − ``centre``, clipped to ``lowest`` and
    ``highest``.

    Attributes
    ----------
    centre, at_centre, slope, bend : float
    lowest, highest : float
    is_anchored : bool
        Whether the log-odds at a score of zero are zero; ``at_centre`` is then not used.
    follows_threshold : bool
        Whether the probability is above one half exactly where the score is positive.
    """

    centre: float
    at_centre: float
    slope: float
    bend: float
    lowest: float
    highest: float
    is_anchored: bool
    follows_threshold: bool

    @property
    def passes_zero(self) -> bool:
        """Whether the log-odds are zero at a score of zero."""
        return self.is_anchored

    def through_zero(self) -> "Lines":
        """Return chords of the parabola, shifted to zero at a score of zero."""
        knots = np.unique(np.clip(_CHORDS, self.centre + self.lowest, self.centre + self.highest))
        knots = np.unique(np.append(knots, 0.0))
        beyond = np.array([knots[0] - 1, knots[-1] + 1])
        values, outside = self._odds(knots), self._odds(beyond)
        below, above = values[0] - outside[0], outside[1] - values[-1]
        chords = Lines(
            tuple(knots.tolist()),
            tuple(np.maximum.accumulate(values).tolist()),
            max(float(below), 0.0),
            max(float(above), 0.0),
            self.follows_threshold,
        )
        return chords.through_zero()

    def _odds(self, score: FloatArray) -> FloatArray:
        return np.asarray(self._odds_on(np, score))

    def _odds_on(self, xp: Any, score: Any) -> Any:
        distance = xp.clip(score - self.centre, self.lowest, self.highest)
        if self.is_anchored:
            # L(z) − L(0), factored to be precise near zero.
            clamped = distance + self.centre
            return clamped * (self.slope + self.bend * (distance - self.centre))
        return self.at_centre + (self.bend * distance + self.slope) * distance


@dataclass(frozen=True)
class Lines(LogOddsCurve):
    """Log-odds that are straight lines, which meet at ``knots``.

    Attributes
    ----------
    knots, values : tuple of float
        Rising scores, and the log-odds there, which never fall.
    below, above : float
        Slopes beyond the first and the last knot.
    follows_threshold : bool
        Whether the probability is above one half exactly where the score is positive.
    """

    knots: tuple[float, ...]
    values: tuple[float, ...]
    below: float
    above: float
    follows_threshold: bool

    def __post_init__(self) -> None:
        rises = all(a < b for a, b in pairwise(self.knots))
        falls = any(a > b for a, b in pairwise(self.values)) or min(self.below, self.above) < 0
        if not self.knots or len(self.knots) != len(self.values) or not rises or falls:
            raise ValueError("the lines of a curve do not rise from knot to knot")

    @property
    def passes_zero(self) -> bool:
        """Whether the log-odds are zero at a score of zero."""
        return (0.0, 0.0) in zip(self.knots, self.values, strict=True)

    @property
    def slopes(self) -> tuple[float, ...]:
        """Slopes between neighbouring knots."""
        between = zip(pairwise(self.knots), pairwise(self.values), strict=True)
        return tuple((top - bottom) / (end - start) for (start, end), (bottom, top) in between)

    def through_zero(self) -> "Lines":
        """Return the same lines, shifted to zero at a score of zero, where there is a knot."""
        # In single precision, so that many of them take little room in a pickle.
        knots = np.unique(_short(np.append(self.knots, 0.0)))
        values = self._odds(knots)
        values = _short(values - values[np.searchsorted(knots, 0.0)])
        below, above = _short(np.array([self.below, self.above])).tolist()
        return Lines(
            tuple(knots.tolist()), tuple(values.tolist()), below, above, self.follows_threshold
        )

    def _odds(self, score: FloatArray) -> FloatArray:
        first, last = self.knots[0], self.knots[-1]
        odds: FloatArray = np.interp(score, self.knots, self.values)
        odds += self.below * np.minimum(score - first, 0.0)
        odds += self.above * np.maximum(score - last, 0.0)
        return odds

    def _odds_on(self, xp: Any, score: Any) -> Any:
        first, *between = self.knots
        odds = self.values[0] + self.below * (xp.clip(score, min=None, max=first) - first)
        starts, slopes = (first, *between), (*self.slopes, self.above)
        for start, stop, slope in zip(starts, (*between, None), slopes, strict=True):
            odds = odds + slope * (xp.clip(score, min=start, max=stop) - start)
        return odds


Curve: TypeAlias = Parabola | Lines


def _short(values: FloatArray) -> FloatArray:
    """Return the nearest numbers of single precision."""
    return values.astype(np.float32).astype(np.float64)


_KINDS: dict[str, type[Parabola] | type[Lines]] = {"parabola": Parabola, "lines": Lines}


def curve_to_dict(curve: Curve) -> dict[str, Any]:
    """Return plain values for JSON; infinite values become None."""
    kind = next(name for name, own in _KINDS.items() if isinstance(curve, own))
    values = {
        name: None if isinstance(value, float) and np.isinf(value) else value
        for name, value in asdict(curve).items()
    }
    return {"kind": kind, **values}


def curve_from_dict(given: Mapping[str, Any]) -> Curve:
    """Return the curve that `curve_to_dict` described; ValueError for anything else."""
    kind = _KINDS.get(given.get("kind", ""))
    if kind is None:
        raise ValueError(f"a curve has the unknown kind {given.get('kind')!r}")
    values: dict[str, Any] = {}
    for field in fields(kind):
        value = given.get(field.name)
        if field.type is bool:
            if not isinstance(value, bool):
                raise ValueError(f"{field.name} of a curve is not a boolean")
            values[field.name] = value
        elif field.type is float:
            limits = {"lowest": -np.inf, "highest": np.inf}
            is_limit = value is None and field.name in limits
            values[field.name] = limits[field.name] if is_limit else _number(field.name, value)
        elif isinstance(value, list | tuple):
            values[field.name] = tuple(_number(field.name, own) for own in value)
        else:
            raise ValueError(f"{field.name} of a curve is not a list")
    return kind(**values)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ValueError(f"{name} of a curve is not a finite number")
    return float(value)
