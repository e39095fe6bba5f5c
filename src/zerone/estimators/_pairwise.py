"""A set of pairwise rules: how they score rows and vote for classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from zerone._typing import FloatArray
from zerone.estimators._score_model import ScoreModel


def class_pairs(n_classes: int) -> Iterator[tuple[int, int]]:
    """Yield (negative, positive) positions of every pair of classes, in the order of rules."""
    return combinations(range(n_classes), 2)


@dataclass(frozen=True)
class PairwiseVote:
    """Summed pairwise probabilities.

    Attributes
    ----------
    n_classes : int
    models : tuple of ScoreModel or None
        One for each pair, in the order of `class_pairs`; None where a class has no rows yet.
    """

    n_classes: int
    models: tuple[ScoreModel | None, ...]

    @property
    def n_rules(self) -> int:
        """Number of pairs that have a rule."""
        return sum(model is not None for model in self.models)

    def sums(self, scores: FloatArray) -> FloatArray:
        """Return for each row and class the sum of its probabilities against each other class."""
        sums = np.zeros((scores.shape[0], self.n_classes))
        pairs = class_pairs(self.n_classes)
        for column, ((negative, positive), model) in enumerate(
            zip(pairs, self.models, strict=True)
        ):
            if model is not None:
                probabilities = model.probabilities(scores[:, column])
                sums[:, negative] += probabilities[:, 0]
                sums[:, positive] += probabilities[:, 1]
        return sums

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the sums as shares."""
        return self.sums(scores) / self.n_rules

    def log_probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the logarithm of the shares; for a single rule precise near zero."""
        model = self.models[0]
        if self.n_classes == 2 and model is not None:
            return model.log_probabilities(scores[:, 0])
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(scores))
