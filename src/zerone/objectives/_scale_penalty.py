"""The paper's penalty that fixes the scale of the parameters."""

from dataclasses import dataclass

import numpy as np

from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.objectives._objective import Objective


@dataclass(frozen=True, eq=False)
class ScalePenalised:
    """An objective plus λ(1 − ‖x‖²)².

    The objectives on moments do not depend on the scale of x, so their Hessians are singular
    and iterates can drift. The penalty fixes ‖x‖ to one and does not change the best directions.

    Parameters
    ----------
    objective : Objective
    strength : float
        λ; 0.001 in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone import Moments
    >>> from zerone.objectives import ExpectedError, ScalePenalised
    >>> moments = Moments.from_parameters({0: (1, [-1.0], [[1.0]]), 1: (1, [1.0], [[1.0]])})
    >>> error = ExpectedError(moments.pair(1, 0))
    >>> x = np.array([2.0, 0.0])
    >>> round(ScalePenalised(error, 0.001).value(x) - error.value(x), 6)
    0.009
    """

    objective: Objective
    strength: float

    @property
    def pair(self) -> TwoClassMoments:
        """The two classes of the penalised objective."""
        return self.objective.pair

    @property
    def fit_intercept(self) -> bool:
        """Whether the last parameter is the intercept."""
        return self.objective.fit_intercept

    @property
    def n_parameters(self) -> int:
        """Length of the parameter vector."""
        return self.objective.n_parameters

    def value(self, x: FloatArray) -> float:
        """Return the penalised objective."""
        return self.objective.value(x) + self.strength * _square(_slack(x))

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return the penalised objective and its gradient."""
        value, gradient = self.objective.value_and_gradient(x)
        slack = _slack(x)
        return value + self.strength * _square(slack), gradient - (4 * self.strength * slack) * x

    def hessian_product(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return the Hessian at x times v."""
        slack = _slack(x)
        product = self.objective.hessian_product(x, v)
        return product + 4 * self.strength * (2 * float(x @ v) * x - slack * v)


def _slack(x: FloatArray) -> float:
    with np.errstate(over="ignore"):
        return float(1 - x @ x)


def _square(value: float) -> float:
    return value * value  # infinite where it overflows; ** would raise
