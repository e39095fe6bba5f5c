"""Weights per standard deviation of the features, and the names of these."""

from collections.abc import Sequence
from typing import Any

from zerone._typing import FloatArray
from zerone.estimators._feature_statistics import feature_statistics


def per_deviation(model: Any, coef: FloatArray, X: Any = None) -> tuple[FloatArray, str]:
    """Return coefficients per standard deviation of the features, and this unit in words.

    Where neither the model nor rows tell the deviations, coefficients are returned as they are.
    """
    known = feature_statistics(model)
    if known is not None:
        return coef * known.deviations, "per standard deviation of the feature"
    if X is None:
        return coef, "per unit of the feature"
    return coef * X.std(axis=0), "per standard deviation of the feature"


def feature_names(model: Any, names: Sequence[str] | None = None) -> list[str]:
    """Return names of the features: as given, those of the fit, or numbers."""
    if names is not None:
        return list(names)
    if getattr(model, "encoding_", None) is not None:
        return list(model.encoding_.feature_names)
    found = getattr(model, "feature_names_in_", None)
    n_features = model.coef_.shape[-1]
    if found is None or len(found) != n_features:
        return [f"feature {number}" for number in range(n_features)]
    return [str(own) for own in found]
