"""The frontier: the exact solution of the model, for every metric at once."""

from zerone.frontier._frontier import Frontier
from zerone.frontier._krylov_space import KrylovSpace
from zerone.frontier._parameters import metric_parameters
from zerone.frontier._projection import Reduction, reduced_moments

__all__ = [
    "Frontier",
    "KrylovSpace",
    "Reduction",
    "metric_parameters",
    "reduced_moments",
]
