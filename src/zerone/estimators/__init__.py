"""The classifiers: linear rules found from moments, with scikit-learn's interface."""

from zerone.estimators._auc import AUCClassifier
from zerone.estimators._cross_validate import cross_validate_moments
from zerone.estimators._feature_path import FeaturePath
from zerone.estimators._rule_summary import RuleSummary
from zerone.estimators._zero_one import ZeroOneClassifier

__all__ = [
    "AUCClassifier",
    "FeaturePath",
    "RuleSummary",
    "ZeroOneClassifier",
    "cross_validate_moments",
]
