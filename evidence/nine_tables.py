"""Nine tables as people have them: zerone beside skrub's pipelines, in the same folds.

    python -m evidence.nine_tables --tables FOLDER

Every contestant gets the same training frames as pandas reads them: `ZeroOneClassifier` and
`AUCClassifier` by `fit_table`; logistic regression after skrub's `TableVectorizer`, imputation and
standardisation; and logistic regression and LightGBM in skrub's `tabular_pipeline`. That one
squashes large values for logistic regression, which is no linear map of the columns, and not
standardisation. Printed are mean accuracies and AUCs over two repetitions of five stratified folds,
and corrected t statistics of zerone against the others: beyond ±2.26 a difference is significant
(5 %).

Needs skrub and lightgbm, which zerone does not depend on: pip install skrub lightgbm.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zerone import AUCClassifier, ZeroOneClassifier
from zerone.comparison import corrected_t

TARGETS = (
    ("penguins", "species"),
    ("penguins", "sex"),
    ("penguins-raw", "Species"),
    ("titanicp", "survived"),
    ("credit", "Status"),
    ("email", "spam"),
    ("churn", "churn"),
    ("chile", "vote"),
    ("pima2", "type"),
    ("seattle-weather", "weather"),
)
"""Each table with its target."""

FOLDS, REPEATS = 5, 2


def contestants() -> dict[str, Callable[[], Any]]:
    """Return zerone's classifiers and skrub's pipelines; ends with advice where skrub is absent."""
    try:
        from lightgbm import LGBMClassifier
        from skrub import TableVectorizer, tabular_pipeline
    except ImportError as error:
        sys.exit(f"{error}; install what is compared with: pip install skrub lightgbm")
    return {
        "error": ZeroOneClassifier,
        "auc": AUCClassifier,
        "standardised": lambda: make_pipeline(
            TableVectorizer(),
            SimpleImputer(add_indicator=True),
            StandardScaler(),
            LogisticRegression(max_iter=1_000),
        ),
        "squashed": lambda: tabular_pipeline(LogisticRegression(max_iter=1_000)),
        # On one thread: on a busy machine its threads wait for each other.
        "trees": lambda: tabular_pipeline(LGBMClassifier(verbose=-1, n_jobs=1, random_state=0)),
    }


def figures(frame: pd.DataFrame, target: str) -> dict[tuple[str, str], list[float]]:
    """Return accuracies, and AUCs of two classes, of every contestant on every split."""
    frame = frame[frame[target].notna()]
    rows, labels = frame.drop(columns=target), frame[target]
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)
    found: dict[tuple[str, str], list[float]] = {}
    for train, test in splits.split(rows, labels):
        for name, make in contestants().items():
            model = make()
            if hasattr(model, "fit_table"):
                model.fit_table(frame.iloc[train], target=target)
            else:
                model.fit(rows.iloc[train], labels.iloc[train])
            held_out, truth = rows.iloc[test], labels.iloc[test]
            accuracy = float(np.mean(model.predict(held_out) == truth))
            found.setdefault((name, "accuracy"), []).append(accuracy)
            if len(model.classes_) == 2:
                scored = model.predict_proba(held_out)[:, 1]
                area = float(roc_auc_score(truth == model.classes_[1], scored))
                found.setdefault((name, "AUC"), []).append(area)
    return found


def lines(table: str, target: str, found: dict[tuple[str, str], list[float]]) -> list[str]:
    """Return the lines of a table: accuracy, and the AUC of both of zerone's classifiers."""
    told = []
    wanted = [("accuracy", "error"), ("AUC", "error"), ("AUC", "auc")]
    for metric, ours in wanted if ("error", "AUC") in found else wanted[:1]:
        own = np.array(found[ours, metric])
        cells = [table, target, metric, ours, f"{own.mean():.4f}"]
        for other in ("standardised", "squashed", "trees"):
            values = np.array(found[other, metric])
            cells += [f"{values.mean():.4f}", f"{corrected_t(own, values):+.1f}"]
        told.append(f"| {' | '.join(cells)} |")
    return told


def main() -> None:
    """Print a line for every table, target and metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("ZERONE_DATA", ".")) / "tables"
    parser.add_argument("--tables", type=Path, default=default, help="folder of NAME.csv.xz")
    folder = parser.parse_args().tables
    if not folder.is_dir():
        sys.exit(f"--tables: there is no folder {os.fspath(folder)!r}; name it, or set ZERONE_DATA")
    contestants()
    warnings.simplefilter("ignore")
    others = "logistic, standardised | t | logistic, squashed | t | LightGBM | t"
    print(f"| table | target | metric | zerone trained for | zerone | {others} |")
    print(f"|{'---|' * 11}")
    for table, target in TARGETS:
        frame = pd.read_csv(folder / f"{table}.csv.xz")
        print(*lines(table, target, figures(frame, target)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
