"""Whether the closed-form ranking direction is the one that L-BFGS converges to.

Run: python -m evidence.ranking [--problems 200]
"""

import argparse
import warnings

import numpy as np

from evidence.problems import random_moments
from zerone import Frontier
from zerone._moments.pair import TwoClassMoments
from zerone.objectives import RankingLoss
from zerone.solvers import LBFGS


def ranking_problem(seed: int, *, decades: float = 6.0) -> TwoClassMoments:
    """Return a random problem with different means and condition up to 10 to the ``decades``.

    Not one that is separated so well that its loss, below 1e-6, leaves L-BFGS no slope.
    """
    rng = np.random.default_rng([3, seed])
    while True:
        pair = random_moments(rng, low=-decades / 2, high=decades / 2).pair(1, 0)
        if pair.delta.any() and Frontier(pair).best("auc").auc < 1 - 1e-6:
            return pair


def compare_ranking(pair: TwoClassMoments) -> tuple[float, float]:
    """Return the cosine between the exact and the L-BFGS direction, and the excess loss.

    Standardised features for both sides: L-BFGS does not converge otherwise.
    """
    variances = pair.positive.covariance.diagonal() + pair.negative.covariance.diagonal()
    standard = pair.affine(1 / np.sqrt(variances))
    exact = Frontier(standard).best("auc").coef
    objective = RankingLoss(standard, fit_intercept=False)
    # Restarted while it gains: rounding in the line search stops it early.
    found, start = None, None
    for _ in range(20):
        result = LBFGS(max_iter=50_000, tol=1e-14).solve(objective, start)
        if found is not None and result.value >= found.value:
            break
        found, start = result, result.coef
    assert found is not None
    cosine = exact @ found.coef / np.linalg.norm(exact) / np.linalg.norm(found.coef)
    return float(cosine), objective.value(exact) - found.value


def main() -> None:
    """Print the lowest cosine and the largest excess over random problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=200)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    outcomes = [compare_ranking(ranking_problem(seed)) for seed in range(arguments.problems)]
    cosines, excesses = np.array(outcomes).T
    print(
        f"{len(cosines)} problems of condition up to 1e6: 1 - cosine with L-BFGS at most "
        f"{1 - cosines.min():.2e}, loss of the exact direction minus that of L-BFGS at most "
        f"{excesses.max():.2e}"
    )


if __name__ == "__main__":
    main()
