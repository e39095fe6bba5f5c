"""How many rows polishing needs: all of cover type, polished on samples of growing size.

Run: python -m evidence.polish_rows [--data FOLDER]
"""

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

import zerone._refine.pair_rows as pair_rows
from evidence.refinement import replaced
from evidence.wide import DATA
from paper.datasets.load import load
from zerone import AUCClassifier, ZeroOneClassifier

SIZES = (10_000, 25_000, 50_000, 100_000, 200_000, 500_000)


def main() -> None:
    """Print accuracy, AUC and time for each size, the mean over three splits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    X, y = load("covtype", data_dir=arguments.data, download=False)
    splits = list(StratifiedShuffleSplit(3, test_size=0.2, random_state=0).split(X, y))
    print("| rows polished on | accuracy | s | AUC | s |")
    print("|---|---|---|---|---|")
    for size in SIZES:
        results = []
        with replaced((pair_rows, "MAX_ROWS", size)):
            for train, test in splits:
                began = time.process_time()
                model = ZeroOneClassifier().fit(X[train], y[train])
                error_s = time.process_time() - began
                began = time.process_time()
                ranking = AUCClassifier().fit(X[train], y[train])
                auc_s = time.process_time() - began
                auc = roc_auc_score(y[test], ranking.decision_function(X[test]))
                results.append((model.score(X[test], y[test]), error_s, auc, auc_s))
        accuracy, error_s, auc, auc_s = np.mean(results, axis=0)
        print(
            f"| {size:,} | {accuracy:.4f} | {error_s:.2f} | {auc:.4f} | {auc_s:.2f} |", flush=True
        )


if __name__ == "__main__":
    main()
