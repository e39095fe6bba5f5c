"""Linear rules: coefficients, intercept, and the rates the moments predict for them."""

from zerone.rules._rule import LinearRule

__all__ = ["LinearRule"]
