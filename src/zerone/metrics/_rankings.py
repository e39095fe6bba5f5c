"""Losses that depend on the order of the scores: 1 − AUC, and losses at the top of the list.

Each has an estimate from a measured ROC curve, a value under normal scores, and the part of the
loss that each row contributes, from which standard errors follow.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from zerone._typing import FloatArray

# Points of the quadrature on each of its three parts, and how far it goes, in standard deviations.
_NODES = 32
_REACH = 8.0
# In standard deviations of the other class: where its share falls from nearly one to nearly zero.
_FALL = (-4.0, 6.0)


class RankingLoss(ABC):
    """A loss of scores of which only the order counts; lower is better."""

    @abstractmethod
    def of_roc(
        self, false_negative_rates: FloatArray, false_positive_rates: FloatArray
    ) -> FloatArray:
        """Return the loss of ROC curves along the last axis.

        Parameters
        ----------
        false_negative_rates, false_positive_rates : ndarray of shape (..., n_thresholds)
            At rising thresholds, from "all positive" to "all negative".
        """

    @abstractmethod
    def of_normal_scores(
        self, gap: FloatArray, sd_positive: FloatArray, sd_negative: FloatArray
    ) -> FloatArray:
        """Return the loss of normal scores.

        Parameters
        ----------
        gap : ndarray
            Distance of the means.
        sd_positive, sd_negative : ndarray
            Standard deviations.
        """

    @abstractmethod
    def lost_parts(
        self, positive: FloatArray, negative: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return by how much each bin adds to the loss, apart from a constant for each class.

        The derivative of the loss by the share of a class that lies in a bin.

        Parameters
        ----------
        positive, negative : ndarray of shape (n_bins,)
            Shares of the classes in bins of rising scores.
        """

    def reported(self, loss: FloatArray | float) -> FloatArray | float:
        """Return the metric as it is reported."""
        return 1 - loss


@dataclass(frozen=True)
class AUCLoss(RankingLoss):
    """1 − AUC."""

    def of_roc(
        self, false_negative_rates: FloatArray, false_positive_rates: FloatArray
    ) -> FloatArray:
        """Return the area above the curve."""
        middle = (false_negative_rates[..., 1:] + false_negative_rates[..., :-1]) / 2
        return np.asarray(-(middle * np.diff(false_positive_rates, axis=-1)).sum(axis=-1))

    def of_normal_scores(
        self, gap: FloatArray, sd_positive: FloatArray, sd_negative: FloatArray
    ) -> FloatArray:
        """Return Φ(−gap/√(s₊² + s₋²))."""
        return np.asarray(ndtr(-gap / np.hypot(sd_positive, sd_negative)))

    def lost_parts(
        self, positive: FloatArray, negative: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the shares of the other class on the wrong side; ties count half."""
        below_positive = np.cumsum(positive) - positive / 2
        above_negative = negative.sum() - np.cumsum(negative) + negative / 2
        return above_negative, below_positive


@dataclass(frozen=True)
class PartialAUCLoss(RankingLoss):
    """One minus the mean true-positive rate over false-positive rates up to a limit.

    Attributes
    ----------
    max_fpr : float
    """

    max_fpr: float

    def reported(self, loss: FloatArray | float) -> FloatArray | float:
        """Return the area as scikit-learn standardises it: ½ for chance, 1 at best."""
        least = self.max_fpr / 2
        return (1 + (1 - loss - least) / (1 - least)) / 2

    def of_roc(
        self, false_negative_rates: FloatArray, false_positive_rates: FloatArray
    ) -> FloatArray:
        """Return the mean false-negative rate up to the limit, interpolated at it."""
        upper = np.minimum(false_positive_rates[..., :-1], self.max_fpr)
        lower = np.minimum(false_positive_rates[..., 1:], self.max_fpr)
        width = false_positive_rates[..., :-1] - false_positive_rates[..., 1:]
        rise = false_negative_rates[..., 1:] - false_negative_rates[..., :-1]
        slope = np.divide(rise, width, out=np.zeros_like(rise), where=width > 0)
        # At the ends of the part of each segment that is within the limit.
        at_lower = false_negative_rates[..., 1:]
        at_upper = at_lower - slope * (upper - lower)
        return np.asarray(((at_lower + at_upper) / 2 * (upper - lower)).sum(axis=-1) / self.max_fpr)

    def of_normal_scores(
        self, gap: FloatArray, sd_positive: FloatArray, sd_negative: FloatArray
    ) -> FloatArray:
        """Return the mean false-negative rate by quadrature over the scores of the negatives."""
        first = float(-ndtri(self.max_fpr))
        nodes, weights = _normal_quadrature(first, gap / sd_negative, sd_positive / sd_negative)
        wrong = ndtr((sd_negative[..., None] * nodes - gap[..., None]) / sd_positive[..., None])
        return np.asarray((wrong * weights).sum(axis=-1) / self.max_fpr)

    def lost_parts(
        self, positive: FloatArray, negative: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the shares of the top negatives above, and of the positives below the top ones."""
        above = negative.sum() - np.cumsum(negative)
        # Of each bin the part that belongs to the top.
        top = np.clip(self.max_fpr - above, 0.0, negative)
        part = np.divide(top, negative, out=np.zeros_like(top), where=negative > 0)
        above_top = top.sum() - np.cumsum(top) + top * (1 - part / 2)
        below = np.cumsum(positive) - positive / 2
        # A negative that enters the top pushes another one out, at the edge.
        is_top = above < self.max_fpr
        edge = int(np.argmax(is_top))
        at_edge = below[edge] + positive[edge] * (0.5 - part[edge])
        pushed = np.where(is_top, below - at_edge, 0.0)
        pushed[edge] = positive[edge] * part[edge] ** 2 / 2
        return above_top / self.max_fpr, pushed / self.max_fpr


@dataclass(frozen=True)
class AveragePrecisionLoss(RankingLoss):
    """1 − AP: one minus the mean, over the positives, of the precision among rows as high.

    Attributes
    ----------
    prior_positive, prior_negative : float
    """

    prior_positive: float
    prior_negative: float

    def of_roc(
        self, false_negative_rates: FloatArray, false_positive_rates: FloatArray
    ) -> FloatArray:
        """Return one minus the sum of precisions, weighted by the steps of the recall."""
        right = self.prior_positive * (1 - false_negative_rates[..., :-1])
        found = right + self.prior_negative * false_positive_rates[..., :-1]
        precision = np.divide(right, found, out=np.ones_like(found), where=found > 0)
        steps = np.diff(false_negative_rates, axis=-1)
        return np.asarray(((1 - precision) * steps).sum(axis=-1))

    def of_normal_scores(
        self, gap: FloatArray, sd_positive: FloatArray, sd_negative: FloatArray
    ) -> FloatArray:
        """Return one minus the mean precision by quadrature over the scores of the positives."""
        nodes, weights = _normal_quadrature(-_REACH, -gap / sd_positive, sd_negative / sd_positive)
        right = self.prior_positive * ndtr(-nodes)
        above = (gap[..., None] + sd_positive[..., None] * nodes) / sd_negative[..., None]
        wrong = self.prior_negative * ndtr(-above)
        return np.asarray((wrong / (right + wrong) * weights).sum(axis=-1))

    def lost_parts(
        self, positive: FloatArray, negative: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what a row costs itself, and the positives below it."""
        right = self.prior_positive * (positive.sum() - np.cumsum(positive) + positive)
        wrong = self.prior_negative * (negative.sum() - np.cumsum(negative) + negative)
        found = np.maximum(right + wrong, np.finfo(float).tiny)
        # A row adds to the count of all positives at or below it.
        by_right = np.cumsum(positive * wrong / found**2)
        by_wrong = np.cumsum(positive * right / found**2)
        own = wrong / found
        return own - self.prior_positive * by_right, self.prior_negative * by_wrong


def _normal_quadrature(
    first: float, middle: FloatArray, width: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights for integrals over the normal density above a point.

    Parameters
    ----------
    first : float
    middle, width : ndarray
        Where the share of the other class falls, as mean and standard deviation. The part where it
        falls, which may be narrow, has nodes of its own.
    """
    last = max(_REACH, first + 1.0)
    fall = [np.clip(middle + end * width, first, last) for end in _FALL]
    ends = np.stack([np.full_like(middle, first), *fall, np.full_like(middle, last)], axis=-1)
    on_unit, unit_weights = _legendre()
    half = np.diff(ends, axis=-1)[..., None] / 2
    nodes = (ends[..., :-1, None] + half * (on_unit + 1)).reshape(*middle.shape, -1)
    weights = (half * unit_weights).reshape(nodes.shape)
    return nodes, weights * np.exp(-(nodes**2) / 2) / np.sqrt(2 * np.pi)


@lru_cache(maxsize=1)
def _legendre() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
