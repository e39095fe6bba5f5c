"""The frontier: the exact solution of the model, for every metric at once."""

from zerone.frontier._frontier import Frontier
from zerone.frontier._parameters import metric_parameters
from zerone.frontier._projection import (
    KRYLOV_STEPS,
    Reduction,
    krylov_basis,
    projected_moments,
    reduced_moments,
)

__all__ = [
    "KRYLOV_STEPS",
    "Frontier",
    "Reduction",
    "krylov_basis",
    "metric_parameters",
    "projected_moments",
    "reduced_moments",
]
