"""The standard deviations of the features in training."""

from typing import Any

import numpy as np

from zerone._moments.shrinkage import total_variances
from zerone._typing import FloatArray


def feature_deviations(estimator: Any) -> FloatArray | None:
    """Return the standard deviation of each feature over all rows of training.

    From the moments or, for a model from a file, from the file. None if they are not known, as for
    wide data and for classifiers of other libraries.
    """
    moments = getattr(estimator, "moments_", None)
    found: FloatArray | None
    if moments is None:
        found = getattr(estimator, "_deviations", None)
        return found
    if moments.n_features != estimator.coef_.shape[-1]:
        return None
    found = np.sqrt(total_variances([own for own in moments.values() if own.weight > 0]))
    return found
