"""Pictures of why a rule works: how normal its scores are, how well a loss follows the error.

Displays in the manner of scikit-learn; they need the extra ``plot``.
"""

from zerone.inspection._loss_path import LossPathDisplay
from zerone.inspection._score_normality import ScoreNormalityDisplay

__all__ = ["LossPathDisplay", "ScoreNormalityDisplay"]
