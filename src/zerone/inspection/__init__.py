"""A rule looked at: its score distributions, ROC curves, calibration, weights, and single rows.

Displays as in scikit-learn; they need the extra ``plot``.
"""

from zerone.inspection._calibration import CalibrationDisplay
from zerone.inspection._explanation import Explanation
from zerone.inspection._feature_path_display import FeaturePathDisplay
from zerone.inspection._frontier_display import FrontierDisplay
from zerone.inspection._score_normality import ScoreNormalityDisplay
from zerone.inspection._weights_display import WeightsDisplay

__all__ = [
    "CalibrationDisplay",
    "Explanation",
    "FeaturePathDisplay",
    "FrontierDisplay",
    "ScoreNormalityDisplay",
    "WeightsDisplay",
]
