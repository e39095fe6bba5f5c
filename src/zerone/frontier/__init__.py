"""The frontier: the exact solution of the normal model, for every metric."""

from zerone.frontier._frontier import Frontier

__all__ = ["Frontier"]
