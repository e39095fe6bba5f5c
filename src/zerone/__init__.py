"""zerone: linear classifiers that minimise the zero-one error or 1 − AUC.

Conventions, the same everywhere:

- a covariance is normalised by the class weight (the population form);
- classes are in the order of `numpy.unique`, and of two classes the last is the positive one;
- a rule (coef, intercept) answers the positive class where ``coef · x + intercept > 0``;
- randomness comes from a ``random_state`` as in scikit-learn, and from nowhere else.
"""

from zerone.estimators import AUCClassifier, ZeroOneClassifier
from zerone.frontier import Frontier
from zerone.moments import Moments

__version__ = "0.1.0"

__all__ = ["AUCClassifier", "Frontier", "Moments", "ZeroOneClassifier", "__version__"]
