"""zerone: linear classifiers that minimise the zero-one error or 1 − AUC.

Conventions, the same everywhere:

- a covariance is normalised by the class weight (the population form);
- classes are in the order of `numpy.unique`; of two classes the last is the positive one;
- a rule (coef, intercept) predicts the positive class where ``coef · x + intercept > 0``;
- all randomness comes from ``random_state``, as in scikit-learn; the default of the classifiers
  is 0, so that a fit can be repeated.
"""

from zerone._data.encoding import Encoding
from zerone._data.table_files import TableFiles
from zerone._engines.scan import ScanError
from zerone._moments.moments import Moments
from zerone._refine.fold_moments import fold_moments
from zerone.estimators._auc import AUCClassifier
from zerone.estimators._cross_validate import cross_validate_moments
from zerone.estimators._paths import feature_path
from zerone.estimators._zero_one import ZeroOneClassifier
from zerone.export._model_file import load_model
from zerone.frontier._frontier import Frontier

__version__ = "0.1.0"

__all__ = [
    "AUCClassifier",
    "Encoding",
    "Frontier",
    "Moments",
    "ScanError",
    "TableFiles",
    "ZeroOneClassifier",
    "__version__",
    "cross_validate_moments",
    "feature_path",
    "fold_moments",
    "load_model",
]
