"""Whether the frontier's rules for F1, cost and fixed rates are beaten by direct optimisation.

Run: python -m evidence.metrics [--problems 100] [--starts 20]
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from evidence.optimality import whitened
from evidence.problems import random_moments
from zerone import Frontier
from zerone._moments.pair import TwoClassMoments
from zerone._typing import FloatArray
from zerone.rules import LinearRule

Loss = Callable[[float, float, float], float]


def _f_score_loss(beta: float) -> Loss:
    def loss(miss: float, false_alarm: float, prior: float) -> float:
        hit = prior * (1 - miss)
        wrong = beta**2 * prior * miss + (1 - prior) * false_alarm
        return wrong / ((1 + beta**2) * hit + wrong)

    return loss


def _cost(miss: float, false_alarm: float, prior: float) -> float:
    return 5 * prior * miss + 2 * (1 - prior) * false_alarm


# Name, arguments of Frontier.best, and the loss as a function of the rates; None where a rate
# is fixed and the other one is the loss.
METRICS: dict[str, tuple[str, dict[str, float], Loss | None]] = {
    "f1": ("f1", {}, _f_score_loss(1.0)),
    "fbeta": ("fbeta", {"beta": 2.0}, _f_score_loss(2.0)),
    "cost": ("cost", {"false_negative_cost": 5, "false_positive_cost": 2}, _cost),
    "true_positive_rate": ("true_positive_rate", {"max_false_positive_rate": 0.05}, None),
    "false_positive_rate": ("false_positive_rate", {"min_true_positive_rate": 0.9}, None),
}


def _rates(pair: TwoClassMoments, w: FloatArray, offset: float) -> tuple[float, float]:
    s_pos = np.sqrt(pair.positive.covariance.quad(w))
    s_neg = np.sqrt(pair.negative.covariance.quad(w))
    return float(ndtr(-(w @ pair.delta + offset) / s_pos)), float(ndtr(offset / s_neg))


def _loss_of(metric: str, pair: TwoClassMoments) -> tuple[Callable[[FloatArray], float], int]:
    """Return the loss to minimise over directions, or over directions and offset."""
    _, arguments, loss = METRICS[metric]
    d = pair.n_features
    prior = pair.prior_positive
    if loss is not None:
        return lambda x: loss(*_rates(pair, x[:d], x[d]), prior), d + 1

    def at_fixed_rate(w: FloatArray) -> float:
        if metric == "true_positive_rate":
            sd = np.sqrt(pair.negative.covariance.quad(w))
            offset = float(ndtri(arguments["max_false_positive_rate"]) * sd)
            return _rates(pair, w, offset)[0]
        sd = np.sqrt(pair.positive.covariance.quad(w))
        offset = float(ndtri(arguments["min_true_positive_rate"]) * sd - w @ pair.delta)
        return _rates(pair, w, offset)[1]

    return at_fixed_rate, d


def _frontier_loss(metric: str, pair: TwoClassMoments, rule: LinearRule) -> float:
    loss = METRICS[metric][2]
    if loss is not None:
        return loss(rule.false_negative_rate, rule.false_positive_rate, pair.prior_positive)
    return rule.false_negative_rate if metric == "true_positive_rate" else rule.false_positive_rate


def excess_of_frontier(
    metric: str, pair: TwoClassMoments, starts: int, rng: np.random.Generator
) -> float:
    """Return the loss of the frontier's rule minus the best found by direct minimisation."""
    name, arguments, _ = METRICS[metric]
    parameters: dict[str, Any] = dict(arguments)
    found = _frontier_loss(metric, pair, Frontier(pair).best(name, **parameters))
    # The rival works in whitened coordinates, where it does best; the loss is the same there.
    function, size = _loss_of(metric, whitened(pair)[0])
    best = np.inf
    for number in range(starts):
        start = rng.standard_normal(size)
        if number % 2:
            start[-1] *= 10
        outcome = minimize(function, start, method="BFGS", options={"gtol": 1e-9})
        best = min(best, float(outcome.fun))
    return found - best


def main() -> None:
    """Print the largest excess of the frontier's loss for every metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--starts", type=int, default=20)
    arguments = parser.parse_args()
    for metric in METRICS:
        excess = []
        for number in range(arguments.problems):
            rng = np.random.default_rng([7, number])
            pair = random_moments(rng, d=int(rng.integers(1, 11)), low=-2, high=2).pair(1, 0)
            excess.append(excess_of_frontier(metric, pair, arguments.starts, rng))
        values = np.array(excess)
        print(
            f"{metric}: {len(values)} problems, best of {arguments.starts} BFGS starts: largest "
            f"excess {values.max():.2e}; frontier lower by over 1e-9 in "
            f"{int((values < -1e-9).sum())}",
            flush=True,
        )


if __name__ == "__main__":
    main()
