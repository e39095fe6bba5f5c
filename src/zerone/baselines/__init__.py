"""What the paper compares with: logistic regression, pairwise hinge ranking, and Adam.

Each is written as well as it can be, with the paper's settings as its defaults, and checked
against an independent implementation. The fourth rival, LDA, is scikit-learn's.
"""

from zerone.baselines._adam import AdamLogisticClassifier
from zerone.baselines._logistic import LogisticClassifier, logistic_loss
from zerone.baselines._pairwise_hinge import PairwiseHingeClassifier, pairwise_hinge

__all__ = [
    "AdamLogisticClassifier",
    "LogisticClassifier",
    "PairwiseHingeClassifier",
    "logistic_loss",
    "pairwise_hinge",
]
