"""What is lost where a table is refined on a sample of its rows.

    python -m evidence.sampled_tables

One 80/20 split of covtype: `fit` to all training rows in memory beside `fit_table`, which keeps
about a third of them, and beside the moments alone; three random states each.
"""

import time

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from paper.datasets.load import load
from zerone import AUCClassifier, ZeroOneClassifier


def main() -> None:
    """Print accuracy, AUC and time of each."""
    X, y = load("covtype")
    frame = pd.DataFrame(X).rename(columns=str)
    train, test, y_train, y_test = train_test_split(frame, y, test_size=0.2, random_state=0)
    table = train.assign(y=y_train)
    for estimator in (ZeroOneClassifier, AUCClassifier):
        for name in ("fit", "fit_table", "fit_table, refine=None"):
            found = []
            for random_state in range(3):
                refine = None if "None" in name else "auto"
                model = estimator(random_state=random_state, refine=refine)
                start = time.perf_counter()
                if name == "fit":
                    model.fit(train, y_train)
                else:
                    model.fit_table(table, target="y")
                seconds = time.perf_counter() - start
                auc = roc_auc_score(y_test, model.decision_function(test))
                found.append((model.score(test, y_test), auc, seconds))
            accuracy, auc, seconds = np.mean(found, axis=0)
            print(
                f"{estimator.__name__:18s}{name:24s} accuracy {accuracy:.4f}, AUC {auc:.4f}, "
                f"{seconds:.2f} s"
            )


if __name__ == "__main__":
    main()
