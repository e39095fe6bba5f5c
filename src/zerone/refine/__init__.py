"""What improves a fit beyond the plain moments.

Shrinkage needs the moments only. The rest needs rows: points of the frontier and rules polished
on the smoothed loss are judged by rows that were held out, and put together into one rule.
"""

from zerone.refine._fold_moments import fold_moments
from zerone.refine._folds import Folds, make_folds
from zerone.refine._measured import MeasuredScores
from zerone.refine._pair_rows import PairRows
from zerone.refine._recipe import Refinement, refine_pair
from zerone.refine._shrinkage import check_shrinkage, shrink_moments

__all__ = [
    "Folds",
    "MeasuredScores",
    "PairRows",
    "Refinement",
    "check_shrinkage",
    "fold_moments",
    "make_folds",
    "refine_pair",
    "shrink_moments",
]
