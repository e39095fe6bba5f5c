"""Accuracy with the original class labels, beside logistic regression and LDA.

One stratified 80/20 split; standardised features for logistic regression.

Run: python -m evidence.multiclass [--data FOLDER]
"""

import argparse
import io
import lzma
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evidence.wide import DATA
from zerone import AUCClassifier, ZeroOneClassifier

SETS = {"letter": 16, "satimage": 36, "vowel": 10, "shuttle": 9, "segment": 19}


def split(folder: Path, name: str) -> list[np.ndarray]:
    """Return training and test rows and labels of a set with its original classes."""
    with lzma.open(folder / f"{name}.multi.libsvm.xz") as file:
        X, y = load_svmlight_file(io.BytesIO(file.read()), n_features=SETS[name], zero_based=False)
    parts: list[np.ndarray] = train_test_split(
        X.toarray(), y.astype(int), test_size=0.2, stratify=y, random_state=0
    )
    return parts


def main() -> None:
    """Print accuracy and fit time of each classifier on each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in SETS:
        X_train, X_test, y_train, y_test = split(arguments.data, name)
        models = {
            "ZeroOneClassifier": ZeroOneClassifier(),
            "AUCClassifier": AUCClassifier(),
            "LogisticRegression": make_pipeline(
                StandardScaler(), LogisticRegression(max_iter=1000)
            ),
            "LDA": LinearDiscriminantAnalysis(),
        }
        cells = []
        for label, model in models.items():
            began = time.process_time()
            model.fit(X_train, y_train)
            seconds = time.process_time() - began
            cells.append(f"{label} {model.score(X_test, y_test):.3f} ({seconds:.2f} s)")
        print(f"{name}: {', '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
