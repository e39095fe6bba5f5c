"""All metrics in one table, for the frontier, refinement, `retarget` and the command line.

An entry of `METRICS` has a name, its parameters and its loss: a `RateLoss` of the two error rates,
or a `RankingLoss` of the order of the scores. The loss has all that training needs: its value on
the frontier of normal scores, its estimate from held-out rows with a standard error, and its
slopes. To add a metric of rates, write a `RateLoss` and add an entry; the tests check that its
forms agree and that its optimum on the frontier is that of direct minimisation.
"""

from zerone.metrics._rankings import AUCLoss, AveragePrecisionLoss, PartialAUCLoss, RankingLoss
from zerone.metrics._rates import (
    FBetaLoss,
    Limit,
    MacroF1Loss,
    OneRate,
    PrecisionLoss,
    RateLoss,
    WeightedError,
)
from zerone.metrics._table import METRICS, ChosenMetric, Loss, Metric, Priors, chosen_metric

__all__ = [
    "METRICS",
    "AUCLoss",
    "AveragePrecisionLoss",
    "ChosenMetric",
    "FBetaLoss",
    "Limit",
    "Loss",
    "MacroF1Loss",
    "Metric",
    "OneRate",
    "PartialAUCLoss",
    "PrecisionLoss",
    "Priors",
    "RankingLoss",
    "RateLoss",
    "WeightedError",
    "chosen_metric",
]
