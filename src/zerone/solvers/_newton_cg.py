"""Trust-region Newton with conjugate gradients, on Hessian products."""

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from zerone._typing import FloatArray
from zerone.objectives._objective import Objective
from zerone.solvers._descent import check_settings, conclude, prepare
from zerone.solvers._result import SolverResult


class NewtonCG(BaseEstimator):  # type: ignore[misc]
    """Minimise any objective by SciPy's trust-region Newton-CG (``trust-ncg``).

    Parameters
    ----------
    max_iter : int, default=500
    tol : float, default=1e-4
        Stop when the Euclidean norm of the gradient is below this.
    scale_penalty : float, default=0.001
        λ of the term λ(1 − ‖x‖²)², x including the intercept.

    Examples
    --------
    >>> from zerone import Moments
    >>> from zerone.objectives import RankingLoss
    >>> from zerone.solvers import NewtonCG
    >>> moments = Moments.from_parameters({0: (1, [-1.0], [[2.0]]), 1: (1, [1.0], [[2.0]])})
    >>> round(NewtonCG().solve(RankingLoss(moments.pair(1, 0))).value, 4)
    0.1587
    """

    def __init__(
        self, *, max_iter: int = 500, tol: float = 1e-4, scale_penalty: float = 0.001
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.scale_penalty = scale_penalty

    def solve(self, objective: Objective, start: FloatArray | None = None) -> SolverResult:
        """Minimise ``objective`` from ``start``, or from the paper's starting point."""
        check_settings(self.max_iter, self.tol, self.scale_penalty)
        penalised, point = prepare(objective, start, self.scale_penalty)
        outcome = minimize(
            penalised.value_and_gradient,
            point,
            jac=True,
            hessp=penalised.hessian_product,
            method="trust-ncg",
            options={"gtol": self.tol, "maxiter": self.max_iter},
        )
        return conclude(
            objective,
            outcome.x,
            solver="Newton-CG",
            n_iter=int(outcome.nit),
            tol=self.tol,
            gradient=float(np.linalg.norm(penalised.value_and_gradient(outcome.x)[1])),
            limit_reached=int(outcome.nit) >= self.max_iter,
        )
