"""The delete-a-group jackknife: rules of all groups of rows but one, from moments."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from zerone._data.batch import Batch, read_batch
from zerone._data.containers import is_dask, is_foreign
from zerone._data.windows import ColumnTable
from zerone._errors import AdviceError, ArgumentError, ArgumentTypeError
from zerone._kernels.batch_moments import chosen_kind, moments_by_cell
from zerone._moments.moments import Moments
from zerone._refine.row_order import ordered_groups
from zerone._typing import AnyArray, FloatArray, IntArray
from zerone.estimators._fit_rows import fit_moments, fit_replicates
from zerone.estimators._input import checked_labels
from zerone.estimators._parameters import Settings
from zerone.estimators._prediction import features_of_rows
from zerone.estimators._solution import Solution
from zerone.frontier._frontier import MANY_FEATURES

N_GROUPS = 20
# Share of the groups in which a feature must vary within both classes.
_MOST_GROUPS = 0.75


@dataclass(frozen=True, eq=False)
class Replicates:
    """What other samples of the rows give for the numbers of a rule.

    Attributes
    ----------
    values : ndarray of shape (n_replicates, n_numbers)
        Coefficients, intercept, and for a rule of the moments expected error, AUC and metric.
    left_out : float
        Share of the rows that a replicate leaves out, on average.
    varies : ndarray of bool of shape (n_features,)
        Whether a feature varies within both classes in nearly all groups.
    unevenness : float
        Weight of the largest group over that of the smallest one.
    """

    values: FloatArray
    left_out: float
    varies: AnyArray
    unevenness: float = 1.0

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the standard errors."""
        return min(float(len(self.values)), 1 / self.left_out - 1)

    def standard_errors(self, estimate: FloatArray) -> FloatArray:
        r"""Return standard errors, with the bias that the replicates show added in quadrature.

        With θ the estimate, θ_g the replicates, θ̄ their mean and f the share that is left out,

        .. math::
            \frac{1 - f}{f} \Bigl(\overline{(\theta_g - \bar\theta)^2}\Bigr)
            + \Bigl(\frac{1 - f}{f} (\bar\theta - \theta)\Bigr)^2.

        Two replicates have no mean of their own: their spread is counted from the estimate.
        """
        factor = (1 - self.left_out) / self.left_out
        if self.is_incomplete:
            return np.asarray(np.sqrt(factor * ((self.values - estimate) ** 2).mean(axis=0)))
        mean = self.values.mean(axis=0)
        spread = factor * ((self.values - mean) ** 2).mean(axis=0)
        return np.asarray(np.sqrt(spread + (factor * (mean - estimate)) ** 2))

    def of_optimum(self, estimate: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Return centres and standard errors for numbers that the rule optimises.

        Such a number is better than another sample would have it: its bias has a known direction.
        So the interval is moved by the bias that the replicates show, b = (1 − f)(θ̄ − θ)/f. Half of
        it is added in quadrature because b is uncertain, too; with t quantiles of at least two, the
        interval then contains θ.
        """
        factor = (1 - self.left_out) / self.left_out
        mean = self.values.mean(axis=0)
        bias = factor * (mean - estimate)
        spread = factor * ((self.values - mean) ** 2).mean(axis=0)
        return estimate - bias, np.asarray(np.sqrt(spread + (bias / 2) ** 2))

    @property
    def is_incomplete(self) -> bool:
        """Whether some rows are in all replicates."""
        return len(self.values) * self.left_out < 1 - 1e-6


def jackknife(estimator: Any, groups: Sequence[Moments]) -> Replicates:
    """Return the rules of the moments of all groups but one.

    Every class keeps the shrinkage of the fit: the intervals are those of the rule that this
    shrinkage gives.

    Parameters
    ----------
    estimator : classifier fitted to the moments of all groups
    groups : sequence of Moments
    """
    settings = replace(Settings.of(estimator), level=None, shrinkage=estimator.shrinkage_)
    parts = all_but_one(groups)
    if parts[0].n_features < MANY_FEATURES:
        solutions = fit_replicates(parts[0] + groups[0], parts, settings)
    else:
        # One after the other, for the memory.
        solutions = [fit_moments(own, settings)[1] for own in parts]
    weights = np.array([own.weight for own in groups])
    return Replicates(
        np.array([_numbers(own) for own in solutions]),
        1 / len(groups),
        _varies(groups),
        float(weights.max() / weights.min()),
    )


def all_but_one(groups: Sequence[Moments]) -> list[Moments]:
    """Return the sums of all groups but one, from the sums before and after it.

    Moments are merged, never subtracted: subtraction loses digits.
    """
    before = list(accumulate(groups[:-1]))
    after = list(accumulate(groups[:0:-1], lambda total, own: own + total))[::-1]
    middle = (one + other for one, other in zip(before[:-1], after[1:], strict=True))
    return [after[0], *middle, before[-1]]


def _numbers(solution: Solution) -> list[float]:
    coef, intercept = solution.coefficients
    expected = solution.expected["error"], solution.expected["auc"], solution.expected_metric
    return [*coef[0].tolist(), float(intercept[0]), *map(float, expected)]


def _varies(groups: Sequence[Moments]) -> AnyArray:
    """Return whether each feature varies within both classes in three quarters of the groups."""
    counts = [
        np.sum([own[label].covariance.diagonal() > 0 for own in groups], axis=0)
        for label in groups[0]
    ]
    return np.asarray(np.min(counts, axis=0) >= _MOST_GROUPS * len(groups))


def groups_of_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> list[Moments]:
    """Return the moments of groups that rows are dealt into at random, from one pass.

    Rows that repeat stay together, so that a weight of two equals a repeated row.
    """
    if is_dask(X) or is_foreign(X):
        raise ArgumentError(
            "X", "is not in main memory", "give moments of groups of its rows as ⟨groups⟩"
        )
    rows = features_of_rows(estimator, X)
    if isinstance(rows, ColumnTable):
        rows = np.asarray(rows)
    labels = checked_labels(estimator, X, y)
    batch = read_batch(rows, labels, sample_weight, classes=estimator.classes_)
    if chosen_kind(batch) != "explicit":
        raise AdviceError(
            "summary needs covariance matrices, which wide data does not have", "select features"
        )
    cells = _dealt(batch, check_random_state(estimator.random_state))
    return moments_by_cell(batch, cells, N_GROUPS, n_jobs=estimator.n_jobs)


def _dealt(batch: Batch, random: np.random.RandomState) -> IntArray:
    """Return the group of each row; classes are not balanced, as they are not in a sample."""
    groups = ordered_groups(batch)
    if groups is None:
        groups = np.arange(batch.rows.shape[0])
    n_distinct = int(groups.max(initial=-1)) + 1
    if n_distinct < N_GROUPS:
        raise ArgumentError(
            "X", f"has {n_distinct} distinct rows, and {N_GROUPS} groups are needed", "add rows"
        )
    dealt = random.permutation(n_distinct) % N_GROUPS
    return np.asarray(dealt[groups], dtype=np.intp)


def checked_groups(estimator: Any, groups: Any) -> list[Moments]:
    """Return groups of moments; raises unless they add up to the rows of the fit."""
    parts = list(groups)
    wrong = [part for part in parts if not isinstance(part, Moments)]
    if wrong:
        raise ArgumentTypeError(
            "groups",
            f"got {type(wrong[0]).__name__}, expected zerone.Moments",
            "make them with fold_moments or Moments.load",
        )
    if len(parts) < 2:
        raise ArgumentError("groups", f"got {len(parts)}, expected at least two")
    total = sum(part.weight for part in parts)
    moments = getattr(estimator, "moments_", None)
    if moments is not None and abs(total - moments.weight) > 1e-6 * moments.weight:
        raise ArgumentError(
            "groups",
            f"have a total weight of {total:g}, and the fit had {moments.weight:g}",
            "give the moments of all rows of the fit, in groups",
        )
    return parts
