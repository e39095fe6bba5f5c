"""What every model of a score shares: log-odds become probabilities, on the right side."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import expit, log_expit

from zerone._typing import FloatArray

# The smallest log-odds whose probability differs from one half in float64.
JUST_POSITIVE = 1e-15


class LogOddsModel(ABC):
    """Probability of the positive class of a pair given a score, monotone in the score.

    Attributes
    ----------
    follows_threshold : bool
        Whether the probability is on the same side of one half as the score of zero.
    """

    follows_threshold: bool

    @abstractmethod
    def _odds(self, score: FloatArray) -> FloatArray:
        """Return log-odds that never fall with the score."""

    def log_odds(self, score: FloatArray) -> FloatArray:
        """Return the log-odds of the positive class, monotone in the score."""
        odds = self._odds(score)
        if not self.follows_threshold:
            return odds
        return np.where(score > 0, np.maximum(odds, JUST_POSITIVE), np.minimum(odds, 0.0))

    def probabilities(self, score: FloatArray) -> FloatArray:
        """Return the probabilities of the negative and the positive class, in columns."""
        odds = self.log_odds(score)
        return np.column_stack([expit(-odds), expit(odds)])

    def log_probabilities(self, score: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities, precise where they are near zero."""
        odds = self.log_odds(score)
        return np.column_stack([log_expit(-odds), log_expit(odds)])
