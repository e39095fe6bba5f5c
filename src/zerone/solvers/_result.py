"""What a solver hands back."""

from dataclasses import dataclass

from zerone._typing import FloatArray


@dataclass(frozen=True, eq=False)
class SolverResult:
    """The outcome of a minimisation.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    intercept : float
        Zero without intercept.
    value : float
        The objective there, without any scale penalty.
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
