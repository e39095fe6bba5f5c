"""Train zerone beside logistic regression and LDA, and print what each achieves.

Run: make demo
"""

import time
from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zerone import AUCClassifier, ZeroOneClassifier


def gaussian_set(
    n_rows: int = 5000, n_features: int = 500, positives: float = 0.35, swapped: float = 0.05
) -> list[np.ndarray]:
    """Return a set like data_2 of the paper: two Gaussians, some training labels swapped."""
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < positives).astype(int)
    X = np.empty((n_rows, n_features))
    for k, shift in ((0, 0.0), (1, 1.0)):
        spread = rng.standard_normal((n_features, n_features)) / np.sqrt(n_features)
        mean = shift * rng.standard_normal(n_features) * 0.12
        X[y == k] = rng.standard_normal(((y == k).sum(), n_features)) @ spread + mean
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    outliers = rng.random(y_train.size) < swapped
    return [X_train, X_test, np.where(outliers, 1 - y_train, y_train), y_test]


def data_sets() -> Iterator[tuple[str, list[np.ndarray]]]:
    """Yield names and train/test splits."""
    X, y = load_breast_cancer(return_X_y=True)
    name = f"breast cancer, {X.shape[0]:,} rows, {X.shape[1]} features"
    yield name, train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    name = "two Gaussians, 5,000 rows, 500 features, 5 % of the training labels swapped"
    yield name, gaussian_set()


def main() -> None:
    """Print one table per data set."""
    models = {
        "ZeroOneClassifier": ZeroOneClassifier(),
        "AUCClassifier": AUCClassifier(),
        "LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis(),
    }
    for name, (X_train, X_test, y_train, y_test) in data_sets():
        print(f"\n{name}\n")
        columns = ["", "accuracy", "AUC", "error", "held out", "fit time"]
        print("{:28}{:>10}{:>10}{:>10}{:>11}{:>12}".format(*columns))
        for label, model in models.items():
            began = time.perf_counter()
            model.fit(X_train, y_train)
            seconds = time.perf_counter() - began
            accuracy = model.score(X_test, y_test)
            auc = roc_auc_score(y_test, model.decision_function(X_test))
            held_out = getattr(model, "held_out_error_", None)
            told = "" if held_out is None else f"{held_out:.4f}"
            print(
                f"{label:28}{accuracy:10.4f}{auc:10.4f}{1 - accuracy:10.4f}{told:>11}"
                f"{1000 * seconds:9.1f} ms"
            )
    print(
        "\naccuracy, AUC and error on test rows; held out: the error that ZeroOneClassifier"
        "\nmeasured on training rows it held out (swapped labels count as errors there)"
    )


if __name__ == "__main__":
    main()
