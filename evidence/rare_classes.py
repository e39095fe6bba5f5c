"""Rare classes: the default beside logistic regression, and on noise beside the majority.

scikit-learn's `make_classification` with 20 features, 6 of them informative; 5,000 fresh rows test.
Printed are mean accuracies over seeds and the difference in standard errors.

Run: python -m evidence.rare_classes [--seeds 30]
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zerone import ZeroOneClassifier
from zerone._typing import FloatArray

MAJORITIES = (0.90, 0.95, 0.98)
ROWS = (600, 2_000, 4_000)
TEST_ROWS = 5_000


def scores(majority: float, n: int, seed: int, *, noise: bool) -> FloatArray:
    """Return the test accuracy of the default, of logistic regression and of the majority."""
    X, y = make_classification(
        n + TEST_ROWS, 20, n_informative=6, weights=[majority], random_state=seed
    )
    if noise:
        y = np.random.default_rng(seed).permutation(y)
    train, test = slice(0, n), slice(n, None)
    rival = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    fitted = [model.fit(X[train], y[train]) for model in (ZeroOneClassifier(), rival)]
    answers = [model.score(X[test], y[test]) for model in fitted]
    return np.array([*answers, max(y[test].mean(), 1 - y[test].mean())])


def main() -> None:
    """Print a line for every majority and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=30)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for noise, rival in ((False, "logistic"), (True, "majority")):
        print(f"\n{'noise' if noise else 'six informative features'}\n")
        print(f"| majority | rows | zerone | {rival} | difference | standard errors |")
        print("|---|---|---|---|---|---|")
        means = []
        for majority in MAJORITIES:
            for n in ROWS:
                found = np.array(
                    [scores(majority, n, seed, noise=noise) for seed in range(arguments.seeds)]
                )
                ours, other = found[:, 0], found[:, 2 if noise else 1]
                difference = ours - other
                error = difference.std(ddof=1) / np.sqrt(len(difference))
                means.append(difference.mean())
                print(
                    f"| {majority} | {n:,} | {ours.mean():.4f} | {other.mean():.4f} "
                    f"| {means[-1]:+.4f} | {means[-1] / max(error, 1e-12):+.1f} |",
                    flush=True,
                )
        print(f"\nmean difference {np.mean(means):+.4f}")


if __name__ == "__main__":
    main()
