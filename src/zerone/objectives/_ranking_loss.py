"""The expected ranking loss, 1 − AUC, of a linear score under normality."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._errors import ArgumentError
from zerone._moments.covariance import Covariance, ExplicitCovariance
from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.objectives._normal_tail import NormalTail
from zerone.objectives._tail_sum import TailSum


@dataclass(frozen=True, eq=False)
class RankingLoss(TailSum):
    r"""Probability that a negative scores above a positive, when scores are normal: 1 − AUC.

    .. math::
        \Phi\Bigl(-\frac{w \cdot \delta}{\sqrt{w^T (\Sigma_+ + \Sigma_- - C - C^T) w}}\Bigr),
        \qquad \delta = \mu_+ - \mu_-

    This is F_nrank of [1]_ with a corrected sign: the theorem there states 1 − Φ(μ_Z/σ_Z) for
    Z = w·(X⁻ − X⁺), which is the AUC and not the loss, and gives the gradient of the AUC.

    Parameters
    ----------
    pair : TwoClassMoments
    fit_intercept : bool, default=True
        Whether the parameters end with an intercept. The loss does not depend on it; a scale
        penalty does.
    cross_covariance : ndarray of shape (n_features, n_features), optional
        C, the covariance between a positive and a negative row. Zero for independent classes,
        which is the default and what [1]_ recommends.

    References
    ----------
    .. [1] H. Ghanbari, M. Li, K. Scheinberg, "Novel and efficient approximations for zero-one
       loss of linear classifiers", arXiv:1903.00359, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone import Moments
    >>> from zerone.objectives import RankingLoss
    >>> moments = Moments.from_parameters({0: (1, [-1.0], [[2.0]]), 1: (1, [1.0], [[2.0]])})
    >>> round(RankingLoss(moments.pair(1, 0), fit_intercept=False).value(np.array([1.0])), 4)
    0.1587
    """

    pair: TwoClassMoments
    fit_intercept: bool = True
    cross_covariance: FloatArray | None = None

    @cached_property
    def _terms(self) -> tuple[NormalTail, ...]:
        covariances = self.difference_covariances
        return (NormalTail(1.0, self._extended(self.pair.delta, 0.0), covariances),)

    @property
    def difference_covariances(self) -> tuple[Covariance, ...]:
        """Covariances whose sum is that of a positive row minus a negative row."""
        classes = (self.pair.positive.covariance, self.pair.negative.covariance)
        if self.cross_covariance is None:
            return classes
        cross: FloatArray = np.asarray(self.cross_covariance, dtype=np.float64)
        d = self.pair.n_features
        if cross.shape != (d, d):
            raise ArgumentError("cross_covariance", f"has shape {cross.shape}, expected {(d, d)}")
        if not np.isfinite(cross).all():
            raise ArgumentError("cross_covariance", "contains NaN or infinity", "remove them")
        total = classes[0].toarray() + classes[1].toarray()
        matrix = total - cross - cross.T
        sd = np.sqrt(total.diagonal())
        unit = np.where(sd > 0, sd, 1.0)
        if np.linalg.eigvalsh(matrix / np.multiply.outer(unit, unit))[0] < -1e-10 * d:
            raise ArgumentError(
                "cross_covariance",
                "is too large: a positive minus a negative row would have a negative variance",
                "give the covariance of pairs of rows, or None for independent classes",
            )
        return (ExplicitCovariance(matrix),)
