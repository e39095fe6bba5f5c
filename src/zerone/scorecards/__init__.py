"""Rules on paper: integer points for the bins of a few columns, made by ``to_scorecard``."""

from zerone.scorecards._scorecard import Scorecard

__all__ = ["Scorecard"]
