"""Solvers by the names users type."""

from collections.abc import Callable
from typing import Any, Protocol

from zerone._typing import FloatArray
from zerone.objectives import Objective
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


def make_solver(name: str, **settings: Any) -> Solver:
    """Return the solver called ``name``: "exact", "lbfgs" or "newton-cg".

    Parameters
    ----------
    name : str
    **settings
        Passed to the solver's class; the exact solver has none.
    """
    try:
        solver = _SOLVERS[name]
    except (KeyError, TypeError):
        raise ValueError(f"solver: got {name!r}, expected one of {list(_SOLVERS)}") from None
    return solver(**settings)
