"""What a model is to be good at, as users spell it."""

from dataclasses import dataclass, field

_NAMES = "error, auc, f1, balanced, or cost=MISS:FALSE_ALARM such as cost=10:1"


@dataclass(frozen=True)
class Objective:
    """Which classifier is fitted, and what it is retargeted to afterwards.

    Attributes
    ----------
    is_auc : bool
    metric : str or None
        None where the classifier minimises it already.
    parameters : dict
    """

    is_auc: bool = False
    metric: str | None = None
    parameters: dict[str, float] = field(default_factory=dict)


def parse_objective(text: str) -> Objective:
    """Return the objective that a text names."""
    plain = {
        "error": Objective(),
        "auc": Objective(is_auc=True),
        "f1": Objective(metric="f1"),
        "balanced": Objective(metric="balanced_error"),
    }
    if text in plain:
        return plain[text]
    name, _, costs = text.partition("=")
    try:
        miss, false_alarm = (float(cost) for cost in costs.split(":"))
    except ValueError:
        raise ValueError(f"--objective: got {text!r}, expected {_NAMES}") from None
    if name != "cost" or not (0 < miss < float("inf") and 0 < false_alarm < float("inf")):
        raise ValueError(f"--objective: got {text!r}, expected {_NAMES}")
    return Objective(
        metric="cost",
        parameters={"false_negative_cost": miss, "false_positive_cost": false_alarm},
    )
