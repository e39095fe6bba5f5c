"""The recommendation of a comparison, in words."""

from dataclasses import dataclass

from zerone._errors import AdviceError
from zerone.comparison._beside import beside_majority, beside_nonlinear, beside_straight
from zerone.comparison._compare import Comparison
from zerone.comparison._contestants import BENT, Role
from zerone.comparison._differences import best_of, finite_t, least_t
from zerone.comparison._weaknesses import Weakness, weaknesses

_WORDS = {"accuracy": "more accurate", "AUC": "better at ranking"}


@dataclass(frozen=True)
class Verdict:
    """A recommendation and its reasons.

    Attributes
    ----------
    metric : str
        The metric that decides, as in `Comparison.metrics`.
    recommended : str
        The rival if it is significantly better, otherwise ours.
    best : str
        The better mean of both.
    ours : str
        zerone's classifier for this metric; the one whose columns bend if it is significantly
        better.
    rival : str or None
        The best of the linear rivals; None if none was measured.
    t : float
        Corrected resampled t statistic of ours against the rival's, positive if ours is better;
        zero if all splits have the same difference, nan without a rival.
    least : float
        Differences are significant (5 %) if |t| is larger than this.
    worse_at : tuple of Weakness
        Metrics in which the recommended classifier is significantly worse than another one.
    sentences : tuple of str
        The recommendation; what bends change; what it is worse at; how it compares with the
        majority class and with classifiers that are not linear; who was stopped.
    """

    metric: str
    recommended: str
    best: str
    ours: str
    rival: str | None
    t: float
    least: float
    worse_at: tuple[Weakness, ...]
    sentences: tuple[str, ...]

    @property
    def shapes(self) -> str | None:
        """The parameter ``shapes`` of ours."""
        return "auto" if self.ours.startswith(BENT) else None

    @property
    def sentence(self) -> str:
        """All sentences in one line."""
        return " ".join(self.sentences)


def verdict(comparison: Comparison) -> Verdict:
    """Return which classifier to use for the metric of a comparison."""
    metric = comparison.deciding
    all_of_ours = _measured(comparison, metric, "ours")
    others = _measured(comparison, metric, "rival", "majority", "nonlinear")
    if not all_of_ours or not (others or comparison.stopped):
        why = "; ".join(f"{name}: {reason}" for name, reason in comparison.failures.items())
        raise AdviceError(
            f"{metric} could not be measured for zerone and a rival" + (f" ({why})" if why else ""),
            "compare at least one classifier of zerone and one rival that can be fitted",
        )
    meant = "AUCClassifier" if comparison.metric.is_ranking else "ZeroOneClassifier"
    ours = meant if meant in all_of_ours else all_of_ours[0]
    rivals = _measured(comparison, metric, "rival")
    rival = best_of(comparison, metric, rivals) if rivals else None
    least = least_t(len(comparison.metrics[ours][metric]))
    straight, bent = ours, BENT + ours
    if bent in all_of_ours and finite_t(comparison, metric, bent, ours) > least:
        ours = bent
    t = float("nan") if rival is None else finite_t(comparison, metric, ours, rival)
    recommended = rival if rival is not None and t < -least else ours
    found = weaknesses(comparison, recommended, least)
    return Verdict(
        metric,
        recommended,
        ours if rival is None else best_of(comparison, metric, [ours, rival]),
        ours,
        rival,
        t,
        least,
        found,
        (
            _recommendation(comparison, ours, rival, t, least),
            *beside_straight(comparison, straight, bent, least),
            *(own.sentence for own in found),
            *beside_majority(comparison, recommended, least),
            *beside_nonlinear(comparison, least),
            *_of_stopped(comparison),
        ),
    )


def _measured(comparison: Comparison, metric: str, *roles: Role) -> list[str]:
    return [name for name in comparison.named(*roles) if metric in comparison.metrics[name]]


def _recommendation(
    comparison: Comparison, ours: str, rival: str | None, t: float, least: float
) -> str:
    metric = comparison.deciding
    a = f"{ours} ({comparison.mean(ours, metric):.4f})"
    if rival is None:
        return f"Use {a}."
    b = f"{rival} ({comparison.mean(rival, metric):.4f})"
    speed = _speed(comparison.mean(rival, "seconds") / comparison.mean(ours, "seconds"))
    of_which = "" if comparison.positive is None else f" (positive class {comparison.positive!r})"
    what = _WORDS.get(metric, f"better in {metric}{of_which}")
    if t > least:
        return f"Use {a}: significantly {what} than {b}, the best rival, and {speed} to fit."
    if t < -least:
        return f"Use {b}: significantly {what} than {a} on these rows."
    return (
        f"No significant difference in {metric}{of_which} between {a} and {b}, the best rival; "
        f"{ours} is {speed} to fit."
    )


def _of_stopped(comparison: Comparison) -> tuple[str, ...]:
    if not comparison.stopped:
        return ()
    *others, last = comparison.stopped
    names = f"{', '.join(others)} and {last} were" if others else f"{last} was"
    return (f"{names} stopped at the time limit of {comparison.time_limit:.3g} s.",)


def _speed(pace: float) -> str:
    if 0.8 < pace < 1.25:
        return "about as fast"
    return f"{pace:.1f} times as fast" if pace >= 1 else f"{1 / pace:.1f} times slower"
