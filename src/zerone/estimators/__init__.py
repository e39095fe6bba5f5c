"""The classifiers: scikit-learn's interface to rules found from moments."""

from zerone.estimators._auc import AUCClassifier
from zerone.estimators._cross_validate import cross_validate_moments
from zerone.estimators._zero_one import ZeroOneClassifier

__all__ = ["AUCClassifier", "ZeroOneClassifier", "cross_validate_moments"]
