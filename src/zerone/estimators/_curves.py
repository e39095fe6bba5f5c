"""Log-odds as plain functions of a score: what is left of a model when it is written to a file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from zerone._typing import FloatArray
from zerone.estimators._log_odds import LogOddsModel


@dataclass(frozen=True)
class Parabola(LogOddsModel):
    """Log-odds that are a parabola of the score, held constant beyond some distance.

    With the distance t of the score from ``centre``, held between ``lowest`` and ``highest``:
    ``at_centre + slope · t + bend · t²``.

    Attributes
    ----------
    centre, at_centre, slope, bend : float
    lowest, highest : float
    is_anchored : bool
        Whether the log-odds at a score of zero are zero; ``at_centre`` then follows from the
        others.
    follows_threshold : bool
        Whether the probability is on the same side of one half as the score of zero.
    """

    centre: float
    at_centre: float
    slope: float
    bend: float
    lowest: float
    highest: float
    is_anchored: bool
    follows_threshold: bool

    def _odds(self, score: FloatArray) -> FloatArray:
        distance = np.clip(score - self.centre, self.lowest, self.highest)
        if self.is_anchored:
            # L(z) − L(0), factored so that it is precise near zero.
            clamped = distance + self.centre
            return clamped * (self.slope + self.bend * (distance - self.centre))
        return self.at_centre + (self.bend * distance + self.slope) * distance


@dataclass(frozen=True)
class Lines(LogOddsModel):
    """Log-odds that are two straight lines which meet at ``centre``.

    Attributes
    ----------
    centre, at_centre : float
    below, above : float
        Slopes.
    follows_threshold : bool
        Whether the probability is on the same side of one half as the score of zero.
    """

    centre: float
    at_centre: float
    below: float
    above: float
    follows_threshold: bool

    def _odds(self, score: FloatArray) -> FloatArray:
        distance = score - self.centre
        odds: FloatArray = self.at_centre + distance * np.where(
            distance > 0, self.above, self.below
        )
        return odds


Curve: TypeAlias = Parabola | Lines
_KINDS: dict[str, type[Parabola] | type[Lines]] = {"parabola": Parabola, "lines": Lines}


def curve_to_dict(curve: Curve) -> dict[str, Any]:
    """Return plain values for JSON; what is infinite is None."""
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
        raise ValueError(f"a curve is of the unknown kind {given.get('kind')!r}")
    values: dict[str, Any] = {}
    for field in fields(kind):
        value = given.get(field.name)
        if field.type is bool or field.type == "bool":
            if not isinstance(value, bool):
                raise ValueError(f"{field.name} of a curve is not true or false")
        elif value is None and field.name in ("lowest", "highest"):
            value = -np.inf if field.name == "lowest" else np.inf
        elif (
            isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value)
        ):
            raise ValueError(f"{field.name} of a curve is not a finite number")
        values[field.name] = value if isinstance(value, bool) else float(value)
    return kind(**values)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
    )
