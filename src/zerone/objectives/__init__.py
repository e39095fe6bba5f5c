"""What is minimised: the expected error, the expected ranking loss, and the scale penalty.

Each objective offers its value, gradient and Hessian product; how it is minimised is the
business of `zerone.solvers`.
"""

from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._objective import Objective
from zerone.objectives._ranking_loss import RankingLoss
from zerone.objectives._scale_penalty import ScalePenalised
from zerone.objectives._smoothed_error import SmoothedError
from zerone.objectives._smoothed_ranking import SmoothedRanking

__all__ = [
    "ExpectedError",
    "Objective",
    "RankingLoss",
    "ScalePenalised",
    "SmoothedError",
    "SmoothedRanking",
]
