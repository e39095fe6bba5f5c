"""`Frontier`: all admissible linear rules for two classes, and the best one for each metric."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from zerone._errors import ArgumentError
from zerone._moments.moments import Moments
from zerone._moments.pair import TwoClassMoments, as_pair, checked_priors
from zerone._typing import FloatArray, Label
from zerone.frontier._certified import certified_optimum
from zerone.frontier._curve import AnySpectrum, BestPoint, Curve
from zerone.frontier._krylov import Lanczos
from zerone.frontier._mixture import solved_mixtures
from zerone.frontier._projection import Reduction, reduced_moments
from zerone.frontier._search import (
    best_coordinate,
    coordinate_at_limit,
    coordinate_of_ranking,
    coordinate_of_rate,
    spread_coordinates,
)
from zerone.frontier._spectrum import Spectrum, Whitening, diagonalise, separating_constants
from zerone.metrics import (
    AUCLoss,
    ChosenMetric,
    Loss,
    OneRate,
    Priors,
    RateLoss,
    chosen_metric,
)
from zerone.rules._direction import ScoredDirection, ScoreStatistics, best_offset
from zerone.rules._rule import LinearRule, constant_rule, linear_rule

# With this many features, a few Lanczos steps cost less than diagonalising two covariances.
MANY_FEATURES = 150
# Least length of the mean difference in standard deviations: smaller squares would underflow.
_LEAST_LENGTH = 1e-100

# Of the log loss; a threshold is found more precisely than a point on the curve.
_AS_GOOD = 1e-6

_EXACT = "The globally best rule was found on the frontier."
_SEPARATED = (
    "The classes are separated: their means differ along a direction in which neither has "
    "any spread."
)
_EQUAL_MEANS = "The class means are equal, so no linear score ranks better than chance."


class Frontier:
    r"""The curve of admissible linear rules of two classes with normal scores.

    A linear rule is admissible if no other rule has a lower false-negative rate at the same
    false-positive rate. All admissible rules solve

    .. math::
        (\cos\theta\, \Sigma_+ + \sin\theta\, \Sigma_-) w = \mu_+ - \mu_-

    for some angle θ [1]_. After one simultaneous diagonalisation of the two covariances, a point
    of this curve costs O(d). The best rule for any metric that improves when an error rate falls
    is therefore found by a one-dimensional search: globally, without starting point or step size.
    The curve is also the predicted ROC curve.

    Moments that keep rows are projected first. Factored moments are projected onto the span of the
    rows, which is exact. Implicit moments (wide sparse data) are projected onto a small Krylov
    space of the pooled covariance, an approximation that the rule's status mentions.

    Parameters
    ----------
    moments : Moments with two classes, or TwoClassMoments
        The last class is the positive one.
    priors : mapping label -> prior, optional
        Class probabilities; by default proportional to the class weights.

    References
    ----------
    .. [1] T. W. Anderson, R. R. Bahadur, "Classification into two multivariate normal
       distributions with different covariance matrices", Ann. Math. Statist. 33, 1962.

    Examples
    --------
    >>> import numpy as np
    >>> from zerone import Frontier, Moments
    >>> moments = Moments.from_parameters(
    ...     {0: (0.7, [0.0, 0.0], np.eye(2)), 1: (0.3, [2.0, 0.0], np.diag([4.0, 1.0]))}
    ... )
    >>> frontier = Frontier(moments)
    >>> rule = frontier.best("error")
    >>> round(rule.error, 4), round(rule.true_positive_rate, 4)
    (0.1631, 0.5479)
    >>> round(frontier.best("f1").true_positive_rate, 4)
    0.6239
    >>> strict = frontier.best("true_positive_rate", max_false_positive_rate=0.01)
    >>> round(strict.true_positive_rate, 4)
    0.4352
    """

    def __init__(
        self,
        moments: Moments | TwoClassMoments,
        *,
        priors: Mapping[Label, float] | None = None,
    ) -> None:
        self._pair = as_pair(moments)
        self._priors = checked_priors(priors, self._pair)
        # Points of lowest loss that are known.
        self._known: dict[Loss, BestPoint] = {}

    def remember(self, spectrum: Spectrum, loss: Loss, best: BestPoint) -> None:
        """Keep what was found together with other frontiers: see `search_together`."""
        vars(self)["_spectrum"] = spectrum
        self._known[loss] = best

    @property
    def pair(self) -> TwoClassMoments:
        """The two classes."""
        return self._pair

    @property
    def priors(self) -> Priors:
        """Shares of the positive and the negative class."""
        return self._priors

    def best(self, metric: str, **parameters: Any) -> LinearRule:
        """Return the rule that is best for a metric under the normal model.

        Parameters
        ----------
        metric : str
            =========================  ===================================================
            "error"                    zero-one error
            "balanced_error"           mean of the two error rates (the rule of Youden's J)
            "f1", "fbeta"              F-score; ``beta`` weighs recall
            "cost"                     expected cost; ``false_negative_cost`` and
                                       ``false_positive_cost``, one of them is enough
            "true_positive_rate"       highest true-positive rate at a false-positive rate of
                                       ``max_false_positive_rate``
            "false_positive_rate"      lowest false-positive rate at a true-positive rate of
                                       ``min_true_positive_rate``
            "precision"                highest precision at a recall of ``min_recall``
            "recall"                   highest recall at a precision of ``min_precision``
            "auc"                      area under the ROC curve
            "partial_auc"              the same up to a false-positive rate of ``max_fpr``
            "average_precision"        mean precision at the ranks of the positive rows
            "precision_at_k"           precision among the first ``k`` rows, a number or a share
            =========================  ===================================================

            The threshold of "auc", "partial_auc" and "average_precision" minimises the error
            along the direction.
        **parameters
            Parameters of the metric, as in the table; and ``priors``, a mapping label -> prior,
            in place of the frontier's own.

        Returns
        -------
        LinearRule
        """
        priors = parameters.pop("priors", None)
        shares = self._priors if priors is None else checked_priors(priors, self._pair)
        return self._best(chosen_metric(metric, parameters), shares)

    def best_for(self, metric: ChosenMetric) -> LinearRule:
        """Return the rule that is best for a metric of `zerone.metrics.chosen_metric`."""
        return self._best(metric, self._priors)

    def directions(self, positive: Sequence[float], negative: Sequence[float]) -> FloatArray:
        """Return directions of the frontier, of any length, without thresholds.

        They solve (p·Σ₊ + q·Σ₋) w = δ.

        Parameters
        ----------
        positive, negative : sequence of float
            p and q of each direction; none negative, not both zero.

        Examples
        --------
        >>> import numpy as np
        >>> from zerone import Frontier, Moments
        >>> moments = Moments.from_parameters(
        ...     {0: (1, [0.0, 0.0], np.eye(2)), 1: (1, [1.0, 1.0], np.diag([0.5, 1.5]))}
        ... )
        >>> ends = Frontier(moments).directions([0.0, 1.0], [1.0, 0.0])
        >>> (ends[:, 1] / ends[:, 0]).round(4).tolist()
        [1.0, 0.3333]
        """
        both = np.asarray(positive), np.asarray(negative)
        found = None
        if "_spectrum" not in vars(self):
            pair = self._reduced
            covariances = [m.covariance.toarray() for m in (pair.positive, pair.negative)]
            found = solved_mixtures(covariances, pair.delta, *both)
        if found is None and self._curve is not None:
            found = self._curve.mixed_components(*both) @ self._spectrum.basis.T
        elif found is None:
            # Neither class has any spread.
            alone = self._spectrum.separation
            any_other = np.ones(self._reduced.n_features)
            found = np.tile(any_other if alone is None else alone, (len(both[0]), 1))
        basis = None if self._reduction is None else self._reduction.basis
        return found if basis is None else found @ basis.T

    def roc_curve(self, n_points: int = 201) -> tuple[FloatArray, FloatArray]:
        """Return the predicted ROC curve: false-positive and true-positive rates, both rising.

        Parameters
        ----------
        n_points : int, default=201
            Number of points between the corners (0, 0) and (1, 1), which are always included.

        Examples
        --------
        >>> from sklearn.metrics import auc
        >>> from zerone import Frontier, Moments
        >>> moments = Moments.from_parameters({0: (1, [0.0], [[1.0]]), 1: (1, [2.0], [[1.0]])})
        >>> false_positive_rate, true_positive_rate = Frontier(moments).roc_curve()
        >>> round(float(auc(false_positive_rate, true_positive_rate)), 2)
        0.92
        """
        if n_points < 1:
            raise ArgumentError("n_points", f"got {n_points!r}, expected at least 1")
        if self._curve is None:
            corner = 0.0 if self._spectrum.separation is not None else 1.0
            return np.array([0.0, corner, 1.0]), np.array([0.0, 1.0, 1.0])
        points = self._curve.points(spread_coordinates(self._curve, n_points))
        # Along the curve both rates fall.
        false_positive = np.concatenate([[0.0], ndtr(-points.z_negative[::-1]), [1.0]])
        true_positive = np.concatenate([[0.0], ndtr(points.z_positive[::-1]), [1.0]])
        return false_positive, true_positive

    # -- the problem, reduced and diagonalised once --------------------------------------------

    @cached_property
    def _reduction(self) -> Reduction | None:
        """How the moments are projected; None if they are explicit."""
        classes = (self._pair.negative, self._pair.positive)
        if not any(m.covariance.carries_rows for m in classes):
            return None
        # With other labels: those of a view need not be sortable.
        return reduced_moments(Moments(dict(enumerate(classes))))

    @cached_property
    def _reduced(self) -> TwoClassMoments:
        if self._reduction is None:
            return self._pair
        moments = self._reduction.moments
        return TwoClassMoments(
            moments[1], moments[0], self._pair.positive_label, self._pair.negative_label
        )

    def _lifted(self, rule: LinearRule) -> LinearRule:
        return rule if self._reduction is None else self._reduction.lifted(rule)

    @cached_property
    def _spectrum(self) -> Spectrum:
        return diagonalise(self._reduced)

    @cached_property
    def _curve(self) -> Curve | None:
        """The curve; None if no direction has spread, or one without spread separates."""
        if self._spectrum.separation is not None or self._spectrum.gap.size == 0:
            return None
        return Curve(self._spectrum)

    @cached_property
    def _lanczos(self) -> Lanczos | None:
        """Lanczos steps, if they are cheaper than diagonalising; otherwise None."""
        pair = self._reduced
        is_diagonalised = "_spectrum" in vars(self)
        if is_diagonalised or pair.n_features < MANY_FEATURES or not pair.delta.any():
            return None
        variances = pair.positive.covariance.diagonal() + pair.negative.covariance.diagonal()
        if separating_constants(pair, variances > 0) is not None:
            return None
        whitening = Whitening.of(pair, is_certain=False)
        lanczos = None if whitening is None else Lanczos(pair, whitening)
        return lanczos if lanczos is not None and lanczos.length > _LEAST_LENGTH else None

    # -- the metrics ---------------------------------------------------------------------------

    def _best(self, metric: ChosenMetric, priors: tuple[float, float]) -> LinearRule:
        total = self._pair.positive.weight + self._pair.negative.weight
        loss = metric.for_weight(total).loss(priors)
        if not isinstance(loss, RateLoss):
            return self._best_ranking(loss, priors)
        if loss.limit is not None:
            return self._best_at_limit(loss, priors)
        return self._best_without_limit(loss, priors)

    def _best_without_limit(self, metric: RateLoss, priors: tuple[float, float]) -> LinearRule:
        always = _constant_losses(metric)
        always_positive = always[0] < always[1]
        spectrum, best = self._best_point(metric)
        if best is None:
            return self._degenerate(priors, always_positive=always_positive)
        if min(always) > best.log_loss + 1e-12:
            rates = best.rates
            ratio = float(metric.log_weight_ratio(rates.z_positive, rates.z_negative)[0])
            scored = self._scored(spectrum, best.components)
            offset = best_offset(scored.statistics, *_odds(ratio))
            is_clear = min(always) > best.log_loss + _AS_GOOD
            if is_clear and not self._is_as_good(scored, offset, metric, best.log_loss):
                # Where the metric is curved, the error of its slopes has another optimum.
                offset = -float(rates.z_negative[0]) * scored.statistics.sd_negative
            if np.isfinite(offset):
                return self._lifted(linear_rule(scored, offset, priors[0], _EXACT))
        scored = self._scored(spectrum, Curve(spectrum).ranking_components())
        return self._constant(scored, priors, always_positive=always_positive)

    def _best_point(self, metric: RateLoss) -> tuple[AnySpectrum, BestPoint | None]:
        """Return the point of lowest loss, and its spectrum; no point if there is no curve."""
        known = self._known.get(metric)
        if known is not None:
            return self._spectrum, known
        found = None if self._lanczos is None else certified_optimum(self._lanczos, metric)
        if found is not None:
            curve, u, log_loss = found
        elif self._curve is not None:
            curve = self._curve
            u, log_loss = best_coordinate(curve, metric)
        else:
            return self._spectrum, None
        best = BestPoint(log_loss, curve.points(np.array([u])), curve.components(u))
        return curve.spectrum, best

    def _is_as_good(
        self, scored: ScoredDirection, offset: float, metric: RateLoss, log_loss: float
    ) -> bool:
        """Whether a threshold keeps the loss of the point on the curve, up to rounding."""
        statistics = scored.statistics
        if not np.isfinite(offset) or statistics.sd_positive == 0.0:
            return False
        z_positive = np.array([(statistics.gap + offset) / statistics.sd_positive])
        z_negative = np.array([-offset / statistics.sd_negative])
        return bool(metric.log_loss(z_positive, z_negative)[0] <= log_loss + _AS_GOOD)

    def _best_ranking(self, loss: Loss, priors: tuple[float, float]) -> LinearRule:
        # The direction with the best AUC is S⁻¹δ, which one step finds.
        is_auc = isinstance(loss, AUCLoss)
        lanczos = self._lanczos if is_auc else None
        curve = self._curve if lanczos is None else Curve(lanczos.first_look())
        always_positive = priors[0] > priors[1]
        if curve is None:
            return self._degenerate(priors, always_positive=always_positive)
        status = _EQUAL_MEANS if is_auc and not self._pair.delta.any() else _EXACT
        u = None if isinstance(loss, RateLoss | AUCLoss) else coordinate_of_ranking(curve, loss)
        components = curve.ranking_components() if u is None else curve.components(u)
        scored = self._scored(curve.spectrum, components)
        rule = self._along(scored, priors, priors, status)
        if rule is not None:
            return rule
        label = self._pair.positive_label if always_positive else self._pair.negative_label
        threshold = f"Along it, always predicting {label!r} has the lowest expected error."
        return self._constant(
            scored, priors, always_positive=always_positive, status=f"{status} {threshold}"
        )

    def _best_at_limit(self, loss: RateLoss, priors: tuple[float, float]) -> LinearRule:
        curve, limit = self._curve, loss.limit
        assert limit is not None, "the caller has looked"
        # Of the two constant rules one keeps the limit.
        always_positive = bool(limit.excess(np.zeros(1), np.ones(1))[0] <= 0)
        if curve is None:
            return self._degenerate(priors, always_positive=always_positive)
        one = isinstance(loss, OneRate)
        if one and limit.positive == 0:
            z = float(-ndtri(limit.bound))
            u = coordinate_of_rate(curve, z, of_positive=False)
            scored = self._scored(curve.spectrum, curve.components(u))
            offset = -z * scored.statistics.sd_negative
        elif one and limit.negative == 0:
            z = float(-ndtri(limit.bound))
            u = coordinate_of_rate(curve, z, of_positive=True)
            scored = self._scored(curve.spectrum, curve.components(u))
            offset = z * scored.statistics.sd_positive - scored.statistics.gap
        else:
            u = coordinate_at_limit(curve, loss)
            scored = self._scored(curve.spectrum, curve.components(u))
            z = float(curve.points(np.array([u])).z_negative[0])
            offset = -z * scored.statistics.sd_negative
        return self._lifted(linear_rule(scored, offset, priors[0], _EXACT))

    def _scored(self, spectrum: AnySpectrum, components: FloatArray) -> ScoredDirection:
        """Return a direction of the curve with the statistics of the moments."""
        return ScoredDirection.of_pair(
            self._reduced, spectrum.direction(components), spectrum.statistics(components)
        )

    def _along(
        self,
        scored: ScoredDirection,
        weights: tuple[float, float],
        priors: tuple[float, float],
        status: str,
    ) -> LinearRule | None:
        """Return the rule with the best threshold along a direction; None if it is constant."""
        offset = best_offset(scored.statistics, *weights)
        if not np.isfinite(offset):
            return None
        return self._lifted(linear_rule(scored, offset, priors[0], status))

    def _constant(
        self,
        scored: ScoredDirection,
        priors: tuple[float, float],
        *,
        always_positive: bool,
        status: str | None = None,
    ) -> LinearRule:
        rule = constant_rule(scored, priors[0], always_positive=always_positive, status=status)
        return self._lifted(rule)

    def _degenerate(self, priors: tuple[float, float], *, always_positive: bool) -> LinearRule:
        """Return the rule if no direction has any spread: separated, or no information."""
        reduced, direction = self._reduced, self._spectrum.separation
        if direction is None:
            nowhere = ScoredDirection.of_pair(reduced, np.zeros(reduced.n_features))
            rule = constant_rule(nowhere, priors[0], always_positive=always_positive)
            return self._lifted(rule)
        gap = float(direction @ reduced.delta)
        # Any spread in the matrices is rounding here.
        scored = ScoredDirection.of_pair(reduced, direction, ScoreStatistics(gap, 0.0, 0.0))
        rule = linear_rule(scored, -gap / 2, priors[0], _SEPARATED)
        return self._lifted(rule)


def _odds(log_ratio: float) -> tuple[float, float]:
    """Return two positive weights with the given log ratio."""
    return (1.0, float(np.exp(-log_ratio))) if log_ratio > 0 else (float(np.exp(log_ratio)), 1.0)


def _constant_losses(metric: RateLoss) -> tuple[float, float]:
    """Return the log losses of always positive and of always negative."""
    infinite = np.array([np.inf, -np.inf])
    with np.errstate(divide="ignore"):
        positive, negative = metric.log_loss(infinite, -infinite)
    return float(positive), float(negative)
