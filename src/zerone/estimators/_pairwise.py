"""A set of pairwise rules: how they score rows and vote for classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from zerone._typing import FloatArray
from zerone.estimators._coupling import coupled_probabilities
from zerone.estimators._log_odds import LogOddsModel


def class_pairs(n_classes: int) -> Iterator[tuple[int, int]]:
    """Yield (negative, positive) positions of every pair of classes, in the order of rules."""
    return combinations(range(n_classes), 2)


@dataclass(frozen=True)
class Votes:
    """All that predicting takes besides scores.

    Attributes
    ----------
    decision, posterior : PairwiseVote
        How scores decide between several classes, and how they become probabilities.
    """

    decision: "PairwiseVote"
    posterior: "PairwiseVote"


@dataclass(frozen=True)
class PairwiseVote:
    """Summed pairwise probabilities.

    Attributes
    ----------
    n_classes : int
    models : tuple of LogOddsModel or None
        One for each pair, in the order of `class_pairs`; None where a class has no rows yet.
    """

    n_classes: int
    models: tuple[LogOddsModel | None, ...]

    def sums(self, scores: FloatArray) -> FloatArray:
        """Return for each row and class the sum of its probabilities against each other class.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_pairs), or (n_rows,) for a single pair
        """
        scores = scores[:, None] if scores.ndim == 1 else scores
        sums = np.zeros((len(scores), self.n_classes))
        for column, (negative, positive), model in self._rules():
            probabilities = model.probabilities(scores[:, column])
            sums[:, negative] += probabilities[:, 0]
            sums[:, positive] += probabilities[:, 1]
        return sums

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of the classes; zero for a class that has no rows yet."""
        if self.n_classes == 2:
            return self.sums(scores)
        present = sorted({label for _, pair, _ in self._rules() for label in pair})
        probabilities = np.zeros((len(scores), self.n_classes))
        probabilities[:, present] = coupled_probabilities(self.sums(scores)[:, present])
        return probabilities

    def log_probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the logarithm of the probabilities; for a single rule precise near zero."""
        model = self.models[0]
        if self.n_classes == 2 and model is not None:
            return model.log_probabilities(scores)
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(scores))

    def _rules(self) -> Iterator[tuple[int, tuple[int, int], LogOddsModel]]:
        """Yield column, pair and model of every pair that has a rule."""
        pairs = class_pairs(self.n_classes)
        for column, (pair, model) in enumerate(zip(pairs, self.models, strict=True)):
            if model is not None:
                yield column, pair, model
