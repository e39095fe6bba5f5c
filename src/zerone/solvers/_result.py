"""The interface of a solver, and its result."""

from dataclasses import dataclass
from typing import Protocol

from zerone._typing import FloatArray
from zerone.objectives._objective import Objective


@dataclass(frozen=True, eq=False)
class SolverResult:
    """The outcome of a minimisation.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    intercept : float
        Zero without intercept.
    value : float
        The objective at the solution, without scale penalty.
    n_iter : int
        Iterations; 1 for the exact solver.
    converged : bool
    status : str
        How it ended, in a sentence.
    """

    coef: FloatArray
    intercept: float
    value: float
    n_iter: int
    converged: bool
    status: str


class Solver(Protocol):
    """Anything that can minimise an objective."""

    def solve(self, objective: Objective, start: FloatArray | None = None) -> SolverResult:
        """Return the minimum that was found."""
        ...
