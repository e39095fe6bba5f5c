"""What the recommended classifier is worse at than others, and what to use for that."""

from dataclasses import dataclass

from zerone.comparison._compare import Comparison
from zerone.comparison._differences import ALWAYS, best_of, finite_t

_USES = {"accuracy": "to predict classes", "AUC": "to rank rows"}


@dataclass(frozen=True)
class Weakness:
    """A metric in which the recommended classifier is significantly worse than another one.

    Attributes
    ----------
    metric : str
    value : float
        Of the recommended classifier.
    better : str
        The other one.
    better_value, t : float
        Of the other one; t is positive.
    sentence : str
    """

    metric: str
    value: float
    better: str
    better_value: float
    t: float
    sentence: str


def weaknesses(comparison: Comparison, recommended: str, least: float) -> tuple[Weakness, ...]:
    """Return all metrics but the deciding one in which another linear classifier is better.

    ``least`` is the t beyond which it is significant.
    """
    return tuple(
        found
        for metric in ALWAYS
        if metric != comparison.deciding and metric in comparison.metrics[recommended]
        for found in _in_metric(comparison, metric, recommended, least)
    )


def _in_metric(
    comparison: Comparison, metric: str, recommended: str, least: float
) -> list[Weakness]:
    """Return the weakness in a metric, or nothing.

    One of ours is named where no other is significantly better than that.
    """
    ours, rivals = comparison.named("ours"), comparison.named("rival")
    candidates = [*ours, *([best_of(comparison, metric, rivals)] if rivals else [])]
    better = [
        name
        for name in candidates
        if name != recommended and finite_t(comparison, metric, name, recommended) > least
    ]
    if not better:
        return []
    best = best_of(comparison, metric, better)
    as_good = [
        name
        for name in better
        if name in ours and not finite_t(comparison, metric, best, name) > least
    ]
    named = best_of(comparison, metric, as_good) if as_good else best
    value, better_value = (comparison.mean(name, metric) for name in (recommended, named))
    sentence = (
        f"In {metric}, {recommended} ({value:.4f}) is significantly worse than {named} "
        f"({better_value:.4f}): {_advice(comparison, metric, named)}."
    )
    t = finite_t(comparison, metric, named, recommended)
    return [Weakness(metric, value, named, better_value, t, sentence)]


def _advice(comparison: Comparison, metric: str, better: str) -> str:
    """Return what to do where this metric matters."""
    # With these both of zerone's classifiers compete, each trained for its own metric.
    is_trained_for = comparison.metric.name in ("error", "auc") and metric in _USES
    if comparison.roles[better] == "ours" or is_trained_for:
        return f"use {better} {_USES.get(metric, 'where that matters')}"
    return f"compare with the metric {ALWAYS[metric]} if that matters"
