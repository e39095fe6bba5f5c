"""What the iterative solvers share: checks, the penalised problem, the start, the result."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from zerone._errors import ArgumentError
from zerone._typing import FloatArray
from zerone._warnings import warn
from zerone.objectives._objective import Objective
from zerone.objectives._scale_penalty import ScalePenalised
from zerone.solvers._result import SolverResult
from zerone.solvers._start import paper_start


def check_settings(max_iter: Any, tol: Any, scale_penalty: Any) -> None:
    """Raise unless the settings of an iterative solver are valid."""
    require_count("max_iter", max_iter)
    if not (_is_number(tol) and tol > 0):
        raise ArgumentError("tol", f"got {tol!r}, expected a positive number")
    if not (_is_number(scale_penalty) and scale_penalty >= 0):
        raise ArgumentError(
            "scale_penalty", f"got {scale_penalty!r}, expected a number of at least 0"
        )


def require_count(name: str, given: Any) -> None:
    """Raise unless a setting is an integer of at least 1."""
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise ArgumentError(name, f"got {given!r}, expected an integer of at least 1")


def _is_number(given: Any) -> bool:
    is_real = isinstance(given, Real) and not isinstance(given, bool)
    return is_real and bool(np.isfinite(float(given)))


def prepare(
    objective: Objective, start: FloatArray | None, scale_penalty: float
) -> tuple[Objective, FloatArray]:
    """Return the penalised objective and a checked starting point."""
    penalised = ScalePenalised(objective, scale_penalty) if scale_penalty > 0 else objective
    if start is None:
        return penalised, paper_start(objective)
    point: FloatArray = np.asarray(start, dtype=np.float64)
    if point.shape != (objective.n_parameters,):
        raise ArgumentError(
            "start", f"has shape {point.shape}, expected ({objective.n_parameters},)"
        )
    if not np.isfinite(point).all() or not point[: objective.pair.n_features].any():
        raise ArgumentError(
            "start", "expected finite numbers with at least one non-zero coefficient"
        )
    return penalised, point


def conclude(
    objective: Objective, x: FloatArray, *, solver: str, n_iter: int, tol: float, gradient: float,
    limit_reached: bool,
) -> SolverResult:  # fmt: skip
    """Turn the last iterate into a result; warn if the iteration limit was reached."""
    d = objective.pair.n_features
    value, slope = objective.value_and_gradient(x)
    flat = value > 0 and not slope.any()
    converged = gradient <= tol and not flat
    if flat:
        status = (
            f"{solver} stopped where the objective is flat: both classes are many standard "
            "deviations from the threshold; scale the features, or use solver='exact'."
        )
    elif converged:
        status = f"{solver} converged: the gradient norm is {gradient:.1e}, at most tol={tol:g}."
    elif limit_reached:
        status = (
            f"{solver} stopped at max_iter={n_iter} iterations with gradient norm {gradient:.1e}, "
            f"above tol={tol:g}; raise max_iter, scale the features, or use solver='exact'."
        )
        warn(status, ConvergenceWarning)
    else:
        status = (
            f"{solver} could not lower the objective after {n_iter} iterations, because of "
            f"rounding; the gradient norm is {gradient:.1e}, above tol={tol:g}."
        )
    return SolverResult(
        coef=x[:d].copy(),
        intercept=float(x[d]) if objective.fit_intercept else 0.0,
        value=value,
        n_iter=n_iter,
        converged=converged,
        status=status,
    )
