"""A direction and all that a rule along it needs to know about the two classes."""

from dataclasses import dataclass

from zerone._typing import FloatArray, Label
from zerone.moments import TwoClassMoments
from zerone.rules._statistics import ScoreStatistics


@dataclass(frozen=True, eq=False)
class ScoredDirection:
    """A direction, where the classes score along it, and what they are called.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    negative_score : float
        coef · mean of the negative class.
    statistics : ScoreStatistics
    weights : tuple of float
        Of the positive and of the negative class.
    labels : tuple
        Of the positive and of the negative class.
    """

    coef: FloatArray
    negative_score: float
    statistics: ScoreStatistics
    weights: tuple[float, float]
    labels: tuple[Label, Label]

    @classmethod
    def of_pair(
        cls, pair: TwoClassMoments, coef: FloatArray, statistics: ScoreStatistics | None = None
    ) -> "ScoredDirection":
        """Return a direction as the moments see it.

        Parameters
        ----------
        statistics : ScoreStatistics, optional
            Where they are known better than the moments' matrices give them.
        """
        negative = float(coef @ pair.negative.mean) + float(coef @ pair.negative.mean_correction)
        return cls(
            coef,
            negative,
            ScoreStatistics.of_direction(pair, coef) if statistics is None else statistics,
            (pair.positive.weight, pair.negative.weight),
            (pair.positive_label, pair.negative_label),
        )
