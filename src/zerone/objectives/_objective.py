"""What a solver needs from an objective."""

from typing import Protocol

from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray


class Objective(Protocol):
    """A smooth function of the parameters x = (w, b), or x = w without intercept.

    Any object with these members can be given to the iterative solvers.
    """

    @property
    def pair(self) -> TwoClassMoments:
        """The two classes."""
        ...

    @property
    def fit_intercept(self) -> bool:
        """Whether the last parameter is the intercept b."""
        ...

    @property
    def n_parameters(self) -> int:
        """Length of x."""
        ...

    def value(self, x: FloatArray) -> float:
        """Return f(x)."""
        ...

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return f(x) and its gradient."""
        ...

    def hessian_product(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return the Hessian at x times v."""
        ...
