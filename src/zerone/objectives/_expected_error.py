"""The expected zero-one error of a linear rule under normal scores."""

from dataclasses import dataclass
from functools import cached_property

from zerone._moments.pair import TwoClassMoments, checked_priors
from zerone._typing import Label
from zerone.objectives._normal_tail import NormalTail
from zerone.objectives._tail_sum import TailSum


@dataclass(frozen=True, eq=False)
class ExpectedError(TailSum):
    r"""Expected zero-one error when each class's score is normal.

    .. math::
        p_+ \Phi(-m_+/s_+) + p_- \Phi(m_-/s_-), \qquad
        m_k = w \cdot \mu_k + b, \quad s_k^2 = w^T \Sigma_k w

    This is F_n01 of [1]_. It is the exact error for Gaussian classes, and a good approximation
    if the score, a sum over features, is nearly normal.

    Parameters
    ----------
    pair : TwoClassMoments
    fit_intercept : bool, default=True
        The parameters are (w, b), or w alone.
    priors : mapping label -> prior, optional
        The class weights by default.

    References
    ----------
    .. [1] H. Ghanbari, M. Li, K. Scheinberg, "Novel and efficient approximations for zero-one
       loss of linear classifiers", arXiv:1903.00359, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone import Moments
    >>> from zerone.objectives import ExpectedError
    >>> moments = Moments.from_parameters({0: (1, [-1.0], [[1.0]]), 1: (1, [1.0], [[1.0]])})
    >>> objective = ExpectedError(moments.pair(1, 0))
    >>> round(objective.value(np.array([1.0, 0.0])), 4)
    0.1587
    """

    pair: TwoClassMoments
    fit_intercept: bool = True
    priors: dict[Label, float] | None = None

    @cached_property
    def _terms(self) -> tuple[NormalTail, ...]:
        prior_positive, prior_negative = checked_priors(self.priors, self.pair)
        positive, negative = self.pair.positive, self.pair.negative
        return (
            NormalTail(prior_positive, self._extended(positive.mean, 1.0), (positive.covariance,)),
            NormalTail(
                prior_negative, self._extended(-negative.mean, -1.0), (negative.covariance,)
            ),
        )
