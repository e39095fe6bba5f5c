"""The fitted attributes, set after everything that can fail."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from zerone._data.columns.numeric import NumericColumn
from zerone._data.containers import is_foreign
from zerone._data.devices import Device, device_of, to_host
from zerone._data.encoding import Encoding
from zerone._errors import AdviceError, ArgumentError, ArgumentTypeError
from zerone._moments.moments import Moments
from zerone._probability.pairwise import Votes
from zerone._threads import one_blas_thread
from zerone._typing import FitMetric
from zerone.estimators._fit_rows import FEW_FEATURES
from zerone.estimators._kept import Kept
from zerone.estimators._parameters import Goal, class_factors
from zerone.estimators._solution import Solution, retargeted
from zerone.metrics import chosen_metric

Classifier = TypeVar("Classifier", bound=Any)

# What both kinds of classifiers tell besides their metric: by whether they are for a ranking.
_KINDS_METRIC: dict[bool, FitMetric] = {False: "error", True: "auc"}


@contextmanager
def unchanged_on_failure(estimator: Any) -> Iterator[None]:
    """Put an estimator back as it was if the block raises."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def publish(
    estimator: Classifier,
    moments: Moments,
    solution: Solution | None,
    device: Device | None = None,
    *,
    keep_rows: bool = False,
) -> Classifier:
    """Set all attributes of a fit; return the estimator.

    Parameters
    ----------
    moments : Moments
    solution : Solution or None
        None if only rows of one class have been seen.
    device : Device or None
        The device of the arrays.
    keep_rows : bool
        Whether moments of wide data, which hold training rows, are kept.
    """
    encoding = moments.encoding
    names = moments.feature_names if encoding is None else encoding.column_names
    estimator.n_features_in_ = moments.n_features if names is None else len(names)
    if encoding is not None and encoding.is_positional:
        # scikit-learn has found the names that there are.
        pass
    elif names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    estimator.encoding_ = encoding
    estimator.moments_ = moments
    estimator._kept = estimator._votes = estimator._fold_rules = estimator._feature_path = None
    if solution is None:
        estimator.classes_ = moments.classes
        return estimator
    projected = solution.kept.reduction.unshrunk
    if projected is not None and not keep_rows:
        estimator.moments_ = projected
    _publish_rules(estimator, solution, device)
    return estimator


def _publish_rules(estimator: Any, solution: Solution, device: Device | None) -> None:
    """Set the attributes that follow from the rules, with arrays on the device of the rows."""
    metric = _KINDS_METRIC[estimator._is_ranking]
    estimator.classes_ = solution.kept.classes
    estimator._kept = solution.kept
    estimator._votes = solution.votes
    estimator.coef_, estimator.intercept_ = solution.coefficients
    estimator.shrinkage_ = solution.kept.shrinkage
    estimator.status_ = solution.status
    estimator._fold_rules = solution.fold_rules
    estimator._feature_path = solution.path
    estimator._expected, estimator._is_constant = solution.expected, solution.is_constant
    estimator.n_iter_ = solution.kept.n_iter
    estimator.refine_ = solution.kept.level
    fitted = {
        f"held_out_{metric}_": solution.held_out[metric],
        f"expected_{metric}_": solution.expected[metric],
        "held_out_metric_": solution.held_out_metric,
        "expected_metric_": solution.expected_metric,
        "held_out_interval_": solution.held_out_interval,
    }
    for name, value in fitted.items():
        setattr(estimator, name, value)
    if device is not None:
        for name in ("coef_", "intercept_", "shrinkage_", *fitted):
            value = getattr(estimator, name)
            if isinstance(value, np.ndarray):
                setattr(estimator, name, device.bring(value))


def retargeted_copy(
    estimator: Any, metric: str, class_weight: Any, parameters: dict[str, Any]
) -> Any:
    """Return a copy of a fitted classifier with the rules for another metric."""
    kept = kept_of(estimator)
    if not estimator.fit_intercept:
        raise ArgumentError(
            "fit_intercept", "got False, but retarget moves the intercept", "fit with True first"
        )
    if "priors" in parameters:
        raise ArgumentTypeError("priors", "retarget takes none", "use class_weight")
    chosen = chosen_metric(metric, parameters)
    goal = Goal.of(chosen, estimator.positive, kept.classes)
    factors = (
        None
        if class_weight is None
        else class_factors(class_weight, estimator.classes_, kept.reduction.moments)
    )
    twin = _as_kind(estimator, is_ranking=chosen.is_ranking)
    twin.metric, twin.metric_params = metric, parameters or None
    if class_weight is not None:
        twin.class_weight = class_weight
    with one_blas_thread(estimator.coef_.shape[1] < FEW_FEATURES):
        found = retargeted(kept, goal, factors)
    _publish_rules(twin, found, device_of(estimator.coef_))
    return twin


def _as_kind(estimator: Any, *, is_ranking: bool) -> Any:
    """Return a copy as the classifier that a metric is for."""
    twin = copy.copy(estimator)
    if estimator._is_ranking == is_ranking:
        return twin
    from zerone.estimators import AUCClassifier, ZeroOneClassifier

    other = (AUCClassifier if is_ranking else ZeroOneClassifier)()
    own = _KINDS_METRIC[estimator._is_ranking]
    kept = {
        k: v for k, v in vars(twin).items() if k not in (f"expected_{own}_", f"held_out_{own}_")
    }
    other.__dict__.update(kept)
    return other


def named_moments(estimator: Any, moments: Moments) -> Moments:
    """Return moments with the feature names that scikit-learn found, if they have none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None or moments.feature_names is not None or len(names) != moments.n_features:
        return moments
    return Moments(moments, tuple(names))


def fitted_votes(estimator: Any) -> Votes:
    """Return how scores become predictions; raises before the first rule."""
    check_is_fitted(estimator, "classes_")
    votes: Votes | None = estimator._votes
    if votes is None:
        seen = [label for label, m in estimator.moments_.items() if m.weight > 0]
        raise NotFittedError(
            f"only rows of class {seen[0]!r} have been seen; call partial_fit with rows of another "
            "class before predicting"
        )
    return votes


def kept_of(estimator: Any) -> Kept:
    """Return what `retarget` needs; raises for a model file without it."""
    fitted_votes(estimator)
    kept: Kept | None = estimator._kept
    if kept is None:
        raise AdviceError(
            "retarget needs held-out scores for every pair of classes, which the file of this "
            "model does not have",
            "fit again with another ⟨metric⟩",
        )
    return kept


def require_continuable(estimator: Any) -> None:
    """Raise if rows cannot be added to those of earlier calls."""
    if estimator.encoding_ is not None and not estimator.encoding_.is_plain:
        raise AdviceError(
            "partial_fit takes numbers, and this classifier was fitted to a table with "
            "categories or missing values",
            "call fit_moments with moments_ + Moments.from_table(source, encoding=encoding_)",
        )
    if not hasattr(estimator, "moments_"):
        raise AdviceError(
            "partial_fit needs the moments of training, and a model loaded from a file has none",
            "call fit_moments with a moments file first",
        )
    kept: Kept | None = estimator._kept
    if kept is not None and estimator.moments_ is kept.reduction.unshrunk:
        raise AdviceError(
            "partial_fit cannot follow fit on wide data, because only a projection was kept",
            "use partial_fit for the first batch, too",
        )


def table_encoding(estimator: Any) -> Encoding | None:
    """Return how the columns of a table are read; None if they have no names."""
    encoding: Encoding | None = estimator.encoding_
    names = getattr(estimator, "feature_names_in_", None)
    if encoding is not None and encoding.is_positional:
        return None if names is None else replace(encoding, is_positional=False)
    if encoding is not None:
        return encoding
    return None if names is None else Encoding(tuple(map(NumericColumn, names)), strict=True)


def column_encoding(estimator: Any) -> Encoding | None:
    """Return which features the columns become; None if they are features without names."""
    found = table_encoding(estimator)
    return estimator.encoding_ if found is None else found


def on_host(estimator: Classifier) -> Classifier:
    """Return a classifier with all arrays in main memory: itself, unless it is on a device."""
    check_is_fitted(estimator, "classes_")
    if not is_foreign(getattr(estimator, "coef_", None)):
        return estimator
    twin = copy.copy(estimator)
    for name, value in vars(estimator).items():
        if is_foreign(value):
            setattr(twin, name, to_host(value))
    return twin


def predictor_of(estimator: Classifier) -> Classifier:
    """Return a copy that can only predict, and that no later fit changes."""
    fitted_votes(estimator)
    twin = copy.copy(on_host(estimator))
    twin._kept = twin._fold_rules = twin._feature_path = None
    if hasattr(twin, "moments_"):
        del twin.moments_
    return twin
