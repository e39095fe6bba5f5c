"""Cross-validation on moments: choose shrinkage or a penalty without rows."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from zerone._data.labels import label_list
from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._moments.moments import Moments
from zerone._moments.pair import class_pairs
from zerone._typing import FloatArray
from zerone.estimators._classifier import LinearClassifier
from zerone.estimators._parameters import class_factors
from zerone.rules._direction import ScoredDirection
from zerone.rules._rule import linear_rule


def cross_validate_moments(
    estimator: LinearClassifier,
    folds: Sequence[Moments],
    *,
    metric: Literal["error", "auc"] | None = None,
) -> FloatArray:
    """Return the loss that the moments of each fold predict for a fit to all other folds.

    For every fold a classifier is fitted to the merged moments of the other folds. Its loss is
    predicted from the moments of the fold, by the normal model. Folds may be parts of a table
    (`fold_moments`), days, files or sites; their rows are not needed. If you have the rows, use
    ``refine``, which measures the loss.

    Parameters
    ----------
    estimator : ZeroOneClassifier or AUCClassifier
        It is cloned and not changed.
    folds : sequence of Moments
        At least two, each with rows of every class.
    metric : "error" or "auc", optional
        "error" gives the predicted error under the estimator's class weights, "auc" 1 − AUC. By
        default what the estimator minimises. With several classes the mean over all pairs,
        weighted by the rows they have.

    Returns
    -------
    ndarray of shape (n_folds,)

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import ZeroOneClassifier, cross_validate_moments, fold_moments
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> folds = fold_moments(X, y)
    >>> losses = {
    ...     shrinkage: cross_validate_moments(ZeroOneClassifier(shrinkage=shrinkage), folds).mean()
    ...     for shrinkage in (0.01, 0.1, 0.5)
    ... }
    >>> min(losses, key=losses.get)
    0.01
    """
    if not isinstance(estimator, LinearClassifier):
        raise ArgumentTypeError(
            "estimator",
            f"got {type(estimator).__name__}, expected ZeroOneClassifier or AUCClassifier",
        )
    parts = list(folds)
    if len(parts) < 2:
        raise ArgumentError("folds", f"got {len(parts)}, expected at least two")
    wrong = [part for part in parts if not isinstance(part, Moments)]
    if wrong:
        raise ArgumentTypeError(
            "folds",
            f"got {type(wrong[0]).__name__}, expected zerone.Moments",
            "make them with fold_moments or Moments.load",
        )
    default = "auc" if estimator._is_ranking else "error"
    chosen = default if metric is None else metric
    if chosen not in ("error", "auc"):
        raise ArgumentError("metric", f"got {metric!r}, expected 'error', 'auc' or None")
    parts = alike(parts)
    losses = []
    for number, held_out in enumerate(parts):
        others = parts[:number] + parts[number + 1 :]
        model = clone(estimator).set_params(refine=None)
        model.fit_moments(sum(others[1:], others[0]))
        missing = [
            label
            for label in label_list(model.classes_)
            if label not in held_out or held_out[label].weight == 0
        ]
        if missing:
            raise ArgumentError(
                "folds",
                f"fold {number} has no rows of class {missing[0]!r}",
                "every fold needs rows of every class",
            )
        if model.encoding_ is not None:
            # Missing values are imputed as learned from the other folds.
            held_out = held_out.reencoded(model.encoding_)
        losses.append(_loss_of_model(model, held_out, chosen))
    return np.array(losses)


def alike(parts: list[Moments]) -> list[Moments]:
    """Return moments with the same features, if only missing values differ."""
    encodings = [part.encoding for part in parts if part.encoding is not None]
    if len(encodings) < len(parts):
        return parts
    # Merging raises if anything else differs.
    common = sum(parts[1:], parts[0]).encoding
    return parts if common is None else [part.reencoded(common) for part in parts]


def _loss_of_model(model: Any, moments: Moments, metric: str) -> float:
    labels = label_list(model.classes_)
    factors = class_factors(model.class_weight, model.classes_, moments)
    return predicted_loss(model.coef_, model.intercept_, labels, factors, moments, metric)


def predicted_loss(
    coef: FloatArray,
    intercept: FloatArray,
    labels: Sequence[Any],
    factors: FloatArray,
    moments: Moments,
    metric: str,
) -> float:
    """Return the loss of rules that other moments predict: the mean over all pairs of classes.

    Parameters
    ----------
    coef, intercept : ndarray
        Of each pair of classes.
    labels : sequence
        The classes.
    factors : ndarray of shape (n_classes,)
        Of their weights.
    moments : Moments
        Of other rows.
    metric : "error" or "auc"
    """
    weights = factors * [moments[label].weight for label in labels]
    losses, sizes = [], []
    for row, (negative, positive) in enumerate(class_pairs(len(labels))):
        pair = moments.pair(labels[positive], labels[negative])
        scored = ScoredDirection.of_pair(pair, coef[row])
        size = weights[positive] + weights[negative]
        rule = linear_rule(
            scored,
            intercept[row] + scored.negative_score,
            float(weights[positive] / size),
            "judged by other moments",
        )
        losses.append(rule.error if metric == "error" else 1 - rule.auc)
        sizes.append(size)
    return float(np.average(losses, weights=sizes))
