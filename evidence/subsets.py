"""The search for subsets beside an exhaustive one: how often it finds the best, and what it costs.

    python -m evidence.subsets [--problems 50]

Problems have 20 features with random correlations; half of them share most of what they tell, so
that the best subset of a size is often not an extension of the best smaller one.
"""

import argparse
import time
from itertools import combinations

import numpy as np

from zerone import Moments
from zerone._subsets.groups import feature_groups
from zerone._subsets.problem import SubsetProblem
from zerone._subsets.search import subset_path
from zerone._typing import FloatArray

# The width of the search was chosen on the problems of the seeds below 200.
_FIRST_SEED = 1_000


def random_moments(random: np.random.Generator, d: int, n_classes: int = 2) -> Moments:
    """Return moments of classes with random means and strongly correlated features."""
    n_factors = int(random.integers(2, d))
    loadings = random.standard_normal((d, n_factors)) * random.gamma(1.0, 2.0, n_factors)
    known = {}
    for label in range(n_classes):
        noise = np.diag(random.gamma(1.0, 1.0, d) + 0.05)
        own = loadings + 0.3 * random.standard_normal(loadings.shape)
        mean = own @ random.standard_normal(n_factors) * 0.5 + 0.3 * random.standard_normal(d)
        known[label] = (float(random.integers(50, 500)), mean, own @ own.T + noise)
    return Moments.from_parameters(known)


def best_gain(problem: SubsetProblem, size: int) -> float:
    """Return the gain of the best subset of a size."""
    chosen = np.array(list(combinations(range(problem.n_groups), size)))
    within = problem.within[chosen[:, :, None], chosen[:, None, :]]
    between = problem.between[chosen]
    gains: FloatArray = (between * np.linalg.solve(within, between)).sum(axis=(1, 2))
    return float(gains.max())


def compare(n_problems: int) -> None:
    """Print how often the search finds the best subset of 1 to 4 of 20 features."""
    equal, worst, total = 0, 0.0, 0
    for seed in range(n_problems):
        random = np.random.default_rng(_FIRST_SEED + seed)
        moments = random_moments(random, 20, 2 + seed % 3)
        problem = SubsetProblem.of(moments, feature_groups(moments))
        for subset in subset_path(problem, 4):
            best = best_gain(problem, len(subset.groups))
            gap = 1 - subset.gain / best
            equal, worst, total = equal + (gap < 1e-9), max(worst, gap), total + 1
    print(f"equal to the best of all subsets: {equal} of {total}; largest gap {worst:.2%}")


def timings() -> None:
    """Print the time of paths of many features."""
    for d, most in ((100, 20), (100, 100), (500, 20), (500, 64), (500, 500)):
        random = np.random.default_rng(0)
        moments = random_moments(random, d)
        start = time.perf_counter()
        problem = SubsetProblem.of(moments, feature_groups(moments))
        subset_path(problem, most)
        print(f"{d} features, sizes up to {most}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=50)
    compare(parser.parse_args().problems)
    timings()
