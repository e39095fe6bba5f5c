"""How an objective is minimised: exactly on the frontier, by L-BFGS, or by Newton-CG.

A solver object holds its settings, with ``get_params`` as in scikit-learn, so that a search can
reach them: ``GridSearchCV(ZeroOneClassifier(solver=LBFGS()), {"solver__tol": [1e-4, 1e-6]})``.
``solver.solve(objective)`` returns a `SolverResult` with a status sentence.
"""

from zerone.solvers._exact import Exact
from zerone.solvers._lbfgs import LBFGS, run_lbfgs
from zerone.solvers._newton_cg import NewtonCG
from zerone.solvers._result import Solver, SolverResult

__all__ = ["LBFGS", "Exact", "NewtonCG", "Solver", "SolverResult", "run_lbfgs"]
