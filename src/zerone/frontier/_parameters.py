"""The metrics by name, and the parameters each of them takes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

# Name of the metric -> its parameters, with their defaults where they have one.
METRICS: dict[str, dict[str, float | None]] = {
    "error": {},
    "balanced_error": {},
    "auc": {},
    "f1": {"beta": 1.0},
    "fbeta": {"beta": None},
    "cost": {"false_negative_cost": None, "false_positive_cost": None},
    "true_positive_rate": {"max_false_positive_rate": None},
    "false_positive_rate": {"min_true_positive_rate": None},
}


def metric_parameters(metric: Any, given: Mapping[str, Any]) -> dict[str, float]:
    """Return the parameters of a metric as numbers; raises for any that is wrong.

    Parameters
    ----------
    metric : str
    given : mapping name -> value
    """
    try:
        expected = METRICS[metric]
    except (KeyError, TypeError):
        raise ValueError(f"metric: got {metric!r}, expected one of {list(METRICS)}") from None
    unknown = sorted(set(given) - set(expected))
    if unknown:
        takes = ", ".join(expected) or "none"
        raise TypeError(
            f"metric {metric!r} takes no parameter {unknown[0]!r}; its parameters are: {takes}"
        )
    values = {**expected, **given}
    missing = [name for name in expected if values[name] is None and name not in given]
    if missing:
        raise TypeError(f"metric {metric!r} needs the parameter {missing[0]!r}")
    try:
        numbers = {name: float(values[name]) for name in expected}
    except (TypeError, ValueError):
        raise ValueError(f"metric {metric!r}: got {values!r}, expected numbers") from None
    for name, value in numbers.items():
        _check(name, value)
    return numbers


def _check(name: str, value: float) -> None:
    if name == "beta" and not 1e-4 <= value <= 1e4:
        raise ValueError(f"beta: got {value!r}, expected a number from 0.0001 to 10000")
    if name.endswith("_cost") and not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name}: got {value!r}, expected a positive finite number")
    if name.endswith("_rate") and not 0 < value < 1:
        raise ValueError(f"{name}: got {value!r}, expected a rate between 0 and 1, exclusive")
