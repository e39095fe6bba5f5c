"""What the explorer of the report knows: the held-out scores from which `retarget` chooses."""

import math
from typing import Any

import numpy as np

from zerone._data.labels import label_list, positive_position
from zerone._data.sample import shared_rows
from zerone._errors import AdviceError
from zerone._refine.candidates import MeasuredScores
from zerone.estimators._fit_rows import REFINED_VALUES
from zerone.estimators._pair_rules import rule_at
from zerone.estimators._state import fitted_votes, table_encoding
from zerone.export._dialects import DIALECTS
from zerone.export._sql import sql_expression, sql_literal
from zerone.inspection._weights import feature_names, per_deviation
from zerone.metrics import Priors, chosen_metric
from zerone.rules._direction import factor_between

# Expressions of all directions together; longer ones are left to `zerone export`.
_MOST_SQL = 300_000
_NO_COST = 100.0
_WEIGHTS = 8
# A threshold that was rounded to single precision is still the same.
_ROUNDING = 1e-5


def explorer_data(model: Any) -> dict[str, Any] | None:
    """Return all that chooses a rule for another cost or limit, ready for JSON.

    Rates are those of the positive class of the model's metric, by default the last one. Scores
    rise with it, also if it is the first of both classes (``sign`` is −1 then).

    Parameters
    ----------
    model : fitted ZeroOneClassifier or AUCClassifier

    Returns
    -------
    dict or None
        None for several classes, and for a fit without held-out scores.
    """
    kept = model._kept
    if len(model.classes_) != 2 or kept is None or kept.scores is None:
        return None
    labels = label_list(model.classes_)
    columns = kept.scores.columns(0, (labels[1], labels[0]))
    if columns is None:
        return None
    weights = kept.prior_weights
    total = weights[1] + weights[0]
    priors = float(weights[1] / total), float(weights[0] / total)
    moments = kept.reduction.moments
    sizes = moments[labels[1]].weight, moments[labels[0]].weight
    is_turned = positive_position(model.positive, labels) == 0
    if is_turned:
        columns, priors = tuple(own.turned() for own in columns), priors[::-1]
        sizes = sizes[::-1]
    sign = -1.0 if is_turned else 1.0
    directions = [_direction(own, priors, sign) for own in columns]
    expressions = _expressions(model, columns, priors, sign)
    first, positive = directions[0], labels[0 if is_turned else 1]
    threshold = sign * (first["at_zero"] - float(model.intercept_[0])) / first["scale"]
    return {
        "positive": str(positive),
        "negative": str(labels[1 if is_turned else 0]),
        "sign": sign,
        "priors": priors,
        "counts": measured_rows(columns[0].counts, sizes, model.coef_.shape[1]),
        "directions": directions,
        "fitted": _cut(columns[0], threshold),
        "start": _start(model),
        "weights": _weights(model, columns, priors),
        "sql": expressions,
        "literals": [sql_literal(own, DIALECTS["duckdb"]) for own in labels],
    }


def measured_rows(
    weights: tuple[float, float], sizes: tuple[float, float], n_features: int
) -> tuple[int, int]:
    """Return the number of held-out rows of two classes.

    The rows of a large table are sampled for refinement, and each stands for several. A table's
    own row weights count as repeated rows.

    Parameters
    ----------
    weights : tuple of float
        Of the held-out rows.
    sizes : tuple of float
        Of both classes in the table.
    n_features : int
    """
    drawn = shared_rows([max(1, round(own)) for own in sizes], REFINED_VALUES // n_features)
    first, second = (
        round(weight * min(own / size, 1.0))
        for weight, own, size in zip(weights, drawn, sizes, strict=True)
    )
    return max(first, 1), max(second, 1)


def _start(model: Any) -> dict[str, float | None]:
    """Return the cost ratio and the limit that the metric of the model asks for."""
    given = chosen_metric(model.metric, model.metric_params).parameters
    limit = given.get("max_false_positive_rate")
    if limit is not None:
        # A recall without costs: misses cost so much that the limit decides.
        return {"ratio": _NO_COST, "limit": limit}
    ratio = given.get("false_negative_cost", 1.0) / given.get("false_positive_cost", 1.0)
    return {"ratio": ratio, "limit": None}


def _direction(measured: MeasuredScores, priors: Priors, sign: float) -> dict[str, Any]:
    """Return one direction: its rates at every threshold, and the rule that a threshold makes."""
    at_zero, *ends = (rule_at(measured, t, priors, "") for t in (0.0, -math.inf, math.inf))
    return {
        "missed": measured.false_negative_rates.tolist(),
        "alarms": measured.false_positive_rates.tolist(),
        "values": measured.values.tolist(),
        "thresholds": measured.thresholds[1:-1].tolist(),
        "at_zero": sign * at_zero.intercept,
        "scale": factor_between(at_zero.coef, measured.scored.coef),
        "ends": [sign * own.intercept for own in ends],
    }


def _weights(model: Any, columns: tuple[MeasuredScores, ...], priors: Priors) -> dict[str, Any]:
    """Return the largest weights of all directions; positive ones speak for the positive class."""
    coef = np.array([rule_at(own, 0.0, priors, "").coef for own in columns])
    weights, unit = per_deviation(model, coef)
    order = np.argsort(-np.abs(weights).max(axis=0), kind="stable")[:_WEIGHTS]
    names = feature_names(model)
    return {
        "names": [names[own] for own in order],
        "unit": unit,
        "directions": weights[:, order].tolist(),
    }


def _expressions(
    model: Any, columns: tuple[MeasuredScores, ...], priors: Priors, sign: float
) -> list[str] | None:
    """Return the score of each direction without its intercept as SQL; None if there is none."""
    encoding = table_encoding(model)
    if encoding is None:
        return None
    curve: Any = fitted_votes(model).posterior.curves[0]
    labels = tuple(model.classes_.tolist())
    try:
        found = [
            sql_expression(
                encoding, sign * rule_at(own, 0.0, priors, "").coef, 0.0, curve, labels, "score"
            )
            for own in columns
        ]
    except AdviceError:
        return None
    return found if sum(map(len, found)) <= _MOST_SQL else None


def _cut(measured: MeasuredScores, threshold: float) -> int:
    """Return the position of a threshold among those that were kept."""
    distances = np.abs(measured.thresholds[1:-1] - threshold)
    if len(distances) and distances.min() <= _ROUNDING * max(abs(threshold), 1.0):
        return int(distances.argmin()) + 1
    return int(np.searchsorted(measured.thresholds, threshold).clip(0, len(measured.values)))
