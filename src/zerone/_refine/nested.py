"""What held-out rows measure for a fit that chose its columns: every split chooses its own.

A subset that is chosen by all rows fits those that are held out afterwards, too. So every split is
fitted whole, its subset included, without the rows that it holds out; that gives the figures of the
fit. Probabilities and `retarget` need the scores of one direction, not of several: these are the
held-out scores of the chosen subset, with the classes mixed until the AUC is that of the splits.
"""

from dataclasses import dataclass, replace

import numpy as np

from zerone._moments.shrinkage import total_mean
from zerone._refine.candidates import MeasuredScores
from zerone._refine.fold_rules import FoldRules
from zerone._refine.folds import Folds
from zerone._refine.pair_rows import PairRows, drawn_sample
from zerone._refine.recipe import Refinement
from zerone._refine.search import SplitRows
from zerone._typing import FloatArray, IntArray
from zerone.metrics import Priors
from zerone.rules._direction import ScoreStatistics

# Scores of a rule that always predicts one class lie this far from its threshold, in standard
# deviations.
_FAR = 10.0


@dataclass(frozen=True, eq=False)
class NestedRules:
    """The rules of two classes that the splits found, each without the rows that it holds out.

    Attributes
    ----------
    coef : ndarray of shape (n_splits, n_features)
    intercepts : ndarray of shape (n_splits,)
    """

    coef: FloatArray
    intercepts: FloatArray

    def judged(
        self,
        refinement: Refinement,
        features: IntArray,
        pair: PairRows,
        *,
        factors: tuple[float, float],
        seed: int,
        is_ranking: bool,
    ) -> Refinement:
        """Return a refinement with what held-out rows measured for these rules.

        Parameters
        ----------
        refinement : Refinement
            Of the chosen features of all rows.
        features : ndarray of int
            Their positions.
        pair : PairRows
            With all features.
        factors : tuple of float
            Of the weights of the positive and the negative class.
        seed : int
            As for the refinement.
        is_ranking : bool
            Whether thresholds do not count.
        """
        sample, usable = drawn_sample(pair, seed)
        assert usable is not None, "the refinement had splits"
        split = SplitRows(pair, usable, sample, factors)
        held_out, threshold = split.held_out, refinement.threshold
        centres, sizes = self._scale(pair)
        cuts = -(self.intercepts + centres) / sizes
        parts = []
        for number, test in zip(_numbers(usable, pair.folds), split.tests, strict=True):
            own = np.asarray(pair.rows[split.members[test]] @ self.coef[number])
            scores = (own - centres[number]) / sizes[number]
            if not is_ranking:
                scores = np.clip(scores - cuts[number], -_FAR, _FAR)
                scores += threshold if np.isfinite(threshold) else 0.0
            parts.append(scores)
        scores = np.concatenate(parts)
        counts = held_out.count(scores[None])
        own_scores = _lifted(refinement.scores, features, self.coef.shape[1])
        measured = MeasuredScores.of_candidate(
            own_scores.scored.coef, own_scores.offset, held_out, scores, pair.moments, counts, 0
        )
        auc = 1 - float(counts.ranking_losses()[0])
        share = _share_to_mix(refinement.auc, auc)
        priors = pair.priors(factors)
        error = np.dot(priors, held_out.rates(scores, threshold))
        of_features = refinement.error_of_features
        if of_features is not None:
            of_features = float(np.dot(priors, held_out.rates(scores, 0.0)))
        return replace(
            refinement,
            scores=_mixed(own_scores, share),
            alternatives=tuple(
                _mixed(_lifted(own, features, self.coef.shape[1]), share)
                for own in refinement.alternatives
            ),
            nested=measured,
            error=float(error),
            auc=auc,
            error_of_features=of_features,
            fold_rules=self._fold_rules(refinement.fold_rules, features, pair, priors),
        )

    def _scale(self, pair: PairRows) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the scores, without intercepts, over all rows."""
        both = [pair.moments.positive, pair.moments.negative]
        shares = np.array([own.weight for own in both]) / sum(own.weight for own in both)
        within = shares @ np.array([own.covariance.quad(self.coef.T) for own in both])
        between = shares[0] * shares[1] * (self.coef @ pair.moments.delta) ** 2
        sizes = np.sqrt(within + between)
        return self.coef @ total_mean(both), np.where(sizes > 0, sizes, 1.0)

    def _fold_rules(
        self, known: FoldRules | None, features: IntArray, pair: PairRows, priors: Priors
    ) -> FoldRules | None:
        """Return the rules for `summary`; None where a refinement of all features has none."""
        spreads = [
            ScoreStatistics.of_direction(pair.moments, own).pooled_sd(priors[0])
            for own in self.coef
        ]
        if known is None or min(spreads) == 0:
            return None
        varies = np.ones(self.coef.shape[1], dtype=bool)
        varies[features] = known.varies
        rules = np.column_stack([self.coef, self.intercepts]) / np.array(spreads)[:, None]
        return replace(known, rules=rules, varies=varies)


def _lifted(measured: MeasuredScores, features: IntArray, n_features: int) -> MeasuredScores:
    """Return scores along a direction of some features as those of a direction of all."""
    coef = np.zeros(n_features)
    coef[features] = measured.scored.coef
    return replace(
        measured,
        scored=replace(measured.scored, coef=coef),
        predicted=replace(measured.predicted, coef=coef),
    )


def _share_to_mix(auc: float, wanted: float) -> float:
    """Return the share of each class that takes the scores of the other, to lower the AUC.

    With a share m mixed, AUC − ½ becomes (1 − 2m)(AUC − ½).
    """
    if auc <= 0.5:
        return 0.0
    return min(max((1 - (wanted - 0.5) / (auc - 0.5)) / 2, 0.0), 0.5)


def _mixed(measured: MeasuredScores, share: float) -> MeasuredScores:
    """Return scores of which a share comes from the other class."""
    return replace(
        measured,
        positive=(1 - share) * measured.positive + share * measured.negative,
        negative=(1 - share) * measured.negative + share * measured.positive,
    )


def _numbers(usable: Folds, folds: Folds) -> list[int]:
    """Return the positions of usable splits among all of them."""
    known = list(zip(folds.train, folds.test, strict=True))
    return [known.index(own) for own in zip(usable.train, usable.test, strict=True)]
