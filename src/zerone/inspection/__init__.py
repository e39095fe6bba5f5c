"""Pictures of a rule: its score distributions, ROC curves, calibration and weights.

Displays as in scikit-learn; they need the extra ``plot``.
"""

from zerone.inspection._calibration import CalibrationDisplay
from zerone.inspection._frontier_display import FrontierDisplay
from zerone.inspection._score_normality import ScoreNormalityDisplay
from zerone.inspection._weights_display import WeightsDisplay

__all__ = [
    "CalibrationDisplay",
    "FrontierDisplay",
    "ScoreNormalityDisplay",
    "WeightsDisplay",
]
