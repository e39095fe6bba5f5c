"""`feature_path`: the best rule of every number of columns, from moments or a fitted classifier."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zerone._data.labels import label_list
from zerone._errors import AdviceError, ArgumentError, ArgumentTypeError
from zerone._moments.encoded import imputed
from zerone._moments.moments import Moments
from zerone._subsets.choice import ColumnSearch
from zerone._subsets.groups import group_names
from zerone._typing import FloatArray
from zerone._uncertainty.intervals import Interval, student
from zerone.estimators._classifier import LinearClassifier
from zerone.estimators._cross_validate import alike, predicted_loss
from zerone.estimators._feature_path import FeaturePath, PathPoint, path_sizes, point_of
from zerone.estimators._fit_rows import fit_moments
from zerone.estimators._parameters import Settings
from zerone.estimators._state import fitted_votes, on_host
from zerone.estimators._zero_one import ZeroOneClassifier


def feature_path(source: Any, estimator: Any = None) -> FeaturePath:
    """Return the best rule of every number of columns: 1 to 10, then in steps up to 100.

    The price does not depend on the number of rows: subsets are searched on moments.

    Parameters
    ----------
    source : Moments, sequence of Moments, or fitted classifier
        Of moments the path has what the normal model expects. Of several moments, such as
        `fold_moments`, days or sites, each also judges the rules that the others choose, by the
        normal model. Of a classifier fitted with ``max_features="auto"`` it has what held-out rows
        measured; of any other classifier it is that of its moments.
    estimator : ZeroOneClassifier or AUCClassifier, optional
        Metric, class weights and shrinkage, where ``source`` is moments; by default those of
        ``ZeroOneClassifier()``. Several moments are judged by "error" or "auc".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from zerone import feature_path, fold_moments
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> path = feature_path(fold_moments(X, y))
    >>> path.points[1].columns
    ('worst radius', 'worst concave points')
    >>> bool(path.points[4].held_out < path.points[0].held_out)
    True
    """
    if isinstance(source, Moments | Sequence):
        model = ZeroOneClassifier() if estimator is None else estimator
        if isinstance(source, Moments):
            return _of_moments(source, model)
        return _of_folds(list(source), model)
    if not isinstance(source, LinearClassifier):
        raise ArgumentTypeError(
            "source",
            f"got {type(source).__name__}, expected zerone.Moments, several of them, or a fitted "
            "classifier",
        )
    measured: FeaturePath | None = getattr(source, "_feature_path", None)
    if measured is not None:
        return measured
    fitted_votes(source)
    model = on_host(source)
    if not hasattr(model, "moments_") or model.moments_.n_features != model.coef_.shape[1]:
        raise AdviceError(
            "a path needs the moments of all features, which loaded models and wide data do not "
            "have",
            "give moments",
        )
    return _of_moments(model.moments_, model)


def _of_moments(moments: Moments, estimator: Any) -> FeaturePath:
    settings = replace(Settings.of(estimator), level=None, max_features=None)
    points = _points(moments, settings)
    return FeaturePath.of(points, settings.metric)


def _points(moments: Moments, settings: Settings) -> list[PathPoint]:
    """Return the expected points of moments."""
    if moments.encoding is not None:
        moments = imputed(moments)
    factors = settings.class_factors(moments.classes, moments)
    sizes = path_sizes(len(group_names(moments)))
    search = ColumnSearch(moments, sizes[-1], factors)
    # Columns that do not vary are never chosen.
    possible = sorted({min(size, max(search.n_sizes, 1)) for size in sizes})
    solved = (fit_moments(moments, settings, features=search.features(size)) for size in possible)
    return [point_of(solution, moments) for _, solution in solved]


def _of_folds(parts: list[Any], estimator: Any) -> FeaturePath:
    wrong = [part for part in parts if not isinstance(part, Moments)]
    if wrong:
        raise ArgumentTypeError("source", f"got {type(wrong[0]).__name__}, expected zerone.Moments")
    if len(parts) < 2:
        raise ArgumentError("source", f"got {len(parts)} moments, expected at least two")
    settings = replace(Settings.of(estimator), level=None, max_features=None)
    name = settings.metric.name
    if name not in ("error", "auc"):
        raise ArgumentError(
            "estimator", f"has the metric {name!r}, and folds of moments judge 'error' or 'auc'"
        )
    parts = alike(parts)
    points = _points(sum(parts[1:], parts[0]), settings)
    losses = np.array(
        [
            _losses_of_fold(parts[:number] + parts[number + 1 :], own, settings, len(points))
            for number, own in enumerate(parts)
        ]
    )
    values = losses if name == "error" else 1 - losses
    half = student(len(parts) - 1) * values.std(axis=0, ddof=1) / np.sqrt(len(parts))
    means = values.mean(axis=0)
    judged = [
        replace(point, held_out=float(mean), held_out_interval=Interval(mean - own, mean + own))
        for point, mean, own in zip(points, means.tolist(), half.tolist(), strict=True)
    ]
    return FeaturePath.of(judged, settings.metric, len(parts) - 1)


def _losses_of_fold(
    others: list[Moments], held_out: Moments, settings: Settings, n_points: int
) -> FloatArray:
    """Return the losses that a fold predicts for the path of the others."""
    training = sum(others[1:], others[0])
    labels = label_list(training.classes)
    missing = [own for own in labels if own not in held_out or held_out[own].weight == 0]
    if missing:
        raise ArgumentError(
            "source",
            f"some moments have no rows of class {missing[0]!r}",
            "all need rows of every class",
        )
    if training.encoding is not None:
        # Missing values are imputed as learned from the others.
        held_out = held_out.reencoded(training.encoding)
    factors = settings.class_factors(training.classes, held_out)
    points = _points(training, settings)
    losses = [
        predicted_loss(own.coef, own.intercept, labels, factors, held_out, settings.metric.name)
        for own in points
    ]
    # A column that is constant without this fold ends the path early.
    losses += losses[-1:] * (n_points - len(losses))
    return np.array(losses[:n_points])
