"""Checks of the estimators' parameters, with messages that list the right values."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zerone._typing import AnyArray, FloatArray, Level
from zerone.moments import Moments
from zerone.solvers import Exact, Solver, make_solver
from zerone.sources import label_list


def checked_solver(name: Any, *, max_iter: Any, tol: Any, scale_penalty: Any) -> Solver:
    """Return the solver called ``name``; settings that the exact solver ignores are checked too."""
    if isinstance(max_iter, bool) or not isinstance(max_iter, int | np.integer):
        raise ValueError(f"max_iter: got {max_iter!r}, expected an integer of at least 1")
    for setting, value in (("tol", tol), ("scale_penalty", scale_penalty)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise ValueError(f"{setting}: got {value!r}, expected a number")
    settings = {"max_iter": int(max_iter), "tol": float(tol), "scale_penalty": float(scale_penalty)}
    make_solver("lbfgs", **settings)
    return make_solver(name, **({} if name == "exact" else settings))


def checked_level(refine: Any, solver: Solver, *, fit_intercept: bool) -> Level | None:
    """Return how far a fit on rows is refined.

    Parameters
    ----------
    refine : "auto", "polish", "frontier" or None
        "auto" is "polish" wherever that is possible: the iterative solvers are the paper's
        method, and stay it.
    """
    levels = ("auto", "polish", "frontier", None)
    if not (refine is None or isinstance(refine, str)) or refine not in levels:
        raise ValueError(f"refine: got {refine!r}, expected 'auto', 'polish', 'frontier' or None")
    possible = isinstance(solver, Exact) and fit_intercept
    if refine is None or (refine == "auto" and not possible):
        return None
    if not possible:
        raise ValueError(
            f"refine: got {refine!r}, which needs solver='exact' and fit_intercept=True; use "
            "refine='auto' or None with other solvers"
        )
    return "frontier" if refine == "frontier" else "polish"


def class_factors(class_weight: Any, classes: AnyArray, moments: Moments) -> FloatArray:
    """Return what each class's weight is multiplied by, as in scikit-learn.

    Parameters
    ----------
    class_weight : None, "balanced", or mapping label -> factor
    classes : ndarray
    moments : Moments
    """
    labels = label_list(classes)
    if class_weight is None:
        return np.ones(len(labels))
    if isinstance(class_weight, str) and class_weight == "balanced":
        weights = np.array([moments[label].weight for label in labels])
        present = weights > 0
        factors: FloatArray = np.ones_like(weights)
        factors[present] = weights.sum() / (present.sum() * weights[present])
        return factors
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight: got {class_weight!r}, expected None, 'balanced', or a mapping from "
            "class to weight"
        )
    # As in scikit-learn a weight for a class that a fold lacks is fine, if all others have one.
    unknown = [label for label in class_weight if label not in labels]
    if unknown and any(label not in class_weight for label in labels):
        raise ValueError(
            f"class_weight: names the class {unknown[0]!r}, but the classes are {labels!r}"
        )
    try:
        factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    except (TypeError, ValueError):
        raise ValueError(
            f"class_weight: got {class_weight!r}, expected a number for each class"
        ) from None
    if not (np.isfinite(factors).all() and (factors > 0).all()) or (
        np.log(factors.max()) - np.log(factors.min()) > 100 * np.log(10)
    ):
        raise ValueError(
            f"class_weight: got {class_weight!r}, expected positive weights within 100 "
            "orders of magnitude of each other"
        )
    return factors
