"""Whether the frontier's rules for limits and for the top of the list are beaten by direct search.

Direct search minimises the same loss of normal scores over all directions from random starts; its
losses are written out here once more (the partial AUC by Owen's T). The predictions of the rules
are compared with simulated rows.

Run: python -m evidence.metric_frontier [--problems 100] [--starts 12] [--rows 200000]
"""

import argparse
import warnings
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit, log_ndtr, ndtr, ndtri, owens_t
from sklearn.metrics import average_precision_score, roc_auc_score

from evidence.optimality import whitened
from evidence.problems import random_moments
from zerone import Frontier
from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray, Label
from zerone.rules import LinearRule

# Name of each metric and of its parameter, if it has one.
PARAMETERS: dict[str, str | None] = {
    "partial_auc": "max_fpr",
    "average_precision": None,
    "true_positive_rate": "max_false_positive_rate",
    "false_positive_rate": "min_true_positive_rate",
    "precision": "min_recall",
    "recall": "min_precision",
    "precision_at_k": "k",
}
_RANKINGS = ("partial_auc", "average_precision")
# Standard errors come from this many parts of the simulated rows.
_PARTS = 20
_AHEAD = 1e-6


class Scores(NamedTuple):
    """Normal scores: positives around ``gap``, negatives around zero."""

    gap: float
    sd_positive: float
    sd_negative: float


class Problem(NamedTuple):
    """Two classes and a metric.

    Attributes
    ----------
    pair : TwoClassMoments
    metric : str
    value : float
        Of the metric's parameter.
    prior : float
        Of the positive class.
    """

    pair: TwoClassMoments
    metric: str
    value: float
    prior: float

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of the metric, by name."""
        name = PARAMETERS[self.metric]
        return {} if name is None else {name: self.value}

    def best(self) -> LinearRule:
        """Return the frontier's rule."""
        priors: dict[Label, float] = {1: self.prior, 0: 1 - self.prior}
        return Frontier(self.pair, priors=priors).best(self.metric, **self.parameters)


def metric_problem(rng: np.random.Generator, metric: str, most: int = 4) -> Problem:
    """Return a random problem of two to ``most`` features."""
    pair = random_moments(rng, d=int(rng.integers(2, most + 1)), low=-1, high=1).pair(1, 0)
    return Problem(pair, metric, float(rng.uniform(0.03, 0.97)), float(rng.uniform(0.05, 0.95)))


# -- losses of normal scores -----------------------------------------------------------------------


def partial_auc_loss(scores: Scores, max_fpr: float) -> float:
    """Return P(a negative is among the top and above a positive) / max_fpr, in closed form."""
    edge = float(ndtri(max_fpr))
    spread = float(np.hypot(scores.sd_positive, scores.sd_negative))
    return _both_below(edge, -scores.gap / spread, scores.sd_negative / spread) / max_fpr


def _both_below(h: float, k: float, correlation: float) -> float:
    """Return P(X ≤ h, Y ≤ k) of two standard normals (Owen, 1956)."""
    h, k = (own if own != 0 else 1e-300 for own in (h, k))
    rest = np.sqrt((1 - correlation) * (1 + correlation))
    parts = owens_t([h, k], [(k / h - correlation) / rest, (h / k - correlation) / rest])
    return float((ndtr(h) + ndtr(k)) / 2 - parts.sum() - (0.5 if h * k < 0 else 0.0))


def average_precision_loss(scores: Scores, prior: float) -> float:
    """Return one minus the mean precision at the scores of the positives, by a fine sum."""
    z = np.linspace(-9.0, 9.0, 2001)
    at = (scores.gap + scores.sd_positive * z) / scores.sd_negative
    log_odds = np.log(prior / (1 - prior)) + log_ndtr(-z) - log_ndtr(-at)
    density = np.exp(-(z**2) / 2)
    return float(expit(-log_odds) @ density / density.sum())


def ranking_loss(problem: Problem, scores: Scores) -> float:
    """Return the loss of a ranking metric."""
    if problem.metric == "partial_auc":
        return partial_auc_loss(scores, problem.value)
    return average_precision_loss(scores, problem.prior)


def loss_of_rates(problem: Problem, miss: FloatArray, alarm: FloatArray) -> FloatArray:
    """Return the loss of a metric with a limit; the limit is not looked at."""
    if problem.metric == "precision":
        right, wrong = problem.prior * (1 - miss), (1 - problem.prior) * alarm
        return np.asarray(wrong / np.maximum(right + wrong, 1e-300))
    return alarm if problem.metric == "false_positive_rate" else miss


def excess_of_rates(problem: Problem, miss: FloatArray, alarm: FloatArray) -> FloatArray:
    """Return by how much rates exceed the limit of a metric."""
    prior, value = problem.prior, problem.value
    right, wrong = prior * (1 - miss), (1 - prior) * alarm
    if problem.metric == "true_positive_rate":
        return alarm - value
    if problem.metric in ("false_positive_rate", "precision"):
        return value - (1 - miss)
    return (
        right + wrong - value
        if problem.metric == "precision_at_k"
        else value * wrong - (1 - value) * right
    )


def _rates(scores: Scores, threshold: FloatArray) -> tuple[FloatArray, FloatArray]:
    miss = ndtr((threshold - scores.gap) / scores.sd_positive)
    return np.asarray(miss), np.asarray(ndtr(-threshold / scores.sd_negative))


def least_loss_at_limit(problem: Problem, scores: Scores) -> float:
    """Return the lowest loss of a direction's thresholds that keep the limit."""

    def excess(threshold: float) -> float:
        return float(excess_of_rates(problem, *_rates(scores, np.array([threshold])))[0])

    both = [scores.gap + scores.sd_positive * _Z, scores.sd_negative * _Z]
    thresholds = np.sort(np.concatenate(both))
    rates = _rates(scores, thresholds)
    keeps = excess_of_rates(problem, *rates) <= 0
    if not keeps.any():
        return 1.0
    losses = np.where(keeps, loss_of_rates(problem, *rates), np.inf)
    best = int(losses.argmin())
    least = float(losses[best])
    for beside in (best - 1, best + 1):
        if not 0 <= beside < len(losses):
            continue
        ends = thresholds[best], thresholds[beside]
        if not keeps[beside]:
            if excess(ends[0]) < 0:
                root = brentq(excess, *ends, xtol=1e-13, rtol=1e-14)
                found = loss_of_rates(problem, *_rates(scores, np.array([root])))
                least = min(least, float(found[0]))
        else:
            fine = np.linspace(*ends, 50)
            least = min(least, float(loss_of_rates(problem, *_rates(scores, fine)).min()))
    return least


_Z = np.linspace(-8.0, 8.0, 81)


def least_loss(problem: Problem, scores: Scores) -> float:
    """Return the loss of a direction, with its best threshold where there is a limit."""
    own = ranking_loss if problem.metric in _RANKINGS else least_loss_at_limit
    return own(problem, scores)


# -- direct search, and simulation -----------------------------------------------------------------


def scores_along(pair: TwoClassMoments, w: FloatArray) -> Scores:
    """Return the scores of a direction."""
    variances = (m.covariance.quad(w) for m in (pair.positive, pair.negative))
    return Scores(float(w @ pair.delta), *(float(np.sqrt(own)) for own in variances))


def least_of_starts(problem: Problem, starts: int, rng: np.random.Generator) -> float:
    """Return the lowest loss that direct search finds, in coordinates where it does well."""
    white = whitened(problem.pair)[0]

    def function(w: FloatArray) -> float:
        return least_loss(problem, scores_along(white, w / np.linalg.norm(w)))

    first = [rng.standard_normal((8, white.n_features)) for _ in range(starts)]
    # Each run starts from the best of a few directions, and goes on without slopes from its end.
    best = np.inf
    for own in first:
        start = own[int(np.argmin([function(w) for w in own]))]
        outcome = minimize(function, start, method="BFGS", options={"gtol": 1e-8})
        options = {"xatol": 1e-7, "fatol": 1e-12, "maxfev": 60 * len(start)}
        outcome = minimize(function, outcome.x, method="Nelder-Mead", options=options)
        best = min(best, float(outcome.fun))
    return best


def loss_of_rule(problem: Problem, rule: LinearRule) -> float:
    """Return the loss of a rule as it is written out here, with the rule's own threshold."""
    if problem.metric in _RANKINGS:
        return ranking_loss(problem, Scores(*statistics_of(rule)))
    rates = np.array([rule.false_negative_rate]), np.array([rule.false_positive_rate])
    return float(loss_of_rates(problem, *rates)[0])


def statistics_of(rule: LinearRule) -> tuple[float, float, float]:
    """Return the distance of the mean scores, and the standard deviations."""
    own = rule.statistics
    return own.gap, own.sd_positive, own.sd_negative


def simulated_losses(
    problem: Problem, rule: LinearRule, n_rows: int, rng: np.random.Generator
) -> FloatArray:
    """Return the loss of a rule on each of some samples of normal rows, half of each class."""
    classes = [problem.pair.positive, problem.pair.negative]
    n = n_rows // (2 * _PARTS)
    scores = [
        rng.multivariate_normal(m.mean, m.covariance.toarray(), (_PARTS, n)) @ rule.coef
        + rule.intercept
        for m in classes
    ]
    y, weights = np.repeat([1, 0], n), np.repeat([problem.prior, 1 - problem.prior], n)

    def loss(positive: FloatArray, negative: FloatArray) -> float:
        both = np.concatenate([positive, negative])
        if problem.metric == "average_precision":
            return 1 - float(average_precision_score(y, both, sample_weight=weights))
        if problem.metric == "partial_auc":
            least = problem.value / 2
            standard = float(roc_auc_score(y, both, max_fpr=problem.value))
            return 1 - least - (2 * standard - 1) * (1 - least)
        rates = (positive <= 0).mean(keepdims=True), (negative > 0).mean(keepdims=True)
        return float(loss_of_rates(problem, *rates)[0])

    return np.array([loss(*own) for own in zip(*scores, strict=True)])


def deviation(predicted: float, measured: FloatArray) -> float:
    """Return the distance of a prediction from the mean of samples, in standard errors.

    An error of half a row is always possible.
    """
    error = float(measured.std(ddof=1)) / np.sqrt(len(measured))
    return float(abs(predicted - float(measured.mean())) / (error + 1e-5))


def main() -> None:
    """Print a table of the metrics."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--starts", type=int, default=12)
    parser.add_argument("--rows", type=int, default=200_000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        f"| metric | problems | above direct search by over {_AHEAD:g} | most above | most below | "
        "most beyond the limit | prediction and written out | from simulation, in standard errors |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for number, metric in enumerate(PARAMETERS):
        columns: list[tuple[float, float, float, float]] = []
        for seed in range(arguments.problems):
            rng = np.random.default_rng([11, number, seed])
            problem = metric_problem(rng, metric)
            rule = problem.best()
            found, own = loss_of_rule(problem, rule), rule.loss(metric, **problem.parameters)
            columns.append(
                (
                    found - least_of_starts(problem, arguments.starts, rng),
                    abs(found - own),
                    excess_of_rule(problem, rule),
                    deviation(found, simulated_losses(problem, rule, arguments.rows, rng)),
                )
            )
        excess, differs, beyond, deviations = np.array(columns).T
        print(
            f"| {metric} | {len(excess)} | {int((excess > _AHEAD).sum())} | "
            f"{max(excess.max(), 0.0):.1e} | {max(-excess.min(), 0.0):.1e} | "
            f"{max(beyond.max(), 0.0):.1e} | {differs.max():.1e} | {deviations.max():.1f} |",
            flush=True,
        )


def excess_of_rule(problem: Problem, rule: LinearRule) -> float:
    """Return by how much a rule exceeds the limit of its metric; zero if there is none."""
    if problem.metric in _RANKINGS:
        return 0.0
    rates = np.array([rule.false_negative_rate]), np.array([rule.false_positive_rate])
    return float(excess_of_rates(problem, *rates)[0])


if __name__ == "__main__":
    main()
