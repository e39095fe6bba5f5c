"""The exact solver: the frontier for the expected error, a linear system for the ranking loss."""

import numpy as np
from sklearn.base import BaseEstimator

from zerone._errors import ArgumentError, ArgumentTypeError
from zerone._moments.covariance import ExplicitCovariance
from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.frontier._frontier import Frontier
from zerone.objectives._expected_error import ExpectedError
from zerone.objectives._objective import Objective
from zerone.objectives._ranking_loss import RankingLoss
from zerone.solvers._result import SolverResult


class Exact(BaseEstimator):  # type: ignore[misc]
    """Find the global minimum of the expected error or of the ranking loss.

    The error is minimised by a search along the frontier of admissible rules; the ranking loss has
    a closed form, w ∝ (Σ₊ + Σ₋)⁻¹(μ₊ − μ₋). There is no starting point, step size or tolerance.
    Implicit moments (wide sparse data) are projected first, see `Frontier`.

    Without intercept the error has no exact solution; use `LBFGS`.

    Examples
    --------
    >>> from zerone import Moments
    >>> from zerone.objectives import ExpectedError
    >>> from zerone.solvers import Exact
    >>> moments = Moments.from_parameters({0: (1, [-1.0], [[1.0]]), 1: (1, [1.0], [[1.0]])})
    >>> result = Exact().solve(ExpectedError(moments.pair(1, 0)))
    >>> round(result.value, 4), result.status
    (0.1587, 'The globally best rule was found on the frontier.')
    """

    def solve(self, objective: Objective, start: FloatArray | None = None) -> SolverResult:
        """Minimise ``objective``; a ``start`` raises an error."""
        if start is not None:
            raise ArgumentError(
                "start", "the exact solver takes none", "leave it out, or use zerone.solvers.LBFGS"
            )
        if isinstance(objective, ExpectedError):
            if not objective.fit_intercept:
                raise ArgumentError(
                    "fit_intercept",
                    "the exact solver minimises the expected error only with an intercept",
                    "use solver='lbfgs' with fit_intercept=False",
                )
            rule = Frontier(objective.pair, priors=objective.priors).best("error")
        elif isinstance(objective, RankingLoss):
            rule = Frontier(_with_cross_covariance(objective)).best("auc")
        else:
            raise ArgumentTypeError(
                "objective",
                f"{type(objective).__name__} has no exact solution",
                "use solver 'lbfgs' or 'newton-cg'",
            )
        intercept = rule.intercept if objective.fit_intercept else 0.0
        x = np.append(rule.coef, intercept) if objective.fit_intercept else rule.coef
        return SolverResult(rule.coef, intercept, objective.value(x), 1, True, rule.status)


def _with_cross_covariance(objective: RankingLoss) -> TwoClassMoments:
    """Return moments whose covariances add up to that of a positive minus a negative row."""
    pair = objective.pair
    if objective.cross_covariance is None:
        return pair
    half = ExplicitCovariance(objective.difference_covariances[0].toarray() / 2)
    return TwoClassMoments(
        pair.positive.with_covariance(half),
        pair.negative.with_covariance(half),
        pair.positive_label,
        pair.negative_label,
    )
