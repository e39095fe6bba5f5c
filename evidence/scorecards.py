"""Rules and cards of 3, 5 and 10 columns beside FasterRisk, abess and L1 logistic regression.

All see the same five folds. A column counts once, with all its categories, for zerone, abess
(groups), L1 (the largest penalty that leaves so many columns, then a fit without penalty to them)
and "FasterRisk, columns" (group sparsity, four conditions for each column; only with --groups, as
it takes minutes). Plain FasterRisk gets k conditions such as "age <= 34", its own way, with
thresholds at up to 100 quantiles.
"zerone" minimises the error, "zerone AUC" maximises the AUC; the t of AUC and
logarithmic loss are those of the latter.
Seconds are those of one core; binarising is not counted. A positive t is in favour of zerone.

FasterRisk and abess need an environment of their own, because of the versions they ask for:

    python -m venv rivals && rivals/bin/pip install fasterrisk==0.1.10 abess==0.4.11

Run: OMP_NUM_THREADS=1 python -m evidence.scorecards --rivals rivals/bin/python
     [--sets adult,german] [--sizes 3,5,10] [--groups]
"""

import argparse
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from paper.datasets.load import load
from zerone import AUCClassifier, Encoding, ZeroOneClassifier
from zerone._data.features import frame_features
from zerone._typing import AnyArray, FloatArray
from zerone.comparison import corrected_t

SETS = ("breastcancer", "german", "credit", "churn", "a9a", "adult")
_TABLES = {
    "churn": ("tables/churn.csv.xz", "churn"),
    "credit": ("tables/credit.csv.xz", "Status"),
    "adult": ("adult.csv.xz", "income"),
}
_MEASURES = ("AUC", "accuracy", "log loss")
_THRESHOLDS = 100


def table_of(name: str) -> tuple[pd.DataFrame, AnyArray]:
    """Return the columns of a data set, and whether a row is of the last class."""
    if name in _TABLES:
        path, target = _TABLES[name]
        table = pd.read_csv(Path(os.environ["ZERONE_DATA"]) / path, skipinitialspace=True)
        labels = table.pop(target).astype(str)
        return table, (labels == sorted(labels.unique())[-1]).to_numpy()
    if name == "breastcancer":
        rows, y = load_breast_cancer(return_X_y=True)
        return pd.DataFrame(rows).add_prefix("x"), y == 1
    rows, y = load(name)
    dense = rows.toarray() if hasattr(rows, "toarray") else rows
    return pd.DataFrame(dense).add_prefix("x"), y > 0


def binarised(
    train: FloatArray, test: FloatArray, groups: AnyArray
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return features as conditions: of numbers, whether they are at most a threshold."""
    parts, tests, owners = [], [], []
    for column, (own, other) in enumerate(zip(train.T, test.T, strict=True)):
        values = np.unique(own)
        if len(values) > _THRESHOLDS:
            values = np.unique(np.quantile(own, np.linspace(0, 1, _THRESHOLDS + 2)[1:-1]))
        else:
            values = values[:-1]
        if set(np.unique(own)) <= {0.0, 1.0}:
            values = values[:1]
        parts.append(own[:, None] <= values)
        tests.append(other[:, None] <= values)
        owners += [groups[column]] * len(values)
    numbered = np.unique(owners, return_inverse=True)[1]
    return np.hstack(parts), np.hstack(tests), numbered


def l1_columns(rows: FloatArray, y: AnyArray, groups: AnyArray, k: int) -> Any:
    """Return logistic regression on the first k columns of an L1 path, and its features."""
    low, high, best = -5.0, 3.0, np.zeros(rows.shape[1], dtype=bool)
    for _ in range(14):
        middle = (low + high) / 2
        model = LogisticRegression(
            C=10.0**middle, l1_ratio=1.0, solver="liblinear", max_iter=500
        ).fit(rows, y)
        used = np.unique(groups[model.coef_[0] != 0])
        if len(used) > k:
            high = middle
            continue
        low, best = middle, np.isin(groups, used)
        if len(used) == k:
            break
    if not best.any():
        best[np.argmax(np.abs(rows.T @ (y - y.mean())))] = True
    return LogisticRegression(C=1e4, max_iter=2_000).fit(rows[:, best], y), best


def figures(y: AnyArray, proba: FloatArray, answers: AnyArray | None = None) -> list[float]:
    """Return AUC, accuracy and logarithmic loss."""
    proba = np.clip(proba, 1e-6, 1 - 1e-6)
    answers = proba > 0.5 if answers is None else answers
    return [roc_auc_score(y, proba), float(np.mean(answers == y)), log_loss(y, proba)]


def fold_figures(
    table: pd.DataFrame,
    y: AnyArray,
    train: AnyArray,
    test: AnyArray,
    k: int,
    rivals: str | None,
    has_groups: bool,
) -> dict[str, list[float]]:
    """Return the figures and seconds of every method on one fold."""
    found: dict[str, list[float]] = {}
    own, other = table.iloc[train].reset_index(drop=True), table.iloc[test].reset_index(drop=True)
    labels = np.where(y, "last", "first")
    k = min(k, table.shape[1])
    start = time.perf_counter()
    model = ZeroOneClassifier(max_features=k)
    model.fit_table(own.assign(target_of_rows=labels[train]), target="target_of_rows")
    fitted = time.perf_counter() - start
    column = model.classes_.tolist().index("last")
    found["zerone"] = [
        *figures(y[test], model.predict_proba(other)[:, column], model.predict(other) == "last"),
        fitted,
    ]
    start = time.perf_counter()
    card = model.to_scorecard(own, labels[train])
    found["zerone card"] = [
        *figures(y[test], card.predict_proba(other)[:, column], card.predict(other) == "last"),
        fitted + time.perf_counter() - start,
    ]
    start = time.perf_counter()
    ranking = AUCClassifier(max_features=k)
    ranking.fit_table(own.assign(target_of_rows=labels[train]), target="target_of_rows")
    seconds = time.perf_counter() - start
    proba = ranking.predict_proba(other)[:, column]
    found["zerone AUC"] = [*figures(y[test], proba, ranking.predict(other) == "last"), seconds]
    encoding: Encoding = model.encoding_
    rows, rows_test = (np.asarray(frame_features(part, encoding)) for part in (own, other))
    groups = np.repeat(
        np.arange(len(encoding.columns)), [len(c.feature_names) for c in encoding.columns]
    )
    scale = rows.std(axis=0)
    kept = scale > 0
    binary = binarised(rows[:, kept], rows_test[:, kept], groups[kept])
    standard = [
        (part[:, kept] - rows.mean(axis=0)[kept]) / scale[kept] for part in (rows, rows_test)
    ]
    start = time.perf_counter()
    sparse, used = l1_columns(standard[0], y[train], groups[kept], k)
    seconds = time.perf_counter() - start
    proba = sparse.predict_proba(standard[1][:, used])[:, 1]
    found["L1"] = [*figures(y[test], proba), seconds]
    if rivals is None:
        return found
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder) / "fold.npz", Path(folder) / "result.npz"
        numbered = np.unique(groups[kept], return_inverse=True)[1]
        np.savez(
            given,
            k=k,
            has_groups=has_groups,
            y=y[train],
            binary=binary[0],
            binary_test=binary[1],
            binary_groups=binary[2],
            rows=standard[0],
            rows_test=standard[1],
            groups=numbered,
        )
        worker = Path(__file__).with_name("scorecard_rivals.py")
        environment = {**os.environ, "PYTHONPATH": ""}
        subprocess.run(
            [rivals, str(worker), str(given), str(result)],
            check=True,
            capture_output=True,
            env=environment,
        )
        for name, values in np.load(result).items():
            found[name] = [*figures(y[test], values[:-1]), float(values[-1])]
    return found


def show(name: str, k: int, by_fold: list[dict[str, list[float]]]) -> None:
    """Print the means of a data set and a size, with t of zerone against each rival."""
    for method in by_fold[0]:
        values = np.array([own[method] for own in by_fold])
        line = f"{name:13s} {k:3d} {method:20s}"
        for place in range(len(_MEASURES)):
            ours = "zerone" if _MEASURES[place] == "accuracy" else "zerone AUC"
            ours = "zerone card" if "card" in method or "Risk" in method else ours
            mine = np.array([own[ours] for own in by_fold])
            sign = -1 if _MEASURES[place] == "log loss" else 1
            t = corrected_t(sign * mine[:, place], sign * values[:, place])
            line += f" {values[:, place].mean():.4f}" + (
                f" ({t:+5.1f})" if method[:6] != "zerone" else " " * 8
            )
        print(f"{line} {values[:, -1].mean():7.2f} s", flush=True)


def main() -> None:
    """Compare on the sets and sizes that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivals")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--sizes", default="3,5,10")
    parser.add_argument("--groups", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':38s} {'AUC':15s} {'accuracy':15s} {'log loss':15s}")
    for name in given.sets.split(","):
        table, y = table_of(name)
        for k in map(int, given.sizes.split(",")):
            folds = StratifiedKFold(5, shuffle=True, random_state=0).split(table, y)
            found = [fold_figures(table, y, *own, k, given.rivals, given.groups) for own in folds]
            show(name, k, found)


if __name__ == "__main__":
    main()
