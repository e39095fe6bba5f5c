"""Scores, classes and probabilities of rows, in memory or not."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite

from zerone._data.batch import read_weights
from zerone._data.bent_array import Parts
from zerone._data.containers import in_memory, is_dask, is_frame
from zerone._data.encoding import Encoding
from zerone._data.frames import one_array, read_frame
from zerone._data.labels import label_list, read_labels
from zerone._data.windows import ColumnTable, read_columns, read_window
from zerone._errors import ArgumentError
from zerone._typing import AnyArray, FloatArray
from zerone.estimators._fit_rows import require_classes
from zerone.estimators._input import checked_labels, checked_table, dispatched_device
from zerone.estimators._state import fitted_votes, on_host, predictor_of

# Rows that are converted and scored at once, in values.
_BLOCK_VALUES = 2**16


def predicted(model: Any, method: str, X: Any) -> Any:
    """Return the result of a method of a fitted classifier for rows."""
    fitted_votes(model)
    if is_dask(X):
        from zerone.estimators._lazy import lazily

        checked_table(model, X, reset=False)
        return lazily(predictor_of(model), method, X)
    device = dispatched_device(X)
    if device is None and isinstance(model.coef_, np.ndarray):
        return outcome_of_rows(model, method, features_of_rows(model, X))
    from zerone.estimators._device_scores import device_prediction, require_same_device

    require_same_device(model, X, method)
    if device is None:
        model = on_host(model)
        return outcome_of_rows(model, method, features_of_rows(model, X))
    checked_table(model, X, reset=False)
    return device_prediction(model, method, X, device)


def outcome_of_rows(model: Any, method: str, rows: Any) -> AnyArray:
    """Return the result of a method for rows that are encoded as features."""
    votes, rules = fitted_votes(model), (model.coef_, model.intercept_)
    if not votes.decision.has_many_pairs or not isinstance(rows, np.ndarray):
        return outcome(model, method, row_scores(model, rows, *rules))
    # The scores of all pairs would take much more memory than the rows.
    with np.errstate(invalid="ignore", over="ignore"):
        rows = np.asarray(rows, dtype=np.float64)
        assert_all_finite(rows, estimator_name=type(model).__name__, input_name="X")
        if method == "predict":
            answers: AnyArray = model.classes_[votes.decision.best_classes(rows, *rules)]
            return answers
        if method == "decision_function":
            return votes.decision.sums_of_rows(rows, *rules)
        probabilities = votes.posterior.coupled(votes.posterior.sums_of_rows(rows, *rules))
    if method == "predict_proba":
        return probabilities
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def outcome(model: Any, method: str, scores: FloatArray) -> AnyArray:
    """Return the result of a method for rows with these scores."""
    votes = fitted_votes(model)
    if method == "predict_proba":
        return votes.posterior.probabilities(scores)
    if method == "predict_log_proba":
        return votes.posterior.log_probabilities(scores)
    is_pair = len(model.classes_) == 2
    decision = scores if is_pair else votes.decision.sums(scores)
    if method == "decision_function":
        return decision
    chosen = (decision > 0).view(np.int8) if is_pair else decision.argmax(axis=1)
    answers: AnyArray = model.classes_[chosen]
    return answers


def accuracy(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """Return the weighted share of rows whose class is predicted correctly."""
    if is_dask(X):
        from zerone.estimators._lazy import lazy_accuracy

        fitted_votes(model)
        checked_table(model, X, reset=False)
        return lazy_accuracy(predictor_of(model), X, y, sample_weight)
    answers = in_memory(model.predict(X))
    labels = in_memory(checked_labels(model, X, y))
    if len(labels) != len(answers):
        raise ArgumentError(
            "y",
            f"got {len(labels)} labels for {len(answers)} rows of X",
            "give one label per row",
        )
    right = is_right(model, labels, answers)
    if sample_weight is None:
        return float(np.mean(right))
    weights = read_weights(in_memory(sample_weight), len(answers))[0]
    return float(weights[right].sum() / weights.sum())


def is_right(model: Any, labels: Any, answers: AnyArray) -> AnyArray:
    """Return for each row whether its label is the predicted one.

    Labels are read as in fit, so that they compare in the same way. Labels of another type than
    the classes are refused: all of them would count as wrong.
    """
    encoded = read_labels(labels)
    require_classes(encoded.classes)
    kinds = ["string" if _has_strings(c) else "number" for c in (encoded.classes, model.classes_)]
    if kinds[0] != kinds[1]:
        raise ArgumentError(
            "y",
            f"got labels such as {label_list(encoded.classes)[0]!r} ({kinds[0]}), but the classes "
            f"of training are such as {label_list(model.classes_)[0]!r} ({kinds[1]})",
            "give labels of the same type",
        )
    right: AnyArray = encoded.classes[encoded.codes()] == answers
    return right


def _has_strings(classes: AnyArray) -> bool:
    return isinstance(classes.tolist()[0], str)


def features_of_rows(model: Any, X: Any) -> Any:
    """Return rows as features: an array, a sparse matrix or a table of columns."""
    encoding = model.encoding_
    if encoding is not None and encoding.is_positional:
        return _parts_of_rows(_checked_rows(model, X), encoding)
    if encoding is None or (encoding.is_plain and not is_frame(X)):
        return _checked_rows(model, X)
    from zerone._data.features import frame_features

    return frame_features(X, encoding)


def _parts_of_rows(rows: Any, encoding: Encoding) -> FloatArray:
    """Return the features of rows of numbers whose columns bend."""
    if sp.issparse(rows):
        raise ArgumentError("X", "is sparse, and its columns bend", "use X.toarray()")
    return Parts.of(encoding).of_rows(np.asarray(rows))


def _checked_rows(estimator: BaseEstimator, X: Any) -> Any:
    rows = checked_table(estimator, X, reset=False)
    if not is_frame(rows):
        return rows
    array = one_array(rows)
    return read_frame(rows)[0] if array is None else array


def row_scores(
    estimator: BaseEstimator, rows: Any, coef: FloatArray, intercept: FloatArray
) -> FloatArray:
    """Return the scores of checked rows: one column per rule, or a vector for a single rule.

    One product with the rows; rows of another type than float64 are converted block by block.

    Parameters
    ----------
    coef : ndarray of shape (n_rules, n_features)
    intercept : ndarray of shape (n_rules,)
    """
    weights, constant = (coef[0], intercept[0]) if len(coef) == 1 else (coef.T, intercept)
    with np.errstate(invalid="ignore", over="ignore"):
        if sp.issparse(rows) or (isinstance(rows, np.ndarray) and rows.dtype == np.float64):
            scores: FloatArray = rows @ weights
        else:
            scores = _scores_by_block(rows, weights)
        scores += constant
    if not np.isfinite(scores).all():
        # A value that is not finite makes the score of its row not finite.
        dense = np.asarray(rows) if isinstance(rows, ColumnTable) else rows
        assert_all_finite(dense, estimator_name=type(estimator).__name__, input_name="X")
    return scores


def _scores_by_block(rows: Any, weights: FloatArray) -> FloatArray:
    n, d = rows.shape
    scores = np.empty((n, *weights.shape[1:]))
    step = max(1, min(n, _BLOCK_VALUES // d))
    values = np.empty(step * d)
    for start in range(0, n, step):
        stop = min(start + step, n)
        own = values[: (stop - start) * d]
        if isinstance(rows, ColumnTable):
            block = read_columns(rows, start, stop, own.reshape(d, -1)).T
        else:
            block = read_window(rows, start, stop, own.reshape(-1, d))
        np.matmul(block, weights, out=scores[start:stop])
    return scores
