"""Linear rules: coefficients, intercept, and the rates that the moments predict."""

from zerone.rules._rule import LinearRule

__all__ = ["LinearRule"]
