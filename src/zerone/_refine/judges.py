"""What a metric asks of refinement: held-out losses with standard errors, thresholds, and polish.

The error is judged with the threshold of each rule. Other metrics of rates judge scores at their
own best threshold, and metrics of the ranking judge only their order.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from zerone._refine.held_out import Counts, HeldOutRows
from zerone._refine.lost_shares import class_errors, lost_parts, lost_shares
from zerone._refine.polish import (
    ERROR_BANDWIDTHS,
    RANKING_BANDWIDTHS,
    Polish,
    Stages,
    smoothed_error,
)
from zerone._refine.thresholds import (
    ThresholdGrid,
    bandwidth,
    counted_threshold,
    error_threshold,
    smoothed_cut,
)
from zerone._refine.training_rows import TrainingRows
from zerone._typing import FloatArray
from zerone.metrics import (
    AUCLoss,
    AveragePrecisionLoss,
    Loss,
    PartialAUCLoss,
    RankingLoss,
    RateLoss,
    WeightedError,
)
from zerone.objectives._smoothed_error import STEEPNESS
from zerone.objectives._smoothed_precision import SmoothedAveragePrecision
from zerone.objectives._smoothed_ranking import SmoothedRanking
from zerone.objectives._smoothed_rates import SmoothedRates

# Held-out rows cannot judge what is much narrower than their own bandwidth.
_NARROWEST = 0.75
# Shares of the weight that differ by less are equal.
ROUNDING = 1e-12


class Judge(ABC):
    """How rules are judged by held-out rows, and polished, for one metric.

    Attributes
    ----------
    slope : float
        How fast the weight of a rule falls with its loss, in standard errors of the difference.
    softness : float
        A candidate's weight falls by a factor e when its loss rises by this many standard errors.
    penalties : tuple of float
        Of the logistic rules: ½‖w‖² on standardised features, the inverse of scikit-learn's C.
    tries_shrinkage : bool
        Whether the frontier with more and with less shrinkage has candidates, too.
    sets_thresholds : bool
        Whether every rule has a threshold that is judged with it.
    """

    slope: ClassVar[float]
    softness: ClassVar[float]
    penalties: ClassVar[tuple[float, ...]]
    tries_shrinkage: ClassVar[bool] = False
    sets_thresholds: ClassVar[bool] = False

    @abstractmethod
    def losses(self, counts: Counts) -> FloatArray:
        """Return the held-out loss of every candidate."""

    @abstractmethod
    def losses_elsewhere(self, counts: Counts) -> FloatArray:
        """Return by (candidate, split) the loss on the other splits."""

    @abstractmethod
    def evidence(self, scores: FloatArray, rows: HeldOutRows) -> tuple[FloatArray, FloatArray]:
        """Return losses of rules, and standard errors of the differences to the best.

        Parameters
        ----------
        scores : ndarray of shape (n_rules, n_rows)
            Of size one.
        rows : HeldOutRows
        """

    @abstractmethod
    def threshold(self, scores: FloatArray, rows: HeldOutRows) -> float:
        """Return the best threshold along scores."""

    @abstractmethod
    def starting_thresholds(self, scores: FloatArray, rows: HeldOutRows) -> FloatArray | None:
        """Return where the threshold of every model starts; None for a loss without any.

        From the splits that a model trains on, and last of all rows.
        """

    @abstractmethod
    def polish(
        self,
        training: TrainingRows,
        whitener: FloatArray,
        start: FloatArray,
        rows: HeldOutRows,
        thresholds: FloatArray | None,
    ) -> Polish:
        """Return the smoothed loss of every model, to be minimised.

        Parameters
        ----------
        training : TrainingRows
        whitener : ndarray of shape (n_coordinates, n_coordinates)
            An upper triangle; see `Whitened`.
        start : ndarray of shape (n_models, n_coordinates)
            Directions.
        rows : HeldOutRows
            Their number decides how narrow bandwidths become.
        thresholds : ndarray of shape (n_models,) or None
            Where they start.
        """

    def error_of(self, loss: float, rows: HeldOutRows) -> float:
        """Return the standard error of a loss: that of a share of the rarer class."""
        variance = max(loss * (1 - loss), 1 / rows.total)
        return float(np.sqrt(variance / max(min(rows.positive, rows.negative), 1.0)))


class ErrorJudge(Judge):
    """Judges by the weighted error of whole rules, threshold included."""

    slope = 1.5
    softness = 0.3
    penalties = (1.0,)
    sets_thresholds = True

    def losses(self, counts: Counts) -> FloatArray:
        """Return errors; the threshold of a split comes from the others."""
        return counts.crossfit_errors()

    def losses_elsewhere(self, counts: Counts) -> FloatArray:
        """Return by (candidate, split) the error on the other splits."""
        return counts.errors_elsewhere()

    def error_of(self, loss: float, rows: HeldOutRows) -> float:
        """Return the standard error of an error."""
        return float(np.sqrt(max(loss * (1 - loss), 1 / rows.total) / rows.total))

    def evidence(self, scores: FloatArray, rows: HeldOutRows) -> tuple[FloatArray, FloatArray]:
        """Return smoothed errors, and standard errors of the differences to the best."""
        h = bandwidth(rows)
        smooth = np.array([expit(-STEEPNESS * rows.signs * own / h) for own in scores])
        losses = smooth @ (rows.weights / rows.total)
        best = int(np.argmin(losses))
        return losses, np.array([_paired_error(own - smooth[best], rows) for own in smooth])

    def with_constant(
        self,
        scores: FloatArray,
        rows: HeldOutRows,
        answer: float,
        evidence: tuple[FloatArray, FloatArray],
    ) -> tuple[FloatArray, FloatArray]:
        """Return the evidence with that of a constant answer, −1 or 1, as the last.

        Smoothing costs a rule some rows near its threshold, and a constant answer none: these two
        are compared by counting errors.
        """
        losses, errors = evidence
        best = int(np.argmin(losses))
        wrong = [(rows.signs * own <= 0).astype(np.float64) for own in scores]
        constant = (rows.signs != answer).astype(np.float64)
        gain = float((constant - wrong[best]) @ (rows.weights / rows.total))
        # Half a row of weight one is the least that a count can be off by.
        least = max(rows.units) / rows.total / 2
        against = np.array([max(_paired_error(own - constant, rows), least) for own in wrong])
        losses = np.append(losses, losses[best] + gain)
        # Equal counts, whose sums may round differently, leave the best rule the best.
        if gain < -ROUNDING:
            return losses, np.append(against, 0.0)
        return losses, np.append(errors, against[best])

    def threshold(self, scores: FloatArray, rows: HeldOutRows) -> float:
        """Return the threshold of least smoothed error."""
        return error_threshold(scores, rows)

    def starting_thresholds(self, scores: FloatArray, rows: HeldOutRows) -> FloatArray:
        """Return a threshold for every model."""
        grid = ThresholdGrid(scores, rows.weights, bandwidth(rows))
        signed = rows.weights * rows.signs
        return np.clip(grid.thresholds_by_split(scores, signed, rows.splits), -3.0, 3.0)

    def polish(
        self,
        training: TrainingRows,
        whitener: FloatArray,
        start: FloatArray,
        rows: HeldOutRows,
        thresholds: FloatArray | None,
    ) -> Polish:
        """Return the smoothed error, with a threshold."""
        return Polish(
            smoothed_error,
            Stages(ERROR_BANDWIDTHS, _NARROWEST * bandwidth(rows)),
            training,
            whitener,
            start,
            thresholds,
        )


@dataclass(frozen=True)
class RateJudge(Judge):
    """Judges scores by a loss of the rates at their own best threshold, smoothed.

    Attributes
    ----------
    loss : RateLoss
    """

    loss: RateLoss
    slope = 1.5
    softness = 0.3
    penalties = (1.0,)

    def losses(self, counts: Counts) -> FloatArray:
        """Return the lowest loss of any threshold."""
        return self.loss.least_on_roc(*counts.roc)

    def losses_elsewhere(self, counts: Counts) -> FloatArray:
        """Return by (candidate, split) the lowest loss on the other splits."""
        return self.loss.least_on_roc(*counts.roc_elsewhere)

    def bandwidth(self, rows: HeldOutRows) -> float:
        """Return h; where few rows are predicted positive, these decide."""
        return bandwidth(rows, rows.total / max(rows.units) * self._most_found(rows))

    def _most_found(self, rows: HeldOutRows) -> float:
        """Return the largest share of rows that a limit lets be predicted positive, or one."""
        limit = self.loss.limit
        if limit is None or limit.negative <= 0 or limit.positive > 0:
            return 1.0
        share = rows.negative / rows.total
        if limit.positive == 0:
            return share * limit.bound / limit.negative
        return limit.bound - limit.positive

    def evidence(self, scores: FloatArray, rows: HeldOutRows) -> tuple[FloatArray, FloatArray]:
        """Return smoothed losses, and standard errors of the differences to the best.

        Near its best threshold a loss changes with each row as a weighted error does.
        """
        h, positive = self.bandwidth(rows), rows.signs > 0
        losses, parts = [], []
        for own in scores:
            cut = smoothed_cut(own, rows, self.loss, h)
            wrong = expit(-STEEPNESS * rows.signs * (own - cut.threshold) / cut.width)
            parts.append(wrong * np.where(positive, *cut.weights))
            losses.append(cut.loss)
        return np.array(losses), class_errors(np.array(parts), np.array(losses), rows)

    def threshold(self, scores: FloatArray, rows: HeldOutRows) -> float:
        """Return the threshold of least loss: at a limit of rates counted, otherwise smoothed."""
        limit = self.loss.limit
        if limit is not None and limit.positive * limit.negative <= 0:
            return counted_threshold(scores, rows, self.loss)
        return smoothed_cut(scores, rows, self.loss, self.bandwidth(rows)).threshold

    def starting_thresholds(self, scores: FloatArray, rows: HeldOutRows) -> FloatArray:
        """Return a threshold for every model."""
        found = []
        for split in range(int(rows.splits.max()) + 1):
            own = rows.splits != split
            found.append(self.threshold(scores[own], rows.chosen(own)))
        return np.clip([*found, self.threshold(scores, rows)], -3.0, 3.0)

    def polish(
        self,
        training: TrainingRows,
        whitener: FloatArray,
        start: FloatArray,
        rows: HeldOutRows,
        thresholds: FloatArray | None,
    ) -> Polish:
        """Return the loss of the smoothed rates; at a limit the threshold moves along."""
        stages = Stages(ERROR_BANDWIDTHS, _NARROWEST * self.bandwidth(rows))

        def make(own: TrainingRows, h: float) -> SmoothedRates:
            first = None if self.loss.limit is None else thresholds
            return SmoothedRates(own.n_positive, own.weights, h, self.loss, first)

        own = thresholds if self.loss.limit is None else None
        return Polish(make, stages, training, whitener, start, own)


@dataclass(frozen=True)
class RankingJudge(Judge):
    """Judges scores by their order.

    Attributes
    ----------
    loss : RankingLoss
    """

    loss: RankingLoss
    slope = 2.0
    softness = 0.1
    # A ranking gains from much shrinkage where many features each say little (sparse indicators).
    penalties = (1.0, 100.0)
    tries_shrinkage = True

    def losses(self, counts: Counts) -> FloatArray:
        """Return the ranking losses; the AUC only compares rows that one model has scored."""
        if isinstance(self.loss, AUCLoss):
            return counts.ranking_losses()
        return self.loss.of_roc(*counts.roc)

    def losses_elsewhere(self, counts: Counts) -> FloatArray:
        """Return by (candidate, split) the ranking loss on the other splits."""
        if isinstance(self.loss, AUCLoss):
            return counts.ranking_losses_elsewhere()
        return self.loss.of_roc(*counts.roc_elsewhere)

    def evidence(self, scores: FloatArray, rows: HeldOutRows) -> tuple[FloatArray, FloatArray]:
        """Return ranking losses, and standard errors of the differences to the best (DeLong)."""
        if isinstance(self.loss, AUCLoss):
            parts = np.array([lost_shares(own, rows) for own in scores])
            counts = rows.weights / np.where(rows.signs > 0, *rows.units)
            sides = [rows.signs > 0, rows.signs < 0]
            # Both ways of averaging: they differ a little where splits have other shares of the
            # classes.
            losses = sum(parts[:, own] @ counts[own] / counts[own].sum() for own in sides) / 2
        else:
            found = [lost_parts(own, rows, self.loss) for own in scores]
            losses = np.array([loss for loss, _ in found])
            parts = np.array([own for _, own in found])
        return losses, class_errors(parts, losses, rows)

    def threshold(self, scores: FloatArray, rows: HeldOutRows) -> float:
        """Return the threshold of least smoothed error: the ranking does not depend on it."""
        return error_threshold(scores, rows)

    def starting_thresholds(self, scores: FloatArray, rows: HeldOutRows) -> None:
        """Return None: only the order of scores matters."""

    def polish(
        self,
        training: TrainingRows,
        whitener: FloatArray,
        start: FloatArray,
        rows: HeldOutRows,
        thresholds: FloatArray | None,
    ) -> Polish:
        """Return the smoothed ranking loss."""

        def make(own: TrainingRows, h: float) -> SmoothedRanking | SmoothedAveragePrecision:
            if isinstance(self.loss, AveragePrecisionLoss):
                prior = self.loss.prior_positive
                return SmoothedAveragePrecision(own.n_positive, own.weights, h, prior)
            most = self.loss.max_fpr if isinstance(self.loss, PartialAUCLoss) else 1.0
            return SmoothedRanking(own.n_positive, own.weights, h, most)

        top = self.loss.max_fpr if isinstance(self.loss, PartialAUCLoss) else np.inf
        narrowest = _NARROWEST * bandwidth(rows, top * rows.counts[1])
        # A bandwidth of one would blur the top of the list into the middle.
        widths = RANKING_BANDWIDTHS if isinstance(self.loss, AUCLoss) else RANKING_BANDWIDTHS[1:]
        return Polish(make, Stages(widths, narrowest), training, whitener, start)


def judge_of(loss: Loss) -> Judge:
    """Return the judge of a loss."""
    if isinstance(loss, WeightedError):
        return ErrorJudge()
    return RateJudge(loss) if isinstance(loss, RateLoss) else RankingJudge(loss)


def _paired_error(differences: FloatArray, rows: HeldOutRows) -> float:
    """Return the standard error of a weighted mean of differences; weights are counts."""
    units = np.where(rows.signs > 0, *rows.units)
    centred = differences - np.average(differences, weights=rows.weights)
    share = rows.weights / rows.total
    return float(np.sqrt(rows.repeats * ((share * units / rows.total) @ centred**2)))
