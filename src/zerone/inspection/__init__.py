"""A rule looked at: curves, thresholds, costs, weights, classes, and single rows.

Displays as in scikit-learn; they need the extra ``plot``, and their ``frame()`` needs pandas.
"""

from zerone.inspection._calibration import CalibrationDisplay
from zerone.inspection._class_report_display import ClassReportDisplay
from zerone.inspection._class_weights_display import ClassWeightsDisplay
from zerone.inspection._cost_display import CostDisplay
from zerone.inspection._explanation import Explanation
from zerone.inspection._explanation_display import ExplanationDisplay
from zerone.inspection._feature_path_display import FeaturePathDisplay
from zerone.inspection._frontier_display import FrontierDisplay
from zerone.inspection._score_normality import ScoreNormalityDisplay
from zerone.inspection._shape_display import ShapeDisplay
from zerone.inspection._summary_display import SummaryDisplay
from zerone.inspection._threshold_display import ThresholdDisplay
from zerone.inspection._weights_display import WeightsDisplay

__all__ = [
    "CalibrationDisplay",
    "ClassReportDisplay",
    "ClassWeightsDisplay",
    "CostDisplay",
    "Explanation",
    "ExplanationDisplay",
    "FeaturePathDisplay",
    "FrontierDisplay",
    "ScoreNormalityDisplay",
    "ShapeDisplay",
    "SummaryDisplay",
    "ThresholdDisplay",
    "WeightsDisplay",
]
