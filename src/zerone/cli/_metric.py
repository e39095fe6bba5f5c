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
Positive = Annotated[
    str | None,
    typer.Option(
        "--positive",
        help="The positive class of the metric; by default the last in sorted order.",
        show_default=False,
    ),
]


def _parameter(name: str, text: str) -> Any:
    return Annotated[float | None, typer.Option(name, help=text, show_default=False)]


Beta = _parameter("--beta", "Weight of recall, for the metric fbeta.")
FalseNegativeCost = _parameter("--false-negative-cost", "For the metric cost; by default 1.")
FalsePositiveCost = _parameter("--false-positive-cost", "For the metric cost; by default 1.")
MaxFalsePositiveRate = _parameter("--max-false-positive-rate", "For the metric true_positive_rate.")
MinTruePositiveRate = _parameter("--min-true-positive-rate", "For the metric false_positive_rate.")
MinRecall = _parameter("--min-recall", "For the metric precision.")
MinPrecision = _parameter("--min-precision", "For the metric recall.")
MaxFpr = _parameter("--max-fpr", "For the metric partial_auc: up to this false-positive rate.")
K = _parameter("--k", "For the metric precision_at_k: a number of rows, or a share.")


@dataclass(frozen=True)
class WantedMetric:
    """The metric of the options, checked.

    Attributes
    ----------
    name : str
    parameters : dict or None
    positive : str or None
    """

    name: str
    parameters: dict[str, float] | None
    positive: str | None

    @classmethod
    def of(cls, name: str, positive: str | None, **parameters: float | None) -> "WantedMetric":
        """Return the metric of some options; raises for options of another metric."""
        given = {own: value for own, value in parameters.items() if value is not None}
        if float(given.get("k", 0.5)).is_integer():
            given["k"] = int(given["k"])
        chosen_metric(name, given)
        return cls(name, given or None, positive)

    @property
    def options(self) -> dict[str, Any]:
        """The parameters of a classifier or a comparison."""
        return {
            "metric": self.name,
            "metric_params": self.parameters,
            "positive": self.positive,
        }

    def estimator(self, **parameters: Any) -> Any:
        """Return the classifier to fit."""
        kind = AUCClassifier if METRICS[self.name].is_ranking else ZeroOneClassifier
        return kind(**self.options, **parameters)
