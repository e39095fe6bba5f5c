"""The frontier: the exact solution of the model, for every metric at once."""

from zerone.frontier._frontier import Frontier
from zerone.frontier._projection import Reduction, projected_moments, reduced_moments

__all__ = ["Frontier", "Reduction", "projected_moments", "reduced_moments"]
