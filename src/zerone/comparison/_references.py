"""What is measured beside linear classifiers: the majority class and gradient-boosted trees."""

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from zerone._typing import FloatArray
from zerone.comparison._tuned import TunedClassifier
from zerone.metrics import ChosenMetric

MAJORITY = "MajorityClass"
TREES = "HistGradientBoostingClassifier"


class MajorityClass(DummyClassifier):  # type: ignore[misc]
    """scikit-learn's DummyClassifier, which predicts the largest class, with a constant score."""

    def __init__(self) -> None:
        super().__init__(strategy="most_frequent")

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Return the same score for every row: positive if the last class is predicted."""
        sign = 1.0 if np.argmax(self.class_prior_) == len(self.classes_) - 1 else -1.0
        return np.full(len(X), sign)


def trees_for(metric: ChosenMetric, positive: Any, *, has_threshold: bool) -> Any:
    """Return gradient-boosted trees in the settings of scikit-learn.

    Parameters
    ----------
    metric, positive : as in `TunedClassifier`
    has_threshold : bool
        Whether their threshold is tuned for the metric.
    """
    # The import takes a tenth of a second.
    from zerone.comparison._trees import Trees

    trees = Trees(random_state=0)
    return TunedClassifier(trees, metric, (), positive) if has_threshold else trees
