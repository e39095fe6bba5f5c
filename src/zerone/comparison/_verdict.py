"""What a comparison means, in words."""

from dataclasses import dataclass

from zerone.comparison._compare import Comparison
from zerone.comparison._contestants import CONTESTANTS
from zerone.experiments import SIGNIFICANT, corrected_t

_OURS = {contestant.name for contestant in CONTESTANTS if contestant.is_ours}


@dataclass(frozen=True)
class Verdict:
    """A recommendation and what it rests on.

    Attributes
    ----------
    measure : str
        That was decisive: ``accuracy`` or ``AUC``.
    best : str
        The contestant with the best mean.
    ours, rival : str
        The best of zerone's and the best of the others.
    t : float
        Corrected resampled t statistic of ours minus the rival's; beyond ±2 is significant.
    sentence : str
    """

    measure: str
    best: str
    ours: str
    rival: str
    t: float
    sentence: str


def verdict(comparison: Comparison, measure: str = "accuracy") -> Verdict:
    """Return who should be used where a measure counts.

    Parameters
    ----------
    comparison : Comparison
    measure : {"accuracy", "AUC"}
    """
    names = [name for name in comparison.measures if measure in comparison.measures[name]]
    if not any(name in _OURS for name in names) or all(name in _OURS for name in names):
        raise ValueError(f"measure: {measure!r} was not measured for zerone and a rival")
    ours = max((n for n in names if n in _OURS), key=lambda n: comparison.mean(n, measure))
    rival = max((n for n in names if n not in _OURS), key=lambda n: comparison.mean(n, measure))
    values = [comparison.measures[name][measure] for name in (ours, rival)]
    t = corrected_t(*values)
    a, b = (f"{name} ({comparison.mean(name, measure):.4f})" for name in (ours, rival))
    speed = _speed(comparison.mean(rival, "seconds") / comparison.mean(ours, "seconds"))
    what = "accurate" if measure == "accuracy" else "good at ranking"
    if t > SIGNIFICANT:
        sentence = (
            f"Use {a}: significantly more {what} than {b}, the best rival, and {speed} to fit."
        )
    elif t < -SIGNIFICANT:
        sentence = f"Use {b}: significantly more {what} than {a} on these rows."
    else:
        sentence = (
            f"No significant difference in {measure} between {a} and {b}, the best rival; {ours} "
            f"is {speed} to fit."
        )
    best = ours if comparison.mean(ours, measure) >= comparison.mean(rival, measure) else rival
    return Verdict(measure, best, ours, rival, t, sentence)


def _speed(pace: float) -> str:
    if 0.8 < pace < 1.25:
        return "about as fast"
    return f"{pace:.1f} times as fast" if pace >= 1 else f"{1 / pace:.1f} times slower"
