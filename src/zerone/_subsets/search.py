"""A beam search with swaps for the best subset of every size.

All numbers come from a Cholesky factor that grows by the columns of the group that is added; the
gains of all groups that may follow, and those of all swaps of one group, are found at once.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from zerone._subsets.problem import SubsetProblem
from zerone._threads import one_blas_thread
from zerone._typing import FloatArray, IntArray

# Subsets of one size that are kept to grow: so many divided by the size. The smallest cost least,
# and the best pair is often made of groups that are poor alone.
_WIDTH, _LEAST_WIDTH = 256, 8
# Subsets of one size that are returned.
_CANDIDATES = 16
# The largest subset in which groups are swapped.
_MOST_SWAPPED = 64
# A swap has to gain this share.
_LEAST_SHARE = 1e-9


@dataclass(frozen=True)
class Subset:
    """Groups of features, by their numbers in rising order, and how far they part the classes."""

    groups: tuple[int, ...]
    gain: float


def subset_path(problem: SubsetProblem, most: int) -> tuple[Subset, ...]:
    """Return the best subset found of every size: 1, 2, … up to ``most`` groups.

    Constant groups are never chosen, so there may be fewer.
    """
    return tuple(best for best, *_ in subset_candidates(problem, most))


def subset_candidates(problem: SubsetProblem, most: int) -> list[list[Subset]]:
    """Return the best subsets found of every size, the best one first; see `subset_path`."""
    # Very many very small problems: starting threads would take longer than solving them.
    with one_blas_thread(True):
        return _candidates(problem, most)


def _candidates(problem: SubsetProblem, most: int) -> list[list[Subset]]:
    beam, path = [Grown.empty(problem)], []
    for size in range(1, min(most, problem.n_groups) + 1):
        width = max(_WIDTH // size, _LEAST_WIDTH)
        beam = _next(beam, width)
        if size <= _MOST_SWAPPED:
            best = beam[0].swapped()
            if best is not beam[0]:
                beam = [best, *(own for own in beam if own.key != best.key)][:width]
        path.append([own.named for own in beam[:_CANDIDATES]])
    return path


def _next(beam: list["Grown"], width: int) -> list["Grown"]:
    """Return the best subsets with one group more, the best one first."""
    totals = np.array([own.gain + own.gains for own in beam]).ravel()
    n_groups = beam[0].problem.n_groups
    # A subset of n groups can be made in n ways.
    n_ways = len(beam[0].groups) + 1
    most = min(width * n_ways, int(np.isfinite(totals).sum()))
    order = np.argpartition(-totals, most - 1)[:most]
    order = order[np.lexsort((order, -totals[order]))]
    found: dict[frozenset[int], tuple[Grown, int]] = {}
    for place in order.tolist():
        own, group = beam[place // n_groups], place % n_groups
        found.setdefault(own.key | {group}, (own, group))
        if len(found) == width:
            break
    return [own.with_group(group) for own, group in found.values()]


@dataclass(frozen=True, eq=False)
class Grown:
    """A subset S with all that is needed to see what other groups add to it.

    Attributes
    ----------
    problem : SubsetProblem
    groups : tuple of int
        In the order in which they were added.
    features : ndarray of int, shape (n_chosen,)
        Of S, in this order.
    factor : ndarray of shape (n_features, n_chosen)
        Q = W_{:,S} L⁻ᵀ for W_S = L Lᵀ; its rows of S are L.
    rest : ndarray of shape (n_features, n_classes)
        D − W_{:,S} W_S⁻¹ D_S: what S does not tell about the class means.
    solved : ndarray of shape (n_chosen, n_classes)
        L⁻¹ D_S.
    variances : ndarray of shape (n_features,)
        Of each feature, given S.
    gain : float
    """

    problem: SubsetProblem
    groups: tuple[int, ...]
    features: IntArray
    factor: FloatArray
    rest: FloatArray
    solved: FloatArray
    variances: FloatArray
    gain: float

    @classmethod
    def empty(cls, problem: SubsetProblem) -> "Grown":
        """Return the subset without groups."""
        d, n_classes = problem.between.shape
        return cls(
            problem,
            (),
            np.empty(0, dtype=np.intp),
            np.empty((d, 0)),
            problem.between,
            np.empty((0, n_classes)),
            problem.within.diagonal(),
            0.0,
        )

    @property
    def named(self) -> Subset:
        """The subset with the numbers that its groups have in the moments."""
        return Subset(tuple(sorted(self.problem.names[own] for own in self.groups)), self.gain)

    @cached_property
    def key(self) -> frozenset[int]:
        """The groups, in any order."""
        return frozenset(self.groups)

    def with_group(self, group: int) -> "Grown":
        """Return the subset with one more group."""
        own = self.problem.groups[group]
        columns = self.problem.within[:, own] - self.factor @ self.factor[own].T
        lower = cholesky(columns[own], lower=True)
        added = solve_triangular(lower, columns.T, lower=True).T
        solved = solve_triangular(lower, self.rest[own], lower=True)
        return Grown(
            self.problem,
            (*self.groups, group),
            np.concatenate([self.features, own]),
            np.hstack([self.factor, added]),
            self.rest - added @ solved,
            np.vstack([self.solved, solved]),
            self.variances - (added**2).sum(axis=1),
            self.gain + float(np.vdot(solved, solved)),
        )

    @cached_property
    def gains(self) -> FloatArray:
        """What each group adds to the gain; minus infinity for those of S."""
        return self._gains(self.rest, None)

    def swapped(self) -> "Grown":
        """Return the subset after swaps of one group as long as they gain."""
        now = self
        for _ in range(2 * len(self.groups)):
            leaving, entering, gain = now._best_swap()
            if gain <= now.gain * (1 + _LEAST_SHARE):
                break
            kept = [group for group in now.groups if group != leaving]
            after = Grown.empty(self.problem)
            for group in (*kept, entering):
                after = after.with_group(group)
            if after.gain <= now.gain:
                break
            now = after
        return now

    def _best_swap(self) -> tuple[int, int, float]:
        """Return the group that leaves, the one that enters, and the gain after that.

        With P = W_S⁻¹, β = P D_S and C = W_{:,S} P, a group g that leaves takes
        tr(β_gᵀ P_gg⁻¹ β_g) of the gain; the rest grows by C_g P_gg⁻¹ β_g, and the covariance
        given the others by C_g P_gg⁻¹ C_gᵀ.
        """
        lower = self.factor[self.features]
        inverse = solve_triangular(lower, np.eye(len(lower)), lower=True)
        coef = self.factor @ inverse
        slopes = inverse.T @ self.solved
        best = (-1, -1, -np.inf)
        start = 0
        for group in self.groups:
            stop = start + len(self.problem.groups[group])
            own = slice(start, stop)
            start = stop
            precision = inverse[:, own].T @ inverse[:, own]
            root = cholesky(precision, lower=True)
            left = solve_triangular(root, slopes[own], lower=True)
            extra = solve_triangular(root, coef[:, own].T, lower=True).T
            gains = self._gains(self.rest + extra @ left, extra)
            entering = int(np.argmax(gains))
            gain = self.gain - float(np.vdot(left, left)) + float(gains[entering])
            if gain > best[2]:
                best = (group, entering, gain)
        return best

    def _gains(self, rest: FloatArray, extra: FloatArray | None) -> FloatArray:
        """Return what each group adds.

        Parameters
        ----------
        rest : ndarray of shape (n_features, n_classes)
        extra : ndarray of shape (n_features, n), optional
            Its products are added to the covariances given S.
        """
        gains = np.full(self.problem.n_groups, -np.inf)
        groups, features = self.problem.singles
        variances = self.variances[features]
        if extra is not None:
            variances = variances + (extra[features] ** 2).sum(axis=1)
        # Of features of S rounding is left, which need not be positive.
        variances = np.maximum(variances, np.finfo(float).tiny)
        gains[groups] = (rest[features] ** 2).sum(axis=1) / variances
        for (groups, features), blocks in zip(self.problem.stacks, self._blocks, strict=True):
            given = blocks
            if extra is not None:
                own = extra[features]
                given = blocks + own @ own.swapaxes(1, 2)
            wanted = rest[features]
            gains[groups] = (wanted * np.linalg.solve(given, wanted)).sum(axis=(1, 2))
        gains[list(self.groups)] = -np.inf
        return gains

    @cached_property
    def _blocks(self) -> list[FloatArray]:
        """The covariances, given S, of the groups of several features."""
        found = []
        for (groups, features), all_blocks in zip(
            self.problem.stacks, self.problem.blocks, strict=True
        ):
            own = self.factor[features]
            blocks = all_blocks - own @ own.swapaxes(1, 2)
            # Nothing is left of a group of S; the identity can be solved.
            for place, group in enumerate(groups.tolist()):
                if group in self.key:
                    blocks[place] = np.eye(features.shape[1])
            found.append(blocks)
        return found
