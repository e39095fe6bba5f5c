"""Functions to minimise: the expected error, the expected ranking loss, smoothed losses of rows.

Those on moments have a value, a gradient and a Hessian product; `zerone.solvers` minimises them.
"""

from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._objective import Objective
from zerone.objectives._ranking_loss import RankingLoss
from zerone.objectives._scale_penalty import ScalePenalised
from zerone.objectives._smoothed_error import SmoothedError
from zerone.objectives._smoothed_precision import SmoothedAveragePrecision
from zerone.objectives._smoothed_ranking import SmoothedRanking
from zerone.objectives._smoothed_rates import SmoothedRates

__all__ = [
    "ExpectedError",
    "Objective",
    "RankingLoss",
    "ScalePenalised",
    "SmoothedAveragePrecision",
    "SmoothedError",
    "SmoothedRanking",
    "SmoothedRates",
]
