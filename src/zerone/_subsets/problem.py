r"""What a subset of columns is judged by: how far the classes lie apart in it.

With p the shares of the classes, W = Σ p_k Σ_k the pooled covariance within classes and
D = [√p_k (μ_k − μ)], the gain of a subset S is

.. math::
    \operatorname{tr}(D_S^T W_S^{-1} D_S).

For two classes it is p₊p₋ δ_Sᵀ W_S⁻¹ δ_S; for several it adds up all pairs, each weighted by the
product of its shares (the trace of Hotelling and Lawley).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerone._data.labels import label_list
from zerone._moments.class_moments import ClassMoments
from zerone._moments.moments import Moments
from zerone._moments.shrinkage import total_variances
from zerone._typing import AnyArray, FloatArray, IntArray

# Added to the variance within classes, as a share of the total variance of each feature: a column
# that repeats others then has almost no gain, and one that separates the classes a finite one.
_LEAST_VARIANCE = 1e-6
# Of data that is wide and keeps rows, so many features are searched: those that separate the
# classes best by themselves.
MOST_WIDE_FEATURES = 2_000


@dataclass(frozen=True, eq=False)
class SubsetProblem:
    """Standardised moments of the features, and the groups in which they are chosen.

    Attributes
    ----------
    within : ndarray of shape (n_features, n_features)
        Pooled covariance within classes.
    between : ndarray of shape (n_features, n_classes)
        Differences of the class means from the mean of all.
    groups : tuple of ndarray of int
        Positions of the features of each group; only of groups that vary.
    names : tuple of int
        The number of each group in the moments.
    """

    within: FloatArray
    between: FloatArray
    groups: tuple[IntArray, ...]
    names: tuple[int, ...]

    @classmethod
    def of(
        cls, moments: Moments, groups: IntArray, factors: FloatArray | None = None
    ) -> "SubsetProblem":
        """Return the problem of moments.

        Parameters
        ----------
        moments : Moments
        groups : ndarray of int, shape (n_features,)
            The group of each feature.
        factors : ndarray of shape (n_classes,), optional
            Of the weights of the classes.
        """
        labels = label_list(moments.classes)
        given = np.ones(len(labels)) if factors is None else factors
        present = [moments[label] for label in labels]
        weights = np.array([own.weight for own in present]) * given
        shares = weights[weights > 0] / weights.sum()
        classes = [own for own, weight in zip(present, weights, strict=True) if weight > 0]
        variances = total_variances(classes)
        features = np.flatnonzero(variances > 0)
        if moments.carries_rows and len(features) > MOST_WIDE_FEATURES:
            features = _best_alone(classes, shares, variances, groups, features)
        inverse = 1 / np.sqrt(variances[features])
        within = np.zeros((len(features), len(features)))
        for share, own in zip(shares, classes, strict=True):
            within += share * own.covariance.select(features).toarray()
        within *= inverse
        within *= inverse[:, None]
        between = _between(classes, shares)[features] * inverse[:, None]
        return cls._of_varying(within, between, groups[features])

    @classmethod
    def of_matrices(
        cls, within: FloatArray, between: FloatArray, groups: IntArray
    ) -> "SubsetProblem":
        """Return the problem of other matrices of standardised features.

        Parameters
        ----------
        within : ndarray of shape (n_features, n_features)
        between : ndarray of shape (n_features, n)
        groups : ndarray of int, shape (n_features,)
        """
        varies = np.flatnonzero(within.diagonal() > _LEAST_VARIANCE)
        own = within[np.ix_(varies, varies)]
        return cls._of_varying(own, between[varies], groups[varies])

    @classmethod
    def _of_varying(
        cls, within: FloatArray, between: FloatArray, groups: IntArray
    ) -> "SubsetProblem":
        np.einsum("ii->i", within)[:] += _LEAST_VARIANCE
        numbers, places = np.unique(groups, return_inverse=True)
        return cls(
            within,
            between,
            tuple(np.flatnonzero(places == group) for group in range(len(numbers))),
            tuple(numbers.tolist()),
        )

    @property
    def n_groups(self) -> int:
        """Number of groups that can be chosen."""
        return len(self.groups)

    @cached_property
    def singles(self) -> tuple[IntArray, IntArray]:
        """Groups of one feature, and the positions of these features."""
        own = [number for number, group in enumerate(self.groups) if len(group) == 1]
        features = [int(self.groups[number][0]) for number in own]
        return np.array(own, dtype=np.intp), np.array(features, dtype=np.intp)

    @cached_property
    def stacks(self) -> list[tuple[IntArray, IntArray]]:
        """Groups of several features, those of one size together, and their features."""
        sizes = sorted({len(group) for group in self.groups} - {1})
        found = []
        for size in sizes:
            own = [number for number, group in enumerate(self.groups) if len(group) == size]
            found.append((np.array(own), np.array([self.groups[number] for number in own])))
        return found

    @cached_property
    def blocks(self) -> list[FloatArray]:
        """The covariances of the groups of several features, as in `stacks`."""
        return [
            self.within[features[:, :, None], features[:, None, :]] for _, features in self.stacks
        ]

    def gain(self, chosen: Sequence[int]) -> float:
        """Return the gain of a subset of the groups."""
        features = np.concatenate([self.groups[number] for number in chosen])
        between = self.between[features]
        solved = np.linalg.solve(self.within[np.ix_(features, features)], between)
        return float(np.vdot(between, solved))


def _between(classes: list[ClassMoments], shares: FloatArray) -> FloatArray:
    """Return the class means, from the mean of all, times the roots of the shares."""
    differences = np.array([own.minus_mean(classes[0]) for own in classes])
    differences -= shares @ differences
    return np.asarray((np.sqrt(shares)[:, None] * differences).T)


def _best_alone(
    classes: list[ClassMoments],
    shares: FloatArray,
    variances: FloatArray,
    groups: IntArray,
    features: IntArray,
) -> IntArray:
    """Return the features of the groups that separate the classes best by themselves."""
    within = shares @ np.array([own.covariance.diagonal() for own in classes])
    apart = (_between(classes, shares) ** 2).sum(axis=1)
    gains = apart[features] / (within + _LEAST_VARIANCE * variances)[features]
    best = np.zeros(int(groups.max()) + 1)
    np.maximum.at(best, groups[features], gains)
    order: AnyArray = np.lexsort((features, -best[groups[features]]))
    kept = groups[features][order[:MOST_WIDE_FEATURES]]
    # A group is searched whole or not at all; the last one may have been cut.
    if np.count_nonzero(groups[features] == kept[-1]) > np.count_nonzero(kept == kept[-1]):
        kept = kept[kept != kept[-1]] if (kept != kept[-1]).any() else kept
    return features[np.isin(groups[features], kept)]
