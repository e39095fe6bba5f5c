"""How sure a rule of two classes is: from groups of rows, or from the folds of a refined fit."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from zerone._data.devices import to_host
from zerone._errors import AdviceError, ArgumentError
from zerone._typing import FloatArray
from zerone._uncertainty.intervals import Interval, student
from zerone.estimators._belief import MOST_INFLATED, belief
from zerone.estimators._collinearity import variance_inflation
from zerone.estimators._feature_statistics import feature_statistics
from zerone.estimators._jackknife import (
    Replicates,
    checked_groups,
    groups_of_rows,
    jackknife,
)
from zerone.estimators._rule_summary import RuleSummary
from zerone.estimators._state import fitted_votes, on_host
from zerone.metrics import chosen_metric

# The expected figures, in the order in which a jackknife gives them.
_EXPECTED = ("expected error", "expected AUC")


def summary(estimator: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> RuleSummary:
    """Return the coefficients and figures of a fitted classifier with their intervals."""
    fitted_votes(estimator)
    if len(estimator.classes_) != 2:
        raise AdviceError(
            f"summary is for two classes, and there are {len(estimator.classes_)}",
            "fit two of them",
        )
    model = on_host(estimator)
    if (X is None) != (y is None):
        raise ArgumentError("y" if y is None else "X", "is missing", "give X and y")
    if model.refine_ is not None:
        if X is not None or groups is not None:
            raise ArgumentError(
                "X" if X is not None else "groups",
                "is for a rule of the moments, and this one is refined",
                "call summary()",
            )
        return _summarised(model, _of_folds(model), is_refined=True)
    if (X is None) == (groups is None):
        raise ArgumentError(
            "X", "and y are needed for a rule of the moments", "give them, or else ⟨groups⟩"
        )
    parts = groups_of_rows(model, X, y, sample_weight) if groups is None else groups
    return _summarised(model, jackknife(model, checked_groups(model, parts)), is_refined=False)


def _of_folds(model: Any) -> Replicates:
    """Return the rules of the folds; raises if the fit has none."""
    found = model._fold_rules
    if found is None:
        raise AdviceError(
            "summary needs the rules of the folds, which retargeted, loaded, constant and wide "
            "rules do not have",
            "fit again with the metric that you want",
        )
    return Replicates(found.rules, found.left_out, found.varies)


def _summarised(model: Any, replicates: Replicates, *, is_refined: bool) -> RuleSummary:
    coefficients = np.append(model.coef_[0], model.intercept_[0])
    estimates = coefficients
    if not is_refined:
        estimates = np.concatenate([coefficients, _expected_values(model)])
    errors = replicates.standard_errors(estimates)
    quantile = student(replicates.degrees)
    size = len(coefficients)
    with np.errstate(invalid="ignore"):
        stability = (np.sign(replicates.values[:, :size]) == np.sign(coefficients)).mean(axis=0)
    own_errors = errors[:size]
    if not model.fit_intercept or (is_refined and model._is_ranking):
        # The threshold is not that of the folds, or there is none.
        own_errors = np.append(own_errors[:-1], np.nan)
        stability = np.append(stability[:-1], np.nan)
    known = feature_statistics(model)
    deviations = None if known is None else known.deviations
    spread = np.full(size - 1, np.nan) if deviations is None else deviations
    varies = spread > 0 if deviations is not None else replicates.varies
    is_steady = replicates.varies
    if is_refined:
        is_steady = is_steady & (variance_inflation(model.moments_) < MOST_INFLATED)
    weights = [own.weight for own in model.moments_.values()]
    judged = belief(
        replicates,
        is_steady,
        min(weights),
        varies,
        is_refined=is_refined,
        is_constant=model._is_constant,
    )
    half = quantile * own_errors
    return RuleSummary(
        names=(*_names(model), "(intercept)"),
        coefficients=coefficients,
        deviations=np.append(spread, np.nan),
        standard_errors=own_errors,
        low=coefficients - half,
        high=coefficients + half,
        sign_stability=stability,
        is_steady=np.append(is_steady, not is_refined and bool(is_steady[varies].all())),
        figures={
            **({} if is_refined else _expected_figures(model, estimates, replicates)),
            **_held_out_figures(model),
        },
        reasons=judged.reasons,
        method=_method(replicates, is_refined=is_refined),
    )


def _expected_values(model: Any) -> FloatArray:
    """Return expected error, AUC and metric, as in a replicate."""
    found = model._expected
    return np.array([found["error"], found["auc"], model.expected_metric_])


def _expected_figures(
    model: Any, estimates: FloatArray, replicates: Replicates
) -> dict[str, tuple[float, Interval]]:
    """Return what the normal model expects; the metric of the rule has been optimised by it."""
    names = list(_EXPECTED)
    if model.metric not in ("error", "auc"):
        names.append(f"expected {chosen_metric(model.metric, model.metric_params).title}")
    optimised = {"error": 0, "auc": 1}.get(model.metric, 2)
    first = len(model.coef_[0]) + 1
    centres, errors = estimates.copy(), replicates.standard_errors(estimates)
    place = first + optimised
    centres[place], errors[place] = (own[place] for own in replicates.of_optimum(estimates))
    halves = student(replicates.degrees) * errors
    found = {}
    for position, name in enumerate(names, first):
        value, centre, half = (float(own[position]) for own in (estimates, centres, halves))
        low, high = centre - half, centre + half
        if 0 <= value <= 1:
            low, high = max(low, 0.0), min(high, 1.0)
        found[name] = value, Interval(low, high)
    return found


def _held_out_figures(model: Any) -> dict[str, tuple[float, Interval]]:
    value = float(to_host(np.asarray(model.held_out_metric_)))
    if np.isnan(value):
        return {}
    title = chosen_metric(model.metric, model.metric_params).title
    return {f"held-out {title}": (value, Interval(*model.held_out_interval_.tolist()))}


def _names(model: Any) -> Sequence[str]:
    if model.encoding_ is not None:
        return list(model.encoding_.feature_names)
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"feature {position}" for position in range(model.coef_.shape[1])]
    return [str(name) for name in names]


def _method(replicates: Replicates, *, is_refined: bool) -> str:
    n = len(replicates.values)
    if is_refined:
        return (
            f"From {n} models of the fit that each held out {replicates.left_out:.0%} of the rows "
            f"(t with {replicates.degrees:.3g} degrees of freedom). Held-out figures: from these "
            "rows."
        )
    return (
        f"Delete-a-group jackknife over {n} groups of rows, with the shrinkage of the fit (t with "
        f"{replicates.degrees:.3g} degrees of freedom)."
    )
