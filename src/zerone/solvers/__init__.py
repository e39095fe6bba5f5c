"""Solvers that minimise an objective: exact on the frontier, L-BFGS, and Newton-CG.

A solver object holds its settings and has ``get_params``, so that scikit-learn can search them:
``GridSearchCV(ZeroOneClassifier(solver=LBFGS()), {"solver__tol": [1e-4, 1e-6]})``.
``solver.solve(objective)`` returns a `SolverResult`.
"""

from zerone.solvers._exact import Exact
from zerone.solvers._lbfgs import LBFGS, run_lbfgs
from zerone.solvers._newton_cg import NewtonCG
from zerone.solvers._result import Solver, SolverResult

__all__ = ["LBFGS", "Exact", "NewtonCG", "Solver", "SolverResult", "run_lbfgs"]
