"""Scores of rows on a device, computed there."""

from typing import Any

import numpy as np
from sklearn import get_config

from zerone._data.bent_array import Parts
from zerone._data.devices import Device, device_of, memory_of, to_host
from zerone._errors import ArgumentError
from zerone._probability.curves import Curve
from zerone._typing import AnyArray
from zerone.estimators._prediction import outcome
from zerone.estimators._state import fitted_votes

# Rows that are converted and scored at once, in values.
_BLOCK_VALUES = 2**25


def require_same_device(estimator: Any, X: Any, method: str) -> None:
    """Raise if rows and classifier are on different devices, as scikit-learn requires."""
    if not get_config()["array_api_dispatch"]:
        return
    fitted, given = device_of(estimator.coef_), device_of(X)
    if fitted == given:
        return
    raise ArgumentError(
        "X",
        f"inputs of {type(estimator).__name__}.{method}() must use the same namespace and device "
        f"as those of fit(): that was {_named(fitted)}, and X is {_named(given)}",
        "move X to that device, or fit to rows on the device of X",
    )


def _named(device: Device | None) -> str:
    return "numpy" if device is None else str(device)


def device_prediction(model: Any, method: str, X: Any, device: Device) -> Any:
    """Return the result of a method of a fitted classifier for rows on its device."""
    encoding = model.encoding_
    parts = None if encoding is None else Parts.of(encoding)
    scores = device_scores(X, device, model.coef_, model.intercept_, parts)
    if len(model.classes_) == 2 and method == "decision_function":
        return scores
    if len(model.classes_) == 2 and method == "predict" and model.classes_.dtype.kind in "biuf":
        return chosen_classes(scores, device, model.classes_)
    if len(model.classes_) == 2 and method in ("predict_proba", "predict_log_proba"):
        (curve,) = fitted_votes(model).posterior.curves
        assert curve is not None, "both classes have rows"
        return probabilities(curve, scores, device, in_logarithms=method == "predict_log_proba")
    return device.bring(outcome(model, method, to_host(scores).astype(np.float64)))


def device_scores(
    X: Any, device: Device, coef: Any, intercept: Any, parts: Parts | None = None
) -> Any:
    """Return the scores of rows: one column per rule, or a vector for a single rule.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    device : Device
        The device of the rows and the rules.
    coef : array of shape (n_rules, n_features)
    intercept : array of shape (n_rules,)
    parts : Parts, optional
        Which features are parts of the columns of ``X``.
    """
    xp = device.xp
    n, step = X.shape[0], max(1, _BLOCK_VALUES // coef.shape[1])

    def features(start: int) -> Any:
        rows = xp.astype(X[start : min(start + step, n), :], coef.dtype)
        return rows if parts is None else parts.on_device(rows, device)

    with memory_of(device, "free some there, or predict fewer rows at a time"):
        blocks = [xp.matmul(features(start), coef.T) + intercept for start in range(0, n, step)]
        scores = blocks[0] if len(blocks) == 1 else xp.concat(blocks)
    if not bool(xp.all(xp.isfinite(scores))):
        raise ArgumentError(
            "X",
            "contains NaN or infinity (or a value too large for float64)",
            "fill missing values first, for example with sklearn.impute.SimpleImputer",
        )
    return scores[:, 0] if coef.shape[0] == 1 else scores


def probabilities(curve: Curve, scores: Any, device: Device, *, in_logarithms: bool) -> Any:
    """Return the probabilities of both classes, or their logarithms, in columns on the device."""
    xp = device.xp
    odds = curve.log_odds_on(xp, scores)
    # An exponential of the smaller part, which cannot overflow.
    rest = xp.exp(-xp.abs(odds))
    if in_logarithms:
        columns = [xp.clip(own, min=None, max=0.0) - xp.log1p(rest) for own in (-odds, odds)]
        return xp.stack(columns, axis=1)
    larger, smaller = 1 / (1 + rest), rest / (1 + rest)
    is_positive = odds > 0
    return xp.stack(
        [xp.where(is_positive, smaller, larger), xp.where(is_positive, larger, smaller)], axis=1
    )


def chosen_classes(scores: Any, device: Device, classes: AnyArray) -> Any:
    """Return the predicted class of each row, of two; numeric labels stay on the device."""
    xp = device.xp
    chosen = xp.astype(scores > 0, xp.int64)
    return xp.take(device.bring(classes), chosen, axis=0)
