"""How much a refined fit depends on the folds: the spread over random_state.

For each set one training and one test part, and fits that differ in ``random_state`` only.

Run: python -m evidence.random_state [--data FOLDER]
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from evidence.refinement import SETS
from evidence.wide import DATA
from paper.rivals import rival_rows
from zerone import AUCClassifier, ZeroOneClassifier

SEEDS = 10


def main() -> None:
    """Print standard deviations over seeds beside the standard error of the test part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| data | accuracy | sd over seeds | standard error of the test | answers that change "
          "| AUC | sd over seeds |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for name in SETS:
        X, y = rival_rows(name, str(arguments.data), None)
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
        accuracies, aucs, answers = [], [], []
        for seed in range(SEEDS):
            model = ZeroOneClassifier(random_state=seed).fit(X, y)
            answers.append(model.predict(X_test))
            accuracies.append((answers[-1] == y_test).mean())
            ranking = AUCClassifier(random_state=seed).fit(X, y)
            aucs.append(roc_auc_score(y_test, ranking.decision_function(X_test)))
        accuracy = float(np.mean(accuracies))
        error = np.sqrt(accuracy * (1 - accuracy) / len(y_test))
        changed = np.mean([np.mean(a != answers[0]) for a in answers[1:]])
        print(
            f"| {name} | {accuracy:.4f} | {np.std(accuracies):.4f} | {error:.4f} "
            f"| {changed:.2%} | {np.mean(aucs):.4f} | {np.std(aucs):.4f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
