"""The recommendation of a comparison, in words."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from zerone._errors import AdviceError
from zerone.comparison._compare import Comparison
from zerone.comparison._contestants import CONTESTANTS
from zerone.comparison._corrected_t import corrected_t

_OURS = {contestant.name for contestant in CONTESTANTS if contestant.is_ours}
_WORDS = {"accuracy": "more accurate", "AUC": "better at ranking"}


@dataclass(frozen=True)
class Verdict:
    """A recommendation and its reasons.

    Attributes
    ----------
    metric : str
        The metric that decides, as in `Comparison.metrics`.
    best : str
        The contestant with the best mean.
    ours : str
        zerone's classifier for this metric.
    rival : str or None
        The best of the others; None if all of them were stopped at their time limit.
    t : float
        Corrected resampled t statistic of ours against the rival's, positive if ours is better;
        zero if all splits have the same difference, nan without a rival.
    least : float
        Differences are significant (5 %) if |t| is larger than this.
    sentence : str
    """

    metric: str
    best: str
    ours: str
    rival: str | None
    t: float
    least: float
    sentence: str


def verdict(comparison: Comparison) -> Verdict:
    """Return which classifier to use for the metric of a comparison."""
    metric = comparison.deciding
    names = [name for name in comparison.metrics if metric in comparison.metrics[name]]
    ours_only = all(name in _OURS for name in names) and not comparison.stopped
    if not any(name in _OURS for name in names) or ours_only:
        why = "; ".join(f"{name}: {reason}" for name, reason in comparison.failures.items())
        raise AdviceError(
            f"{metric} could not be measured for zerone and a rival" + (f" ({why})" if why else ""),
            "compare at least one classifier of zerone and one rival that can be fitted",
        )
    # Accuracy decides for the error.
    sign = -1.0 if comparison.metric.lower_is_better and metric != "accuracy" else 1.0
    meant = "AUCClassifier" if comparison.metric.is_ranking else "ZeroOneClassifier"
    ours = meant if meant in names else next(name for name in names if name in _OURS)
    rivals = [name for name in names if name not in _OURS]
    if not rivals:
        return _without_rival(comparison, ours)
    rival = max(rivals, key=lambda name: sign * comparison.mean(name, metric))
    own, other = (sign * comparison.metrics[name][metric] for name in (ours, rival))
    t = corrected_t(own, other, 1 / (comparison.folds - 1))
    t = t if np.isfinite(t) else 0.0
    least = _least(len(own))
    a, b = (f"{name} ({comparison.mean(name, metric):.4f})" for name in (ours, rival))
    speed = _speed(comparison.mean(rival, "seconds") / comparison.mean(ours, "seconds"))
    of_which = "" if comparison.positive is None else f" (positive class {comparison.positive!r})"
    what = _WORDS.get(metric, f"better in {metric}{of_which}")
    if t > least:
        sentence = f"Use {a}: significantly {what} than {b}, the best rival, and {speed} to fit."
    elif t < -least:
        sentence = f"Use {b}: significantly {what} than {a} on these rows."
    else:
        sentence = (
            f"No significant difference in {metric}{of_which} between {a} and {b}, the best rival; "
            f"{ours} is {speed} to fit."
        )
    sentence += _of_stopped(comparison)
    best = ours if own.mean() >= other.mean() else rival
    return Verdict(metric, best, ours, rival, t, least, sentence)


def _without_rival(comparison: Comparison, ours: str) -> Verdict:
    metric = comparison.deciding
    sentence = f"Use {ours} ({comparison.mean(ours, metric):.4f}).{_of_stopped(comparison)}"
    n_splits = len(comparison.metrics[ours][metric])
    return Verdict(metric, ours, ours, None, float("nan"), _least(n_splits), sentence)


def _least(n_splits: int) -> float:
    return float(student.ppf(0.975, max(n_splits - 1, 1)))


def _of_stopped(comparison: Comparison) -> str:
    if not comparison.stopped:
        return ""
    *others, last = comparison.stopped
    names = f"{', '.join(others)} and {last} were" if others else f"{last} was"
    return f" {names} stopped at the time limit of {comparison.time_limit:.3g} s."


def _speed(pace: float) -> str:
    if 0.8 < pace < 1.25:
        return "about as fast"
    return f"{pace:.1f} times as fast" if pace >= 1 else f"{1 / pace:.1f} times slower"
