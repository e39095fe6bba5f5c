"""Pictures of why a rule works.

How normal its scores are, what the frontier predicts of every threshold, and which features a rule
goes by. Displays in the manner of scikit-learn; they need the extra ``plot``.
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
