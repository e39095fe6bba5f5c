"""How many Krylov steps wide sparse data needs: held-out accuracy and AUC beside time.

Run: python -m evidence.krylov_steps [--data FOLDER]
"""

import argparse
import os
import time
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from paper.datasets.load import load
from zerone import ZeroOneClassifier
from zerone.frontier._krylov_space import KrylovSpace

# Where the benchmark data sets are looked for.
DATA = Path(os.environ.get("ZERONE_DATA", Path(__file__).parents[2] / "shared" / "data"))
SETS = ("imdb", "spamassassin", "rcv1_small")
STEPS = (4, 6, 8, 10, 12, 16, 32)


def main() -> None:
    """Print a line for every set, level of refinement and number of steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data
    for name in SETS:
        X, y = load(name, data_dir=data)[:2]
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
        for refine in (None, "frontier"):
            for steps in STEPS:
                print(name, refine, steps, "steps:", measured(X, y, folds, refine, steps))


def measured(X, y, folds, refine, steps) -> str:  # type: ignore[no-untyped-def]
    """Return accuracy, AUC and fitting time with so many steps, in words."""
    accuracy, auc, seconds = [], [], []
    build = KrylovSpace.of
    with mock.patch.object(KrylovSpace, "of", lambda classes: build(classes, steps)):
        for train, test in folds:
            began = time.perf_counter()
            classifier = ZeroOneClassifier(refine=refine).fit(X[train], y[train])
            seconds.append(time.perf_counter() - began)
            accuracy.append(classifier.score(X[test], y[test]))
            auc.append(roc_auc_score(y[test], classifier.decision_function(X[test])))
    return (
        f"accuracy {np.mean(accuracy):.4f}, AUC {np.mean(auc):.4f}, "
        f"{1e3 * np.median(seconds):.0f} ms"
    )


if __name__ == "__main__":
    main()
