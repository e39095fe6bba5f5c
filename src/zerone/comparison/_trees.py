"""Gradient-boosted trees on one thread."""

from typing import Any, Self

from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from zerone._typing import AnyArray, FloatArray


class Trees(HistGradientBoostingClassifier):  # type: ignore[misc]
    """HistGradientBoostingClassifier, but on one thread.

    Its threads wait for each other some ten thousand times in a fit. Where other programs use some
    of the processors, that takes far longer than one thread alone.
    """

    def fit(self, X: FloatArray, y: AnyArray, sample_weight: FloatArray | None = None) -> Self:
        """Fit to labelled rows."""
        with threadpool_limits(limits=1, user_api="openmp"):
            super().fit(X, y, sample_weight)
        return self

    def decision_function(self, X: FloatArray) -> Any:
        """Return the scores of rows."""
        with threadpool_limits(limits=1, user_api="openmp"):
            return super().decision_function(X)

    def predict(self, X: FloatArray) -> Any:
        """Return the predicted class of each row."""
        with threadpool_limits(limits=1, user_api="openmp"):
            return super().predict(X)
