"""Linear rules: coefficients, intercept, and the rates the moments predict for them."""

from zerone.rules._rule import LinearRule, constant_rule, linear_rule
from zerone.rules._scored import ScoredDirection
from zerone.rules._statistics import LEAST_SHARE, ScoreStatistics
from zerone.rules._threshold import best_offset

__all__ = [
    "LEAST_SHARE",
    "LinearRule",
    "ScoreStatistics",
    "ScoredDirection",
    "best_offset",
    "constant_rule",
    "linear_rule",
]
