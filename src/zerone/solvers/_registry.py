"""Solvers by the names users type."""

from collections.abc import Callable
from typing import Any, Protocol

from zerone._errors import ArgumentError
from zerone._typing import FloatArray
from zerone.objectives._objective import Objective
from zerone.solvers._exact import Exact
from zerone.solvers._lbfgs import LBFGS
from zerone.solvers._newton_cg import NewtonCG
from zerone.solvers._result import SolverResult


class Solver(Protocol):
    """Anything that can minimise an objective."""

    def solve(self, objective: Objective, start: FloatArray | None = None) -> SolverResult:
        """Return the minimum that was found."""
        ...


_SOLVERS: dict[str, Callable[..., Solver]] = {
    "exact": Exact,
    "lbfgs": LBFGS,
    "newton-cg": NewtonCG,
}


def as_solver(given: Any) -> Solver:
    """Return a solver from its name, with its own settings, or as it is.

    Parameters
    ----------
    given : {"exact", "lbfgs", "newton-cg"} or solver
    """
    if isinstance(given, str) and given in _SOLVERS:
        return _SOLVERS[given]()
    if isinstance(given, str) or isinstance(given, type) or not hasattr(given, "solve"):
        raise ArgumentError(
            "solver",
            f"got {given!r}, expected one of {list(_SOLVERS)}, or a solver object such as "
            "LBFGS(tol=1e-6) of zerone.solvers",
        )
    solver: Solver = given
    return solver
