"""Columns that bend, beside straight lines, splines and trees, in the same folds.

    python -m evidence.shapes --data FOLDER [SETS...] [--boosting SETS...]

The sets of the paper (at most 20,000 rows of each; those that are sparse, or have no columns of
more than two values, stay straight and are left out, and so is mnist with 780 columns) and nine
tables. Contestants, all with their defaults:

- zerone, straight, and with ``shapes="auto"``, trained for the error and for the AUC;
- LogisticRegressionCV on cubic splines with knots at quantiles (scikit-learn), standardised;
- HistGradientBoostingClassifier (scikit-learn);
- ExplainableBoostingClassifier without interactions, for the sets of ``--boosting``; needs
  interpret-core, which zerone does not depend on.

Printed are mean accuracies and AUCs of five stratified folds (twice up to 8,000 rows), corrected t
statistics of the bent rules against the others, and CPU seconds of a fit. Tables: missing numbers
are imputed and marked, categories one-hot encoded. Constants of the bends were chosen on diabetes,
german, svmguide3, sonar, magic04 and covtype; on the other sets nothing was.
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, SplineTransformer, StandardScaler

from evidence.nine_tables import TARGETS
from paper.datasets.load import load
from paper.datasets.registry import DATA_SETS
from zerone import AUCClassifier, ZeroOneClassifier
from zerone.comparison import corrected_t

MOST_ROWS, MOST_COLUMNS = 20_000, 400
FOLDS, FEW_ROWS = 5, 8_000
CHOSEN_ON = ("diabetes", "german", "svmguide3", "sonar", "magic04", "covtype")


def few_values(frame: pd.DataFrame) -> list[str]:
    """Return the columns of numbers with at most two values."""
    numbers = frame.select_dtypes("number")
    return [name for name in numbers if numbers[name].nunique() <= 2]


def many_values(frame: pd.DataFrame) -> list[str]:
    """Return the other columns of numbers."""
    own = few_values(frame)
    return [name for name in frame.select_dtypes("number") if name not in own]


def splines() -> Any:
    """Return logistic regression on splines."""
    return make_pipeline(
        make_column_transformer(
            (
                make_pipeline(
                    SimpleImputer(add_indicator=True), SplineTransformer(knots="quantile")
                ),
                many_values,
            ),
            (SimpleImputer(add_indicator=True), few_values),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                make_column_selector(dtype_exclude="number"),
            ),
        ),
        StandardScaler(),
        LogisticRegressionCV(Cs=5, cv=5, max_iter=300),
    )


def trees() -> Any:
    """Return gradient boosting."""
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return make_pipeline(
        make_column_transformer(
            (encode, make_column_selector(dtype_exclude="number")), remainder="passthrough"
        ),
        HistGradientBoostingClassifier(random_state=0),
    )


def contestants(*, boosts: bool) -> dict[str, Callable[[], Any]]:
    """Return what is compared."""
    found: dict[str, Callable[[], Any]] = {
        "straight error": ZeroOneClassifier,
        "bent error": lambda: ZeroOneClassifier(shapes="auto"),
        "straight AUC": AUCClassifier,
        "bent AUC": lambda: AUCClassifier(shapes="auto"),
        "splines": splines,
        "trees": trees,
    }
    if boosts:
        from interpret.glassbox import ExplainableBoostingClassifier

        found["boosted"] = lambda: ExplainableBoostingClassifier(
            interactions=0, n_jobs=1, random_state=0
        )
    return found


def problems(wanted: list[str], data: Path) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """Yield name, rows and labels of every set and table."""
    for name, known in DATA_SETS.items():
        if known.paper_name is None or known.is_sparse or known.n_features > MOST_COLUMNS:
            continue
        if wanted and name not in wanted:
            continue
        rows, labels = load(name, data_dir=data, download=False)
        if len(labels) > MOST_ROWS:
            few = np.random.default_rng(1).permutation(len(labels))[:MOST_ROWS]
            rows, labels = rows[few], labels[few]
        frame = pd.DataFrame(rows).add_prefix("x")
        if many_values(frame):
            yield name, frame, (labels > 0).astype(np.intp)
    for table, target in TARGETS:
        if not wanted or table in wanted:
            frame = pd.read_csv(data / "tables" / f"{table}.csv.xz")
            frame = frame[frame[target].notna()]
            # Columns that name the rows, or are free text, help nobody.
            rows = frame.drop(columns=target)
            texts = rows.select_dtypes(exclude="number")
            rows = rows.drop(columns=[c for c in texts if texts[c].nunique() > 100])
            yield f"{table}.{target}", rows, np.unique(frame[target], return_inverse=True)[1]


def figures(
    rows: pd.DataFrame, labels: np.ndarray, *, boosts: bool
) -> dict[tuple[str, str], list[float]]:
    """Return accuracy, AUC of two classes and seconds of every contestant on every split."""
    repeats = 2 if len(labels) <= FEW_ROWS else 1
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=0)
    found: dict[tuple[str, str], list[float]] = {}
    for train, test in splits.split(rows, labels):
        for name, make in contestants(boosts=boosts).items():
            model, start = make(), time.process_time()
            if hasattr(model, "fit_table"):
                frame = rows.iloc[train].assign(**{"(target)": labels[train]})
                model.fit_table(frame, target="(target)")
            else:
                model.fit(rows.iloc[train], labels[train])
            found.setdefault((name, "seconds"), []).append(time.process_time() - start)
            held_out = rows.iloc[test]
            accuracy = float(np.mean(model.predict(held_out) == labels[test]))
            found.setdefault((name, "accuracy"), []).append(accuracy)
            if len(model.classes_) == 2:
                scored = model.predict_proba(held_out)[:, 1]
                area = float(roc_auc_score(labels[test] == model.classes_[1], scored))
                found.setdefault((name, "AUC"), []).append(area)
    return found


def lines(name: str, found: dict[tuple[str, str], list[float]]) -> Iterator[str]:
    """Yield the lines of a set: accuracy and AUC, each of the rule that was trained for it."""
    for metric, kind in (("accuracy", "error"), ("AUC", "AUC")):
        if ("trees", metric) not in found:
            continue
        own = np.array(found[f"bent {kind}", metric])
        seconds = np.mean(found[f"bent {kind}", "seconds"])
        ratio = seconds / np.mean(found[f"straight {kind}", "seconds"])
        cells = [name, metric, f"{own.mean():.4f}", f"{seconds:.2f}", f"{ratio:.1f}"]
        for other in (f"straight {kind}", "splines", "trees", "boosted"):
            if (other, metric) in found:
                values = np.array(found[other, metric])
                spent = np.mean(found[other, "seconds"])
                cells += [
                    f"{values.mean():.4f}",
                    f"{corrected_t(own, values):+.1f}",
                    f"{spent:.2f}",
                ]
            else:
                cells += ["", "", ""]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print a line for every set and metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*")
    default = Path(os.environ.get("ZERONE_DATA", "."))
    parser.add_argument("--data", type=Path, default=default, help="folder of NAME.libsvm.xz")
    parser.add_argument("--boosting", nargs="*", default=[], help="sets for explainable boosting")
    given = parser.parse_args()
    if not given.data.is_dir():
        sys.exit(f"--data: there is no folder {os.fspath(given.data)!r}; or set ZERONE_DATA")
    warnings.simplefilter("ignore")
    others = " | ".join(f"{name} | t | s" for name in ("straight", "splines", "trees", "boosted"))
    print(f"| set | metric | bent | s | × straight | {others} |")
    print(f"|{'---|' * 17}")
    for name, rows, labels in problems(given.sets, given.data):
        found = figures(rows, labels, boosts=name.split(".")[0] in given.boosting)
        print(*lines(name, found), sep="\n", flush=True)


if __name__ == "__main__":
    main()
