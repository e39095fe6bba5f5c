"""A sum of normal tails: what the objectives on moments have in common."""

from abc import ABC, abstractmethod

import numpy as np

from zerone._moments.pair import TwoClassMoments, as_pair
from zerone._typing import FloatArray
from zerone.objectives._normal_tail import NormalTail


class TailSum(ABC):
    """Value, gradient and Hessian product of a sum of `NormalTail` terms."""

    pair: TwoClassMoments
    fit_intercept: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "pair", as_pair(self.pair))

    @property
    @abstractmethod
    def _terms(self) -> tuple[NormalTail, ...]:
        """The terms of the sum."""

    @property
    def n_parameters(self) -> int:
        """Length of the parameter vector: the features, and the intercept if there is one."""
        return self.pair.n_features + self.fit_intercept

    def value(self, x: FloatArray) -> float:
        """Return the objective at x = (w, b), or x = w without intercept."""
        return sum(term.value(x) for term in self._terms)

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return the objective and its gradient."""
        parts = [term.value_and_gradient(x) for term in self._terms]
        gradient: FloatArray = np.sum([gradient for _, gradient in parts], axis=0)
        return sum(value for value, _ in parts), gradient

    def hessian_product(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return the Hessian at x times v."""
        product: FloatArray = np.sum([t.hessian_product(x, v) for t in self._terms], axis=0)
        return product

    def _extended(self, mean: FloatArray, last: float) -> FloatArray:
        return np.append(mean, last) if self.fit_intercept else mean
