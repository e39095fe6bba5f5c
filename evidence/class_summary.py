"""How often the class with the largest score of ``class_coef_`` is the predicted one.

Counted on held-out rows: those of one stratified 80/20 split. The first six sets chose how the
summary weighs the pairs of classes; the others confirmed it.

Run: python -m evidence.class_summary [--data FOLDER]
"""

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split

from evidence.multiclass import split
from evidence.wide import DATA
from zerone import ZeroOneClassifier
from zerone.estimators._prediction import features_of_rows

TABLES = {"penguins": "species", "seattle-weather": "weather", "chile": "vote"}
BUNDLED = {"digits": load_digits, "iris": load_iris, "wine": load_wine}
NAMES = (
    *("penguins", "seattle-weather", "chile", "digits", "vowel", "letter"),
    *("iris", "wine", "segment", "satimage", "shuttle"),
)


def fitted(folder: Path, name: str) -> tuple[Any, Any]:
    """Return a classifier of the training rows, and the held-out rows."""
    if name in TABLES:
        target = TABLES[name]
        table = pd.read_csv(folder / "tables" / f"{name}.csv.xz").dropna(subset=[target])
        train, test = train_test_split(table, test_size=0.2, stratify=table[target], random_state=0)
        return ZeroOneClassifier().fit_table(train, target=target), test.drop(columns=[target])
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
        parts = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    else:
        parts = split(folder, name)
    X_train, X_test, y_train, _ = parts
    return ZeroOneClassifier().fit(X_train, y_train), X_test


def main() -> None:
    """Print a line for every set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| set | classes | as predict |\n|---|---|---|")
    for name in NAMES:
        model, test = fitted(arguments.data, name)
        rows = np.asarray(features_of_rows(model, test))
        scores = rows @ model.class_coef_.T + model.class_intercept_
        same = np.mean(model.classes_[scores.argmax(axis=1)] == model.predict(test))
        print(f"| {name} | {len(model.classes_)} | {same:.1%} |", flush=True)


if __name__ == "__main__":
    main()
