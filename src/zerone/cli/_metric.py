"""The metric to optimise: ``--metric`` and its parameters."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from zerone import AUCClassifier, ZeroOneClassifier
from zerone.metrics import METRICS, chosen_metric

MetricName = Annotated[
    str,
    typer.Option("--metric", help=f"What to optimise: {', '.join(METRICS)}.", show_default=True),
]


def _parameter(name: str, text: str) -> Any:
    return Annotated[float | None, typer.Option(name, help=text, show_default=False)]


Beta = _parameter("--beta", "Weight of recall, for the metric fbeta.")
FalseNegativeCost = _parameter("--false-negative-cost", "For the metric cost.")
FalsePositiveCost = _parameter("--false-positive-cost", "For the metric cost.")
MaxFalsePositiveRate = _parameter("--max-false-positive-rate", "For the metric true_positive_rate.")
MinTruePositiveRate = _parameter("--min-true-positive-rate", "For the metric false_positive_rate.")


@dataclass(frozen=True)
class WantedMetric:
    """The metric of the options, checked.

    Attributes
    ----------
    name : str
    parameters : dict
    """

    name: str
    parameters: dict[str, float]

    @classmethod
    def of(cls, name: str, **parameters: float | None) -> "WantedMetric":
        """Return the metric of some options; raises for options of another metric."""
        given = {own: value for own, value in parameters.items() if value is not None}
        chosen_metric(name, given)
        return cls(name, given)

    def estimator(self, **parameters: Any) -> Any:
        """Return the classifier to fit."""
        kind = AUCClassifier if self.name == "auc" else ZeroOneClassifier
        return kind(**parameters)

    def retargeted(self, model: Any) -> Any:
        """Return a fitted classifier with the rule for the metric."""
        is_optimised = self.name in ("error", "auc")
        return model if is_optimised else model.retarget(self.name, **self.parameters)
