"""Probabilities with more features than rows, beside logistic regression.

Each kind of rows is drawn anew for every seed; 2,000 fresh rows test. Printed are the mean and the
worst log loss of both classifiers and of logistic regression, and the expected calibration error
(ten bins of equal width).

Run: python -m evidence.probabilities [--seeds 30]
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zerone import AUCClassifier, ZeroOneClassifier
from zerone._typing import FloatArray

SIZES = ((40, 1000), (60, 500), (100, 200))
TEST_ROWS = 2_000


def rows(kind: str, n: int, d: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return training rows, then test rows."""
    if kind == "make":
        X, y = make_classification(n + TEST_ROWS, d, n_informative=10, random_state=seed)
    else:
        rng = np.random.default_rng(seed)
        y = np.arange(n + TEST_ROWS) % 2
        X = rng.standard_normal((len(y), d))
        X[:, :10] += 0.5 * y[:, None]
    return X, y


def calibration_error(y: FloatArray, probability: FloatArray) -> float:
    """Return the mean distance of predicted and observed shares over ten bins."""
    bins = np.minimum((10 * probability).astype(int), 9)
    sums = np.bincount(bins, y - probability, 10)
    return float(np.abs(sums).sum() / len(y))


def main() -> None:
    """Print a line for every kind and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=30)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    names = ("ZeroOneClassifier", "AUCClassifier", "logistic")
    print(f"| rows | {' | '.join(f'{n}: mean, worst, calibration' for n in names)} |")
    print("|---|---|---|---|")
    for kind in ("normal", "make"):
        for n, d in SIZES:
            found = []
            for seed in range(arguments.seeds):
                X, y = rows(kind, n, d, seed)
                rival = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
                for model in (ZeroOneClassifier(), AUCClassifier(), rival):
                    chance = model.fit(X[:n], y[:n]).predict_proba(X[n:])[:, 1]
                    found.append((log_loss(y[n:], chance), calibration_error(y[n:], chance)))
            losses, calibration = np.array(found).reshape(-1, 3, 2).transpose(2, 1, 0)
            cells = [
                f"{own.mean():.3f}, {own.max():.3f}, {error.mean():.3f}"
                for own, error in zip(losses, calibration, strict=True)
            ]
            print(f"| {kind}, {n} × {d} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
