"""Mean and standard deviation of the features in training."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._moments.shrinkage import total_variances
from zerone._typing import AnyArray, FloatArray

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class FeatureStatistics:
    """What is known of each feature over all rows of training.

    Attributes
    ----------
    means, deviations : ndarray of shape (n_features,)
    """

    means: FloatArray
    deviations: FloatArray

    @property
    def are_binary(self) -> AnyArray:
        """Which features are zero or one in every row: their mean determines their variance."""
        expected = self.means * (1 - self.means)
        found: AnyArray = (expected > 0) & np.isclose(
            self.deviations**2, expected, rtol=_ROUNDING, atol=0
        )
        return found


def feature_statistics(estimator: Any) -> FeatureStatistics | None:
    """Return mean and standard deviation of each feature over all rows of training.

    From the moments or, for a model from a file, from the file. None if they are not known, as for
    wide data and for classifiers of other libraries.
    """
    moments = getattr(estimator, "moments_", None)
    if moments is None:
        found: FeatureStatistics | None = getattr(estimator, "_feature_statistics", None)
        return found
    if moments.n_features != estimator.coef_.shape[-1]:
        return None
    present = [own for own in moments.values() if own.weight > 0]
    weights = np.array([own.weight for own in present])
    means = weights @ np.array([own.mean for own in present]) / weights.sum()
    return FeatureStatistics(means, np.sqrt(total_variances(present)))
