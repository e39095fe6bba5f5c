"""How an objective is minimised: exactly on the frontier, by L-BFGS, or by Newton-CG.

A solver object holds configuration only; ``solver.solve(objective)`` returns a
`SolverResult` with a status sentence.
"""

from zerone.solvers._block_lbfgs import run_block_lbfgs
from zerone.solvers._exact import Exact
from zerone.solvers._lbfgs import LBFGS, run_lbfgs
from zerone.solvers._newton_cg import NewtonCG
from zerone.solvers._registry import Solver, make_solver
from zerone.solvers._result import SolverResult
from zerone.solvers._start import paper_start

__all__ = [
    "LBFGS",
    "Exact",
    "NewtonCG",
    "Solver",
    "SolverResult",
    "make_solver",
    "paper_start",
    "run_block_lbfgs",
    "run_lbfgs",
]
