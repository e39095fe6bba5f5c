"""The frontier: the exact solution of the model, for every metric at once."""

from zerone.frontier._frontier import Frontier
from zerone.rules import LinearRule

__all__ = ["Frontier", "LinearRule"]
