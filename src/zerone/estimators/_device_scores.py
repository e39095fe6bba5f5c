"""Scores of rows on a device, computed there."""

from typing import Any

from sklearn import get_config

from zerone._typing import AnyArray
from zerone.sources import Place, memory_of, place_of

# Rows that are converted and scored at once, in values.
_BLOCK_VALUES = 2**25


def require_same_place(estimator: Any, X: Any, method: str) -> None:
    """Raise if rows are not where the classifier is, as scikit-learn's convention demands."""
    if not get_config()["array_api_dispatch"]:
        return
    fitted, given = place_of(estimator.coef_), place_of(X)
    if fitted == given:
        return
    raise ValueError(
        f"X: inputs of {type(estimator).__name__}.{method}() must use the same namespace and "
        f"device as those of fit(): that was {_named(fitted)}, and X is {_named(given)}; move X, "
        "or fit to rows where X is"
    )


def _named(place: Place | None) -> str:
    return "numpy" if place is None else str(place)


def device_scores(X: Any, place: Place, coef: Any, intercept: Any) -> Any:
    """Return the scores of rows: one column for each rule, or a vector for a single one.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    place : Place
        Where the rows are, and the rules.
    coef : array of shape (n_rules, n_features)
    intercept : array of shape (n_rules,)
    """
    xp = place.xp
    n, d = X.shape
    step = max(1, _BLOCK_VALUES // d)
    with memory_of(place, "free some there, or predict fewer rows at a time"):
        blocks = [
            xp.matmul(xp.astype(X[start : min(start + step, n), :], coef.dtype), coef.T) + intercept
            for start in range(0, n, step)
        ]
        scores = blocks[0] if len(blocks) == 1 else xp.concat(blocks)
    if not bool(xp.all(xp.isfinite(scores))):
        raise ValueError(
            "X: contains NaN or infinity (or a value too large for float64); fill missing values "
            "first, for example with sklearn.impute.SimpleImputer"
        )
    return scores[:, 0] if coef.shape[0] == 1 else scores


def chosen_classes(scores: Any, place: Place, classes: AnyArray) -> Any:
    """Return the predicted class of each row, of two: on the device where labels are numbers."""
    xp = place.xp
    chosen = xp.astype(scores > 0, xp.int64)
    return xp.take(place.bring(classes), chosen, axis=0)
