"""FasterRisk and abess on one fold; `evidence.scorecards` runs it in an environment of their own.

python scorecard_rivals.py FOLD.npz RESULT.npz
"""

import sys
import time

import numpy as np
from abess.linear import LogisticRegression
from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer


def risk_score(rows, tests, y, k, groups, group_sparsity):
    """Return probabilities of the test rows by a card of k conditions, and the seconds."""
    start = time.perf_counter()
    given = {}
    if group_sparsity is not None:
        given = {"group_sparsity": group_sparsity, "featureIndex_to_groupIndex": groups}
    optimizer = RiskScoreOptimizer(X=rows, y=np.where(y, 1.0, -1.0), k=k, **given)
    optimizer.optimize()
    multiplier, intercept, points = optimizer.get_models(model_index=0)
    card = RiskScoreClassifier(multiplier, intercept, points)
    seconds = time.perf_counter() - start
    return card.predict_prob(tests), seconds


def best_subset(rows, tests, y, k, groups):
    """Return probabilities of the test rows by the best k groups of features, and the seconds."""
    start = time.perf_counter()
    model = LogisticRegression(support_size=[k], group=list(groups))
    model.fit(rows, y.astype(int))
    seconds = time.perf_counter() - start
    return model.predict_proba(tests)[:, 1], seconds


def main():
    """Read a fold, and write probabilities and seconds of every rival."""
    given = np.load(sys.argv[1])
    k, y = int(given["k"]), given["y"]
    binary = given["binary"].astype(float), given["binary_test"].astype(float)
    found = {
        "FasterRisk": risk_score(*binary, y, k, None, None),
        "abess": best_subset(given["rows"], given["rows_test"], y, k, given["groups"]),
    }
    if given["has_groups"]:
        groups = given["binary_groups"]
        found["FasterRisk, columns"] = risk_score(*binary, y, 4 * k, groups, k)
    np.savez(
        sys.argv[2],
        **{name: np.append(proba, seconds) for name, (proba, seconds) in found.items()},
    )


if __name__ == "__main__":
    main()
