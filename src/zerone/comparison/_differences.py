"""How contestants differ in a metric: which is better, and whether that is significant."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

from zerone.comparison._compare import Comparison
from zerone.comparison._corrected_t import corrected_t

ALWAYS = {"accuracy": "error", "AUC": "auc", "balanced error": "balanced_error"}
"""Metrics of every comparison, and the names by which classifiers are trained for them."""


def sign_of(comparison: Comparison, metric: str) -> float:
    """Return 1 if more of a metric is better, and -1 if less is."""
    if metric in ALWAYS:
        return -1.0 if metric == "balanced error" else 1.0
    return -1.0 if comparison.metric.lower_is_better else 1.0


def best_of(comparison: Comparison, metric: str, names: Sequence[str]) -> str:
    """Return the contestant with the best mean."""
    sign = sign_of(comparison, metric)
    return max(names, key=lambda name: sign * comparison.mean(name, metric))


def t_between(comparison: Comparison, metric: str, one: str, other: str) -> float:
    """Return the corrected t of one contestant against another, positive if it is better.

    It is infinite where all splits have the same difference.
    """
    sign = sign_of(comparison, metric)
    a, b = (sign * comparison.metrics[name][metric] for name in (one, other))
    return corrected_t(a, b, 1 / (comparison.folds - 1))


def finite_t(comparison: Comparison, metric: str, one: str, other: str) -> float:
    """Return the same, but zero where all splits have the same difference: it proves nothing."""
    t = t_between(comparison, metric, one, other)
    return t if np.isfinite(t) else 0.0


def least_t(n_splits: int) -> float:
    """Return beyond which t a difference is significant (5 %)."""
    return float(student.ppf(0.975, max(n_splits - 1, 1)))
